package recheck

import (
	"encoding/binary"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/trace"
)

// tell lets the detector report failures to a proc: at any time, or when nothing is on its way any
// more from the lives that are over. Of several lives of one group the first is reported first.
func (s *scene) tell(p trace.Proc, b *body) error {
	for i, g := range b.env.Pending {
		if i > 0 && (s.Model.Joint || b.env.Pending[i-1] == g) {
			continue
		}
		about := b.env.Pending[i : i+1]
		if s.Model.Joint {
			about = b.env.Pending
		}
		if !s.Model.DetectAny && slices.ContainsFunc(b.inbox, func(c certificate.Channel) bool {
			return s.over(c) && slices.ContainsFunc(about, func(g trace.Proc) bool {
				return slices.Contains(s.Groups[g], c.From)
			})
		}) {
			continue
		}
		life := lifeSeen(&s.at(g).env) - 1
		if len(b.env.Ended) > 0 {
			life = b.env.Ended[i]
		}
		m, err := s.told(p, s.state[1+p], i, life)
		if err != nil {
			return err
		}
		if err := s.take(m); err != nil {
			return err
		}
	}
	return nil
}

// over reports whether the life is over that a channel is from.
func (s *scene) over(c certificate.Channel) bool {
	return uint32(c.Incarnation) < s.at(c.From).env.Incarnation
}

// told is what a proc makes of being told of failures: of the group at a place, or of all.
func (e *environment) told(p trace.Proc, configuration uint32, place int, life uint32) (*move,
	error) {
	key := binary.BigEndian.AppendUint64([]byte{'t', byte(p >> 8), byte(p), byte(place)},
		uint64(configuration)<<32|uint64(life))
	return e.remembering(key, func() (*move, error) {
		b := e.body(p, configuration).clone()
		in := &Input{Happening: Fails, Incarnation: trace.Incarnation(life)}
		if e.Model.Joint {
			for _, g := range slices.Compact(slices.Clone(b.env.Pending)) {
				in.Procs = append(in.Procs, e.Groups[g]...)
			}
			b.forget(-1)
		} else {
			in.Procs = e.Groups[b.env.Pending[place]]
			b.forget(place)
		}
		return e.move("is told of a failure", b, in)
	})
}

// remembering is the move that is known under a key, or found out now.
func (e *environment) remembering(key []byte, find func() (*move, error)) (*move, error) {
	if m, ok := e.asked[string(key)]; ok {
		return m, nil
	}
	m, err := find()
	if err == nil {
		e.asked[string(key)] = m
	}
	return m, err
}

// suspect lets the detector report groups falsely of which the first proc is up.
func (s *scene) suspect(p trace.Proc, _ *body) error {
	if s.left.Suspicions == 0 || !slices.Contains(s.Watchers, p) {
		return nil
	}
	for q := range trace.Proc(s.procs) {
		about := &s.at(q).env
		if g := s.Groups[q]; g[0] != q || !seems(about) || slices.Contains(g, p) ||
			slices.Contains(s.Certain, q) {
			continue
		}
		key := binary.BigEndian.AppendUint16([]byte{'f', byte(p >> 8), byte(p)}, uint16(q))
		key = binary.BigEndian.AppendUint64(key,
			uint64(s.state[1+p])<<32|uint64(lifeSeen(about)))
		m, err := s.remembering(key, func() (*move, error) {
			m, err := s.move("is told falsely of a failure", s.at(p).clone(), &Input{
				Happening: Fails, Incarnation: trace.Incarnation(lifeSeen(about)),
				Procs: s.Groups[q]})
			if err == nil {
				m.fault, m.spends = true, suspicions
			}
			return m, err
		})
		if err != nil {
			return err
		}
		if err := s.take(m); err != nil {
			return err
		}
	}
	return nil
}

// watched is the start of a watchdog: it is about the life that a proc is in, or was in last.
func (s *scene) watched(c change) change {
	if c.kind == watching {
		about := &s.now(trace.Proc(c.a)).env
		if c.b = lifeSeen(about); !seems(about) {
			c.b--
		}
	}
	return c
}

// due reports whether the life is over that a watchdog is about.
func (s *scene) due(w certificate.Watch) bool {
	about := &s.at(w.About).env
	return !about.Up || about.Incarnation != w.Incarnation
}

// expire lets watchdogs of a proc expire: one about a life that is over at any time or, unless the
// model says so, when nothing from it is on its way any more; one about a victim that lives is a
// false suspicion.
func (s *scene) expire(p trace.Proc, b *body) error {
	for _, w := range b.env.Watches {
		due := s.due(w)
		late := func(c certificate.Channel) bool { return c.From == w.About && s.over(c) }
		heard := s.Model.DetectAny || !slices.ContainsFunc(b.inbox, late)
		if due && !heard || !due && (!s.victim(w.About) || s.left.Suspicions == 0) {
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
	return e.remembering(key, func() (*move, error) {
		b := e.body(p, configuration).clone()
		b.unwatch(about)
		m, err := e.move("hears nothing of "+e.Layout.Name(about), b,
			&Input{Happening: Expires, From: about})
		if err == nil {
			m.fault, m.spends = falsely, suspicions
		}
		return m, err
	})
}
