package search

import (
	"errors"
	"slices"

	"github.com/domino-check/domino/checker"
)

// revise lets the system judge again what it has left out; it reports whether any state is to be
// expanded once more. No worker may be at work.
func (s *search) revise() bool {
	if !s.unrevised {
		return false
	}
	var again []uint64
	w := s.workers[0]
	s.sys.(checker.Reviser).Revise(s.met(s.packing), func(state []uint32) {
		c, ok := s.packing.Encode(state)
		if !ok || !s.known(c) {
			panic("invariant: only visited states are expanded once more")
		}
		e := entry{code: c, again: true}
		if s.layout.breadth {
			e.number = w.number.number(0, lost)
		}
		again = s.layout.push(again, e)
	})
	switch {
	case len(again) == 0:
		s.unrevised = false
		return false
	case s.layout.breadth:
		s.addParts(again)
	default:
		w.stack, w.path = again, nil
	}
	return true
}

// lost is the index of a step that no state has: how a state was reached is not known.
const lost = 1<<16 - 1

// known reports whether a state was met.
func (s *search) known(c checker.Code) bool {
	if s.sleepers != nil {
		_, ok := s.sleepers.visited[widePlace(c).shard].marks[c]
		return ok
	}
	return s.visited.contains(s.visited.place(c))
}

// trace is a shortest path through visited states to one of them, as codes of steps: it is for
// states of which the path is not known. Each was reached from another one by a step that an
// unreduced expansion has, too. No worker may be at work.
func (s *search) trace(to []uint32) (path []uint64, err error) {
	type link struct {
		parent int
		code   uint64
		state  checker.Code
	}
	x := checker.NewExpansion(s.sys.Words())
	state := make([]uint32, s.sys.Words())
	s.sys.Initial(state)
	first, _ := s.packing.Encode(state)
	links, seen := []link{{state: first}}, map[checker.Code]bool{first: true}
	for at := 0; at < len(links); at++ {
		if s.packing.Decode(links[at].state, state); slices.Equal(state, to) {
			for ; at > 0; at = links[at].parent {
				path = append(path, links[at].code)
			}
			slices.Reverse(path)
			return path, nil
		}
		s.sys.Expand(state, checker.Unreduced, x)
		for i := range x.Steps {
			c, ok := s.packing.Encode(x.State(i, state[:0]))
			if x.Steps[i].Violation != 0 || !ok || seen[c] || !s.known(c) {
				continue
			}
			seen[c] = true
			links = append(links, link{parent: at, code: x.Steps[i].Code, state: c})
		}
	}
	return nil, errors.New("no path through visited states leads to it")
}
