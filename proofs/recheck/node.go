package recheck

import (
	"encoding/binary"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/trace"
)

// hosts are the procs that run on the node of a proc: those that it holds as adopted.
func (s *scene) hosts(p trace.Proc) []trace.Proc {
	if len(s.Layout.Hosted) == 0 || !s.at(p).env.Up {
		return nil
	}
	o, err := s.observed(p, s.state[1+p])
	if err != nil || o.Holding == nil {
		return nil // what can not be read was refused when the state was made
	}
	return o.Holding.Hosts
}

// host is who has adopted a proc and is up, or nobody.
func (s *scene) host(p trace.Proc) trace.Proc {
	for q := range trace.Proc(s.procs) {
		if slices.Contains(s.hosts(q), p) {
			return q
		}
	}
	return nobody
}

// withHosted adds those that are up and run on the nodes of the procs: they stop with them. Who has
// been adopted adopts nobody.
func (s *scene) withHosted(procs []trace.Proc) []trace.Proc {
	list := slices.Clone(procs)
	for _, p := range procs {
		for _, q := range s.hosts(p) {
			if s.at(q).env.Up && !slices.Contains(list, q) {
				list = append(list, q)
			}
		}
	}
	return list
}

// overlaps reports whether more procs than the model allows would be down or recovering if the
// groups of the chosen ones stopped.
func (s *scene) overlaps(chosen []trace.Proc) bool {
	if s.Model.Overlap == 0 {
		return false
	}
	var stopped []trace.Proc
	for _, g := range chosen {
		stopped = append(stopped, s.Groups[g]...)
	}
	stopped = s.withHosted(stopped)
	n := 0
	for p := range trace.Proc(s.procs) {
		o, err := s.observed(p, s.state[1+p])
		if err != nil || !o.Up || slices.Contains(stopped, p) ||
			o.History != nil && o.History.Recovering {
			n++
		}
	}
	return n > s.Model.Overlap
}

// watched is the start of a watchdog: it is about the life that a proc is in, or was in last.
func (s *scene) watched(c change) change {
	if c.kind == watching {
		about := &s.at(trace.Proc(c.a)).env
		if c.b = about.Incarnation; !about.Up {
			c.b--
		}
	}
	return c
}

// expire lets watchdogs of a proc expire: one about a life that is over at any time or, unless the
// model says so, when nothing from it is on its way any more; one about a victim that lives is a
// false suspicion.
func (s *scene) expire(p trace.Proc, b *body) error {
	for _, w := range b.env.Watches {
		about := &s.at(w.About).env
		due := !about.Up || about.Incarnation != w.Incarnation
		late := func(c certificate.Channel) bool { return c.From == w.About && s.over(c) }
		heard := s.Model.DetectAny || !slices.ContainsFunc(b.inbox, late)
		victim := s.Model.Victims == nil || slices.Contains(s.Model.Victims, w.About)
		if due && !heard || !due && (!victim || s.left.Suspicions == 0) {
			continue
		}
		m, err := s.expiry(p, s.state[1+p], w.About, !due)
		if err != nil {
			return err
		}
		if err := s.take(m); err != nil {
			return err
		}
	}
	return nil
}

// expiry is what a proc makes of a watchdog that expires.
func (e *environment) expiry(p trace.Proc, configuration uint32, about trace.Proc,
	falsely bool) (*move, error) {
	key := binary.BigEndian.AppendUint16([]byte{'e', byte(p >> 8), byte(p)}, uint16(about))
	key = binary.BigEndian.AppendUint32(key, configuration)
	if falsely {
		key = append(key, 1)
	}
	if m, ok := e.asked[string(key)]; ok {
		return m, nil
	}
	b := e.body(p, configuration).clone()
	b.unwatch(about)
	m, err := e.move("hears nothing of "+e.Layout.Name(about), b,
		&Input{Happening: Expires, From: about})
	if err == nil {
		m.fault, m.falsely = falsely, falsely
		e.asked[string(key)] = m
	}
	return m, err
}

// exit ends the life of a proc that gives up, in the successor, and of what runs on its node. It is
// no failure.
func (s *scene) exit(m *move) error {
	stopped := s.withHosted(s.Groups[m.proc])
	for _, p := range stopped {
		s.stop(p, 0, false)
	}
	s.gone(stopped, m.proc)
	b := s.spent(m)
	b.Over = false
	s.budget(b)
	return nil
}
