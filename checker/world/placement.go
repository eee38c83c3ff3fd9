package world

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Where procs run, when recovery moves them, and whether the recovery from the last failure is
// over.

// host is who is up and has adopted the proc.
func (w *World) host(state []uint32, p core.Proc) (core.Proc, bool) {
	for q := range core.Proc(w.procs) {
		if slices.Contains(w.hosts(state, q), p) {
			return q, true
		}
	}
	return 0, false
}

// hosts are the procs that run on the node of p.
func (w *World) hosts(state []uint32, p core.Proc) []core.Proc {
	if h := w.locals.at(state[localWord(p)]).holding; h != nil {
		return h.Hosts
	}
	return nil
}

// withHosted adds the procs that run on the nodes of others and stop with them.
func (w *World) withHosted(state []uint32, procs []core.Proc) []core.Proc {
	list := procs
	for _, p := range procs {
		for _, q := range w.hosts(state, p) {
			if w.envs.at(state[envWord(q)]).Up && !slices.Contains(list, q) {
				list = append(list[:len(list):len(list)], q)
			}
		}
	}
	return list
}

// mayFail reports whether the model lets a failure strike now.
func (w *World) mayFail(state []uint32) bool {
	return !w.Model.Settled || left(state, failures) == w.Model.Failures || w.settled(state)
}

// settled reports whether everybody is up, nothing is on its way (no message, notice or write), and
// whoever has restarted has gone as far as it can without the others, so that every recovery is
// over.
func (w *World) settled(state []uint32) bool {
	for p := range core.Proc(w.procs) {
		e := w.envs.at(state[envWord(p)])
		if !e.Up && !w.mayRestart(state, p) {
			continue // for good
		}
		if !e.Up || len(e.Pending) > 0 || slices.ContainsFunc(e.Watches, func(v watch) bool {
			return w.due(state, v)
		}) || len(e.Writing) > 0 || state[inboxWord(p)] != emptyInbox ||
			e.Inc > 0 && len(w.locals.at(state[localWord(p)]).choices) > 0 {
			return false
		}
	}
	return true
}
