package cluster

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// What the failure detector of a run owes to those who watch.

// untold gives back the notices that a life was sent and has not taken.
func (s *supervisor) untold(p *proc) {
	taken := 0
	for _, k := range p.reader.pieces {
		for _, e := range k.Events {
			if e.Kind == trace.Told {
				taken++
			}
		}
	}
	for _, n := range slices.Concat(p.told[min(taken, len(p.told)):]...) {
		if !slices.Contains(p.pending, n) {
			p.pending = append(p.pending, n)
		}
	}
	slices.SortFunc(p.pending, notice.compare)
	p.told = nil
}

// owe notes that the watchers are to be told of the life of a proc that has ended, unless its node
// is told of, or starts it again by itself.
func (s *supervisor) owe(b *burial, p *proc) {
	n := notice{group: s.setup.Group(p.id)[0]}
	if s.setup.Launched {
		n.life = p.inc
	}
	withNode := s.launches(p.id) && p.on != nowhere && p.on != siteOf(p.id) &&
		slices.Contains(b.procs, p.on.proc())
	if !s.setup.Layout.Hosted[p.id] && !b.ordered && !withNode && !slices.Contains(b.notices, n) {
		b.notices = append(b.notices, n)
	}
}

// notify has the watchers told of a failure.
func (s *supervisor) notify(n notice) {
	g := s.setup.Group(n.group)
	for _, w := range s.setup.Watchers {
		q := s.procs[w]
		if slices.Contains(g, w) {
			continue
		}
		if !slices.Contains(q.pending, n) {
			q.pending = append(q.pending, n)
			slices.SortFunc(q.pending, notice.compare)
		}
		s.reportLater(q)
	}
}

// reportLater tells a watcher after a while, unless that is a move.
func (s *supervisor) reportLater(p *proc) {
	if s.steering == nil {
		s.later(s.delay(), func() { s.report(p) })
	}
}

// report tells a watcher what it has not been told.
func (s *supervisor) report(p *proc) {
	if len(p.pending) == 0 || !p.up || p.dying || s.over || s.ending {
		return
	}
	at := slices.IndexFunc(p.pending, func(n notice) bool { return !s.fails(n) })
	if at < 0 || s.c.Model.Joint && slices.ContainsFunc(p.pending, s.fails) {
		return // it is told when all agree
	}
	now := slices.Clone(p.pending[at : at+1])
	if s.c.Model.Joint {
		now = slices.Clone(p.pending)
	}
	p.told, p.pending = append(p.told, now), slices.Delete(p.pending, at, at+len(now))
	var procs []core.Proc
	for _, n := range now {
		procs = append(procs, s.setup.Group(n.group)...)
	}
	life := now[0].life
	if !s.setup.Launched {
		life = max(s.procs[procs[0]].inc, 1) - 1 // the newest that is over
	}
	s.tell(p, order{Kind: sayDown, Procs: procs, Life: life})
	for _, n := range now {
		if c := s.crashOf(n.group); c != nil {
			c.Told = append(c.Told, s.since())
		}
	}
	if len(p.pending) > 0 {
		s.reportLater(p)
	}
}

// fails reports whether the group of a notice has failed once more since, and not all agree on that
// yet: then both are one to whoever has heard of neither. Lives that are told of one by one are
// not, and a course says itself who is told when.
func (s *supervisor) fails(n notice) bool {
	g := s.setup.Group(n.group)
	return !s.setup.Launched && s.steering == nil && slices.ContainsFunc(
		slices.Concat(s.dying, s.burying), func(b *burial) bool {
			return slices.ContainsFunc(b.procs, func(q core.Proc) bool {
				return slices.Contains(g, q)
			})
		})
}

// cameBack reports whether a proc has begun a life and is in it. Its evidence tells, as it may not
// have said so yet.
func (s *supervisor) cameBack(p core.Proc) bool {
	q := s.procs[p]
	if q.up || q.process == nil || q.dying {
		return q.up
	}
	s.look(q, false)
	return len(q.reader.pieces) > 0
}

// started goes on with a new life: it has not known those who are up again by now. Where procs are
// launched it is told again of the nodes that are down, as its life before may have been.
func (s *supervisor) started(p *proc) {
	p.pending = slices.DeleteFunc(p.pending, func(n notice) bool {
		return !slices.ContainsFunc(s.setup.Group(n.group), func(q core.Proc) bool {
			return !s.cameBack(q)
		})
	})
	if s.setup.Launched && slices.Contains(s.setup.Watchers, p.id) {
		for _, q := range s.setup.Local {
			n := notice{q, s.procs[q].inc - 1} // of one that is down, the next life
			if s.isOver(s.procs[q]) && !slices.Contains(p.pending, n) {
				p.pending = append(p.pending, n)
			}
		}
		slices.SortFunc(p.pending, notice.compare)
	}
	s.reportLater(p)
}
