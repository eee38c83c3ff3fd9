package recheck

import (
	"encoding/binary"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/trace"
)

// Procs that others start and stop, on whose node they run then.

// ticketNumber is the number of a start that somebody asks for.
func (e *environment) ticketNumber(t certificate.Ticket) uint32 {
	key := binary.BigEndian.AppendUint16(nil, uint16(t.By))
	key = binary.BigEndian.AppendUint32(key, uint32(len(t.Key)))
	key = append(append(key, t.Key...), t.Value...)
	n, ok := e.ticket[string(key)]
	if !ok {
		n = uint32(len(e.tickets))
		e.tickets, e.ticket[string(key)] = append(e.tickets, t), n
	}
	return n
}

// launching is what happens to a proc where procs are launched.
func (e *environment) launching(b *body, c change) {
	env := &b.env
	by := trace.Proc(c.a)
	switch c.kind {
	case launch: // the newest of each who launches it
		t := e.tickets[c.a]
		i := 0
		for i < len(env.Tickets) && env.Tickets[i].By < t.By {
			i++
		}
		if i < len(env.Tickets) && env.Tickets[i].By == t.By {
			env.Tickets[i] = t
			return
		}
		env.Tickets = slices.Insert(env.Tickets, i, t)
	case revoke:
		env.Tickets = slices.DeleteFunc(env.Tickets, func(t certificate.Ticket) bool {
			return t.By == by
		})
	case killed:
		env.Kills = slices.DeleteFunc(env.Kills, func(q trace.Proc) bool { return q == by })
	}
}

// revoke takes back, in the successor, the starts that a proc has asked for.
func (s *scene) revoke(by trace.Proc) {
	for p := range trace.Proc(s.procs) {
		if s.hasTicket(p, by) {
			s.touch(p, change{kind: revoke, a: uint32(by)})
		}
	}
}

// hasTicket reports whether a proc is to be started by another one, in the successor.
func (s *scene) hasTicket(p, by trace.Proc) bool {
	return slices.ContainsFunc(s.now(p).env.Tickets, func(t certificate.Ticket) bool {
		return t.By == by
	})
}

// kills takes the stops that a proc has asked for: of whoever runs on its node, with what runs on
// the node of that one, and whatever becomes of their changes of the store. No disk is lost, nobody
// is told, and who has asked hears of it in the same event, with the life that this has ended or
// the newest that is over.
func (s *scene) kills(p trace.Proc, b *body) error {
	for _, q := range b.env.Kills {
		about := &s.at(q).env
		life := lifeSeen(about) - 1
		var stopped []trace.Proc
		if about.Host == uint32(p)+1 {
			life++
			stopped = s.withHosted(s.state, []trace.Proc{q})
		}
		err := s.outcomes(s.at, stopped, false, func(list []outcome, damaged int) error {
			return s.kill(p, q, life, stopped, list, damaged)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// kill takes one of them. What its machine makes of it is judged in the state that it meets.
func (s *scene) kill(p, q trace.Proc, life uint32, stopped []trace.Proc, list []outcome,
	damaged int) error {
	base, left := slices.Clone(s.base), s.left
	defer func() {
		copy(s.base, base)
		s.left = left
	}()
	s.begin()
	s.fall(stopped, list, false)
	if s.hasTicket(q, p) {
		s.touch(q, change{kind: revoke, a: uint32(p)})
	}
	s.touch(p, change{kind: killed, a: uint32(q)})
	if damaged > 0 {
		s.left.Torn -= uint8(damaged)
		s.budget(s.left)
	}
	copy(s.base, s.next)
	key := binary.BigEndian.AppendUint16([]byte{'k', byte(p >> 8), byte(p)}, uint16(q))
	key = binary.BigEndian.AppendUint64(key, uint64(s.base[1+p])<<32|uint64(life))
	m, err := s.remembering(key, func() (*move, error) {
		return s.move("knows that "+s.Layout.Name(q)+" is stopped", s.now(p).clone(),
			&Input{Happening: Stops, From: q, Incarnation: trace.Incarnation(life)})
	})
	if err != nil {
		return err
	}
	return s.take(m)
}
