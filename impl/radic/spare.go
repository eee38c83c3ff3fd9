package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// spareState is what a node remembers of those who want it to adopt ranks.
type spareState struct {
	_        struct{}    `cbor:",toarray"`
	Reserved core.Proc   `json:"reserved"` // protector that it is promised to, 0 = nobody
	Full     bool        `json:"full"`     // it has adopted
	Refused  []core.Proc `json:"refused"`  // dead protectors: what they still have on its way here comes too late
}

// asked answers a protector, first come, first served. The promise counts from now on.
func (t *protector) asked(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s.Spare
	t.refuse(m.Dead)
	yes := len(t.s.Rows) > 0 && !s.Full && (s.Reserved == 0 || s.Reserved == from)
	if t.has(M26) { // Deviation: M26 is free until it has adopted, whoever else was told so
		yes = len(t.s.Rows) > 0 && !s.Full
	}
	if t.late(from) {
		return append(out, core.DropInput(from, core.MsgID{}, "from a node that is dead"))
	}
	if yes {
		s.Reserved = from
	}
	return append(out, core.SendTo(from, &Message{Kind: Answer, About: m.About, Yes: yes}))
}

// transferred adopts ranks. A spare does so only for whom it is reserved.
func (t *protector) transferred(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s.Spare
	if t.late(from) {
		return append(out, core.DropInput(from, core.MsgID{}, "from a node that is dead"))
	}
	yes := len(t.s.Rows) > 0 && (!t.isSpare(t.self) || s.Reserved == from || t.has(M26))
	if yes {
		s.Reserved, s.Full = 0, t.isSpare(t.self)
		for _, r := range m.Rows {
			r.Host = t.self
			t.s.Rows[r.Rank] = r
			out = t.adopt(r.Rank.Proc(), out)
		}
	}
	return append(out, core.SendTo(from, &Message{Kind: Adopted, About: m.About, Yes: yes, Rows: m.Rows}))
}

// late reports whether a message of the node comes after it was given up.
func (t *protector) late(from core.Proc) bool {
	return t.dead(from) || slices.Contains(t.s.Spare.Refused, from)
}

// refuse notes that somebody else takes over from nodes that are dead.
func (t *protector) refuse(dead []core.Proc) {
	s := &t.s.Spare
	for _, p := range dead {
		if !slices.Contains(s.Refused, p) {
			s.Refused = append(slices.Clone(s.Refused), p)
		}
		t.release(p)
	}
}

// release frees a spare that was promised to a node that is gone. Deviation: M27 keeps the promise for ever.
func (t *protector) release(p core.Proc) {
	if s := &t.s.Spare; s.Reserved == p && !t.has(M27) {
		s.Reserved = 0
	}
}
