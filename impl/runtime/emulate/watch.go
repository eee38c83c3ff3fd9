package emulate

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Watchdogs. A proc that runs gives a sign of life whenever Costs.Heartbeat is over since its life
// has begun, or all the time, and each comes in time: they are no events, take nothing, and no
// watchdog expires falsely. When a life ends, those about it expire when they have heard nothing
// for their time: since the last sign of life has come, or since they were started, if that was
// later. One that is started about a proc that is down expires after its time, even if that starts
// again before: it is about the life that is over.

// watch is a watchdog about the present life of a proc or, if it is down, the last one.
type watch struct {
	about core.Proc
	since moment // when it was started
	takes moment
	set   int // of all watchdogs of the proc
}

// watch starts the watchdog of a proc about another one, again if it runs.
func (r *Run) watch(p *proc, e *core.Effect) {
	r.unwatch(p, e.To)
	takes := lasting(r.config.Costs.Watchdog)
	if e.Ticks > 0 {
		takes = r.ticks(e.Ticks)
	}
	p.watched++
	w := watch{about: e.To, since: r.now, takes: takes, set: p.watched}
	p.watches = append(p.watches, w)
	if !r.procs[e.To].up {
		r.expire(p, &w, r.now)
	}
}

// unwatch stops the watchdog about a proc, also one that has expired but was not heard of.
func (r *Run) unwatch(p *proc, about core.Proc) {
	r.order()
	p.watches = slices.DeleteFunc(p.watches, func(w watch) bool { return w.about == about })
	p.inbox = slices.DeleteFunc(p.inbox, func(i int32) bool {
		in := r.items[i].rest
		stale := in != nil && in.input.Timer == core.Silence && in.input.From == about
		if stale {
			r.release(i)
		}
		return stale
	})
}

// expire lets a watchdog expire that has heard of a life at a moment for the last time.
func (r *Run) expire(p *proc, w *watch, heard moment) {
	what := told(w.about, p.life, core.Input{Kind: core.Tick, Timer: core.Silence, From: w.about})
	what.rest.set = w.set
	r.schedule(p, arrive, max(r.now, max(heard, w.since).plus(w.takes)), what)
}

// silent lets the watchdogs about a proc expire whose life ends now.
func (r *Run) silent(q *proc) {
	last := r.now
	if every := lasting(r.config.Costs.Heartbeat); every > 0 {
		last -= (r.now - q.born) % every
	}
	for i := range r.procs {
		p := &r.procs[i]
		for j := range p.watches {
			if w := &p.watches[j]; w.about == q.id {
				link := r.link(q.node, p.node)
				r.expire(p, w, last.plus(2*lasting(link.Overhead)).plus(link.latency(0)))
			}
		}
	}
}

// barks reports whether a watchdog has expired that runs as it did when that was foreseen, and ends
// it.
func (p *proc) barks(what *rest) bool {
	for i, w := range p.watches {
		if w.set == what.set {
			p.watches = slices.Delete(p.watches, i, i+1)
			return true
		}
	}
	return false
}

// placed reports whether a proc starts again only where a proc that runs has adopted it.
func (r *Run) placed(p core.Proc) bool {
	_, placed := r.setup.Layout.Hosted[p]
	return placed && !r.setup.Launched
}

// adopt lets a proc run on the node of another one: if it is down, it starts there.
func (r *Run) adopt(by, p *proc) {
	r.order()
	p.host, p.hosted = by.id, true
	if p.up {
		p.node = by.id
		return
	}
	p.restarts++
	r.schedule(p, ready, r.now.plus(lasting(r.config.Costs.Launch)),
		item{from: p.id, toLife: p.life, rest: &rest{set: p.restarts}})
}

// disown takes back that a proc runs on the node of another one.
func (r *Run) disown(by, p *proc) {
	r.order()
	p.hosted = p.hosted && p.host != by.id
}

// homeless takes a node away from all that it has adopted: it has stopped.
func (r *Run) homeless(by *proc) {
	if len(r.setup.Layout.Hosted) == 0 || r.setup.Launched {
		return
	}
	for i := range r.procs {
		r.disown(by, &r.procs[i])
	}
}
