package radic

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// carrier is a machine of the protocol below, whose messages travel in those of RADIC.
type carrier struct {
	*config
	self       core.Proc
	inner      core.Machine
	fresh      func() core.Machine // makes another one
	newMessage func() core.Message
	s          carrierState
	scratch    core.Scratch[Message]
}

// carrierState is where a logger runs.
type carrierState struct {
	_    struct{}         `cbor:",toarray"`
	Host core.Proc        `json:"host"`
	Life core.Incarnation `json:"life"`
}

func (c *carrier) State() []any { return append(c.inner.State(), &c.s) }

func (c *carrier) Choices(buf []core.Choice) []core.Choice { return c.inner.Choices(buf) }

func (c *carrier) Step(in core.Input, out []core.Effect) []core.Effect {
	c.scratch.Begin()
	first := len(out)
	switch in.Kind {
	case core.Start:
		c.s.Host = c.table()[int(c.self)-c.ranks].Protector
	case core.Restore:
		c.s = carrierState{Host: in.From, Life: in.Incarnation}
	case core.Received:
		m := in.Message.(*Message)
		switch {
		case m.Kind == Begin && in.From != c.s.Host:
			return c.restarted(in.From, out)
		case m.Kind != Carried:
			return append(out, core.DropInput(in.From, core.MsgID{},
				"no message of the logging protocol"))
		}
		in.Message = c.unpack(m)
		return c.packAll(c.inner.Step(in, out), first, m.Host)
	}
	return c.packAll(c.inner.Step(in, out), first, 0)
}

// packAll puts the messages from an index on into those of RADIC. An answer goes to where the
// question came from.
func (c *carrier) packAll(list []core.Effect, first int, at core.Proc) []core.Effect {
	for i := range list[first:] {
		if e := &list[first+i]; e.Kind == core.SendMessage {
			m := c.pack(e.Message)
			m.At, e.Message = at, m
		}
	}
	return list
}

// pack puts a message of the protocol below into one of RADIC. It is encoded when that is needed:
// before the protocol below takes another step.
func (c *carrier) pack(m core.Message) *Message {
	return c.scratch.New(Message{Kind: Carried, inner: m})
}

func (c *carrier) unpack(m *Message) core.Message {
	if m.inner != nil {
		return m.inner
	}
	inner := c.newMessage()
	if err := core.Decode(m.Body, inner); err != nil {
		panic(fmt.Sprintf("invariant: what is carried is what the protocol below sent: %v", err))
	}
	return inner
}
