package world

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Where procs run when recovery moves them.

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
