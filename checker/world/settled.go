package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Failures one after the other (fault.Model.Settled): each but the first strikes when the recovery
// from the ones before is over, at any moment from then on, whatever the programs do and whatever
// is on its way by then.
//
// A recovery is over at the first moment at which nobody is down who will restart, whoever is to be
// told has been told, no message and no write is on its way, and every rank that has restarted
//
//   - has declared Recovered, and has sent again all that others have delivered of it, so that
//     nobody is ahead of it: then the run goes on as one without failures does; or
//   - can not go on without the others.
//
// The second is for protocols that do not declare it. That nothing is on its way is asked once, for
// answers of a recovery may be among it; what is sent later is no part of the recovery. The state
// says that such a moment was since the last failure (budgets.over).

// waits reports whether a failure has struck in the state and another one waits for its recovery.
func (w *World) waits(state []uint32) bool {
	n := w.left(state, failures)
	return w.serial && 0 < n && n < w.Model.Failures
}

// mayFail reports whether the model lets a failure strike now.
func (w *World) mayFail(state []uint32) bool {
	return !w.waits(state) || w.budgets(state).over || w.settled(state)
}

// remember notes for all successors of the state that the recovery from the last failure is over.
func (w *World) remember(state []uint32, x *checker.Expansion) {
	if w.waits(state) && w.mayFail(state) {
		b := *w.budgets(state)
		b.over = true
		x.Mark(budgetWord, w.budgetNumber(b))
	}
}

// settled reports whether the state is a moment at which a recovery is over.
func (w *World) settled(state []uint32) bool {
	for p := range core.Proc(w.procs) {
		e := w.env(state, p)
		if !e.Up && e.Still == 0 && !w.mayRestart(state, p) && !w.Model.Staggered {
			continue // for good
		}
		if !e.Up || len(e.Pending) > 0 || len(e.Kills) > 0 || e.puts() >= 0 ||
			w.inboxOf(state, p) != emptyInbox ||
			slices.ContainsFunc(e.Watches, func(v watch) bool { return w.due(state, v) }) {
			return false
		}
	}
	for p := range core.Proc(w.procs) {
		if w.of(state, p).inc > 0 && !w.recovered(state, p) {
			return false
		}
	}
	return true
}

// recovered reports whether the recovery of a proc that has restarted is over, as far as it can be
// seen at the proc; others do not go on by themselves.
func (w *World) recovered(state []uint32, p core.Proc) bool {
	here := w.locals.at(w.localOf(state, p))
	if here.history == nil || len(here.choices) == 0 {
		return true
	}
	return !here.history.Recovering && !w.behind(state, p)
}

// behind reports whether somebody has delivered what the life of the rank has not sent yet.
func (w *World) behind(state []uint32, p core.Proc) bool {
	sent := w.locals.at(w.localOf(state, p)).history.Sent
	for q := range core.Proc(w.layout.Ranks) {
		if h := w.locals.at(w.localOf(state, q)).history; q != p && h != nil &&
			slices.ContainsFunc(h.Delivered, func(d trace.Delivery) bool {
				return d.ID.From.Proc() == p && d.ID.Number > sent
			}) {
			return true
		}
	}
	return false
}
