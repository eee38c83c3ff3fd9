package checker

// frame is one state on the path that the depth-first search is on.
type frame struct {
	number  uint32 // of the state
	code    uint64 // step that led to it
	pending int    // successors not yet tried; they are the last ones in the arena
}

// descent is the state of one depth-first pass.
type descent struct {
	*search
	words  int
	arena  []uint32 // state vectors that wait, frame by frame
	codes  []uint64 // steps that lead to them
	path   []frame
	onPath bitset
	state  []uint32
}

// depthFirst explores along one path at a time. A state counts as visited when it is expanded, not when it is
// generated: only then is every state of a cycle that consists of reduced states on the path when the cycle closes, and
// the state that closes it is expanded in full, so no event is put off for ever.
func (s *search) depthFirst() {
	d := &descent{search: s, words: s.sys.Words()}
	s.waiting = func() (int, int64) {
		return len(d.codes), int64(cap(d.arena))*4 + int64(cap(d.codes))*8 + int64(cap(d.path))*24 + int64(cap(d.onPath))*8
	}
	d.state = make([]uint32, d.words)
	if v := s.sys.Initial(d.state); v != 0 && s.found(v, nil) || d.enter(0) {
		return
	}
	for len(d.path) > 0 && !s.stop() {
		top := &d.path[len(d.path)-1]
		if top.pending == 0 {
			d.onPath.clear(top.number)
			d.path = d.path[:len(d.path)-1]
			continue
		}
		top.pending--
		code := d.codes[len(d.codes)-1]
		d.codes = d.codes[:len(d.codes)-1]
		copy(d.state, d.arena[len(d.arena)-d.words:])
		d.arena = d.arena[:len(d.arena)-d.words]
		if d.enter(code) {
			return
		}
	}
}

// enter expands the state at hand, which the step leads to; it reports whether the search is over.
func (d *descent) enter(code uint64) bool {
	number, fresh := d.visited.insert(d.state)
	if !fresh {
		return false
	}
	d.path = append(d.path, frame{number: number, code: code})
	d.onPath.set(number)
	d.result.States++
	d.result.Depth = max(d.result.Depth, len(d.path)-1)
	x := &d.expansion
	d.sys.Expand(d.state, d.options.Reduce, x)
	if x.Reduced && d.closesCycle(x) {
		d.sys.Expand(d.state, false, x)
	}
	d.result.Transitions += len(x.Steps)
	if !progress(x) {
		d.result.Terminals++
		if v := d.sys.Terminal(d.state); v != 0 && d.found(v, d.steps()) {
			return true
		}
	}
	for i := len(x.Steps) - 1; i >= 0; i-- {
		if v := x.Steps[i].Violation; v != 0 {
			if d.found(v, d.steps(x.Steps[i].Code)) {
				return true
			}
			continue // nothing is explored beyond a violation
		}
		if _, visited := d.visited.lookup(x.State(i)); visited {
			continue
		}
		d.arena = append(d.arena, x.State(i)...)
		d.codes = append(d.codes, x.Steps[i].Code)
		d.path[len(d.path)-1].pending++
	}
	return false
}

// steps is the run to the state at hand, and one step more.
func (d *descent) steps(last ...uint64) []uint64 {
	var p []uint64
	for _, f := range d.path[1:] {
		p = append(p, f.code)
	}
	return append(p, last...)
}

// closesCycle reports whether a successor of a reduced state is on the path.
func (d *descent) closesCycle(x *Expansion) bool {
	for i := range x.Steps {
		if number, ok := d.visited.lookup(x.State(i)); ok && d.onPath.has(number) {
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
