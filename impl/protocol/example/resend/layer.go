package resend

import "github.com/domino-check/domino/impl/core"

// state is everything that a rank keeps, by rank: what it has sent, the number of the last message
// received, and what waits for the program.
type state struct {
	Sent    [][]core.Payload `json:"sent"`
	Last    []uint32         `json:"last"`
	Arrived [][]core.Payload `json:"arrived"`
}

// layer is the protocol at one rank, between its program and the network.
type layer struct {
	self  core.Rank
	hasty bool // erratum R1
	s     state
}

func newLayer(self core.Rank, ranks int, hasty bool) *layer {
	return &layer{self: self, hasty: hasty, s: state{Sent: make([][]core.Payload, ranks),
		Last: make([]uint32, ranks), Arrived: make([][]core.Payload, ranks)}}
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
