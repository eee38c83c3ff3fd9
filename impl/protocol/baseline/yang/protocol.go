package yang

import (
	_ "embed" // of the texts

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/replay"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

//go:embed errata.txt
var errata string

//go:embed mutants.txt
var mutants string

// breaks are what the errata switch on, in their order.
var breaks = []replay.Break{replay.OthersUnwritten, replay.SendsAtOnce, replay.InnerUnrecorded,
	replay.OwnFirst}

// Protocol is causal logging inside groups and pessimistic logging at their borders.
var Protocol = protocol.Protocol{
	Name: "yang",
	Doc: "checkpoints in groups, determinants go along inside and are stable at the border " +
		"[Yang]",
	Errata: core.MustErrata(0, errata),
	Many:   true,
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return replay.NewSetup(r.Layout, r.Programs, replay.Rules{Protocol: "yang",
			Gate: replay.Border, Style: snapshot.Markers,
			Breaks: replay.BreaksOf(r.Errata, breaks...)})
	},
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 7, Clusters: protocol.AnyClusters, Needs: promise.Piecewise, Wildcards: true,
		Posts: true, Collectives: protocol.ExpandedCollectives,
		Checkpoints: protocol.OwnCheckpoints, Spontaneous: 1, Outputs: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "stop", "torn"},
	},
	Perf: protocol.Perf{Clustered: func(string) bool { return true }},
}
