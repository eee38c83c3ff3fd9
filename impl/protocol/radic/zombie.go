package radic

import (
	"github.com/domino-check/domino/impl/core"
)

// Zombies: a node is given up although it lives, and its ranks are started again elsewhere. What
// was a rank so far goes on beside the new incarnation: it takes what is sent to where it runs, and
// the answers to what it has asked of its logger, it goes on with its program, and it sends.
// Nothing else of it can be seen. In the modelled world both are one proc, so a crash takes both;
// it is meant for runs without crashes.

// body is what is left of the former incarnation.
type body struct {
	_    struct{}         `cbor:",toarray"`
	Host core.Proc        `json:"host"` // 0 = there is none
	Life core.Incarnation `json:"life"`
}

// zombieChoice marks a step of the former incarnation.
const zombieChoice core.Choice = 1 << 31

// split starts the rank again on the node, beside what runs elsewhere.
func (o *observer) split(host core.Proc, out []core.Effect) []core.Effect {
	former := body{Host: o.s.Host, Life: o.s.Life}
	o.zombie, o.inner = o.inner, o.fresh()
	o.begin(host, former.Life+1)
	o.s.Former, o.s.Recovering = former, true
	out = append(out, core.Effect{Kind: core.Renew})
	return o.below(core.Input{Kind: core.Restore, From: host, Incarnation: o.s.Life}, out)
}

// former lets the former incarnation take a step. Only its messages leave.
func (o *observer) former(in core.Input, out []core.Effect) []core.Effect {
	for _, e := range o.zombie.Step(in, nil) {
		if e.Kind != core.SendMessage {
			continue
		}
		m := o.pack(e.Message)
		m.Host, m.Life = o.s.Former.Host, o.s.Former.Life
		if int(e.To) < o.ranks {
			m.At = o.s.Others[e.To].Host
		}
		out = append(out, core.Effect{Kind: core.SendMessage, To: e.To, Message: m, Former: true})
	}
	return out
}

// forFormer reports whether a message is for the former incarnation.
func (o *observer) forFormer(m *Message) bool {
	return o.s.Former.Host != 0 && m.At == o.s.Former.Host
}

// restarted is a logger that is started again on another node while the old one runs. The old one
// is gone at once: what it could still do, it has done.
func (c *carrier) restarted(host core.Proc, out []core.Effect) []core.Effect {
	c.inner = c.fresh()
	c.s = carrierState{Host: host, Life: c.s.Life + 1}
	first := len(out)
	out = c.inner.Step(core.Input{Kind: core.Restore, From: host, Incarnation: c.s.Life},
		append(out, core.Effect{Kind: core.Renew}))
	return c.packAll(out, first, 0)
}
