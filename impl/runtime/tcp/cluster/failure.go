package cluster

import (
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/trace"
)

// burial is one failure, from the kill to the agreement of the survivors.
type burial struct {
	procs    []core.Proc
	waiting  []core.Proc // to be reaped
	after    []*burial   // of who would have stopped with these procs, and was killed before
	epoch    uint64
	awaiting []core.Proc // who has to agree
	crash    int         // in Result.Crashes
	others   []int       // there, too: those that are agreed on with it
	ordered  bool        // by the daemon of a node: it is no failure
	killings []killing   // that it answers
	notices  []notice    // of what the watchers are told
}

// moment is what becomes of a life that has come to a moment of the plan.
func (s *supervisor) moment(p *proc, a answer) {
	if a.Stop {
		st := s.stops[a.Index]
		st.begun = true
		s.suspend(st.Stop, func() {
			if p.process != nil && !p.dying {
				s.tell(p, order{Kind: sayGo})
			}
		})
		return
	}
	if a.Spoil {
		s.spoilt[a.Index] = true
		s.tell(p, order{Kind: sayGo})
		return
	}
	if a.Request {
		s.asked = append(s.asked, s.c.Plan.Requests[a.Index])
		s.ask()
		return
	}
	for _, f := range s.armed {
		if f.index == a.Index {
			f.due = true
		}
	}
	s.strike()
	if p.process != nil && !p.dying {
		s.tell(p, order{Kind: sayGo})
	}
}

// strike lets the failures strike that are due, if the model allows.
func (s *supervisor) strike() (struck bool) {
	for i := 0; i < len(s.armed); {
		f := s.armed[i]
		var chosen []*proc
		for _, v := range f.Victims {
			chosen = append(chosen, s.procs[s.setup.Group(v)[0]])
		}
		if !f.due || !s.mayCrash(chosen, struck) {
			i++
			continue
		}
		s.armed = slices.Delete(s.armed, i, i+1)
		s.left.failures -= len(chosen)
		s.crash(chosen, false)
		struck = true
	}
	return struck
}

// mayCrash reports whether the model lets the groups of the chosen procs stop now. That a recovery
// is over is known in a cluster when nobody has anything to do any more, which is later than in the
// modelled world.
func (s *supervisor) mayCrash(chosen []*proc, struck bool) bool {
	m := &s.c.Model
	if !s.live || s.ending || len(chosen) > s.left.failures || len(chosen) > m.Together() ||
		m.OneInstant && len(chosen) != m.Failures {
		return false
	}
	if m.Settled && s.left.failures < m.Failures && (struck || !s.round.quiet) {
		return false
	}
	for _, p := range chosen {
		g := s.setup.Group(p.id)
		if m.Victims != nil && !slices.ContainsFunc(g, func(q core.Proc) bool {
			return slices.Contains(m.Victims, q)
		}) ||
			!slices.ContainsFunc(g, func(q core.Proc) bool {
				return s.procs[q].process != nil && !s.procs[q].dying
			}) {
			return false
		}
	}
	return !s.overlaps(chosen)
}

// overlaps reports whether more procs than the model allows would be down or recovering.
func (s *supervisor) overlaps(chosen []*proc) bool {
	if s.c.Model.Overlap == 0 {
		return false
	}
	victims, n := s.victims(chosen), 0
	for _, p := range s.procs {
		s.look(p, false)
		if !p.up || p.dying || p.recovering || slices.Contains(victims, p) {
			n++
		}
	}
	return n > s.c.Model.Overlap
}

// victims are the procs that stop with the chosen ones: their groups, and what runs on their nodes.
func (s *supervisor) victims(chosen []*proc) (list []*proc) {
	for _, p := range chosen {
		for _, q := range s.setup.Group(p.id) {
			list = append(list, s.procs[q])
		}
	}
	for _, p := range slices.Clone(list) {
		s.look(p, false)
		for _, q := range s.running(p) {
			if !slices.Contains(list, q) {
				list = append(list, q)
			}
		}
	}
	return list
}

// placed notes who runs on whose node, and who is between two lives by its own evidence.
func (s *supervisor) placed(p *proc, events []trace.Event) {
	for _, e := range events {
		switch {
		case e.Kind == trace.Adopted && !slices.Contains(p.hosts, e.Peer):
			p.hosts = append(p.hosts, e.Peer)
		case e.Kind == trace.Disowned:
			p.hosts = slices.DeleteFunc(p.hosts, func(q core.Proc) bool { return q == e.Peer })
		case e.Kind == trace.Crashed:
			p.hosts, p.crashed = nil, true
		case e.Kind == trace.Restored:
			p.crashed = false
		}
	}
}

