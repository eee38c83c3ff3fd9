package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// A process that is killed inside a step may have stood for any time before it dies: what it has
// done of the step is there, others answer it, and the answers die with it. So a crash inside a
// step is two events. In the first the failure is spent and the proc stands still: its life is over
// for properties and it does nothing any more, but nobody can tell. In the second, which is bound
// to happen and costs nothing, it stops with its group and with whom it had adopted, as in any
// crash: what has come to it is lost, its writes in progress have some outcome, its disk may go,
// and the detector lets others know. Until then its mates go on, and those who are bound to stop
// may stand still inside a step of theirs, too.
//
// Whoever is handed its records at a restart meanwhile may find more of its writes stable than
// before: they become so one by one, as deletes do (storage.go).

// standStill ends the life of a proc inside a step in the successor, before its group stops. Whom
// it has adopted will stop with it.
func (w *World) standStill(x *checker.Expansion, p core.Proc, adopted []core.Proc) {
	if b := *w.budgets(x.Now()); b.over {
		b.over = false
		x.Set(budgetWord, w.budgetNumber(b))
	}
	own := *w.of(x.Now(), p)
	own.env = w.envStep(own.env, w.internOperation(operation{Kind: opStill,
		A: w.lifeAfter(x.Now(), p), Round: w.locals.at(own.local).round, Procs: adopted}))
	own.local = deadLocal
	w.put(x, p, own)
}

// stillness reports whether somebody stands still.
func (w *World) stillness(state []uint32) bool {
	for p := range core.Proc(w.procs) {
		if w.of(state, p).still {
			return true
		}
	}
	return false
}

// roots are the procs with which others stop without another failure: they stand still or, where
// members stop one by one, have to follow their group.
func (w *World) roots(state []uint32) (list []core.Proc) {
	for p := range core.Proc(w.procs) {
		if c := w.of(state, p); c.still || w.Model.Staggered && c.up && w.halfStopped(state, p) {
			list = append(list, p)
		}
	}
	return list
}

// bound are the procs that are there and stop without another failure.
func (w *World) bound(state []uint32) (list []core.Proc) {
	for _, r := range w.roots(state) {
		for _, p := range w.victims(state, []core.Proc{r}) {
			if c := w.of(state, p); c.there && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// falls adds the stop of a proc that stands still, with its group, once for all of that who do. Who
// stands still on the node of another one that is bound to stop does not stop without that: it may
// do so for free only because of that.
func (w *World) falls(state []uint32, p core.Proc, x *checker.Expansion) {
	unit := w.unit(p)
	if w.standing(state, p) != p || slices.ContainsFunc(w.roots(state), func(r core.Proc) bool {
		return !slices.Contains(unit, r) && slices.Contains(w.victims(state, []core.Proc{r}), p)
	}) {
		return
	}
	w.crashVariants(state, w.victims(state, unit[:1]), code(stop, p, 0), nil, x)
}

// unit are those who stop at one time: a group, or one where members stop one by one.
func (w *World) unit(p core.Proc) []core.Proc {
	if w.Model.Staggered {
		return []core.Proc{p}
	}
	return w.group(p)
}

// standing is the first who stands still of those who stop with a proc, noProc if nobody does.
func (w *World) standing(state []uint32, p core.Proc) core.Proc {
	for _, q := range w.unit(p) {
		if w.of(state, q).still {
			return q
		}
	}
	return noProc
}
