package local

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// strike lets the failures of the plan strike whose time has come, if the model allows.
func (r *run) strike() {
	r.remember()
	for i := 0; i < len(r.armed) && !r.over; {
		f := r.armed[i]
		var chosen []*proc
		for _, v := range f.Victims {
			if !r.config.Model.Staggered {
				v = r.setup.Group(v)[0]
			}
			chosen = append(chosen, r.procs[v])
		}
		if r.procs[f.By].performed < f.After || !r.mayCrash(chosen) {
			i++
			continue
		}
		r.armed = slices.Delete(r.armed, i, i+1)
		all := r.fates(r.victims(chosen))
		r.crashGroups(chosen, all, r.rng.IntN(len(all)), f.Survive)
	}
}

// crashGroups stops groups.
func (r *run) crashGroups(chosen []*proc, all [][]fate, outcome int, s fault.Survival) {
	r.out.Schedule = append(r.out.Schedule, r.layout.CrashName("crash", r.unit(chosen), outcome))
	r.left.failures -= len(chosen)
	r.crash(r.victims(chosen), all[outcome], s)
}

// unit are the procs by which a crash is named: whole groups, unless members stop one by one.
func (r *run) unit(chosen []*proc) (groups [][]core.Proc) {
	for _, p := range chosen {
		if r.config.Model.Staggered {
			groups = append(groups, []core.Proc{p.id})
		} else {
			groups = append(groups, r.setup.Group(p.id))
		}
	}
	return groups
}

// mayCrash reports whether the model lets the groups of the chosen procs, ascending and the first
// of their groups unless members stop one by one, crash at once now.
func (r *run) mayCrash(chosen []*proc) bool {
	m := &r.config.Model
	if len(chosen) > r.left.failures || len(chosen) > m.Together() || m.OneInstant &&
		len(chosen) != m.Failures || !r.mayFail() || r.overlaps(chosen) {
		return false
	}
	for i, p := range chosen {
		g := r.group(p)
		if i > 0 && p.id <= chosen[i-1].id {
			return false
		}
		if m.Staggered {
			if !r.isVictim(p) || !p.up && !p.back {
				return false
			}
		} else if g[0] != p || r.standing(p) != nil || !slices.ContainsFunc(g, r.isVictim) ||
			!slices.ContainsFunc(g, func(q *proc) bool {
				return q.up || q.back
			}) {
			return false
		}
	}
	return true
}

// cutAt is the number of effects after which the proc crashes in the middle of the step, 0 for
// none.
func (r *run) cutAt(p *proc, o *offer, a *attempt) (effects int, f plan.Failure) {
	if o.cut > 0 {
		return o.cut, plan.Failure{}
	}
	m := &r.config.Model
	if len(a.acts) < 2 || m.OneInstant || r.left.failures == 0 || !r.mayBegin(p) ||
		!r.mayFail() || r.overlaps([]*proc{p}) {
		return 0, f
	}
	for i, f := range r.armed {
		n := f.After - p.performed
		if len(f.Victims) == 1 && f.By == p.id &&
			slices.Contains(r.setup.Group(f.Victims[0]), p.id) && n > 0 && n < len(a.acts) {
			r.armed = slices.Delete(r.armed, i, i+1)
			return n, f
		}
	}
	return 0, f
}

// overlaps reports whether more procs than the model allows would be down or recovering if the
// groups of the chosen ones stopped.
func (r *run) overlaps(chosen []*proc) bool {
	if r.config.Model.Overlap == 0 {
		return false
	}
	victims, n := append(r.victims(chosen), r.bound()...), 0
	for _, p := range r.procs {
		if !p.up || p.recovers || slices.Contains(victims, p) {
			n++
		}
	}
	return n > r.config.Model.Overlap
}

// mayBegin reports whether a failure may begin at a proc, or at the group that stops with it.
func (r *run) mayBegin(p *proc) bool {
	return slices.ContainsFunc(r.unitOf(p), r.isVictim)
}

func (r *run) isVictim(p *proc) bool {
	return r.config.Model.Victims == nil || slices.Contains(r.config.Model.Victims, p.id)
}

func (r *run) group(p *proc) (list []*proc) {
	for _, q := range r.setup.Group(p.id) {
		list = append(list, r.procs[q])
	}
	return list
}

