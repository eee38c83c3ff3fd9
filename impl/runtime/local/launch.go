package local

import (
	"cmp"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Procs that others start and stop (core.Setup.Launched), as in the modelled world: see launch.go
// of package checker/world for what a launch and a kill do.

// ticket is a start that was asked for.
type ticket struct {
	by    *proc
	key   string
	value []byte
	due   time.Duration
}

// stopping is a stop that was asked for.
type stopping struct {
	who *proc
	due time.Duration
}

// place puts every proc that is launched on its first node.
func (r *run) place() {
	for i, p := range r.procs {
		if i < min(r.layout.Ranks, len(r.layout.Nodes)) && r.launched(p) {
			p.host = r.procs[r.layout.Nodes[i]]
		}
	}
}

// launched reports whether the proc starts again only when somebody launches it.
func (r *run) launched(p *proc) bool {
	_, placed := r.layout.Hosted[p.id]
	return placed && r.setup.Launched
}

// hosted are the procs that run on the node of p.
func (r *run) hosted(p *proc) (list []*proc) {
	if !r.setup.Launched && p.stand.still {
		return p.stand.adopted
	} else if !r.setup.Launched {
		for _, h := range p.holding.Hosts {
			list = append(list, r.procs[h])
		}
		return list
	}
	for _, q := range r.procs {
		if q.host == p {
			list = append(list, q)
		}
	}
	return list
}

// launch gives q, if it is down, a ticket of p, in the place of an older one.
func (r *run) launch(p, q *proc, e *core.Effect) {
	if up, _ := q.seems(); up {
		return
	}
	t := ticket{by: p, key: e.Key, value: e.Value,
		due: r.clock() + r.pace.delay(q.rng, r.pace.restarts[q.id])}
	if old := q.ticket(p.id); old != nil {
		*old = t
		return
	}
	i, _ := slices.BinarySearchFunc(q.tickets, t, func(a, b ticket) int {
		return cmp.Compare(a.by.id, b.by.id)
	})
	q.tickets = slices.Insert(q.tickets, i, t)
}

// ticket is the one that a proc has given, nil when there is none.
func (p *proc) ticket(by core.Proc) *ticket {
	i := slices.IndexFunc(p.tickets, func(t ticket) bool { return t.by.id == by })
	if i < 0 {
		return nil
	}
	return &p.tickets[i]
}

// endTickets takes away the starts that a life which is over has asked for.
func (r *run) endTickets(by *proc) {
	for _, q := range r.procs {
		q.tickets = slices.DeleteFunc(q.tickets, func(t ticket) bool { return t.by == by })
	}
}

// starts are the restarts of a proc that others have launched.
func (r *run) starts(p *proc, yield func(offer) bool) bool {
	for _, t := range p.tickets {
		if !yield(offer{kind: restart, group: t.by.id, due: max(t.due, p.readyAt)}) {
			return false
		}
	}
	return true
}

// askKill begins to stop q; twice is once.
func (r *run) askKill(p, q *proc) {
	k := stopping{who: q, due: r.clock() + r.pace.delay(p.rng, r.pace.notices[p.id])}
	i, found := slices.BinarySearchFunc(p.kills, k, func(a, b stopping) int {
		return cmp.Compare(a.who.id, b.who.id)
	})
	if !found {
		p.kills = slices.Insert(p.kills, i, k)
	}
}

// stops are the kills that a proc has asked for, with each outcome of the writes in progress.
func (r *run) stops(p *proc, yield func(offer) bool) bool {
	for _, k := range p.kills {
		for i := range r.killings(p, k.who) {
			if !yield(offer{kind: kill, group: k.who.id, index: i, due: max(k.due, p.readyAt)}) {
				return false
			}
		}
	}
	return true
}

// stopped are the procs that stop when p stops q: q, if it runs on the node of p, and what runs on
// the node of q.
func (r *run) stopped(p, q *proc) []*proc {
	if q.host != p {
		return nil
	}
	return r.withHosted([]*proc{q})
}

// killings are the outcomes of a kill. The node goes on, and its disk with it.
func (r *run) killings(p, q *proc) [][]fate {
	return r.outcomes(r.stopped(p, q), func(*proc) bool { return false })
}

// killed is the answer to who has stopped q.
func (r *run) killed(p, q *proc) core.Input {
	_, life := q.seems()
	if q.host != p {
		life-- // of a first life, which goes on elsewhere: core.NoLife
	}
	return core.Input{Kind: core.Killed, From: q.id, Incarnation: life}
}

// stopKilled stops q, and what runs there, on behalf of p.
func (r *run) stopKilled(p, q *proc, outcome int) {
	procs, fates := r.stopped(p, q), r.killings(p, q)[outcome]
	var ends []trace.Event
	for _, s := range procs {
		if !s.stand.still {
			ends = append(ends, trace.Event{Kind: trace.Crashed, Proc: s.id, Incarnation: s.inc})
		}
	}
	for i, s := range procs {
		r.crashProc(s, fates[i], fault.Prefix)
		if fates[i].torn {
			r.left.torn--
		}
	}
	if len(procs) > 0 {
		r.gone++
	}
	r.record(ends)
	q.tickets = slices.DeleteFunc(q.tickets, func(t ticket) bool { return t.by == p })
	p.kills = slices.DeleteFunc(p.kills, func(k stopping) bool { return k.who == q })
}
