package world

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Where procs run when recovery moves them.

// host is who is up and has adopted the proc.
func (w *World) host(state []uint32, p core.Proc) (core.Proc, bool) {
	for q := range core.Proc(w.procs) {
		if !w.of(state, q).still && slices.Contains(w.hosts(state, q), p) {
			return q, true
		}
	}
	return 0, false
}

// hosts are the procs that run on the node of p: those that it has adopted or, where procs are
// launched, those that are there.
func (w *World) hosts(state []uint32, p core.Proc) (list []core.Proc) {
	if w.Setup.Launched {
		for q := range core.Proc(w.procs) {
			if w.runsOn(state, q, p) {
				list = append(list, q)
			}
		}
		return list
	}
	switch c := w.of(state, p); {
	case c.adopts:
		return w.locals.at(c.local).holding.Hosts
	case c.still:
		return w.envs.at(c.env).Takes
	}
	return nil
}

// withHosted adds the procs that run on the nodes of others and stop with them.
func (w *World) withHosted(state []uint32, procs []core.Proc) []core.Proc {
	list := procs
	for i := 0; i < len(list); i++ {
		if i == len(procs) && !w.Setup.Launched {
			break // who has been adopted adopts nobody
		}
		for _, q := range w.hosts(state, list[i]) {
			if c := w.of(state, q); c.there && !slices.Contains(list, q) {
				list = append(list[:len(list):len(list)], q)
			}
		}
	}
	return list
}
