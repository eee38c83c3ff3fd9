package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Fault masking: "Intercept faults and delay pending communications until recovery is finished"
// (Table 2.1), and how a process that has moved is found (6.2.1).

// moved: communication has failed. "It will take a look at its RADICTable to find the old protector
// of the failed process (T6). Then, the observer will ask about that process." What was sent behind
// the first message that comes back comes back, too.
func (o *observer) moved(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.Life != o.s.Life {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "sent by a former life"))
	}
	q := &o.s.Others[from]
	c := &q.Search
	c.Back = append(slices.Clone(c.Back), held{Wire: m.Wire, Body: m.Body})
	if c.On {
		c.Out--
		return o.found(from, out)
	}
	c.On, c.Out = true, q.Sent-m.Number
	return o.ask(from, q.Protector, out)
}

// ask asks a protector. One that is known to be dead has a successor, by the algorithm that all
// processes use.
func (o *observer) ask(rank core.Rank, p core.Proc, out []core.Effect) []core.Effect {
	q := &o.s.Others[rank]
	q.Search.Asked = p
	if slices.Contains(o.s.Dead, p) {
		if p = o.next(p, o.s.Dead, 0); p == 0 {
			return out // nobody is left, and nobody answers
		}
		q.Search.Asked = p
	}
	return append(out, core.Effect{Kind: core.Watch, To: p}, core.SendTo(p,
		&Message{Kind: WhereIs, About: rank, At: q.Host, Dead: o.s.Dead}))
}

// answered goes on with an answer. "The old protector (T6) will say that it is no longer protecting
// such a process, and will point who is the new protector." "T6 will point that process 9 is
// residing now in a spare node. Then observer 1 will tell T5 to update its RADICTable and its
// SpareTable and process 1 will finally contact process 9."
func (o *observer) answered(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	q := &o.s.Others[m.About]
	if q.Search.Asked != from || !q.Search.On {
		return append(out, core.DropInput(from, core.MsgID{}, "not asked"))
	}
	if m.Place == Retry {
		return out
	}
	q.Search.Asked = 0
	out = o.settle(from, out)
	if m.Place == NotMine {
		return o.ask(m.About, m.Rows[0].Protector, out)
	}
	q.Host, q.Protector = m.Rows[0].Host, m.Rows[0].Protector
	out = append(out, core.SendTo(o.s.Host, &Message{Kind: Learn, Rows: m.Rows, Free: m.Free}))
	return o.found(m.About, out)
}

// found ends a search when the place is known and everything is back.
func (o *observer) found(rank core.Rank, out []core.Effect) []core.Effect {
	c := &o.s.Others[rank].Search
	if c.Asked != 0 || c.Out > 0 {
		return out
	}
	waiting := append(slices.Clone(c.Back), c.Held...)
	*c = search{}
	for _, h := range waiting {
		out = o.send(rank.Proc(), h, out)
	}
	return out
}

// settle notes that nothing more is expected of a node.
func (o *observer) settle(p core.Proc, out []core.Effect) []core.Effect {
	if p == o.s.Protector || slices.ContainsFunc(o.s.Others, func(e entry) bool {
		return e.Search.Asked == p
	}) {
		return out
	}
	return append(out, core.Effect{Kind: core.Unwatch, To: p})
}

// silent: a node has failed, which was asked, or is the protector.
func (o *observer) silent(p core.Proc, out []core.Effect) []core.Effect {
	o.s.Dead = plus(o.s.Dead, p)
	if o.s.Protector == p {
		out = o.findProtector(p, out)
	}
	for r := range o.s.Others {
		if o.s.Others[r].Search.Asked == p {
			out = o.ask(core.Rank(r), p, out)
		}
	}
	return out
}
