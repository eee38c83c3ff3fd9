// Package resend is a small protocol of somebody's own, in a module of its own, and the command
// that comes with it: what a user of domino writes. Copy the folder, and change it.
//
// The idea: a rank that fails starts its program again from the beginning and asks the others for
// everything that they have sent to it. They keep copies in memory, and send them again. Whatever
// is sent twice has the same number the second time, so a receiver knows it. That needs programs
// that send the same messages in every run, and nothing else: no stable storage, no coordination,
// any number of failures.
//
// Erratum R1 is the protocol as one writes it first: what has a higher number than the last message
// is new. "resend errata" shows why that is wrong, in a run of a few steps: a new message overtakes
// the copies. The repaired protocol takes only the next one.
package resend

import (
	"embed"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

//go:embed scenarios/*.txtar
var scenarios embed.FS

//go:embed mutants.txt
var mutants string

// R1 takes whatever has a higher number than the last message for new.
const R1 core.Switch = 0

// Protocol is all that has to be said: how it is set up, what was once wrong with it, which random
// programs and failures it is for, scenarios with what they are expected to show, ways to break it.
var Protocol = protocol.Protocol{
	Name: "resend",
	Doc:  "an example: who restarts runs from the beginning, the others send everything again",
	Errata: core.Errata{R1: {ID: "R1", Place: "the first attempt",
		Switched: "a message with a higher number than the last one is new",
		Repaired: "only the next number is new"}},
	Setup: setup,
	Shapes: &protocol.Shapes{Needs: promise.SendDeterministic, Wildcards: true, Posts: true,
		Loops:    true,
		Settings: []string{"at-once", "from-dead", "to-dead", "stop"}},
	Scenarios: scenarios,
	Mutants:   mutants,
}

// setup makes the protocol for the programs of a scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	layout := r.Layout
	layout.Clusters, layout.Labels = nil, core.Labels(r.Programs)
	layout.Roles = trace.Roles{"Data": trace.RoleProgram, "Resend": trace.RoleRecovery}
	s := &core.Setup{
		Protocol: "resend", Layout: layout, Programs: r.Programs,
		NewMessage: func() core.Message { return new(Message) },
		Promises: promise.Promises{RollsBack: promise.FailedOnly, Needs: promise.SendDeterministic,
			FIFO: true, Reliable: true, StableKeys: []string{}},
		New: func(p core.Proc) core.Machine {
			return program.NewHost(core.Rank(p), r.Programs[p], func(core.Application) core.Layer {
				return newLayer(core.Rank(p), layout.Ranks, r.Errata.Has(R1))
			})
		},
	}
	return s, s.Validate()
}

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
