package lasso

import (
	"slices"

	"github.com/domino-check/domino/checker"
)

// debts are the events that keep a cycle from being a fair run.
type debts struct {
	owed  []uint64 // possible in all states so far
	taken []uint64
	begun bool
}

// pass notes what is owed in a state, which is the one that is expanded.
func (d *debts) pass(sys checker.Fair, state []uint32, x *checker.Expansion) {
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
func Repeats(sys checker.Fair, state []uint32, codes []uint64) (returns, fair bool) {
	x := checker.NewExpansion(sys.Words())
	now := slices.Clone(state)
	var d debts
	for _, c := range codes {
		sys.Expand(now, checker.Unreduced, x)
		d.pass(sys, now, x)
		i := slices.IndexFunc(x.Steps, func(s checker.Step) bool {
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
