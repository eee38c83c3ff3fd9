// Package subject is the protocol that the tests of the tools are about. A rank that restarts runs
// from the beginning, and the others send to it again. It is the example in resend, which is a
// module of its own, so that nothing here can import it.
package subject

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Protocol is the protocol with the name of the example; hasty takes whatever has a higher number
// than the last message for new.
func Protocol(hasty bool) protocol.Protocol {
	return protocol.Protocol{Name: "resend", Doc: "resends everything",
		Shapes: &protocol.Shapes{Needs: promise.SendDeterministic, Failures: 1},
		Setup: func(r protocol.Request) (*core.Setup, error) {
			return Setup(r.Layout, r.Programs, hasty)
		}}
}

// Message is one payload, the Number-th of its channel from 1, or, with Number 0, the request
// of a restarted rank to send everything again.
type Message struct {
	_       struct{} `cbor:",toarray"`
	Number  uint32
	Payload core.Payload
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	if m.Number == 0 {
		return trace.Wire{Kind: "Resend"}
	}
	return trace.Wire{Kind: "Data", ID: m.Payload.ID, Text: fmt.Sprint("number ", m.Number)}
}

// Setup prepares it for programs.
func Setup(layout core.Layout, programs []core.Program, hasty bool) (*core.Setup, error) {
	layout.Clusters, layout.Labels = nil, core.Labels(programs)
	n := layout.Ranks
	s := &core.Setup{Protocol: "resend", Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		Promises: promise.Promises{RollsBack: promise.FailedOnly, Needs: promise.SendDeterministic,
			FIFO: true, Reliable: true, StableKeys: []string{}},
		New: func(p core.Proc) core.Machine {
			return program.NewHost(core.Rank(p), programs[p],
				func(core.Application) core.Layer {
					return &layer{self: core.Rank(p), hasty: hasty,
						s: state{make([][]core.Payload, n), make([]uint32, n),
							make([][]core.Payload, n)}}
				})
		}}
	return s, s.Validate()
}

// state is everything that a rank keeps, by rank: what it has sent, the number of the last message
// received, and what waits for the program.
type state struct {
	Sent    [][]core.Payload `json:"sent"`
	Last    []uint32         `json:"last"`
	Arrived [][]core.Payload `json:"arrived"`
}

type layer struct {
	self  core.Rank
	hasty bool
	s     state
}

func (l *layer) State() any { return &l.s }

// Ready implements core.Layer: nothing blocks.
func (l *layer) Ready(core.Rank) bool { return true }

func (l *layer) Sources(buf []core.Rank) []core.Rank {
	for q, waiting := range l.s.Arrived {
		if len(waiting) > 0 {
			buf = append(buf, core.Rank(q))
		}
	}
	return buf
}

func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start, core.Checkpoint:
		return out
	case core.Restore:
		for q := range l.s.Sent {
			if core.Rank(q) != l.self {
				out = append(out, core.SendTo(core.Proc(q), &Message{}))
			}
		}
		return out
	case core.Send:
		l.s.Sent[in.To] = append(l.s.Sent[in.To], in.Payload)
		return append(out, core.SendTo(in.To.Proc(),
			&Message{Number: uint32(len(l.s.Sent[in.To])), Payload: in.Payload}))
	case core.Receive:
		p := l.s.Arrived[in.From][0]
		l.s.Arrived[in.From] = l.s.Arrived[in.From][1:]
		return append(out, core.Effect{Kind: core.Deliver, From: in.From, Payload: p})
	case core.Received:
		return l.received(in.From, in.Message.(*Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

func (l *layer) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	if m.Number == 0 {
		for i, p := range l.s.Sent[from] {
			out = append(out, core.SendTo(from, &Message{Number: uint32(i + 1), Payload: p}))
		}
		return out
	}
	if next := l.s.Last[from] + 1; m.Number < next || m.Number > next && !l.hasty {
		return append(out, core.DropInput(from, m.Payload.ID, "not the next one"))
	}
	l.s.Last[from] = m.Number
	l.s.Arrived[from] = append(l.s.Arrived[from], m.Payload)
	return out
}
