package recheck

import (
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// What the network and the stores may do wrong, each within its budget.

// unreliable loses messages on their way to a proc, and lets some arrive that are there still: of
// those that may arrive next.
func (s *scene) unreliable(p trace.Proc) error {
	b := s.at(p)
	if s.left.Losses > 0 {
		for i, c := range b.inbox {
			for k, message := range c.Messages {
				if k > 0 && (s.Model.KeepsOrder() || message == c.Messages[k-1]) {
					continue
				}
				left := s.left
				left.Losses--
				if err := s.harm(p, change{kind: drop, a: uint32(i), b: uint32(k)}, left,
					"a message is lost"); err != nil {
					return err
				}
			}
		}
	}
	if s.left.Duplicates == 0 || !b.env.Up {
		return nil
	}
	all, err := s.movesOf(p, s.state[1+p])
	if err != nil {
		return err
	}
	for _, m := range all.again {
		if err := s.take(m); err != nil {
			return err
		}
	}
	return nil
}

// harm takes a step of the environment alone, which it need not take.
func (s *scene) harm(p trace.Proc, c change, left certificate.Budgets, name string) error {
	s.begin()
	s.touch(p, c)
	s.budget(left)
	return s.done(s.Layout.Name(p)+": "+name, true)
}

// harms loses and spoils stable records of a proc, up or down, and refuses to write one: then the
// deletes before it are done.
func (s *scene) harms(p trace.Proc) error {
	left := s.left
	if left.Vanishing+left.Spoiling+left.Refusing == 0 || !s.Model.Spoils(p) {
		return nil
	}
	b := s.at(p)
	for i := range b.env.Store {
		if err := s.damages(p, i, &b.env.Store[i]); err != nil {
			return err
		}
	}
	i := b.waited()
	if !b.env.Up || i < 0 || b.env.Writing[i].Read || left.Refusing == 0 {
		return nil
	}
	m, err := s.refusalOf(p, s.state[1+p])
	if err != nil {
		return err
	}
	return s.take(m)
}

// damages loses a record, or spoils it in each way: one that is torn is known to be anyway.
func (s *scene) damages(p trace.Proc, i int, r *certificate.Record) error {
	if s.left.Vanishing > 0 {
		left := s.left
		left.Vanishing--
		if err := s.harm(p, change{kind: vanish, a: uint32(i)}, left,
			r.Key+" is lost"); err != nil {
			return err
		}
	}
	if s.left.Spoiling == 0 || r.Torn {
		return nil
	}
	for way := range fault.Damages {
		if _, ok := fault.Damaged(r.Value, way); !ok {
			continue
		}
		left := s.left
		left.Spoiling--
		if err := s.harm(p, change{kind: spoil, a: uint32(i), b: uint32(way)}, left,
			r.Key+" is spoilt"); err != nil {
			return err
		}
	}
	return nil
}

// spoil loses a record, or spoils it.
func (b *body) spoil(c change) {
	if c.kind == vanish {
		b.env.Store = slices.Delete(b.env.Store, int(c.a), int(c.a)+1)
		return
	}
	r := &b.env.Store[c.a]
	r.Value, _ = fault.Damaged(r.Value, int(c.b))
}

// refusalOf is what a proc makes of a write that is refused.
func (e *environment) refusalOf(p trace.Proc, configuration uint32) (*move, error) {
	key := []byte{'x', byte(p >> 8), byte(p), byte(configuration >> 24), byte(configuration >> 16),
		byte(configuration >> 8), byte(configuration)}
	return e.remembering(key, func() (*move, error) {
		b := e.body(p, configuration).clone()
		i := b.waited()
		in := &Input{Happening: Refuses, Key: b.env.Writing[i].Key}
		b.settle(i)
		b.env.Writing = b.env.Writing[1:]
		m, err := e.move("is refused a write", b, in)
		if err == nil {
			m.fault, m.spends = true, refusals
		}
		return m, err
	})
}
