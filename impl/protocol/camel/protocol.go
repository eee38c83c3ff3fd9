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
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return NewSetup(r.Layout, r.Programs, causal.OptionsOf(r))
	},
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 6, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Collectives: protocol.NativeCollectives, Checkpoints: protocol.TogetherCheckpoints,
		Outputs: true, Loops: true,
		Settings: []string{"from-dead", "to-dead", "network"},
		// TODO: log-available does not see that the image of a root can hold a contribution that
		// its child may then forget. Until then a loss of contributions shows in terminates and
		// outcome alone.
		Unjudged: []string{"log-available"},
	},
	Perf: protocol.Perf{Colour: 7},
}
