package local

import (
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Failures one after the other (fault.Model.Settled), as in the modelled world: see settled.go of
// package checker/world for what the end of a recovery is.

// serial reports whether a failure has struck and another one waits for its recovery.
func (r *run) serial() bool {
	m := &r.config.Model
	return m.Settled && !m.OneInstant && 0 < r.left.failures && r.left.failures < m.Failures
}

// mayFail reports whether a failure may strike now, or has to wait until all recovery is over.
func (r *run) mayFail() bool {
	return !r.serial() || r.recovered
}

// remember notes between two steps that the recovery from the last failure is over.
func (r *run) remember() {
	if r.serial() && !r.recovered {
		r.recovered = !slices.ContainsFunc(r.procs, r.unsettled)
	}
}

// unsettled reports whether a proc is down for a while, has something on its way to it, or is not
// where it was when it failed.
func (r *run) unsettled(p *proc) bool {
	if !p.up && !p.stand.still && !r.mayRestart(p) && !r.config.Model.Staggered {
		return false // for good
	}
	if !p.up || len(p.pending) > 0 || slices.ContainsFunc(p.watches, func(v watch) bool {
		return v.over
	}) || p.puts() >= 0 || len(p.inbox) > 0 || len(p.kills) > 0 {
		return true
	}
	return p.inc > 0 && int(p.id) < r.layout.Ranks && len(p.choices) > 0 &&
		(p.recovers || r.behind(p))
}

// behind reports whether somebody has delivered what the life of the rank has not sent yet.
func (r *run) behind(p *proc) bool {
	return slices.ContainsFunc(r.procs, func(q *proc) bool {
		return q != p && int(p.id) < len(q.heard) && q.heard[p.id] > p.sent
	})
}

// heard is the highest number of a delivered message of each rank.
func heard(h *trace.History, ranks int) []uint32 {
	if h == nil {
		return nil
	}
	list := make([]uint32, ranks)
	for _, d := range h.Delivered {
		list[d.ID.From] = max(list[d.ID.From], d.ID.Number)
	}
	return list
}
