package checker

import "slices"

// links remember how each state was first reached: 12 bytes a state.
type links struct {
	parents []uint32 // by state number
	codes   []uint64 // step from the parent
}

func (l *links) add(parent uint32, code uint64) {
	l.parents, l.codes = append(l.parents, parent), append(l.codes, code)
}

// path is the run to a state, and one step more.
func (l *links) path(number uint32, last ...uint64) []uint64 {
	var p []uint64
	for n := number; n != 0; n = l.parents[n] {
		p = append(p, l.codes[n])
	}
	slices.Reverse(p)
	return append(p, last...)
}

// breadthFirst explores level by level, so the first run that is found is a shortest one.
func (s *search) breadthFirst() {
	words := s.sys.Words()
	var l links
	level, next := make([]uint32, words), []uint32(nil)
	s.waiting = func() (int, int64) {
		return (len(level) + len(next)) / words, int64(cap(level)+cap(next))*4 + int64(cap(l.parents))*4 + int64(cap(l.codes))*8
	}
	if v := s.sys.Initial(level); v != 0 && s.found(v, nil) {
		return
	}
	s.visited.insert(level)
	l.add(0, 0)
	number := uint32(0) // of the state at hand: states are numbered level by level
	for len(level) > 0 {
		for i := 0; i < len(level); i += words {
			if s.stop() || s.expandBreadth(&l, number, level[i:i+words], &next) {
				return
			}
			number++
		}
		level, next = next, level[:0]
		if len(level) > 0 {
			s.result.Depth++
		}
	}
}

// expandBreadth appends the new successors of a state to the next level; it reports whether the search is over.
func (s *search) expandBreadth(l *links, number uint32, state []uint32, next *[]uint32) bool {
	x := &s.expansion
	s.sys.Expand(state, false, x)
	s.result.States++
	s.result.Transitions += len(x.Steps)
	if !progress(x) {
		s.result.Terminals++
		if v := s.sys.Terminal(state); v != 0 && s.found(v, l.path(number)) {
			return true
		}
	}
	for i := range x.Steps {
		if v := x.Steps[i].Violation; v != 0 {
			if s.found(v, l.path(number, x.Steps[i].Code)) {
				return true
			}
			continue // nothing is explored beyond a violation
		}
		if _, fresh := s.visited.insert(x.State(i)); fresh {
			*next = append(*next, x.State(i)...)
			l.add(number, x.Steps[i].Code)
		}
	}
	return false
}