// victims are the procs that stop at once with the chosen ones: their groups, and what runs on
// their nodes.
func (r *run) victims(chosen []*proc) []*proc {
	list := chosen
	if !r.config.Model.Staggered {
		list = nil
		for _, p := range chosen {
			list = append(list, r.group(p)...)
		}
	}
	return r.withHosted(list)
}

// withHosted adds the procs that run on the nodes of others and stop with them.
func (r *run) withHosted(procs []*proc) []*proc {
	list := procs
	for i := 0; i < len(list); i++ {
		if i == len(procs) && !r.setup.Launched {
			break // who has been adopted adopts nobody
		}
		for _, q := range r.hosted(list[i]) {
			if q.there() && !slices.Contains(list, q) {
				list = append(list[:len(list):len(list)], q)
			}
		}
	}
	return list
}

// halfStopped reports whether a mate of p has already left p's life.
func (r *run) halfStopped(p *proc) bool {
	return slices.ContainsFunc(r.group(p), func(q *proc) bool { return !q.up && q.inc > p.inc })
}

// crash stops procs and lets the detector know of every group that has stopped for good.
func (r *run) crash(procs []*proc, fates []fate, s fault.Survival) {
	r.recovered = false
	var stopped []trace.Event
	for _, p := range r.procs {
		if p.up && slices.Contains(procs, p) {
			stopped = append(stopped, trace.Event{Kind: trace.Crashed, Proc: p.id,
				Incarnation: p.inc})
		}
	}
	r.gone++
	var noticed []*proc
	for i, p := range procs {
		fates[i].gone = r.losesDisk(p, procs)
		if p.host == nil || !slices.Contains(procs, p.host) {
			noticed = append(noticed, p)
		}
	}
	for i, p := range procs {
		r.crashProc(p, fates[i], s)
		if fates[i].torn {
			r.left.torn--
		}
	}
	for _, p := range noticed {
		r.notify(p)
	}
	r.record(stopped)
}

// lifeAfter is the incarnation that a proc will be of when its present life is over.
func (r *run) lifeAfter(p *proc) core.Incarnation {
	inc := p.inc
	if p.up {
		inc++
	}
	for _, q := range r.group(p) {
		if q.up && !r.config.Model.Staggered {
			inc = max(inc, q.inc+1)
		} else if !q.up {
			inc = max(inc, q.inc)
		}
	}
	return inc
}

func (r *run) crashProc(p *proc, f fate, s fault.Survival) {
	inc := r.lifeAfter(p)
	if !p.there() {
		r.renumber(p, inc)
		return
	}
	for _, q := range r.group(p) { // mates that are down already will be of the same life
		if !q.up && q.inc < inc {
			r.renumber(q, inc)
		}
	}
	r.leave(p, inc, f, s)
	if r.config.Model.FromDead == fault.Nothing {
		for _, q := range r.procs {
			r.drop(q, func(c *channel) bool { return c.from == p.id })
		}
	}
	if !r.config.Model.KeepToDead {
		r.drop(p, func(*channel) bool { return true })
	}
}

// renumber gives a proc that is down another next life.
func (r *run) renumber(p *proc, inc core.Incarnation) {
	if p.inc != inc {
		p.inc = inc
		p.life++
		r.doom(p, fault.Prefix)
	}
}

// leave ends the life of a proc.
func (r *run) leave(p *proc, inc core.Incarnation, f fate, s fault.Survival) {
	for _, w := range p.writing[:f.kept] {
		p.keep(w)
	}
	if f.torn {
		p.keep(write{key: p.writing[f.kept].key, torn: true})
	}
	if f.gone {
		p.store = nil
	}
	p.host, p.kills = nil, nil
	r.endTickets(p)
	p.up, p.inc, p.writing, p.stand, p.back = false, inc, nil, stand{}, false
	p.idle()
	p.life++
	p.readyAt = r.clock() + r.pace.delay(p.rng, r.pace.restarts[p.id])
	for _, q := range r.group(p) {
		q.stopAt = r.clock() + r.pace.delay(q.rng, r.pace.restarts[q.id])
	}
	r.fellSilent(p)
	r.doom(p, s)
}

