package hydee

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
)

// Protocol is HydEE.
var Protocol = protocol.Protocol{
	Name:   "hydee",
	Doc:    "checkpoints in clusters, payload logs between them, no determinants [HydEE]",
	Errata: Errata(),
	Many:   true,
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return NewSetup(r.Layout, r.Programs, Options{Errata: r.Errata})
	},
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 8, Clusters: protocol.AnyClusters, Needs: promise.SendDeterministic,
		Wildcards: true, Posts: true, Collectives: protocol.ExpandedCollectives,
		Checkpoints: protocol.OwnCheckpoints, Spontaneous: 1, Outputs: true, Loops: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "detect", "stop", "notice"},
	},
	Perf: protocol.Perf{
		Colour: 2, Usual: true,
		Clustered: func(string) bool { return true },
		Pairs:     []protocol.Pair{{Name: "hydee-1", Together: true}, {Name: "hydee-2"}},
	},
}
