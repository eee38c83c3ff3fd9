package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// spareState is what a node remembers of those who want it to adopt ranks.
type spareState struct {
	_ struct{} `cbor:",toarray"`
	// Reserved is the protector that it is promised to, 0 = nobody. The promise is a lease: it
	// lasts as long as the watchdog about the protector.
	Reserved core.Proc `json:"reserved"`
	Busy     bool      `json:"busy"` // it has adopted
	// Waiting are requests, first come, first served: those that came before everybody knew of this
	// node (who does not know it could not find what it hosts), and those that came while it was
	// promised to another protector, which may be dead.
	Waiting []request `json:"waiting"`
}

// asked answers a protector, first come, first served. The promise counts from now on.
func (t *node) asked(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	t.refuse(m.Dead)
	r := request{From: from, About: m.About, Ranks: len(m.Rows)}
	s := &t.s.Spare
	// Deviation: M26 and M27 answer at once
	others := s.Reserved != 0 && s.Reserved != from && !t.has(M26) && !t.has(M27)
	if len(t.s.Joining) > 0 || others {
		s.Waiting = append(slices.Clone(s.Waiting), r)
		return out
	}
	return t.promise(r, out)
}

// request is the question of a protector whether this node is free.
type request struct {
	_     struct{}  `cbor:",toarray"`
	From  core.Proc `json:"from"`
	About core.Proc `json:"about"`
	Ranks int       `json:"ranks"`
}

// promise answers a request.
func (t *node) promise(r request, out []core.Effect) []core.Effect {
	s := &t.s.Spare
	yes := !t.isActive(t.self) && !s.Busy && (t.Capacity == 0 || r.Ranks <= t.Capacity)
	if !t.has(M26) { // Deviation: M26 is free until it has adopted, whoever else was told so
		yes = yes && (s.Reserved == 0 || s.Reserved == r.From)
	}
	if yes {
		s.Reserved = r.From
	}
	return append(out, core.SendTo(r.From, &Message{Kind: Answer, About: r.About, Yes: yes}))
}

// serve answers those who have waited.
func (t *node) serve(out []core.Effect) []core.Effect {
	s := &t.s.Spare
	for s.Reserved == 0 && len(s.Waiting) > 0 && len(t.s.Joining) == 0 {
		r := s.Waiting[0]
		s.Waiting = slices.Clone(s.Waiting[1:])
		if !t.late(r.From) {
			out = t.promise(r, out)
		}
	}
	return out
}

// transferred adopts ranks. A spare does so only for whom it is reserved.
func (t *node) transferred(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s.Spare
	t.refuse(m.Dead)
	yes := t.isActive(t.self) || s.Reserved == from || t.has(M26)
	if yes {
		s.Reserved, s.Busy = 0, !t.isActive(t.self)
		t.s.Watchers = plus(t.s.Watchers, from)
		for _, r := range m.Rows {
			r.Host = t.self
			t.s.Rows[r.Rank] = r
			out = t.adopt(r.Rank.Proc(), out)
		}
	}
	return append(out, core.SendTo(from, &Message{Kind: Adopted, About: m.About, Yes: yes}))
}

// release frees a spare that was promised to a node that is gone. Deviation: M27 keeps the promise
// for ever.
func (t *node) release(p core.Proc) {
	if s := &t.s.Spare; s.Reserved == p && !t.has(M27) {
		s.Reserved = 0
	}
}
