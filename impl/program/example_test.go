package program_test

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/spec/trace"
)

// direct is the smallest layer that there is: what the program sends goes out, what comes in can be
// received, and nothing survives a failure.
type direct struct {
	Arrived []core.Payload
}

func (d *direct) State() any           { return d }
func (d *direct) Ready(core.Rank) bool { return true }

func (d *direct) Sources(buf []core.Rank) []core.Rank {
	if len(d.Arrived) > 0 {
		buf = append(buf, 1)
	}
	return buf
}

func (d *direct) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Send:
		return append(out, core.SendTo(in.To.Proc(), &plain{in.Payload}))
	case core.Received:
		d.Arrived = append(d.Arrived, in.Message.(*plain).Payload)
	case core.Receive:
		p := d.Arrived[0]
		d.Arrived = d.Arrived[1:]
		return append(out, core.Effect{Kind: core.Deliver, From: in.From, Payload: p})
	}
	return out
}

// plain is its message.
type plain struct {
	Payload core.Payload
}

func (m *plain) Describe() trace.Wire { return trace.Wire{Kind: "Plain", ID: m.Payload.ID} }

// A host is a rank: a program over a layer, which is the protocol. Whoever runs it gives it inputs
// and performs the effects; here that is the example, which plays the other rank, too.
func ExampleHost() {
	ops := core.Program{{Kind: core.OpSend, Peer: 1}, {Kind: core.OpRecv, Peer: 1}}
	h := program.NewHost(0, ops, func(core.Application) core.Layer { return new(direct) })
	does := map[core.EffectKind]string{core.SendMessage: "puts a message on the network",
		core.ProgramSent: "its program has sent", core.Deliver: "its program has received",
		core.ProgramDone: "its program has ended"}
	step := func(what string, in core.Input) {
		fmt.Println(what)
		for _, e := range h.Step(in, nil) {
			fmt.Println(" ", does[e.Kind])
		}
	}
	advance := func() { // as far as the program gets
		for choices := h.Choices(nil); len(choices) > 0; choices = h.Choices(nil) {
			step("it goes on", core.Input{Kind: core.Advance, Choice: choices[0]})
		}
	}
	step("it starts", core.Input{Kind: core.Start})
	advance()
	step("an answer arrives", core.Input{Kind: core.Received, From: 1, Message: &plain{
		core.Payload{ID: core.MsgID{From: 1, Number: 1}, Data: []byte("answer!!")}}})
	advance()
	// Output:
	// it starts
	// it goes on
	//   its program has sent
	//   puts a message on the network
	// an answer arrives
	// it goes on
	//   its program has received
	// it goes on
	//   its program has ended
}
