// Package none is the absence of a protocol: messages pass straight through, nothing is logged, nothing is saved, a failure
// loses the rank. It is the baseline of measurements and, because each message carries a clock of causality, the
// machine on which the failure-free behaviour of a program is explored.
package none

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Message carries one payload. Past[r] is how many sends of rank r happened before this one (this one included).
type Message struct {
	_       struct{} `cbor:",toarray"`
	Past    []uint32
	Payload core.Payload
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	return trace.Wire{Kind: "App", ID: m.Payload.ID, Text: fmt.Sprint("past ", m.Past)}
}

// Happened is Past, for whoever does not know this package.
func (m *Message) Happened() []uint32 { return m.Past }

type state struct {
	_       struct{}    `cbor:",toarray"`
	Past    []uint32    `json:"past"`
	Arrived [][]Message `json:"arrived"` // by source
}

type layer struct {
	rank core.Rank
	s    state
}

// NewSetup prepares the programs without a protocol.
func NewSetup(layout trace.Layout, programs []core.Program) (*core.Setup, error) {
	n := layout.Ranks
	layout.Labels = core.Labels(programs)
	s := &core.Setup{
		Protocol: "none", Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		Promises:   core.Promises{MaxFailures: -1, FIFO: true, Reliable: true},
		New: func(p core.Proc) core.Machine {
			return core.NewHost(core.Rank(p), programs[p], func(core.Application) core.Protocol {
				l := &layer{rank: core.Rank(p)}
				l.s = state{Past: make([]uint32, n), Arrived: make([][]Message, n)}
				return l
			})
		},
	}
	return s, s.Validate()
}

// State implements core.Protocol.
func (l *layer) State() any { return &l.s }

// Ready implements core.Protocol: nothing blocks.
func (l *layer) Ready(core.Rank) bool { return true }

// Sources implements core.Protocol.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	for q := range l.s.Arrived {
		if len(l.s.Arrived[q]) > 0 {
			buf = append(buf, core.Rank(q))
		}
	}
	return buf
}

// Step implements core.Protocol.
func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		return out
	case core.Send:
		l.s.Past[l.rank]++
		past := append([]uint32(nil), l.s.Past...)
		return append(out, core.SendTo(in.To.Proc(), &Message{Past: past, Payload: in.Payload}))
	case core.Received:
		m := in.Message.(*Message)
		l.s.Arrived[in.From] = append(l.s.Arrived[in.From], Message{Past: m.Past, Payload: m.Payload})
		return out
	case core.Receive:
		m := l.s.Arrived[in.From][0]
		l.s.Arrived[in.From] = l.s.Arrived[in.From][1:]
		for r, k := range m.Past {
			l.s.Past[r] = max(l.s.Past[r], k)
		}
		return append(out, core.Effect{Kind: core.Deliver, From: in.From, Payload: m.Payload})
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler without a protocol"))
}
