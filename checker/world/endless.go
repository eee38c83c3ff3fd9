package world

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search/lasso"
	"github.com/domino-check/domino/spec"
)

var _ checker.Fair = (*World)(nil)

// Event implements checker.Fair. Everything that is not a fault is owed, except the loss of what a
// crashed proc had in flight: a message on a channel is delivered if its receiver stays up, a write
// becomes stable, a failure is reported, a timer fires, a proc that is down restarts, and a program
// that can go on goes on, in which of its ways is its own affair. Messages that may be lost or
// doubled are no exception, because the budgets for that are finite.
//
// A timer is known by its name: its place among the timers of its proc changes with the others.
func (w *World) Event(state []uint32, c uint64) (name uint64, owed bool) {
	event := eventCode(c)
	p := event.proc()
	switch event.kind() {
	case advance:
		return uint64(code(advance, p, 0)), true
	case stop: // with any outcome of its writes
		return uint64(code(stop, p, 0)), true
	case kill:
		q, _ := splitKill(event.arg())
		return uint64(code(kill, p, killArg(q, 0))), true
	case tick:
		input := w.tickInput(w.envOf(state, p), event.arg())
		return uint64(code(tick, p, int(input))), true
	case cut, erase:
		return c, false
	}
	return c, true
}

// Endless implements checker.Fair: it breaks spec.Terminates.
func (w *World) Endless(state []uint32) int {
	return w.violation(spec.Violation{Property: spec.Terminates.Name, Message: w.endless(state)})
}

func (w *World) endless(state []uint32) string {
	m := "some steps repeat for ever, and nothing that stays possible is put off: "
	facts := w.Facts
	if facts == nil {
		facts = &spec.Facts{Layout: w.layout}
	}
	if stuck := spec.Terminates.End(facts, &view{world: w, state: state,
		self: noProc}); stuck != "" {
		return m + stuck
	}
	return m + "every program has ended, but there is no rest"
}

// ForEver is the line of a schedule behind which the steps are repeated for ever.
const ForEver = "then for ever:"

// FollowFound repeats a run that a search found.
func (w *World) FollowFound(f checker.Found) (*Run, error) {
	r, err := w.Follow(f.Path)
	if err == nil && f.Loop > 0 {
		w.judgeLoop(r, len(f.Path)-f.Loop)
		if r.Loop == 0 {
			return r, fmt.Errorf("the last %d steps are no endless run", f.Loop)
		}
	}
	return r, err
}

// judgeLoop judges the run as one that repeats its steps from the given one on for ever. It is
// nothing of the kind unless they lead back and the run is fair.
func (w *World) judgeLoop(r *Run, first int) {
	start := r.States[first]
	if returns, fair := lasso.Repeats(w, start, r.codes[first:]); !returns || !fair {
		return
	}
	r.Loop = len(r.Schedule) - first
	if r.Violation == nil {
		r.Violation = &spec.Violation{Property: spec.Terminates.Name, Message: w.endless(start),
			Step: len(r.Schedule)}
	}
}

// Lines are the schedule as Replay reads it.
func (r *Run) Lines() []string {
	if r.Fairly {
		return append(slices.Clone(r.Schedule), Fairly)
	}
	if r.Loop == 0 {
		return r.Schedule
	}
	return slices.Insert(slices.Clone(r.Schedule), len(r.Schedule)-r.Loop, ForEver)
}
