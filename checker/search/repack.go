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

// compactStates is up to how many states are all encoded anew whenever the packing is too narrow,
// so that words lie side by side.
const compactStates = 1 << 14

// repack makes a packing that has room for all states that were met and those that were too wide.
// If it can, it leaves the codes of a large table as they are; or else it encodes everything anew.
// No worker may be at work.
func (s *search) repack() {
	s.repacking.Lock()
	defer s.repacking.Unlock()
	old := s.packing
	count, used := s.visited.count(), s.visited.used()
	if s.disk != nil {
		count, used = max(count, int(s.disk.number)), used.Or(s.disk.used)
	}
	if count > s.compact {
		s.packing = old.Extended(used, s.tooWide())
	}
	if s.packing == old || s.packing == nil {
		if t := s.visited; t.most != nil && s.disk.complete && t.bytes() > t.most.Load()/2 {
			s.disk.relieve() // two tables have no room
		}
		s.packing = old.Widened(s.vectors(old))
		s.encode(old)
	}
	s.outgrown = nil
	for _, w := range s.workers {
		w.x.Pack(s.packing)
	}
}

// recoder turns codes of one packing into those of another.
type recoder struct {
	from, to *checker.Packing
	state    []uint32
}

func (s *search) recoder(from *checker.Packing) *recoder {
	return &recoder{from, s.packing, make([]uint32, s.sys.Words())}
}

func (r *recoder) code(c checker.Code) checker.Code {
	r.from.Decode(c, r.state)
	c, ok := r.to.Encode(r.state)
	if !ok {
		panic("invariant: a packing has room for the states for which it was made")
	}
	return c
}

// encode gives every state that was met a code of the new packing.
func (s *search) encode(old *checker.Packing) {
	from := s.visited
	s.visited = newTable(s.packing.Bits() > checker.NarrowBits)
	if s.disk == nil || s.disk.complete {
		s.visited.fill(from, len(s.workers), func() *recoder { return s.recoder(old) })
	} else {
		from.close()
	}
	s.visited.most = from.most
	recode := s.recoder(old).code
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
		clear(w.recent)
		w.stack = again(w.stack)
	}
	if s.disk != nil {
		s.disk.encode(recode)
		return
	}
	for i := range s.pool.shared {
		s.pool.shared[i].stack = again(s.pool.shared[i].stack)
	}
	s.levelBytes.Store(0)
	for i := range s.level.parts {
		s.level.parts[i] = again(s.level.parts[i])
		s.levelBytes.Add(int64(cap(s.level.parts[i])) * 8)
	}
}

// vectors are all states that were met, and those for which the packing is too narrow. A vector is
// valid until the next one.
func (s *search) vectors(p *checker.Packing) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for _, states := range []iter.Seq[[]uint32]{s.met(p), s.tooWide()} {
			for state := range states {
				if !yield(state) {
					return
				}
			}
		}
	}
}

// tooWide are states of which some have no room in the packing.
func (s *search) tooWide() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		for _, x := range s.outgrown {
			for state := range x.States() {
				if !yield(state) {
					return
				}
			}
		}
	}
}

// met are all states that were met, of codes of the packing. A vector is valid until the next one.
func (s *search) met(p *checker.Packing) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		codes := s.visited.codes()
		switch {
		case s.sleepers != nil:
			codes = s.sleepers.codes()
		case s.disk != nil && !s.disk.complete:
			codes = s.disk.codes()
		}
		state := make([]uint32, s.sys.Words())
		for c := range codes {
			if p.Decode(c, state); !yield(state) {
				return
			}
		}
	}
}
