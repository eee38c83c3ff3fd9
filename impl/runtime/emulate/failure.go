package emulate

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Crash stops procs at once, each with its group and what runs on its node, and lets the detector
// know. One that is down and starts again by itself begins anew to do that.
func (r *Run) Crash(procs ...core.Proc) {
	r.order()
	var gone, down []core.Proc
	stopped := make([]bool, len(r.procs)) // a group may be everybody
	for _, p := range procs {
		for _, q := range r.setup.Group(p) {
			switch {
			case stopped[q]:
			case r.procs[q].up:
				gone, stopped[q] = append(gone, q), true
			case !on(down, q) && !r.launched(q) && !r.placed(q):
				down = append(down, q)
			}
		}
	}
	for _, q := range down {
		r.restart(&r.procs[q])
	}
	gone = r.withHosted(gone, stopped)
	slices.Sort(gone)
	for _, q := range gone {
		p := &r.procs[q]
		r.note(p.crashed())
		r.down(p, stopped[p.node])
		if on(r.setup.Local, q) && stopped[p.node] {
			p.store = nil
		}
	}
	r.number(gone)
	for _, q := range gone {
		if p := &r.procs[q]; p.node == q || !stopped[p.node] {
			r.report(p)
		}
		if !r.launched(q) {
			r.restart(&r.procs[q])
		}
	}
}

// number gives procs that have stopped the incarnation of their next life, which those that stop
// together have in common.
func (r *Run) number(gone []core.Proc) {
	var last []core.Proc // the group of the proc before
	var next core.Incarnation
	for _, q := range gone {
		group := r.setup.Group(q)
		if len(group) != len(last) || &group[0] != &last[0] {
			last, next = group, 0
			for _, mate := range group {
				next = max(next, r.procs[mate].inc+1)
			}
		}
		r.procs[q].next = max(r.procs[q].next, next)
	}
}

// withHosted adds what runs on the nodes of procs, of which it is known who they are.
func (r *Run) withHosted(list []core.Proc, known []bool) []core.Proc {
	for i := range r.procs {
		if p := &r.procs[i]; p.up && p.node != p.id && known[p.node] && !known[i] {
			list, known[i] = append(list, p.id), true
		}
	}
	return list
}

// hosted are a proc and what runs on its node.
func (r *Run) hosted(p core.Proc) []core.Proc {
	known := make([]bool, len(r.procs))
	known[p] = true
	return r.withHosted([]core.Proc{p}, known)
}

// launched reports whether a proc starts again only when somebody launches it.
func (r *Run) launched(p core.Proc) bool {
	_, placed := r.setup.Layout.Hosted[p]
	return placed && r.setup.Launched
}

// down ends the life of a proc, with its node or without.
func (r *Run) down(p *proc, withNode bool) {
	end := r.now
	if !withNode {
		end = -1
	}
	p.ends = append(p.ends, end)
	for _, i := range p.inbox {
		r.release(i)
	}
	if p.busy && p.begun >= 0 {
		r.release(p.begun)
	}
	r.silent(p)
	r.homeless(p)
	p.up, p.busy, p.begun, p.steps, p.asked = false, false, -1, false, false
	p.inbox, p.timers, p.under, p.watches = nil, nil, nil, nil
	p.free, p.settled, p.channels = 0, 0, nil
	if r.config.Costs.Cores == 0 {
		p.core = processor{}
	}
	p.life++
	p.next = p.inc + 1
}

// report lets the detector tell the watchers of a proc that has crashed, alone or with its group,
// of which the first one is reported for all.
func (r *Run) report(p *proc) {
	g := r.setup.Group(p.id)
	if g[0] != p.id || r.setup.Layout.Hosted[p.id] {
		return // it is reported with the first of them, or its node is
	}
	for _, w := range r.setup.Watchers {
		if on(g, w) {
			continue
		}
		q := &r.procs[w]
		life := q.life // if it goes down before, its next life has never known them
		at := r.now.plus(lasting(r.config.Costs.Detect))
		r.schedule(q, arrive, at, told(w, life,
			core.Input{Kind: core.Down, Procs: g, Incarnation: p.inc}))
	}
}

// restart lets a proc start by itself, if that is not up to a node that it has not.
func (r *Run) restart(p *proc) {
	if r.placed(p.id) && !p.hosted {
		return
	}
	p.restarts++
	r.schedule(p, ready, r.now.plus(lasting(r.config.Costs.Restart)),
		item{from: p.id, toLife: p.life, rest: &rest{set: p.restarts}})
}

// start begins a new life, unless the proc is up, or who launched it has stopped since.
func (r *Run) start(p *proc, what *item) {
	in := core.Input{Kind: core.Restore, From: p.id}
	switch by := &r.procs[what.from]; {
	case p.up:
		return
	case what.toLife >= 0 && (what.toLife != p.life || what.rest.set != p.restarts):
		return
	case r.placed(p.id) && !p.hosted:
		return
	case what.toLife >= 0:
		if r.config.Reload && !what.reached {
			what.reached = true // next time it is all there
			r.schedule(p, ready, r.reload(p), *what)
			return
		}
		in.Records = r.records(p)
		if p.hosted {
			p.node, in.From = p.host, p.host
		}
	case !by.up || by.life != what.fromLife:
		return
	default:
		p.node, in.From = by.id, by.id
		rec := &what.rest.record
		in.Records = []core.Record{{Owner: by.id, Key: rec.key, Value: rec.value}}
	}
	p.up, p.inc = true, p.next
	in.Incarnation = p.inc
	r.begin(p, in)
}

// stop ends a life because somebody on its node wants it to, with what runs on its own node, and
// answers. It is no failure: nobody else is told. A start that the same one has asked for is off.
func (r *Run) stop(p *proc, what *item) {
	by := &r.procs[what.from]
	if !by.up || by.life != what.fromLife {
		return
	}
	if p.up && p.node == by.id {
		for _, q := range r.hosted(p.id) {
			p := &r.procs[q]
			r.note(p.crashed())
			r.down(p, false)
		}
	}
	r.revoke(by, p)
	r.offer(by, r.hold(told(p.id, by.life,
		core.Input{Kind: core.Killed, From: p.id, Incarnation: p.inc})))
}

// revoke takes away the starts of a proc that another one has asked for.
func (r *Run) revoke(by, p *proc) {
	for _, e := range r.clock {
		if e.kind() != ready || e.proc != p.id {
			continue
		}
		if what := &r.items[e.item]; what.toLife < 0 && what.from == by.id {
			what.fromLife = -1
		}
	}
}
