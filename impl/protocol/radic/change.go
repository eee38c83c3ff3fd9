package radic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Planned changes ([RADIC] section 2.3.3): a node that comes later, as a further spare, and one
// that is taken out for maintenance.

// advance does what the operator wants.
func (t *node) advance(c core.Choice, out []core.Effect) []core.Effect {
	s := &t.s
	s.Told = true
	if c == join {
		for k := range t.all() {
			s.Joining = append(s.Joining, t.node(k))
		}
		return append(out, core.SendTo(s.Joining[0], &Message{Kind: Join}))
	}
	for _, p := range s.Hosts {
		if int(p) < t.ranks {
			s.Leaving = append(s.Leaving, p)
			out = append(out, core.SendTo(p, &Message{Kind: Save}))
		}
	}
	return t.exit(out)
}

// saved notes that a rank has taken its checkpoint and has stopped.
func (t *node) saved(from core.Proc, out []core.Effect) []core.Effect {
	t.s.Leaving = minus(t.s.Leaving, from)
	return t.exit(out)
}

// back asks a rank that has failed and is back for its last checkpoint again.
func (t *node) back(from core.Proc, out []core.Effect) []core.Effect {
	if t.Leaves == 0 || t.self != t.node(t.Leaves-1) || !t.s.Told ||
		!slices.Contains(t.s.Hosts, from) {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody leaves"))
	}
	t.s.Leaving = plus(t.s.Leaving, from)
	return append(out, core.SendTo(from, &Message{Kind: Save}))
}

// exit stops the node when all its ranks have stopped. For everybody else it has failed, just
// behind its checkpoints.
func (t *node) exit(out []core.Effect) []core.Effect {
	if len(t.s.Leaving) > 0 {
		return out
	}
	return append(out, core.Effect{Kind: core.Declare, What: trace.Declared, Key: leaving},
		core.Effect{Kind: core.Exit})
}

// joined enters a new spare into the SpareTable, and gives it the tables of today.
func (t *node) joined(from core.Proc, out []core.Effect) []core.Effect {
	s := &t.s
	m := &Message{Kind: Welcome, Rows: s.Rows, Free: s.Spares, Extra: s.Extra, Dead: s.Dead}
	s.Spares, s.Extra = plus(s.Spares, from), plus(s.Extra, from)
	return append(out, core.SendTo(from, m))
}

// welcome takes over tables, and goes on to announce this node.
func (t *node) welcome(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s
	if len(s.Joining) == 0 || s.Joining[0] != from {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	if s.Empty {
		s.Empty, s.Rows = false, slices.Clone(m.Rows)
		if t.has(M28) {
			// Deviation: M28 begins with the initial table ([RADIC] section 6.2.1)
			s.Rows = t.table()
		}
		out = t.startHeartbeat(out)
	}
	if !t.has(M28) {
		for _, r := range m.Rows {
			t.learn(r)
		}
		for _, p := range m.Free {
			if p != t.self {
				s.Spares = plus(s.Spares, p)
			}
		}
	}
	for _, p := range m.Extra {
		if p != t.self {
			s.Extra = plus(s.Extra, p)
		}
	}
	t.refuse(m.Dead)
	return t.announce(out)
}

// announce tells the next node that this one is here.
func (t *node) announce(out []core.Effect) []core.Effect {
	s := &t.s
	s.Joining = slices.Clone(s.Joining[1:])
	for len(s.Joining) > 0 && t.late(s.Joining[0]) {
		s.Joining = slices.Clone(s.Joining[1:])
	}
	if len(s.Joining) > 0 {
		return append(out, core.SendTo(s.Joining[0], &Message{Kind: Join}))
	}
	return append(out, core.Effect{Kind: core.Declare, What: trace.Declared, Key: entered})
}
