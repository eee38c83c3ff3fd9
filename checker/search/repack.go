package search

import (
	"iter"

	"github.com/domino-check/domino/checker"
)

// widen notes that the packing is too narrow for what a worker has expanded. Everybody stops.
func (s *search) widen(w *worker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outgrown = append(s.outgrown, w.x)
	s.ended.Store(true)
}

// repack makes a packing that has room for all states that were met and those that were too wide,
// and encodes everything anew. No worker may be at work.
func (s *search) repack() {
	s.repacking.Lock()
	defer s.repacking.Unlock()
	old := s.packing
	s.packing = old.Widened(s.vectors())
	s.outgrown = nil
	state := make([]uint32, s.sys.Words())
	recode := func(c checker.Code) checker.Code {
		old.Decode(c, state)
		c, ok := s.packing.Encode(state)
		if !ok {
			panic("invariant: a packing has room for the states for which it was made")
		}
		return c
	}
	from := s.visited
	s.visited = newTable(s.packing.Bits() > checker.NarrowBits)
	s.visited.fill(from, recode)
	if s.sleepers != nil {
		s.sleepers.recode(recode)
	}
	before := s.layout
	s.layout.wide = s.visited.wide
	again := func(stack []uint64) (to []uint64) {
		for ; len(stack) > 0; stack = stack[before.size():] {
			e := before.at(stack)
			e.code = recode(e.code)
			to = s.layout.push(to, e)
		}
		return to
	}
	for _, w := range s.workers {
		w.stack = again(w.stack)
		w.x.Pack(s.packing)
	}
	for i := range s.pool.shared {
		s.pool.shared[i].stack = again(s.pool.shared[i].stack)
	}
	if s.disk != nil {
		return
	}
	s.levelBytes.Store(0)
	for i := range s.level.parts {
		s.level.parts[i] = again(s.level.parts[i])
		s.levelBytes.Add(int64(cap(s.level.parts[i])) * 8)
	}
}

// vectors are all states that were met, and those for which the packing is too narrow. A vector is
// valid until the next one.
func (s *search) vectors() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for state := range s.met() {
			if !yield(state) {
				return
			}
		}
		for _, x := range s.outgrown {
			for state := range x.States() {
				if !yield(state) {
					return
				}
			}
		}
	}
}

// met are all states that were met. A vector is valid until the next one.
func (s *search) met() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		codes := s.visited.codes()
		if s.sleepers != nil {
			codes = s.sleepers.codes()
		}
		state := make([]uint32, s.sys.Words())
		for c := range codes {
			if s.packing.Decode(c, state); !yield(state) {
				return
			}
		}
	}
}
