package checker

import "slices"

// Fair is a System that tells which endless runs are to be expected.
//
// An event is owed when the environment may not put it off for ever once it stays possible: this is
// weak fairness. A run is fair when each event that is owed and possible from some moment on in
// every state is taken again and again. Strong fairness, where an event that is possible again and
// again is taken, would be owed by nobody here: a message stays deliverable until it is delivered,
// so for it the two are the same, and a proc that keeps stopping may miss a message each time.
//
// No cycle of states contains a fault, since each spends some of a finite budget. So every endless
// run ends up in one strongly connected component of the graph of the other steps; and when that
// component has a fair run, the run that takes all of its steps again and again is one, because an
// event that is possible everywhere in a component is so in each part of it.
type Fair interface {
	System
	// Event names what a step of the state is one way to take, for instance all ways in which a
	// program can go on, and says whether it is owed. It is not called for faults.
	Event(state []uint32, code uint64) (name uint64, owed bool)
	// Endless judges a fair run that comes through the state again and again: it returns the number
	// of a violation, or 0.
	Endless(state []uint32) int
}

// debts are the events that keep a cycle from being a fair run.
type debts struct {
	owed  []uint64 // possible in all states so far
	taken []uint64
	begun bool
}

// pass notes what is owed in a state, which is the one that is expanded.
func (d *debts) pass(sys Fair, state []uint32, x *Expansion) {
	var possible []uint64
	for i := range x.Steps {
		if x.Steps[i].Fault {
			continue
		}
		if name, owed := sys.Event(state, x.Steps[i].Code); owed &&
			!slices.Contains(possible, name) {
			possible = append(possible, name)
		}
	}
	if !d.begun {
		d.owed, d.begun = possible, true
		return
	}
	d.owed = slices.DeleteFunc(d.owed, func(name uint64) bool {
		return !slices.Contains(possible, name)
	})
}

// take notes an event that is part of the cycle.
func (d *debts) take(name uint64) {
	if !slices.Contains(d.taken, name) {
		d.taken = append(d.taken, name)
	}
}

// open is an event that is owed and not taken.
func (d *debts) open() (name uint64, ok bool) {
	for _, name := range d.owed {
		if !slices.Contains(d.taken, name) {
			return name, true
		}
	}
	return 0, false
}

// Repeats reports whether the steps, at least one and no fault among them, lead from the state back
// to it, and whether repeating them for ever is a fair run.
func Repeats(sys Fair, state []uint32, codes []uint64) (returns, fair bool) {
	x := NewExpansion(sys.Words())
	now := slices.Clone(state)
	var d debts
	for _, c := range codes {
		sys.Expand(now, Unreduced, x)
		d.pass(sys, now, x)
		i := slices.IndexFunc(x.Steps, func(s Step) bool {
			return s.Code == c && !s.Fault && s.Violation == 0
		})
		if i < 0 {
			return false, false
		}
		name, _ := sys.Event(now, c)
		d.take(name)
		now = x.State(i, now[:0])
	}
	_, open := d.open()
	return len(codes) > 0 && slices.Equal(now, state), !open
}
