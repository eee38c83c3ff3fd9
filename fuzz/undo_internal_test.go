package fuzz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestUndo looks for the elements that a failure does not need. Method: the failure needs
// a random set of elements, and is there whenever all of them are; rounds must leave exactly these.
// The number of different trials is bounded: chunks are taken out first.
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
		for idle := 0; idle < 1; {
			now := left
			out := undo(len(now), func(out []bool) bool {
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
			if idle++; slices.Contains(out, true) {
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
		if len(trials) > 4*(n+10) {
			t.Errorf("%d trials for %d elements", len(trials), n)
		}
	}
}

// TestUndoKeeps checks that what can not be taken out stays: a failure that needs everything comes
// back whole.
func TestUndoKeeps(t *testing.T) {
	out := undo(60, func([]bool) bool { return false })
	if len(out) != 60 || slices.Contains(out, true) {
		t.Errorf("taken out: %v", out)
	}
}
