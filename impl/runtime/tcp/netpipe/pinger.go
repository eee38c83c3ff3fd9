package netpipe

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// pinger is a rank whose program sends a message to the next rank and receives one from the last,
// or, but for rank 0, the other way round, so many times. The bytes are as many as the measurement
// wants, which the programs of scenarios can not say.
type pinger struct {
	layer   core.Layer
	buffers *node.Buffers // set when the node exists
	self    core.Rank
	next    core.Rank
	payload []byte
	habit   string
	left    int // steps: two a round trip
	sends   bool
	sources []core.Rank
	send    core.Input // always the same ones, as those of a node
	receive core.Input
}

// newPinger takes the layer out of a rank of the setup.
func newPinger(s *core.Setup, self core.Rank, payload []byte, trips int) (*pinger, error) {
	host, ok := s.New(self.Proc()).(*program.Host)
	if !ok || s.Layout.Ranks < 2 {
		return nil, fmt.Errorf("netpipe: %s: %d ranks, want two or more", s.Protocol,
			s.Layout.Ranks)
	}
	next := (self + 1) % core.Rank(s.Layout.Ranks)
	return &pinger{layer: host.Layer(), self: self, next: next, payload: payload,
		left: 2 * trips, sends: self == 0,
		send: core.Input{Kind: core.Send, To: next,
			Payload: core.Payload{ID: core.MsgID{From: self, Number: 1}, Data: payload}},
		receive: core.Input{Kind: core.Receive}}, nil
}

// use makes the program send bytes of the buffers, unless it has others of its own.
func (p *pinger) use(b *node.Buffers) {
	if p.buffers = b; p.habit != Copied {
		p.send.Payload.Data = b.Own(len(p.payload))
		copy(p.send.Payload.Data, p.payload)
	}
}

// Layer is what the node asks for.
func (p *pinger) Layer() core.Layer { return p.layer }

// State implements core.Machine; a pinger is not restarted.
func (p *pinger) State() []any { return []any{p.layer.State()} }

func (p *pinger) Choices(buf []core.Choice) []core.Choice {
	if p.left == 0 {
		return buf
	}
	if p.sends {
		if p.layer.Ready(p.next) {
			buf = append(buf, 0)
		}
		return buf
	}
	p.sources = p.layer.Sources(p.sources[:0])
	if len(p.sources) > 0 {
		buf = append(buf, 0)
	}
	return buf
}

func (p *pinger) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Advance {
		return p.layer.Step(in, out)
	}
	p.left--
	if p.sends {
		p.sends = false
		if p.habit == Writes {
			p.send.Payload.Data = p.buffers.Rewrite(p.send.Payload.Data)
			clear(p.send.Payload.Data) // in the fastest way
			for i := range min(4, len(p.payload)) {
				p.send.Payload.Data[i] = byte(p.send.Payload.ID.Number >> (8 * i))
			}
		}
		out, e := core.Add(out, core.ProgramSent)
		e.To, e.Payload = p.next.Proc(), p.send.Payload
		out = p.layer.Step(p.send, out)
		p.send.Payload.ID.Number++ // for the next one, see package node on inputs
		return out
	}
	p.sends = true
	first := len(out)
	if p.receive.From != p.sources[0].Proc() {
		p.receive.From = p.sources[0].Proc()
	}
	out = p.layer.Step(p.receive, out)
	for i := first; i < len(out); i++ {
		if e := &out[i]; e.Kind == core.Deliver {
			if len(e.Payload.Data) != len(p.payload) {
				panic(fmt.Sprintf(
					"invariant: every message of a sample has its size: %d bytes, want %d",
					len(e.Payload.Data), len(p.payload)))
			}
			p.buffers.Done(e.Payload.Data)
		}
	}
	return out
}