// node is who is up and has adopted a proc.
func (s *supervisor) node(id core.Proc) (core.Proc, bool) {
	for _, q := range s.procs {
		if q.process != nil && !q.dying && slices.Contains(q.hosts, id) {
			return q.id, true
		}
	}
	return 0, false
}

// crash kills procs with all that stops with them; ordered says that it is the order of a daemon.
func (s *supervisor) crash(chosen []*proc, ordered bool) *burial {
	b := &burial{crash: len(s.out.Crashes), ordered: ordered}
	record := Crash{At: s.since(), Ordered: ordered}
	for _, p := range s.victims(chosen) {
		if i := slices.IndexFunc(s.dying, func(o *burial) bool {
			return slices.Contains(o.waiting, p.id)
		}); i >= 0 {
			b.after = append(b.after, s.dying[i])
			continue // it is killed already
		}
		if p.process == nil && !p.dying {
			continue // it is down
		}
		b.procs, b.waiting = append(b.procs, p.id), append(b.waiting, p.id)
		if p.dying = true; p.process != nil && p.on == siteOf(p.id) {
			p.process.KillGroup()
		} else if p.process != nil {
			p.process.Kill()
		}
		s.forgoes(p)
	}
	if len(b.procs) == 0 {
		return b
	}
	record.Procs = b.procs
	if !ordered {
		s.out.Failures += len(chosen)
	}
	s.out.Crashes = append(s.out.Crashes, record)
	s.dying = append(s.dying, b)
	s.round = round{number: s.round.number}
	return b
}

// forgoes takes somebody off the lists of those who have to agree.
func (s *supervisor) forgoes(p *proc) {
	for _, b := range s.burying {
		b.awaiting = slices.DeleteFunc(b.awaiting, func(q core.Proc) bool { return q == p.id })
	}
	s.proceed()
}

// reaped goes on when a process that was killed is gone.
func (s *supervisor) reaped(p *proc) {
	for _, b := range s.dying {
		b.waiting = slices.DeleteFunc(b.waiting, func(q core.Proc) bool { return q == p.id })
	}
	for b := s.complete(); b != nil && !s.laterVictims(b); b = s.complete() {
		s.dying = slices.DeleteFunc(s.dying, func(o *burial) bool { return o == b })
		s.bury(b)
	}
}

// complete is the first failure of which all are gone, nil if there is none. The system may end a
// node before who was killed on it earlier; but that one has failed alone, and not with its node,
// which therefore comes behind it.
func (s *supervisor) complete() *burial {
	for _, b := range s.dying {
		if len(b.waiting) == 0 && !slices.ContainsFunc(b.after, func(o *burial) bool {
			return slices.Contains(s.dying, o)
		}) {
			return b
		}
	}
	return nil
}

// laterVictims kills those whom a victim has adopted after the supervisor had looked and before it
// was gone: they stop with it. Only somebody who runs in two places can be up then.
func (s *supervisor) laterVictims(b *burial) bool {
	for _, id := range b.procs {
		s.look(s.procs[id], true)
		for _, q := range s.running(s.procs[id]) {
			if h := q.id; q.process != nil && !q.dying {
				b.procs, b.waiting = append(b.procs, h), append(b.waiting, h)
				s.out.Crashes[b.crash].Procs = b.procs
				q.dying = true
				q.process.Kill()
				s.forgoes(q)
			}
		}
	}
	return len(b.waiting) > 0
}

// bury writes down that procs have stopped, and has the others take what is left of them.
func (s *supervisor) bury(b *burial) {
	if s.onlyBegun(b); len(b.procs) == 0 {
		for _, k := range b.killings {
			s.killed(k)
		}
		for _, w := range s.setup.Watchers {
			s.reportLater(s.procs[w]) // of what has waited for this
		}
		s.restart()
		return
	}
	var events []trace.Event
	next := map[core.Proc]core.Incarnation{}
	record := &s.out.Crashes[b.crash]
	d := Deed{What: DidFail, Ordered: b.ordered, Exit: record.Exit}
	record.Reaped = s.since()
	for _, id := range b.procs {
		p := s.procs[id]
		s.look(p, true)
		s.forget(p)
		s.clock.hear(p.clock)
		if !p.crashed {
			events = append(events, trace.Event{Kind: trace.Crashed, Proc: id,
				Incarnation: p.inc})
		}
		d.stopped(p)
		s.used(p)
		s.owe(b, p)
		for _, q := range s.setup.Group(id) {
			next[q] = max(next[q], p.inc+1, s.procs[q].inc)
		}
		s.untold(p)
		s.endNode(p)
		p.hosts, p.recovering = nil, false
		p.life++
	}
	for _, id := range b.procs {
		for _, q := range s.setup.Group(id) {
			s.procs[q].inc = next[q]
		}
	}
	d.Clock = s.clock.tick()
	s.crashes = append(s.crashes, step{began: d.Clock, proc: b.procs[0],
		wall: time.Now().UnixNano(), events: events})
	s.did(d)
	s.burying = append(s.burying, b)
	s.proceed()
}

