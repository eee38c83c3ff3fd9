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
	newMessage func() core.Message
}

// State implements core.Machine.
func (c *carrier) State() []any { return c.inner.State() }

// Choices implements core.Machine.
func (c *carrier) Choices(buf []core.Choice) []core.Choice { return c.inner.Choices(buf) }

// Step implements core.Machine.
func (c *carrier) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Received {
		m := in.Message.(*Message)
		if m.Kind != Carried {
			return append(out, core.DropInput(in.From, core.MsgID{}, "no message of the logging protocol"))
		}
		in.Message = c.unpack(m)
	}
	first := len(out)
	out = c.inner.Step(in, out)
	for i := range out[first:] {
		if e := &out[first+i]; e.Kind == core.SendMessage {
			e.Message = pack(e.Message)
		}
	}
	return out
}

// pack puts a message of the protocol below into one of RADIC.
func pack(m core.Message) *Message {
	return &Message{Kind: Carried, Wire: m.Describe(), Content: core.Encode(m)}
}

func (c *carrier) unpack(m *Message) core.Message {
	inner := c.newMessage()
	if err := core.Decode(m.Content, inner); err != nil {
		panic(fmt.Sprintf("invariant: what is carried is what the protocol below sent: %v", err))
	}
	return inner
}
