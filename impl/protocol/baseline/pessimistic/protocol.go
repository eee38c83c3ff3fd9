package pessimistic

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
var breaks = []replay.Break{replay.SendsAtOnce, replay.LastUncounted, replay.LogsUnsaved,
	replay.Doubles, replay.ByArrival, replay.SenderSilent}

// Protocol is pessimistic logging by senders with determinants on stable storage.
var Protocol = protocol.Protocol{
	Name:   "pessimistic",
	Doc:    "pessimistic message logging, nobody but who fails goes back [Borg] [JZ]",
	Errata: core.MustErrata(0, errata),
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return replay.NewSetup(r.Layout, r.Programs, replay.Rules{Protocol: "pessimistic",
			Gate: replay.EverySend, Style: snapshot.Markers, Alone: true,
			Breaks: replay.BreaksOf(r.Errata, breaks...)})
	},
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 7, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Collectives: protocol.ExpandedCollectives, Checkpoints: protocol.OwnCheckpoints,
		Spontaneous: 1, Outputs: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "network", "stop"},
	},
}
