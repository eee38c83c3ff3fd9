package search

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// tree is a system with the nodes of a binary tree that are less than a number.
type tree uint32

func (tree) Words() int                   { return 1 }
func (tree) Initial([]uint32) int         { return 0 }
func (tree) Terminal([]uint32) int        { return 0 }
func (tree) Violation(int) spec.Violation { return spec.Violation{} }

func (t tree) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for child := 2*state[0] + 1; child <= 2*state[0]+2; child++ {
		if child < uint32(t) {
			x.Add(checker.Step{Code: uint64(child)})
			x.Set(0, child)
		}
	}
}

// TestTableIsGivenBack checks that nothing is mapped any more when a search has ended, whether it
// was complete or not.
func TestTableIsGivenBack(t *testing.T) {
	if all, _ := reserve(); all == nil {
		t.Skip("this system gives no addresses without memory")
	} else {
		release(all)
	}
	const states = 300_000 // some 19,000 a shard: more than largeShard
	for _, o := range []checker.Options{{}, {Order: checker.BreadthFirst},
		{Workers: 2, MaxStates: states / 2}} {
		s := newSearch(t.Context(), tree(states), o)
		if r := s.result(); r.States < states/2 {
			t.Errorf("%d states", r.States)
		}
		s.visited.mapped.Do(func() { t.Error("the table was never large: nothing is shown") })
		if s.visited.all != nil {
			t.Errorf("%d bytes are mapped after the search", len(s.visited.all))
		}
	}
}
