package camel

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/promise"
)

// Protocol is collective-aware message logging.
var Protocol = protocol.Protocol{
	Name: "camel",
	Doc: "causal message logging that knows collectives: one copy of a multicast, of a reduction " +
		"what the root gets [CAMEL]",
	Errata:      All(),
	Own:         Errata(),
	Collectives: true,
	Chooses:     true,
	Many:        true,
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return NewSetup(r.Layout, r.Programs, causal.OptionsOf(r))
	},
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 6, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Overlapping: true, Crossing: true,
		Collectives: protocol.NativeCollectives, Checkpoints: protocol.TogetherCheckpoints,
		Outputs: true, Loops: true,
		Settings: []string{"from-dead", "to-dead", "network", "torn"},
	},
	Perf: protocol.Perf{Colour: 7},
}
