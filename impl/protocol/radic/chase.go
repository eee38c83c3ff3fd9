package radic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// held is a message that waits until its receiver is found.
type held struct {
	_       struct{} `cbor:",toarray"`
	Wire    trace.Wire
	Content []byte
}

// chase is the search for a rank that is not where the table says ([RADIC] section 6.2.1). It asks
// the protector in the table, then whom that names, each node at most once; when that leads
// nowhere, all other nodes. When all have been asked the rank has not been restarted, and it will
// call by itself: a restarted rank asks its peers for what it has missed.
type chase struct {
	_     struct{}    `cbor:",toarray"`
	On    bool        `json:"on"`
	Asked core.Proc   `json:"asked"` // who is to answer, 0 = nobody
	Tried []core.Proc `json:"tried"` // who has been asked since the rank was last heard of
	Not   []core.Proc `json:"not"`   // where the rank is not
	Held  []held      `json:"held"`
}

// heard takes the location of a rank from its own message. What an older life says is old.
func (o *observer) heard(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	q := &o.s.Others[from]
	if m.Life < q.Life || m.Life == q.Life && q.Host == m.Host && !q.Chase.On &&
		len(q.Chase.Not) == 0 {
		return out
	}
	if m.Life == q.Life && slices.Contains(q.Chase.Not, m.Host) {
		return out // sent before it has moved
	}
	q.Life, q.Host = m.Life, m.Host
	return o.found(from, true, out)
}

// moved looks for a rank that is not where a message was sent to.
func (o *observer) moved(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.Life != o.s.Life {
		// 1. p sends m and fails. 2. m comes to the next life of its receiver, and goes back. 3.
		// The next life of p, which has not sent m yet and has no copy of it, would send it.
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "sent by a former life"))
	}
	q := &o.s.Others[from]
	again := &Message{Kind: Carried, Wire: m.Wire, Body: m.Body}
	if m.At != q.Host { // it has been found since
		return o.send(from.Proc(), again, out)
	}
	c := &q.Chase
	c.Not = plus(c.Not, m.At)
	if c.On {
		return o.send(from.Proc(), again, out)
	}
	c.On = true
	out = o.send(from.Proc(), again, out)
	return o.ask(from, q.Protector, out)
}

// ask asks a node, or, when it has been asked before, another one.
func (o *observer) ask(rank core.Rank, p core.Proc, out []core.Effect) []core.Effect {
	c := &o.s.Others[rank].Chase
	switch {
	case o.has(M28):
		// Deviation: M28 follows the names, however often it has been there.
	case p == 0 || slices.Contains(c.Tried, p):
		p = 0
		// Those that come later, too, though nobody may have said that they are here: who has not
		// come answers that it knows nothing. 1. N1 fails, and its rank goes to J. 2. N2 fails;
		// its rank c starts again with the table of the start and looks for that rank. 3. N3 does
		// not know of N1 yet, and names it. Nobody but J knows better, and the rank has no reason
		// to call.
		for k := range o.all() + o.Joins {
			if q := o.node(k); p == 0 && !slices.Contains(c.Tried, q) {
				p = q
			}
		}
	}
	c.Asked = p
	if p == 0 {
		return out
	}
	c.Tried = plus(c.Tried, p)
	return append(out, core.Effect{Kind: core.Watch, To: p},
		core.SendTo(p, &Message{Kind: WhereIs, About: rank.Proc(), At: o.s.Others[rank].Host}))
}

// settle notes that nothing more is expected of a node.
func (o *observer) settle(rank core.Rank, out []core.Effect) []core.Effect {
	p := o.s.Others[rank].Chase.Asked
	o.s.Others[rank].Chase.Asked = 0
	if p == 0 || slices.ContainsFunc(o.s.Others, func(e entry) bool { return e.Chase.Asked == p }) {
		return out
	}
	return append(out, core.Effect{Kind: core.Unwatch, To: p})
}

// answered goes on with the answer of a node.
func (o *observer) answered(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	rank := core.Rank(m.About)
	if int(rank) >= o.ranks || o.s.Others[rank].Chase.Asked != from {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	q := &o.s.Others[rank]
	switch m.Place {
	case Wait:
		return out
	case Unknown: // nobody will ever be there
		out = append(o.settle(rank, out), core.DropInput(rank.Proc(), core.MsgID{},
			"there is no such rank: what waits for it is given up"))
		q.Chase.Held = nil
		return out
	}
	out = o.settle(rank, out)
	if row := m.Rows[0]; row.Host != 0 && !slices.Contains(q.Chase.Not, row.Host) {
		q.Host, q.Protector = row.Host, row.Protector
		out = append(out, core.SendTo(o.s.Host, &Message{Kind: Learn, Rows: m.Rows}))
		return o.found(rank, false, out)
	}
	return o.ask(rank, m.Rows[0].Protector, out)
}

// silent goes on when a node does not answer.
func (o *observer) silent(p core.Proc, out []core.Effect) []core.Effect {
	for r := range o.s.Others {
		c := &o.s.Others[r].Chase
		if c.Asked != p {
			continue
		}
		c.Asked = 0
		if o.has(M28) {
			// Deviation: M28 has nobody else to ask, so the program learns of the failure.
			out = append(out, core.Halted(fmt.Sprintf("rank %d can not be reached", r)))
			continue
		}
		out = o.ask(core.Rank(r), 0, out)
	}
	return out
}

// found ends a search: what has waited leaves. Whom the rank has not told itself where it is
// remembers what it has tried.
func (o *observer) found(rank core.Rank, byItself bool, out []core.Effect) []core.Effect {
	c := &o.s.Others[rank].Chase
	out = o.settle(rank, out)
	waiting := c.Held
	c.On, c.Held = false, nil
	if byItself {
		*c = chase{}
	}
	for _, h := range waiting {
		out = o.send(rank.Proc(), &Message{Kind: Carried, Wire: h.Wire, Body: h.Content}, out)
	}
	return out
}
