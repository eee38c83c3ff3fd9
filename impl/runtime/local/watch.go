package local

import (
	"cmp"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// watch is a watchdog about one life of a proc. It has no heartbeats: as long as that life goes on
// it expires only as a false suspicion of the plan.
type watch struct {
	about core.Proc
	over  bool          // the life is
	at    time.Duration // when it expires, if the life is over
}

// startWatch starts the watchdog of p about q, again if it runs: about the present life of q or,
// when q is down, the one that has ended.
func (r *run) startWatch(p, q *proc) {
	v := watch{about: q.id}
	if !q.up {
		v.expireLater(r, p)
	}
	i, found := p.findWatch(q.id)
	if found {
		p.watches[i] = v
		return
	}
	p.watches = slices.Insert(p.watches, i, v)
}

// expireLater sets the time at which the watchdog of p about a life that is over expires.
func (v *watch) expireLater(r *run, p *proc) {
	v.over, v.at = true, r.clock()+r.pace.delay(p.rng, r.pace.notices[p.id])
}

// findWatch is the place of the watchdog about q.
func (p *proc) findWatch(q core.Proc) (i int, found bool) {
	return slices.BinarySearchFunc(p.watches, q, func(v watch, q core.Proc) int {
		return cmp.Compare(v.about, q)
	})
}

// unwatch stops the watchdog about q.
func (p *proc) unwatch(q core.Proc) {
	if i, found := p.findWatch(q); found {
		p.watches = slices.Delete(p.watches, i, i+1)
	}
}

// fellSilent lets the watchdogs about a proc whose life has ended expire, each after a while.
func (r *run) fellSilent(q *proc) {
	for _, p := range r.procs {
		if i, found := p.findWatch(q.id); found && !p.watches[i].over {
			p.watches[i].expireLater(r, p)
		}
	}
}

// due reports whether the life that a watchdog of p is about is over.
func (p *proc) due(q core.Proc) bool {
	i, found := p.findWatch(q)
	return found && p.watches[i].over
}

// mayExpire reports whether the watchdog of p about q can expire: the life is over and, where the
// detector keeps that order, the last message of it has arrived.
func (r *run) mayExpire(p *proc, q core.Proc) bool {
	return p.due(q) && (r.config.Model.DetectAny ||
		!slices.ContainsFunc(p.inbox, func(c *channel) bool {
			return c.from == q && r.dead(c)
		}))
}

// mayMistake reports whether the model lets the watchdog of p about q expire although q lives.
func (r *run) mayMistake(p *proc, q core.Proc) bool {
	i, found := p.findWatch(q)
	return found && !p.watches[i].over && r.left.suspicions > 0 && r.isVictim(r.procs[q])
}

// expiries are the watchdogs of a proc that can expire.
func (r *run) expiries(p *proc, yield func(offer) bool) bool {
	for _, v := range p.watches {
		if r.mayExpire(p, v.about) && !yield(
			offer{kind: expire, group: v.about, due: max(v.at, p.readyAt)}) {
			return false
		}
	}
	return true
}

// mistakes are the watchdogs of a proc that may expire falsely, on a request.
func (r *run) mistakes(p *proc, q *request, yield func(offer) bool) bool {
	for _, v := range p.watches {
		if r.mayMistake(p, v.about) && !yield(
			offer{kind: expire, fault: true, group: v.about, request: q, due: p.readyAt}) {
			return false
		}
	}
	return true
}

// renew puts a proc that has been given up, but runs, into its next life. What is left of the
// former one is part of its machine; what that has sent and will send comes from a life that is
// over.
func (r *run) renew(p *proc) {
	p.inc++
	p.timers, p.watches = nil, nil
	r.fellSilent(p)
}

// exit stops a proc of its own accord, with its group and what runs on its node.
func (r *run) exit(p *proc) {
	members := r.withHosted(r.group(p))
	r.crash(members, make([]fate, len(members)), fault.Prefix)
}

// host is who is up and has adopted the proc.
func (r *run) host(p *proc) (core.Proc, bool) {
	for _, q := range r.procs {
		if slices.Contains(q.holding.Hosts, p.id) {
			return q.id, true
		}
	}
	return 0, false
}

// hostOf is the host that a proc is told when it starts again without a launch, 0 for one that
// needs none.
func (r *run) hostOf(p *proc) core.Proc {
	if _, placed := r.layout.Hosted[p.id]; !placed {
		return 0
	}
	host, _ := r.host(p)
	return host
}
