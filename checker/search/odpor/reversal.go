package odpor

import "slices"

// reverse looks for other traces that the run shows: for each event, what could have happened
// instead of it.
func (t *traces) reverse() {
	for i := range t.events {
		t.free = t.free[:0]
		for j := i + 1; j < len(t.events); j++ {
			if !t.events[j].past.has(i) {
				t.free = append(t.free, j)
			}
		}
		for j := i + 1; j < len(t.events); j++ {
			if t.events[j].past.has(i) && t.race(i, j) {
				t.reverseRace(i, j)
			}
		}
		t.reverseAltered(i)
	}
}

// race reports whether event j depends on event i directly: no other one is between them.
func (t *traces) race(i, j int) bool {
	if t.events[j].Code == t.events[i].Code ||
		t.events[j].touches.Independent(&t.events[i].touches) {
		// the first of the two is what the code means before it; or the other is only enabled by it
		return false
	}
	for k := i + 1; k < j; k++ {
		if t.events[j].past.has(k) && t.events[k].past.has(i) {
			return false
		}
	}
	return true
}

// reverseRace makes event j come without event i, if it can.
func (t *traces) reverseRace(i, j int) {
	at := t.levels[i].at
	past := t.events[j].past
	for _, k := range t.free {
		if past.has(k) {
			at = t.follow(at, t.events[k].Code)
		}
	}
	m := at.find(t.events[j].Code)
	if m == nil {
		return
	}
	skipped := make(set, t.words)
	for _, k := range t.free {
		if f := &t.events[k]; k < j && !past.has(k) &&
			(f.past.meets(skipped) || !f.touches.Independent(&m.touches)) {
			skipped.add(k)
		}
	}
	t.schedule(i, skipped, j, m)
}

// reverseAltered makes steps come that event i has disabled or changed: it repeats without event i
// what does not happen after it.
func (t *traces) reverseAltered(i int) {
	e, at := t.events[i].move, t.levels[i].at
	if e.hinges == 0 && !e.last() && !t.cut {
		return // it can alter nothing
	}
	skipped := make(set, t.words)
	for k := range at.steps {
		if m := &at.steps[k]; t.alters(e, at, m) {
			t.schedule(i, skipped, i, m)
		}
	}
	t.scan(i, 0, at, skipped, e.hinges)
}

// scan goes on from the place with the free events from the index on, but those that are skipped.
// Each time it also goes on without an event that may alter a step of a family, the bits, of which
// all that is skipped and event i may alter it: it may be in the way of a step that one of the next
// events enables.
func (t *traces) scan(i, index int, at *place, skipped set, families uint64) {
	e := t.events[i].move
	for ; index < len(t.free); index++ {
		j := t.free[index]
		f := &t.events[j]
		if f.past.meets(skipped) {
			skipped.add(j)
			continue
		}
		if families&f.hinges != 0 && index+1 < len(t.free) {
			without := slices.Clone(skipped)
			without.add(j)
			t.scan(i, index+1, at, without, families&f.hinges)
		}
		next := t.follow(at, f.Code)
		for k := range next.steps {
			m := &next.steps[k]
			if !t.alters(e, next, m) || at.find(m.Code) != nil &&
				f.touches.Independent(&m.touches) {
				continue // or it was met at the place before
			}
			t.schedule(i, skipped, j, m)
		}
		at = next
	}
}

// alters reports whether a step takes away another one that is enabled in the same place, or
// changes what it touches: then no race of the two tells which steps the other one depends on. In a
// run that was cut there may be no race because it was cut.
func (t *traces) alters(e *move, at *place, m *move) bool {
	if m.Code == e.Code || m.touches.Independent(&e.touches) {
		return false
	}
	if e.last() || t.cut {
		return true
	}
	after := t.follow(at, e.Code).find(m.Code)
	return after == nil || after.touches != m.touches
}

// schedule has a run explored from before event i: without event i and all that happens after it;
// with the free events up to j that are not skipped; then with all others that neither depend on a
// step nor happen after one that does; then with the step.
func (t *traces) schedule(i int, skipped set, j int, m *move) {
	left := append(t.left[:0], skipped...)
	t.left = left
	t.sequence = t.sequence[:0]
	for _, k := range t.free {
		f := &t.events[k]
		if left.has(k) || f.past.meets(left) || k > j && !f.touches.Independent(&m.touches) {
			left.add(k)
			continue
		}
		t.sequence = append(t.sequence, wake{f.Code, &f.touches})
	}
	t.sequence = append(t.sequence, wake{m.Code, &m.touches})
	l := t.levels[i]
	for k := range l.sleep {
		if _, ok := l.sleep[k].opens(t.sequence); ok {
			return // explored already
		}
	}
	t.waiting += insert(&l.todo, t.sequence)
}
