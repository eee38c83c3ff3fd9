package recheck

import (
	"encoding/binary"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/trace"
)

// firstHost is who runs the node that a proc is on in its first life, plus 1, where procs are
// launched; 0 = nobody.
func (s *scene) firstHost(p trace.Proc) uint32 {
	if !s.launched(p) || int(p) >= min(s.Layout.Ranks, len(s.Layout.Nodes)) {
		return 0
	}
	return uint32(s.Layout.Nodes[p]) + 1
}

// launched reports whether a proc starts again only when somebody launches it.
func (e *environment) launched(p trace.Proc) bool {
	_, placed := e.Layout.Hosted[p]
	return e.Launched && placed
}

// hosts are the procs that run on the node of a proc: those that it holds as adopted or, where
// procs are launched, those that are there.
func (s *scene) hosts(state []uint32, p trace.Proc) (list []trace.Proc) {
	switch e := &s.body(p, state[1+p]).env; {
	case len(s.Layout.Hosted) == 0 || !there(e):
		return nil
	case e.Still > 0 && !s.Launched:
		return e.Takes
	case s.Launched:
		for q := range trace.Proc(s.procs) {
			if s.body(q, state[1+q]).env.Host == uint32(p)+1 {
				list = append(list, q)
			}
		}
		return list
	}
	o, err := s.observed(p, state[1+p])
	if err != nil || o.Holding == nil {
		return nil // what can not be read was refused when the state was made
	}
	return o.Holding.Hosts
}

// host is who has adopted a proc and is up, or nobody.
func (s *scene) host(p trace.Proc) trace.Proc {
	for q := range trace.Proc(s.procs) {
		if s.at(q).env.Still == 0 && slices.Contains(s.hosts(s.state, q), p) {
			return q
		}
	}
	return nobody
}

// withHosted adds those that are up and run on the nodes of the procs: they stop with them. Who has
// been adopted adopts nobody, but who was launched may have launched others.
func (s *scene) withHosted(state []uint32, procs []trace.Proc) []trace.Proc {
	list := slices.Clone(procs)
	for i := 0; i < len(list) && (i < len(procs) || s.Launched); i++ {
		for _, q := range s.hosts(state, list[i]) {
			if e := &s.body(q, state[1+q]).env; there(e) && !slices.Contains(list, q) {
				list = append(list, q)
			}
		}
	}
	return list
}

// overlaps reports whether more procs than the model allows would be down or recovering if some
// stopped.
func (s *scene) overlaps(stopped []trace.Proc) bool {
	if s.Model.Overlap == 0 {
		return false
	}
	n, bound := 0, s.bound()
	for p := range trace.Proc(s.procs) {
		o, err := s.observed(p, s.state[1+p])
		if err != nil || !o.Up || slices.Contains(stopped, p) || slices.Contains(bound, p) ||
			o.History != nil && o.History.Recovering {
			n++
		}
	}
	return n > s.Model.Overlap
}

// exit ends the life of a proc that gives up, in the successor, and of what runs on its node. It is
// no failure.
func (s *scene) exit(m *move) {
	s.fall(s.withHosted(s.next, s.Groups[m.proc]), nil, true)
	b := s.spent(m)
	b.Over = false
	s.budget(b)
}

// restarts takes the steps with which a proc that is down starts again: by itself, with the records
// of its owners and on the node of who has adopted it, or with what somebody has launched it with,
// on his.
func (s *scene) restarts(p trace.Proc) error {
	switch {
	case s.launched(p):
		for i := range s.at(p).env.Tickets {
			t := &s.at(p).env.Tickets[i]
			in := &Input{From: t.By,
				Records: []Owned{{t.By, certificate.Record{Key: t.Key, Value: t.Value}}}}
			if err := s.restart(p, in, uint32(t.By)+1); err != nil {
				return err
			}
		}
		return nil
	case !s.mayRestart(p):
		return nil
	}
	in := &Input{}
	if _, placed := s.Layout.Hosted[p]; placed {
		in.From = s.host(p)
	}
	for _, q := range s.Owners[p] {
		for _, r := range s.at(q).env.Store {
			in.Records = append(in.Records, Owned{q, r})
		}
	}
	return s.restart(p, in, 0)
}

// restart takes the start of the next life of a proc. Of those who are up again by now the new life
// is not told; a watcher is told again of the nodes that are down, where procs are launched: the
// life before may have taken the news with it.
func (s *scene) restart(p trace.Proc, in *Input, host uint32) error {
	b := s.at(p).clone()
	for i := len(b.env.Pending) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(s.Groups[b.env.Pending[i]], func(q trace.Proc) bool {
			return !seems(&s.at(q).env)
		}) {
			b.forget(i)
		}
	}
	if s.Launched && slices.Contains(s.Watchers, p) {
		for _, q := range s.Disks {
			if e := &s.at(q).env; !seems(e) && !slices.Contains(s.Groups[p], q) {
				b.notice(s.Groups[q][0], e.Incarnation)
			}
		}
	}
	in.Happening, in.Incarnation = Restarts, trace.Incarnation(b.env.Incarnation)
	b.env.Up, b.env.Back, b.env.Host, b.env.Tickets = true, false, host, nil
	b.local = certificate.Local{Proc: p, Incarnation: in.Incarnation, State: s.Blank(p)}
	key := append([]byte{'r', byte(p >> 8), byte(p)}, in.key()...)
	key = binary.BigEndian.AppendUint32(key, s.state[1+p])
	for i, g := range b.env.Pending {
		key = binary.BigEndian.AppendUint16(key, uint16(g))
		if len(b.env.Ended) > 0 {
			key = binary.BigEndian.AppendUint32(key, b.env.Ended[i])
		}
	}
	m, err := s.remembering(key, func() (*move, error) { return s.move("restarts", b, in) })
	if err != nil {
		return err
	}
	return s.take(m)
}
