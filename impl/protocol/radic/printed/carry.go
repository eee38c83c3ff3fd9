package printed

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// carrier is a machine of the logging protocol, whose messages travel in those of RADIC; a logger
// as it is.
type carrier struct {
	*config
	self       core.Proc
	inner      core.Machine
	fresh      func() core.Machine // makes another one
	newMessage func() core.Message
	s          carrierState
}

// carrierState is where a logger runs.
type carrierState struct {
	_    struct{}         `cbor:",toarray"`
	Host core.Proc        `json:"host"`
	Life core.Incarnation `json:"life"`
	// of its process: a new connection ends the former one, and what that still carried is lost
	Peer core.Incarnation `json:"peer"`
}

func (c *carrier) State() []any { return append(c.inner.State(), &c.s) }

func (c *carrier) Choices(buf []core.Choice) []core.Choice { return c.inner.Choices(buf) }

func (c *carrier) Step(in core.Input, out []core.Effect) []core.Effect {
	owner := core.Proc(int(c.self) - c.ranks)
	switch in.Kind {
	case core.Start:
		c.s.Host = c.table()[owner].Protector
	case core.Restore:
		c.s = carrierState{Host: in.From, Life: in.Incarnation}
		return append(c.below(in, out), core.SendTo(owner, &Message{Kind: Renewed}))
	case core.Received:
		m := in.Message.(*Message)
		switch {
		case m.Kind == Begin && in.From != c.s.Host:
			// The new protector gets the thread anew: the log of the former one stays there.
			c.inner = c.fresh()
			c.s = carrierState{Host: in.From, Life: c.s.Life + 1}
			out = c.below(core.Input{Kind: core.Restore, From: in.From, Incarnation: c.s.Life},
				append(out, core.Effect{Kind: core.Renew}))
			return append(out, core.SendTo(owner, &Message{Kind: Renewed}))
		case m.Kind != Carried:
			return append(out, core.DropInput(in.From, core.MsgID{}, "runs here already"))
		case m.Life < c.s.Peer:
			return append(out, core.DropInput(in.From, core.MsgID{},
				"of a connection that is over"))
		}
		c.s.Peer = m.Life
		in.Message = c.unpack(m)
	}
	return c.below(in, out)
}

// below lets the logger take a step.
func (c *carrier) below(in core.Input, out []core.Effect) []core.Effect {
	for _, e := range c.inner.Step(in, nil) {
		if e.Kind == core.SendMessage {
			m := pack(e.Message)
			m.Life, e.Message = c.s.Life, m
		}
		out = append(out, e)
	}
	return out
}

func pack(m core.Message) *Message {
	return &Message{Kind: Carried, Wire: m.Describe(), Body: core.Encode(m)}
}

func (c *carrier) unpack(m *Message) core.Message {
	inner := c.newMessage()
	if err := core.Decode(m.Body, inner); err != nil {
		panic(fmt.Sprintf("invariant: what is carried is what the logging protocol sent: %v", err))
	}
	return inner
}
