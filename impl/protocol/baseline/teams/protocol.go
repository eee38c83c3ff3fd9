package teams

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
var breaks = []replay.Break{replay.InnerUnrecorded, replay.SendsAtOnce, replay.LogsUnsaved}

// Protocol is pessimistic logging over groups.
var Protocol = protocol.Protocol{
	Name: "teams",
	Doc: "checkpoints in groups, payload logs between them, determinants of all receptions " +
		"[Teams] [Corr]",
	Errata: core.MustErrata(0, errata),
	Many:   true,
	Options: func(text string) error {
		_, err := readStyle(text)
		return err
	},
	OptionDocs: []protocol.Option{{Name: "style", Values: "teams|correlated",
		Doc: "how a group takes a checkpoint: teams with markers, correlated blocks its sends"}},
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 7, Clusters: protocol.AnyClusters, Needs: promise.Piecewise, Wildcards: true,
		Posts: true, Collectives: protocol.ExpandedCollectives,
		Checkpoints: protocol.OwnCheckpoints, Spontaneous: 1, Outputs: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "stop", "torn"},
		Variations: []protocol.Variation{{Clusters: protocol.AnyClusters, Weight: 2},
			{Clusters: protocol.AnyClusters, Options: "style=correlated"}},
	},
	Perf: protocol.Perf{Clustered: func(string) bool { return true }},
}

// readStyle reads the options.
func readStyle(text string) (style snapshot.Style, err error) {
	var correlated bool
	err = protocol.ReadOptions(text,
		protocol.Setters{"style": protocol.Either(&correlated, "teams", "correlated")})
	if correlated {
		return snapshot.Blocking, err
	}
	return snapshot.Markers, err
}

// setup makes the protocol for the programs of a scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	style, err := readStyle(r.Options)
	if err != nil {
		return nil, err
	}
	return replay.NewSetup(r.Layout, r.Programs, replay.Rules{Protocol: "teams",
		Gate: replay.EverySend, Style: style, Breaks: replay.BreaksOf(r.Errata, breaks...)})
}
