package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestUndo lets rapid look for the elements that a failure does not need. Method: the failure needs
// a random set of elements, and is there whenever all of them are; rounds with different seeds must
// leave exactly these. The number of different trials is bounded: rapid takes out chunks first.
func TestUndo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 5, 52, 53, 200} {
		needed := map[int]bool{}
		for range min(n, 8) {
			needed[r.IntN(n)] = true
		}
		var left []int
		for i := range n {
			left = append(left, i)
		}
		trials := map[string]bool{}
		for seed, idle := uint64(1), 0; idle < 4; seed++ {
			now := left
			out := undo(len(now), seed, func(out []bool) bool {
				var rest []int
				for i, x := range now {
					if !out[i] {
						rest = append(rest, x)
					}
				}
				trials[fmt.Sprint(rest)] = true
				for i, gone := range out {
					if gone && needed[now[i]] {
						return false
					}
				}
				return true
			})
			if idle++; count(out) > 0 {
				idle = 0
			}
			left = nil
			for i, x := range now {
				if !out[i] {
					left = append(left, x)
				}
			}
		}
		if len(left) != len(needed) || slices.ContainsFunc(left, func(i int) bool {
			return !needed[i]
		}) {
			t.Errorf("of %d elements %v are left, want %v", n, left, needed)
		}
		t.Logf("%d elements, %d needed: %d trials", n, len(needed), len(trials))
		if len(trials) > 30*(n+10) {
			t.Errorf("%d trials for %d elements", len(trials), n)
		}
	}
}

// TestUndoKeeps checks that what can not be taken out stays: a failure that needs everything comes
// back whole.
func TestUndoKeeps(t *testing.T) {
	if out := undo(60, 7, func([]bool) bool { return false }); len(out) != 60 || count(out) != 0 {
		t.Errorf("taken out: %v", out)
	}
}