// notify lets the detector report the group of p, once all its members have left the old life.
func (r *run) notify(p *proc) {
	if r.layout.Hosted[p.id] {
		return // its node is told of, or starts it again by itself
	}
	g := r.group(p)
	if slices.ContainsFunc(g, func(q *proc) bool {
		return q.stand.still || q.up && r.halfStopped(q)
	}) {
		return
	}
	for _, w := range r.setup.Watchers {
		q := r.procs[w]
		if slices.Contains(g, q) {
			continue
		}
		n := notice{group: g[0].id, due: r.clock() + r.pace.delay(q.rng, r.pace.notices[w])}
		if r.setup.Launched {
			n.life = g[0].inc - 1
		}
		if i, found := slices.BinarySearchFunc(q.pending, n, notice.compare); !found {
			q.pending = slices.Insert(q.pending, i, n)
		}
	}
}

// compare orders notices by group, then life.
func (n notice) compare(o notice) int {
	return cmp.Or(cmp.Compare(n.group, o.group), cmp.Compare(n.life, o.life))
}

// report is whom the detector reports to a proc: the group of the i-th notice, or all of them when
// it reports jointly.
func (r *run) report(p *proc, i int) (procs []core.Proc) {
	if !r.config.Model.Joint {
		return r.setup.Group(p.pending[i].group)
	}
	for i, n := range p.pending {
		if i == 0 || p.pending[i-1].group != n.group {
			procs = append(procs, r.setup.Group(n.group)...)
		}
	}
	return procs
}

// failedLife is the life that the i-th notice of a proc is about: where procs are launched it says
// so itself, elsewhere it is the newest that is over.
func (r *run) failedLife(p *proc, i int) core.Incarnation {
	if n := p.pending[i]; r.setup.Launched {
		return n.life
	}
	_, inc := r.procs[p.pending[i].group].seems()
	return inc - 1
}

// tellable reports whether the detector may give the i-th notice now: at any time, or after the
// last message that arrives from the dead.
func (r *run) tellable(p *proc, i int) bool {
	if r.config.Model.DetectAny {
		return true
	}
	pending := p.pending
	if !r.config.Model.Joint {
		pending = pending[i : i+1]
	}
	return !slices.ContainsFunc(p.inbox, func(c *channel) bool {
		return r.dead(c) && slices.ContainsFunc(pending, func(n notice) bool {
			return slices.Contains(r.setup.Group(n.group), c.from)
		})
	})
}

// mayRestart reports whether a proc that is down may start again: no member of its group is still
// in an older life, and a proc that is placed by others has a place.
func (r *run) mayRestart(p *proc) bool {
	if r.launched(p) {
		return len(p.tickets) > 0
	}
	if _, placed := r.layout.Hosted[p.id]; placed {
		if _, hosted := r.host(p); !hosted {
			return false
		}
	}
	return !slices.ContainsFunc(r.group(p), func(q *proc) bool {
		return q.up && q.inc < p.inc || q.stand.still && q.inc <= p.inc
	})
}

// started begins a new life, on the node of a host where procs are launched. A new process has not
// known those who are up again by now.
func (r *run) started(p, host *proc) {
	p.host, p.tickets = host, nil
	p.pending = slices.DeleteFunc(p.pending, func(n notice) bool {
		return !slices.ContainsFunc(r.setup.Group(n.group), func(q core.Proc) bool {
			up, _ := r.procs[q].seems()
			return !up
		})
	})
	if r.setup.Launched && slices.Contains(r.setup.Watchers, p.id) {
		for _, q := range r.setup.Local {
			n := r.procs[q]
			if up, _ := n.seems(); !up && !slices.Contains(r.group(p), n) {
				r.remind(p, n)
			}
		}
	}
	p.up, p.back = true, false
	p.life++
}

// remind has a watcher told of the failure of a node, as its life before may have been.
func (r *run) remind(p, node *proc) {
	n := notice{group: r.setup.Group(node.id)[0], life: node.inc - 1,
		due: r.clock() + r.pace.delay(p.rng, r.pace.notices[p.id])}
	if i, found := slices.BinarySearchFunc(p.pending, n, notice.compare); !found {
		p.pending = slices.Insert(p.pending, i, n)
	}
}
