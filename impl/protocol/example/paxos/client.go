package paxos

import (
	"github.com/domino-check/domino/impl/core"
)

// client writes a value of its own at one server and, when that is confirmed, reads at the next
// one.
type client struct {
	core.Service
	options Options
	self    core.Proc
	s       clientState
}

type clientState struct {
	_     struct{} `cbor:",toarray"`
	Phase phase    `json:"phase"`
}

// phase is how far a client has come.
type phase uint8

const (
	writing phase = iota
	reading
	done
)

func (c *client) State() []any { return []any{&c.s} }

func (c *client) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Start {
		value := valueOf(int(c.self) - c.options.Servers)
		out = append(out, core.Effect{Kind: core.Invoke, Key: "write " + value})
		return append(out, core.SendTo(c.server(0), &Message{Kind: Write, Value: value}))
	}
	if in.Kind != core.Received {
		return out
	}
	m := in.Message.(*Message)
	switch {
	case m.Kind == Written && c.s.Phase == writing:
		c.s.Phase = reading
		out = append(out, core.Effect{Kind: core.Return},
			core.Effect{Kind: core.Invoke, Key: "read"})
		return append(out, core.SendTo(c.server(1), &Message{Kind: Read}))
	case m.Kind == Answer && c.s.Phase == reading:
		c.s.Phase = done
		return append(out, core.Effect{Kind: core.Return, Key: m.Value})
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "answered before"))
}

// server is whom the n-th request goes to: all clients together spread theirs.
func (c *client) server(n int) core.Proc {
	return core.Proc((int(c.self) + n) % c.options.Servers)
}
