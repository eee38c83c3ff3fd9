package recheck

import (
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/trace"
)

// A crash inside a step begins with a proc that stands still: its life is over, and nobody can tell
// before it stops, with its group and whom it had adopted. That is bound to happen, and costs
// nothing more.

// cutShort visits the moments inside a move at which its proc stands still.
func (s *scene) cutShort(m *move) error {
	if len(m.parts) == 0 {
		return nil
	}
	free := slices.Contains(s.bound(), m.proc)
	if !free && (s.left.Failures == 0 || !s.mayFail || !s.begins(m.proc) ||
		s.overlaps(s.together(m.proc))) {
		return nil
	}
	var adopted []trace.Proc
	if !s.Launched {
		adopted = s.hosts(s.state, m.proc)
	}
	for i := range m.parts {
		s.begin()
		part := &m.parts[i]
		s.next[1+m.proc] = part.number
		for _, d := range m.sends[:part.sends] {
			if d.kind != launch || !seems(&s.now(d.to).env) {
				s.touch(d.to, d.change)
			}
		}
		s.stands(m.proc, adopted)
		b := s.spent(m)
		if b.Over = false; !free {
			b.Failures--
		}
		s.budget(b)
		s.remember(m, m.before[i+1])
		if err := s.done(m.name+", and it stands still inside that", true); err != nil {
			return err
		}
	}
	return nil
}

// stands makes a proc stand still in the successor.
func (s *scene) stands(p trace.Proc, adopted []trace.Proc) {
	b := s.now(p).clone()
	next := s.nextLife(p)
	e := &b.env
	e.Still = e.Incarnation
	if e.Up {
		e.Still++
	}
	e.Former, e.Takes = max(e.Former, b.local.Round), adopted
	e.Up, e.Incarnation, e.Timers, e.Watches, e.Kills, e.Back = false, next, nil, nil, nil, false
	b.live, b.local = false, certificate.Local{}
	s.next[1+p] = s.number(p, b)
}

// there reports whether a proc has a process that may stop: it seems to be up, or has rolled back.
func there(e *certificate.Env) bool { return seems(e) || e.Back }

// seems reports whether a proc seems to be up to others: it is, or stands still.
func seems(e *certificate.Env) bool { return e.Up || e.Still > 0 }

// lifeSeen is the life in which it seems to be; of one that does not the next one.
func lifeSeen(e *certificate.Env) uint32 {
	if e.Still > 0 {
		return e.Still - 1
	}
	return e.Incarnation
}

// unit are the procs that leave a life at one time: a group, unless members stop one by one.
func (e *environment) unit(p trace.Proc) []trace.Proc {
	if e.Model.Staggered {
		return []trace.Proc{p}
	}
	return e.Groups[p]
}

// begins reports whether a failure may begin at a proc.
func (e *environment) begins(p trace.Proc) bool {
	return slices.ContainsFunc(e.unit(p), e.victim)
}

// together are those who stop with a proc.
func (s *scene) together(p trace.Proc) []trace.Proc { return s.withHosted(s.state, s.unit(p)) }

// standing reports whether somebody stands still of those who leave their life with a proc.
func (s *scene) standing(p trace.Proc) bool {
	return slices.ContainsFunc(s.unit(p), func(q trace.Proc) bool { return s.at(q).env.Still > 0 })
}

// roots are the procs with which others stop without another failure.
func (s *scene) roots() (list []trace.Proc) {
	for p := range trace.Proc(s.procs) {
		if e := &s.at(p).env; e.Still > 0 || s.Model.Staggered && e.Up && s.behind(s.state, p) {
			list = append(list, p)
		}
	}
	return list
}

// bound are the procs that are there and stop without another failure.
func (s *scene) bound() (list []trace.Proc) {
	for _, r := range s.roots() {
		for _, p := range s.together(r) {
			if there(&s.at(p).env) {
				list = append(list, p)
			}
		}
	}
	return list
}

// falls takes the stop of those who stand still in one unit, once for all of them. Who is free to
// do so only because its node will stop waits for that.
func (s *scene) falls(p trace.Proc) error {
	unit := s.unit(p)
	first := slices.IndexFunc(unit, func(q trace.Proc) bool { return s.at(q).env.Still > 0 })
	if unit[first] != p {
		return nil
	}
	for _, r := range s.roots() {
		if !slices.Contains(unit, r) && slices.Contains(s.together(r), p) {
			return nil
		}
	}
	return s.crash(s.together(p), 0)
}
