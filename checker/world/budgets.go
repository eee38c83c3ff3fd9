package world

import (
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
)

// budgets is what a state says besides its procs and monitors: one word, numbered densely like the
// others, for few of the combinations are met.
type budgets struct {
	faults uint32 // counters of four bits (failure.go), and the crashes of a set (crashset.go)
	harms  uint32 // counters of four bits (harm.go)
	over   bool   // the recovery from the last failure is over (settled.go)
}

// budgetList numbers budgets.
type budgetList struct {
	list    store[uint32, budgets]
	numbers table
}

func (b budgets) key() uint64 {
	key := pair(b.faults, b.harms<<1)
	if b.over {
		key |= 1
	}
	return key
}

// budgets are those of a state.
func (w *World) budgets(state []uint32) *budgets { return w.budgetList.list.at(state[budgetWord]) }

// budgetNumber numbers budgets.
func (w *World) budgetNumber(b budgets) uint32 {
	if number, ok := w.budgetList.numbers.get(b.key()); ok {
		return number
	}
	return w.budgetList.number(b)
}

// number is budgetNumber of ones that may be new.
func (l *budgetList) number(b budgets) uint32 {
	return l.numbers.add(b.key(), func() uint32 { return l.list.add(b) })
}

// left is what is left of a budget.
func (w *World) left(state []uint32, b budget) int { return int(w.budgets(state).faults >> b & 15) }

// harmLeft is what is left of a budget of harms.
func (w *World) harmLeft(state []uint32, b budget) int {
	return int(w.budgets(state).harms >> b & 15)
}

// mayFault reports whether anything is left of any budget.
func (w *World) mayFault(state []uint32) bool {
	b := w.budgets(state)
	return b.faults != 0 || b.harms != 0
}

// spent takes from the budgets of a successor.
func (w *World) spent(x *checker.Expansion, faults, harms uint32) {
	if faults != 0 || harms != 0 {
		b := *w.budgets(x.Now())
		b.faults, b.harms = b.faults-faults, b.harms-harms
		x.Set(budgetWord, w.budgetNumber(b))
	}
}

// save writes the budgets in the order of their numbers.
func (l *budgetList) save(e *search.Encoder) {
	e.Number(uint64(l.list.len()))
	for n := range l.list.len() {
		b := l.list.at(uint32(n))
		e.Number(uint64(b.faults))
		e.Number(b.key() & (1<<32 - 1))
	}
}

// restore reads what save wrote.
func (l *budgetList) restore(d *search.Decoder) {
	*l = budgetList{}
	for i := range d.Count(2) {
		faults, rest := d.Number(), d.Number()
		b := budgets{faults: uint32(faults), harms: uint32(rest) >> 1, over: rest&1 != 0}
		if faults>>32 != 0 || rest>>32 != 0 || l.number(b) != uint32(i) {
			d.Fail(fmt.Errorf("budgets %d are not numbered so", i))
			return
		}
	}
}
