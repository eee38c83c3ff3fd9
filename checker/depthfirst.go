package checker

// frame is one state on the path that the depth-first search is on.
type frame struct {
	number  uint32 // of the state
	code    uint64 // step that led to it
	pending int    // successors not yet tried; they are the last ones in the arena
}

// depthFirstSound repeats the search until the reduction has proved itself. A violation is real in any pass.
func (s *search) depthFirstSound() {
	for {
		s.result.Passes++
		s.depthFirst()
		r, ok := s.sys.(Reducer)
		if !ok || r.Sound() || s.result.Bound != "" || len(s.result.Found) > 0 && !s.options.All {
			return
		}
		r.Restart()
		s.visited.reset()
		s.result.Stats = Stats{}
	}
}

// depthFirst explores along one path at a time. A state counts as visited when it is expanded, not when it is
// generated: only then is every state of a cycle that consists of reduced states on the path when the cycle closes, and
// the state that closes it is expanded in full, so no event is put off for ever.
func (s *search) depthFirst() {
	words := s.sys.Words()
	var arena []uint32 // state vectors that wait, frame by frame
	var codes []uint64 // steps that lead to them
	var path []frame
	var onPath bitset
	s.waiting = func() (int, int64) {
		return len(codes), int64(cap(arena))*4 + int64(cap(codes))*8 + int64(cap(path))*24 + int64(cap(onPath))*8
	}
	steps := func(last ...uint64) []uint64 {
		var p []uint64
		for _, f := range path[1:] {
			p = append(p, f.code)
		}
		return append(p, last...)
	}
	state := make([]uint32, words)
	s.sys.Initial(state)
	// enter expands a state that was taken from the arena; it reports whether the search is over.
	enter := func(code uint64) bool {
		number, fresh := s.visited.insert(state)
		if !fresh {
			return false
		}
		path = append(path, frame{number: number, code: code})
		onPath.set(number)
		s.result.States++
		s.result.Depth = max(s.result.Depth, len(path)-1)
		x := &s.expansion
		s.sys.Expand(state, s.options.Reduce, x)
		if x.Reduced && s.closesCycle(x, onPath) {
			s.sys.Expand(state, false, x)
		}
		s.result.Transitions += len(x.Steps)
		if !progress(x) {
			s.result.Terminals++
			if v := s.sys.Terminal(state); v != 0 && s.found(v, steps()) {
				return true
			}
		}
		for i := len(x.Steps) - 1; i >= 0; i-- {
			if v := x.Steps[i].Violation; v != 0 {
				if s.found(v, steps(x.Steps[i].Code)) {
					return true
				}
				continue // nothing is explored beyond a violation
			}
			arena = append(arena, x.State(i)...)
			codes = append(codes, x.Steps[i].Code)
			path[len(path)-1].pending++
		}
		return false
	}
	if enter(0) {
		return
	}
	for len(path) > 0 && !s.stop() {
		top := &path[len(path)-1]
		if top.pending == 0 {
			onPath.clear(top.number)
			path = path[:len(path)-1]
			continue
		}
		top.pending--
		code := codes[len(codes)-1]
		codes = codes[:len(codes)-1]
		copy(state, arena[len(arena)-words:])
		arena = arena[:len(arena)-words]
		if enter(code) {
			return
		}
	}
}

// closesCycle reports whether a successor of a reduced state is on the path.
func (s *search) closesCycle(x *Expansion, onPath bitset) bool {
	for i := range x.Steps {
		if number, ok := s.visited.lookup(x.State(i)); ok && onPath.has(number) {
			return true
		}
	}
	return false
}

// bitset is a growing set of state numbers.
type bitset []uint64

func (b *bitset) set(n uint32) {
	for int(n>>6) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n>>6] |= 1 << (n & 63)
}

func (b bitset) clear(n uint32)    { b[n>>6] &^= 1 << (n & 63) }
func (b bitset) has(n uint32) bool { return int(n>>6) < len(b) && b[n>>6]>>(n&63)&1 != 0 }
