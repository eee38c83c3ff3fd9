package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// TestRecent notes places that have slots or parts in common, and compares with the set of all that
// were noted: one that was not noted is never known, the last one always is.
func TestRecent(t *testing.T) {
	for _, wide := range []bool{false, true} {
		for _, words := range []int{recentFirst, 1 << 10} {
			r, noted, hits := make(recent, words), map[place]bool{}, 0
			random := rand.New(rand.NewPCG(1, uint64(words)))
			for range 100_000 {
				c := codeOf(random.Uint64N(8)<<1, random.Uint64N(1<<12), wide)
				p := narrowPlace(c)
				if wide {
					p = widePlace(c)
				}
				if r.has(&p, wide) {
					if hits++; !noted[p] {
						t.Fatalf("wide=%t: %x was not noted", wide, c)
					}
				}
				r.note(&p, wide)
				if noted[p] = true; !r.has(&p, wide) {
					t.Fatalf("wide=%t: %x was noted just now", wide, c)
				}
			}
			if hits == 0 {
				t.Errorf("wide=%t, %d words: nothing was ever known", wide, words)
			}
		}
	}
}

// twice is a line in which two steps lead from each state to the next one, the first of which
// breaks a property, and both once more to the one before.
type twice struct{ line }

func (twice) Violation(int) spec.Violation { return spec.Violation{Property: "bad"} }

func (g twice) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i := range 4 {
		to := state[0] + 1 - 2*uint32(i/2)
		if to < uint32(g.line) {
			x.Add(checker.Step{Code: uint64(i), Violation: 1 - i%2})
			x.Set(0, to)
		}
	}
}

// TestRecentViolation: a state that was reached by a step that breaks something is not known, since
// nothing is explored beyond that.
func TestRecentViolation(t *testing.T) {
	for _, n := range []line{3, 6000} { // few, and more than have small memories
		for _, o := range []checker.Options{{}, {Workers: 2}, {Order: checker.BreadthFirst}} {
			o.All = true
			r := Explore(t.Context(), twice{n}, o)
			got, want := fmt.Sprint(r.States, r.Transitions), fmt.Sprint(int(n), 4*int(n)-4)
			if got != want || r.Bound != "" {
				t.Errorf("%d states, %v: %s, want %s", n, o, got, want)
			}
		}
	}
}
