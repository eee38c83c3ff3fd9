package replicated

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// client is a proc that is not replicated, with its end of the session with the service.
type client struct {
	*config
	self  core.Proc
	inner core.Machine
	s     clientState
	out   []core.Effect // of the present step
}

// clientState is lost with a life; the service knows by the life that it begins anew.
type clientState struct {
	_    struct{}         `cbor:",toarray"`
	Life core.Incarnation `json:"life"`
	// the replica that leads as far as it knows, if Known, and its term
	Leader   core.Proc `json:"leader"`
	Known    bool      `json:"known"`
	Term     uint64    `json:"term"`
	Sent     uint64    `json:"sent"`     // requests so far
	Requests []order   `json:"requests"` // the last of them, not known to have arrived
	Done     uint64    `json:"done"`     // the last order that has arrived
}

func (c *client) State() []any { return append(c.inner.State(), &c.s) }

// Choices implements core.Machine.
func (c *client) Choices(buf []core.Choice) []core.Choice { return c.inner.Choices(buf) }

// History is what a program has done along its surviving past, nil of a service.
func (c *client) History() *trace.History { return core.HistoryOf(c.inner) }

// Next is the operation that the program of a rank is at.
func (c *client) Next() (op core.Op, ok bool) {
	if host, tells := c.inner.(interface{ Next() (core.Op, bool) }); tells {
		return host.Next()
	}
	return core.Op{}, false
}

// Step implements core.Machine.
func (c *client) Step(in core.Input, out []core.Effect) []core.Effect {
	c.out = out
	switch in.Kind {
	case core.Start:
		c.s.Leader, c.s.Known, c.s.Term = c.replicas[0], true, 1
		c.feed(in)
	case core.Restore:
		c.s.Life = in.Incarnation
		c.restore()
		c.feed(in)
	case core.Received:
		c.receive(in.From, in.Message.(*Message))
	case core.Down:
		in.Procs = slices.DeleteFunc(slices.Clone(in.Procs), func(p core.Proc) bool {
			return slices.Contains(c.replicas, p)
		})
		if len(in.Procs) > 0 {
			c.feed(in)
		}
	default:
		c.feed(in)
	}
	out, c.out = c.out, nil
	return out
}

// restore makes a new life known to whoever leads. One that comes to lead later introduces itself.
func (c *client) restore() {
	c.s.Sent = 1
	first := order{Number: 1}
	c.s.Requests = []order{first}
	for _, p := range c.replicas {
		c.request(p, first)
	}
}

// request sends a request to a replica.
func (c *client) request(to core.Proc, o order) {
	c.out = append(c.out, core.SendTo(to, &Message{Kind: Request, Life: c.s.Life,
		Number: o.Number, Seen: c.s.Done, Body: o.Body, fresh: c.newMessage}))
}

// receive takes a message of anybody.
func (c *client) receive(from core.Proc, arrived *Message) {
	m := *arrived
	m.fresh = c.newMessage
	switch {
	case m.Kind == Plain:
		c.feed(core.Input{Kind: core.Received, From: from, Message: m.inner()})
	case m.Kind == Lead:
		c.lead(from, &m)
	case m.Kind == Order && m.Life == c.s.Life &&
		(m.Number == c.s.Done+1 || c.broken(Echo)):
		c.s.Done = m.Number
		c.arrived(m.Seen)
		c.feed(core.Input{Kind: core.Received, From: c.service, Message: m.inner()})
	default:
		c.out = append(c.out, core.DropInput(from, core.MsgID{}, "it has it, or is another life"))
	}
}

// arrived forgets requests that the service has taken.
func (c *client) arrived(number uint64) {
	c.s.Requests = slices.DeleteFunc(slices.Clone(c.s.Requests), func(o order) bool {
		return o.Number <= number
	})
}

// lead is a new leader: it is sent what the service may not have taken.
func (c *client) lead(from core.Proc, m *Message) {
	if m.Term < c.s.Term {
		c.out = append(c.out, core.DropInput(from, core.MsgID{}, "leads no more"))
		return
	}
	if m.Life == c.s.Life {
		c.arrived(m.Seen)
	}
	again := !c.s.Known || c.s.Leader != from || c.s.Term != m.Term
	c.s.Leader, c.s.Known, c.s.Term = from, true, m.Term
	if again {
		for _, o := range c.s.Requests {
			c.request(from, o)
		}
	}
}

// feed steps the machine inside, and wraps what it sends.
func (c *client) feed(in core.Input) {
	for _, e := range c.inner.Step(in, nil) {
		switch {
		case e.Kind != core.SendMessage:
			c.out = append(c.out, e)
		case e.To != c.service:
			e.Message = &Message{Kind: Plain, Body: core.Encode(e.Message), fresh: c.newMessage}
			c.out = append(c.out, e)
		default:
			c.s.Sent++
			o := order{Number: c.s.Sent, Body: core.Encode(e.Message)}
			c.s.Requests = append(slices.Clone(c.s.Requests), o)
			if c.s.Known {
				c.request(c.s.Leader, o)
			}
		}
	}
}
