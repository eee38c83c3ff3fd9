package radic

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// carrier is a machine of the protocol below, whose messages travel in those of RADIC.
type carrier struct {
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
		inner := c.newMessage()
		if err := core.Decode(m.Content, inner); err != nil {
			panic(fmt.Sprintf("invariant: what is carried is what the protocol below sent: %v", err))
		}
		in.Message = inner
	}
	first := len(out)
	out = c.inner.Step(in, out)
	for i := range out[first:] {
		if e := &out[first+i]; e.Kind == core.SendMessage {
			e.Message = &Message{Kind: Carried, Wire: e.Message.Describe(), Content: core.Encode(e.Message)}
		}
	}
	return out
}

// rankCarrier is the carrier of a rank, which also shows its past.
type rankCarrier struct{ carrier }

// History is what the program has done along its surviving past; the caller must not change it.
func (c *rankCarrier) History() *trace.History {
	return c.inner.(interface{ History() *trace.History }).History()
}
