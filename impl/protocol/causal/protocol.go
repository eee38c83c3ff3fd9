package causal

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
)

// Protocol is simple causal message logging (SCMEL).
var Protocol = protocol.Protocol{
	Name: "causal",
	Doc: "simple causal message logging: determinants travel on messages until f+1 processes " +
		"hold them [CAMEL]",
	Errata:  Errata(),
	Chooses: true,
	Many:    true,
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return NewSetup(r.Layout, r.Programs, OptionsOf(r))
	},
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 7, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Overlapping: true, Crossing: true,
		Collectives: protocol.ExpandedCollectives, Checkpoints: protocol.TogetherCheckpoints,
		Outputs: true, Loops: true, Tolerates: 2,
		Settings: []string{"at-once", "from-dead", "to-dead", "network", "torn"},
	},
	Perf: protocol.Perf{Colour: 6},
}

// OptionsOf are the options that a scenario asks for; it survives one failure at a time where
// nothing else is said and there is somebody to help.
func OptionsOf(r protocol.Request) Options {
	return Options{F: r.Survive(min(1, len(r.Programs)-1)), Errata: r.Errata,
		Unordered: r.Unordered}
}
