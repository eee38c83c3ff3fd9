package emulate

// before is the order of events of one proc.
func (e *local) before(f *local) bool {
	switch {
	case e.at != f.at:
		return e.at < f.at
	case e.made != f.made:
		return e.made < f.made
	case e.by != f.by:
		return e.by < f.by
	}
	return e.number < f.number
}

// agenda is the events of one proc, a heap, the earliest first: mostly one or two, but a root may
// have one of every other proc. It has not its code in common with clock: with a type parameter,
// orders are called, not inlined, and a push and a pop take 92 ns instead of 46.
// Invariant: for all i > 0, agenda[(i-1)/2] is before agenda[i].
type agenda []local

// push adds an event.
func (a *agenda) push(e local) {
	q := append(*a, e)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(&q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = e
	*a = q
}

// pop takes the earliest event.
func (a *agenda) pop() local {
	q := *a
	first, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*a = q
	i := 0
	for {
		down := 2*i + 1
		if down >= len(q) {
			break
		}
		if down+1 < len(q) && q[down+1].before(&q[down]) {
			down++
		}
		if !q[down].before(&last) {
			break
		}
		q[i] = q[down]
		i = down
	}
	if len(q) > 0 {
		q[i] = last
	}
	return first
}
