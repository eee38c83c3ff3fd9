package search

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec"
)

// line is a system of so many states, each with one step to the next one.
type line uint32

func (line) Words() int                   { return 1 }
func (line) Initial([]uint32) int         { return 0 }
func (line) Terminal([]uint32) int        { return 0 }
func (line) Violation(int) spec.Violation { return spec.Violation{} }

func (l line) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	if state[0]+1 < uint32(l) {
		x.Add(checker.Step{Code: 1})
		x.Set(0, state[0]+1)
	}
}

// TestLine explores a line that is so long that a search which looks at all of its levels, or at a
// whole path, again and again would not end within the time that tests have.
func TestLine(t *testing.T) {
	n := effort.Of(60_000, 300_000)
	for _, o := range []checker.Options{{}, {Workers: 2}, {Order: checker.BreadthFirst},
		{Order: checker.BreadthFirst, Workers: 2}} {
		if r := Explore(t.Context(), line(n), o); r.States != n || r.Transitions != n-1 ||
			r.Terminals != 1 || r.Bound != "" {
			t.Errorf("%+v: %+v", o, r)
		}
	}
}
