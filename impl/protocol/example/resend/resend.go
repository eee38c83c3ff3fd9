// Package resend is a small protocol of one's own, outside the catalogue, and its tests: what a
// user of package fuzz writes.
//
// The idea: a rank that fails starts its program again from the beginning and asks the others for
// everything that they have sent to it. They keep copies in memory, and send them again. Whatever
// is sent twice has the same number the second time, so a receiver knows it. That needs programs
// that send the same messages in every run, and nothing else: no stable storage, no coordination,
// any number of failures.
//
// Hasty is the protocol as one writes it first: what has a higher number than the last message is
// new. The test finds why that is wrong, in a run of a few steps: a new message overtakes the
// copies. The repaired protocol takes only the next one.
package resend

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Message is one payload, the Number-th of its channel from 1, or, with Number 0, the request of a
// restarted rank to send everything again.
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

// New makes the protocol for programs; hasty is the first attempt.
func New(hasty bool) func(core.Layout, []core.Program) (*core.Setup, error) {
	return func(layout core.Layout, programs []core.Program) (*core.Setup, error) {
		layout.Clusters, layout.Labels = nil, core.Labels(programs)
		n := layout.Ranks
		s := &core.Setup{Protocol: "resend", Layout: layout, Programs: programs,
			NewMessage: func() core.Message { return new(Message) },
			Promises: core.Promises{RollsBack: core.FailedOnly, Needs: core.SendDeterministic,
				FIFO: true, Reliable: true, StableKeys: []string{}},
			New: func(p core.Proc) core.Machine {
				return core.NewHost(core.Rank(p), programs[p],
					func(core.Application) core.Protocol {
						return &layer{self: core.Rank(p), hasty: hasty,
							s: state{make([][]core.Payload, n), make([]uint32, n),
								make([][]core.Payload, n)}}
					})
			}}
		return s, s.Validate()
	}
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

// State implements core.Protocol.
func (l *layer) State() any { return &l.s }

// Ready implements core.Protocol: nothing blocks.
func (l *layer) Ready(core.Rank) bool { return true }

// Sources implements core.Protocol.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	for q, waiting := range l.s.Arrived {
		if len(waiting) > 0 {
			buf = append(buf, core.Rank(q))
		}
	}
	return buf
}

// Step implements core.Protocol.
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
