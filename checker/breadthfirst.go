package checker

// breadthFirst explores level by level. Every state keeps a link to the one it was first reached from, so the first
// run that is found is a shortest one.
func (s *search) breadthFirst() {
	words := s.sys.Words()
	var parents []uint32 // by state number
	var codes []uint64   // step from the parent
	level := make([]uint32, words)
	s.sys.Initial(level)
	s.visited.insert(level)
	parents, codes = append(parents, 0), append(codes, 0)
	var next []uint32
	first, firstNext := uint32(0), uint32(1) // numbers of the first state of this level and the next
	s.waiting = func() (int, int64) {
		waiting := (len(level) + len(next)) / words
		return waiting, int64(cap(level)+cap(next))*4 + int64(cap(parents))*4 + int64(cap(codes))*8
	}
	path := func(number uint32, last ...uint64) []uint64 {
		var reversed []uint64
		for n := number; n != 0; n = parents[n] {
			reversed = append(reversed, codes[n])
		}
		p := make([]uint64, 0, len(reversed)+1)
		for i := len(reversed) - 1; i >= 0; i-- {
			p = append(p, reversed[i])
		}
		return append(p, last...)
	}
	for len(level) > 0 {
		for i := 0; i < len(level)/words; i++ {
			if s.stop() {
				return
			}
			number := first + uint32(i)
			state := level[i*words : (i+1)*words]
			x := &s.expansion
			s.sys.Expand(state, false, x)
			s.result.States++
			s.result.Transitions += len(x.Steps)
			if !progress(x) {
				s.result.Terminals++
				if v := s.sys.Terminal(state); v != 0 && s.found(v, path(number)) {
					return
				}
			}
			for j := range x.Steps {
				if v := x.Steps[j].Violation; v != 0 {
					if s.found(v, path(number, x.Steps[j].Code)) {
						return
					}
					continue // nothing is explored beyond a violation
				}
				if _, fresh := s.visited.insert(x.State(j)); fresh {
					next = append(next, x.State(j)...)
					parents, codes = append(parents, number), append(codes, x.Steps[j].Code)
				}
			}
		}
		first, firstNext = firstNext, uint32(len(parents))
		level, next = next, level[:0]
		if len(level) > 0 {
			s.result.Depth++
		}
	}
}
