package app

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/page"
)

// statesOf are the states of a run: all at the start, then what each step changes.
func statesOf(w *world.World, r *world.Run) *page.States {
	procs := core.Proc(len(r.Trace.Layout.Names))
	s := &page.States{}
	for p := range procs {
		s.Start = append(s.Start, localOf(w, r.States[0], p))
	}
	for i, state := range r.States[1:] {
		var changed []page.Local
		for p := range procs {
			if !w.Same(r.States[i], state, p) {
				changed = append(changed, localOf(w, state, p))
			}
		}
		s.Steps = append(s.Steps, changed)
	}
	return s
}

// localOf is what a proc keeps in a state, and what there is around it.
func localOf(w *world.World, state []uint32, p core.Proc) page.Local {
	layout, around := &w.Setup.Layout, w.Surroundings(state, p)
	l := page.Local{Proc: p, State: w.LocalJSON(state, p), Around: page.Around{
		Writing: around.Writing, Timers: around.Timers}}
	for _, c := range around.Inbox {
		from := layout.Name(c.From)
		if c.Incarnation > 0 {
			from = fmt.Sprintf("%s.%d", from, c.Incarnation)
		}
		l.Around.Inbox = append(l.Around.Inbox, page.Channel{From: from, Messages: c.Messages})
	}
	for _, r := range around.Stable {
		l.Around.Stable = append(l.Around.Stable, page.Record{Key: r.Key, Value: r.Value,
			Torn: r.Torn})
	}
	for _, q := range around.Notices {
		l.Around.Notices = append(l.Around.Notices, layout.Name(q))
	}
	for _, wait := range w.Waiting(state, p) {
		words := wait.What
		if len(wait.From) > 0 {
			words += " from " + layout.NamesOf(wait.From)
		}
		l.Around.Waits = append(l.Around.Waits, words)
	}
	switch line := around.Line; {
	case int(p) >= layout.Ranks:
	case line == nil:
		l.Around.Line = "the start"
	default:
		l.Around.Line = fmt.Sprintf("%d sent, %d received", line.Sent, len(line.Delivered))
	}
	return l
}

// judgedOf are all properties, and the steps of a run that break them.
func judgedOf(w *world.World, r *world.Run) (list []page.Judged) {
	if w.Facts == nil {
		return nil
	}
	asked, found := w.Judge(r)
	all, _ := w.Facts.Properties() // the world has taken them
	for _, p := range all {
		j := page.Judged{Name: p.Name,
			Applies: slices.ContainsFunc(asked, func(q spec.Property) bool {
				return q.Name == p.Name
			})}
		for _, v := range found {
			if v.Property == p.Name && !slices.Contains(j.Broken, v.Step) {
				j.Broken = append(j.Broken, v.Step)
			}
		}
		slices.Sort(j.Broken)
		list = append(list, j)
	}
	return list
}
