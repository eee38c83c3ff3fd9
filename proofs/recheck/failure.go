package recheck

import (
	"slices"

	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// waits reports whether a failure has struck in the state and another one waits for the recovery.
func (s *scene) waits() bool {
	m := &s.Model
	return m.Settled && m.Failures > 1 && !m.OneInstant && s.left.Failures > 0 &&
		int(s.left.Failures) < m.Failures
}

// calm reports whether a recovery is over in the state: nobody is down who will restart, whoever is
// to be told has been told, nothing is on its way, and every rank that has restarted has declared
// so, with nobody ahead of it, or can not go on without the others.
func (s *scene) calm() (bool, error) {
	for p := range trace.Proc(s.procs) {
		b := s.at(p)
		if !b.env.Up && !s.mayRestart(p) {
			continue // for good
		}
		if !b.env.Up || len(b.env.Pending) > 0 || b.waited() >= 0 || len(b.inbox) > 0 {
			return false, nil
		}
	}
	for p := range trace.Proc(s.procs) {
		if s.at(p).env.Incarnation == 0 {
			continue
		}
		over, err := s.recovered(p)
		if !over || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *scene) recovered(p trace.Proc) (bool, error) {
	own, err := s.observed(p, s.state[1+p])
	if err != nil || own.History == nil {
		return true, err
	}
	choices, err := s.Choices(p, s.at(p).local.State)
	if err != nil || len(choices) == 0 {
		return true, err
	}
	if own.History.Recovering {
		return false, nil
	}
	for q := range trace.Proc(s.Layout.Ranks) {
		other, err := s.observed(q, s.state[1+q])
		if err != nil {
			return false, err
		}
		if q != p && other.History != nil && slices.ContainsFunc(other.History.Delivered,
			func(d trace.Delivery) bool {
				return d.ID.From.Proc() == p && d.ID.Number > own.History.Sent
			}) {
			return false, nil
		}
	}
	return true, nil
}

// mayRestart reports whether all of the group of a proc have left the life that it has, and, where
// it runs on the node of somebody, whether somebody has adopted it.
func (s *scene) mayRestart(p trace.Proc) bool {
	if _, placed := s.Layout.Hosted[p]; placed && s.host(p) == nobody {
		return false
	}
	life := s.at(p).env.Incarnation
	return !slices.ContainsFunc(s.Groups[p], func(q trace.Proc) bool {
		e := &s.at(q).env
		return e.Up && e.Incarnation < life
	})
}

// crashes visits the crash of every set of groups that may stop at once.
func (s *scene) crashes(from trace.Proc, groups []trace.Proc, most int) error {
	for p := from; int(p) < s.procs; p++ {
		if s.Groups[p][0] != p || !s.victims(p) || !slices.ContainsFunc(s.Groups[p],
			func(q trace.Proc) bool { return s.at(q).env.Up }) {
			continue
		}
		set := append(slices.Clip(groups), p)
		if (!s.Model.OneInstant || len(set) == s.Model.Failures) && !s.overlaps(set) {
			if err := s.crash(set); err != nil {
				return err
			}
		}
		if most > 1 {
			if err := s.crashes(p+1, set, most-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// crash visits every outcome of the crash of some groups: of the changes on their way to the store
// of each proc some of the oldest become stable, and the next one may be torn.
func (s *scene) crash(groups []trace.Proc) error {
	var procs []trace.Proc
	for _, g := range groups {
		procs = append(procs, s.Groups[g]...)
	}
	procs = s.withHosted(procs)
	kept, torn := make([]int, len(procs)), make([]bool, len(procs))
	var choose func(i, damaged int) error
	choose = func(i, damaged int) error {
		if i == len(procs) {
			s.begin()
			for j, p := range procs {
				s.stop(p, kept[j], torn[j])
			}
			s.gone(procs, nobody)
			b := s.left
			b.Failures, b.Torn = b.Failures-uint8(len(groups)), b.Torn-uint8(damaged)
			b.Over = false
			s.budget(b)
			return s.done("the crash of "+s.Layout.NamesOf(procs), true)
		}
		b := s.at(procs[i])
		for kept[i] = 0; kept[i] <= len(b.env.Writing); kept[i]++ {
			if kept[i] < len(b.env.Writing) && b.env.Writing[kept[i]].Read {
				continue // as behind it
			}
			torn[i] = false
			if err := choose(i+1, damaged); err != nil {
				return err
			}
			if int(s.left.Torn) > damaged && b.tears(kept[i]) {
				torn[i] = true
				if err := choose(i+1, damaged+1); err != nil {
					return err
				}
				torn[i] = false
			}
		}
		return nil
	}
	return choose(0, 0)
}

// nextLife is the life that the group of a proc has after a crash: that of no member was newer.
func (s *scene) nextLife(p trace.Proc) (life uint32) {
	for _, q := range s.Groups[p] {
		e := &s.at(q).env
		if life = max(life, e.Incarnation); e.Up {
			life = max(life, e.Incarnation+1)
		}
	}
	return life
}

// stop ends a life in the successor, or gives a proc that is down the number of the next one.
func (s *scene) stop(p trace.Proc, kept int, torn bool) {
	c := change{configuration: s.next[1+p], kind: renumber, a: s.nextLife(p)}
	if s.at(p).env.Up {
		c.kind, c.b = crash, uint32(kept)
		if torn {
			c.c = 1
		}
		for _, q := range s.Groups[p] { // who is down already will be of the same life
			if f := &s.at(q).env; !f.Up && f.Incarnation < c.a {
				s.touch(q, change{kind: renumber, a: c.a})
			}
		}
	}
	s.next[1+p] = s.change(p, c)
}

// gone takes away what was on its way from procs that have stopped, where the model says so, and
// lets the detector know of their groups, but for those that are the business of their node. One of
// them was up in any case: it may have started in the same move.
func (s *scene) gone(procs []trace.Proc, up trace.Proc) {
	for _, p := range procs {
		if s.Model.FromDead != fault.Nothing || p != up && !s.at(p).env.Up {
			continue
		}
		for q := range trace.Proc(s.procs) {
			s.touch(q, change{kind: loss, a: uint32(p)})
		}
	}
	for _, p := range procs {
		g := s.Groups[p]
		if s.Layout.Hosted[p] || slices.ContainsFunc(g, func(q trace.Proc) bool {
			return s.at(q).env.Up && !slices.Contains(procs, q)
		}) {
			continue
		}
		for _, q := range s.Watchers {
			if !slices.Contains(g, q) {
				s.touch(q, change{kind: notice, a: uint32(g[0])})
			}
		}
	}
}

// cutShort visits the crashes inside a move.
func (s *scene) cutShort(m *move) error {
	if s.left.Failures == 0 || !s.mayFail || len(m.parts) == 0 ||
		s.overlaps([]trace.Proc{m.proc}) {
		return nil
	}
	stopped := s.withHosted(s.Groups[m.proc])
	for i := range m.parts {
		s.begin()
		part := &m.parts[i]
		for _, d := range m.sends[:part.sends] {
			s.touch(d.to, d.change)
		}
		// whoever has started again is one of the group by now
		life := max(s.nextLife(m.proc), part.body.env.Incarnation+1)
		after, ok := part.crashed[life]
		if !ok {
			b := part.body.clone()
			if b.stop(life, 0, false); !s.Model.KeepToDead {
				b.inbox = nil
			}
			after = s.number(m.proc, b)
			part.crashed[life] = after
		}
		s.next[1+m.proc] = after
		for _, q := range stopped {
			if q == m.proc {
				continue
			}
			c := change{kind: renumber, a: life}
			if !slices.Contains(s.Groups[m.proc], q) {
				c.a = s.nextLife(q)
			}
			if s.at(q).env.Up {
				c.kind = crash
			}
			s.touch(q, c)
		}
		s.gone(stopped, m.proc)
		b := s.spent(m)
		b.Failures, b.Over = b.Failures-1, false
		s.budget(b)
		s.remember(m, m.before[i+1])
		if err := s.done(m.name+", and a crash inside it", true); err != nil {
			return err
		}
	}
	return nil
}