// proceed goes on with the first failure that is not agreed on.
func (s *supervisor) proceed() {
	for len(s.burying) > 0 && !s.over {
		b := s.burying[0]
		if b.epoch == 0 {
			s.together()
			s.instructions.Epoch++
			b.epoch = s.instructions.Epoch
			s.failed(b)
			s.did(Deed{What: DidSay, Procs: b.procs, Epoch: b.epoch})
			for _, q := range b.procs {
				s.instructions.Gone[q]++
			}
			for _, p := range s.procs {
				if p.process != nil && !p.dying {
					b.awaiting = append(b.awaiting, p.id)
					s.tellDead(p, b)
				}
			}
		}
		if len(b.awaiting) > 0 {
			return
		}
		s.burying = s.burying[1:]
		for _, c := range append(b.others, b.crash) {
			s.out.Crashes[c].Agreed = s.since()
		}
		s.did(Deed{What: DidBury, Procs: b.procs, Epoch: b.epoch})
		for _, n := range b.notices {
			s.notify(n)
		}
		for _, q := range b.procs {
			s.silent(s.procs[q])
		}
		for _, k := range b.killings {
			s.killed(k)
		}
		s.restart()
	}
}

// tellDead has a survivor take what is left of the dead. Some hear of a failure later than others,
// who know of it then and go on.
func (s *supervisor) tellDead(p *proc, b *burial) {
	life := p.life
	s.later(s.delay(), func() {
		if p.process != nil && !p.dying && p.life == life && !s.over {
			s.tell(p, order{Kind: sayDead, Procs: b.procs, Epoch: b.epoch,
				Cut: s.cut(b.procs)})
		}
	})
}

// together has all failures that wait be agreed on at once: a fence stops many, one by one.
func (s *supervisor) together() {
	b := s.burying[0]
	for _, o := range s.burying[1:] {
		b.procs, b.notices, b.killings, b.others = append(b.procs, o.procs...),
			append(b.notices, o.notices...), append(b.killings, o.killings...),
			append(b.others, o.crash)
	}
	s.burying = s.burying[:1]
}

// agreed notes that somebody has taken what was left of the dead.
func (s *supervisor) agreed(p *proc, epoch uint64) {
	if len(s.burying) == 0 || s.burying[0].epoch != epoch {
		return
	}
	b := s.burying[0]
	b.awaiting = slices.DeleteFunc(b.awaiting, func(q core.Proc) bool { return q == p.id })
	s.proceed()
}

// isOver reports whether a proc is down and all agree that it is.
func (s *supervisor) isOver(p *proc) bool {
	return p.process == nil && !p.dying &&
		!slices.ContainsFunc(slices.Concat(s.dying, s.burying), func(b *burial) bool {
			return slices.Contains(b.procs, p.id)
		})
}

// restart starts whoever is down and may start again.
func (s *supervisor) restart() {
	if s.steering != nil {
		return // that is a move
	}
	for _, p := range s.procs {
		if !s.mayRestart(p) || p.starting {
			continue
		}
		p.starting = true
		s.later(s.delay(), func() {
			if p.starting = false; s.mayRestart(p) && !s.over && !s.ending {
				s.spawn(p)
			}
		})
	}
}

// mayRestart reports whether a proc is down, all agree that it is, and it has a place.
func (s *supervisor) mayRestart(p *proc) bool {
	if p.process != nil || p.dying || !s.live || len(s.hosts) > 0 && s.hosts[p.host].fencing {
		return false
	}
	for _, b := range slices.Concat(s.dying, s.burying) {
		if slices.Contains(b.procs, p.id) || slices.ContainsFunc(b.procs, func(q core.Proc) bool {
			return slices.Contains(s.setup.Group(p.id), q)
		}) {
			return false
		}
	}
	if s.launches(p.id) {
		return s.ordered(p) != nil
	}
	_, placed := s.setup.Layout.Hosted[p.id]
	_, hosted := s.node(p.id)
	return !placed || hosted
}

// timed is a failure whose time has come.
func (s *supervisor) timed(t Timed) {
	if s.over || s.ending {
		return
	}
	s.armed = append(s.armed, &armed{Failure: plan.Failure{Victims: t.Victims}, index: -1,
		due: true})
	s.strike()
}
