package figure

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// leastFold is how many hidden messages in a row are worth a fold.
const leastFold = 3

// schedule makes the slots: one for each step that shows something, or for several that do the same
// at different procs; folds for what is hidden; one for the violation in any case.
func (f *Figure) schedule() {
	v := f.model.Run.Violation
	accused := 0
	if v != nil {
		accused = v.Step
	}
	var hidden []string
	first, last, shown, differs := 0, 0, false, false
	flush := func() {
		if len(hidden) >= leastFold {
			f.Slots = append(f.Slots, Slot{First: first, Last: last, Fold: counted(hidden)})
		}
		hidden = nil
	}
	for _, m := range f.moments() {
		if m.step > f.options.Differs && !differs {
			flush() // a fold lies on one side of the difference
			differs = true
		}
		here := accused > 0 && m.step == accused
		if accused > 0 && !shown && m.step > accused {
			flush()
			f.Slots, shown = append(f.Slots, Slot{First: accused, Last: accused, Here: true}), true
		}
		if !here && !m.forced && !m.strong() {
			f.forget(m)
			if len(m.hidden) > 0 && len(hidden) == 0 {
				first = m.step
			}
			if len(m.hidden) > 0 {
				hidden, last = append(hidden, m.hidden...), m.step
			}
			continue
		}
		flush()
		shown = shown || here
		f.enter(m, here)
	}
	flush()
	if accused > 0 && !shown {
		f.Slots = append(f.Slots, Slot{First: accused, Last: accused, Here: true})
	}
	if v != nil && accused <= 0 {
		f.Slots = append(f.Slots, Slot{End: true, Here: true})
	}
	f.count()
}

// strong reports whether the moment is worth a slot.
func (m *moment) strong() bool {
	return slices.ContainsFunc(m.cells, func(c *cell) bool { return !c.weak })
}

// forget takes the cells of a moment out of the figure.
func (f *Figure) forget(m *moment) {
	for _, c := range m.cells {
		for _, i := range c.events {
			f.cellOf[i] = nil
		}
	}
}

// enter puts a moment into the last slot, if it does there what others have done elsewhere, or into
// one of its own.
func (f *Figure) enter(m *moment, here bool) {
	n := len(f.Slots) - 1
	if n >= 0 && !here && !f.Slots[n].Here && f.joins(m, n) {
		f.Slots[n].Last = m.step
	} else {
		n++
		f.Slots = append(f.Slots, Slot{First: m.step, Last: m.step, Here: here})
	}
	for _, c := range m.cells {
		c.slot = n
		f.cells = append(f.cells, c)
	}
}

// joins reports whether the moment shares the slot: all that is in both is of one kind, at
// different procs, and no message begins or ends there.
func (f *Figure) joins(m *moment, slot int) bool {
	like := m.cells
	for k := len(f.cells) - 1; k >= 0 && f.cells[k].slot == slot; k-- {
		like = append(like[:len(like):len(like)], f.cells[k])
	}
	if len(like) == len(m.cells) || len(m.cells) == 0 {
		return false
	}
	procs := map[trace.Proc]bool{}
	for _, c := range like {
		switch c.sign {
		case ring, ends, committed, saved:
		default:
			return false
		}
		if c.sign != like[0].sign || len(c.events) > 1 || procs[c.proc] {
			return false
		}
		procs[c.proc] = true
	}
	return true
}

// count gives the cells of a lane in a slot their places.
func (f *Figure) count() {
	type where struct {
		slot int
		proc trace.Proc
	}
	places := map[where]int{}
	for _, c := range f.cells {
		c.place = places[where{c.slot, c.proc}]
		places[where{c.slot, c.proc}]++
	}
	for _, c := range f.cells {
		c.of = places[where{c.slot, c.proc}]
	}
}

// counted says how many there are of each kind, in the order in which they come.
func counted(kinds []string) []string {
	var order []string
	n := map[string]int{}
	for _, k := range kinds {
		if n[k]++; n[k] == 1 {
			order = append(order, k)
		}
	}
	for i, k := range order {
		order[i] = short(k, mostColumns)
		if n[k] > 1 {
			order[i] = fmt.Sprintf("%d %s", n[k], order[i])
		}
	}
	return order
}

// name is what stands at the axis.
func (s *Slot) name() string {
	switch {
	case s.End:
		return "end"
	case s.Last == 0:
		return "start"
	case s.First == s.Last:
		return itoa(s.First)
	}
	return itoa(s.First) + "\u2013" + itoa(s.Last)
}
