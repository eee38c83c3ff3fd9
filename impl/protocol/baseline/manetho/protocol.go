package manetho

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
)

// Protocol is causal logging with a checkpoint of each rank when it likes.
var Protocol = protocol.Protocol{
	Name:  "manetho",
	Dense: dense,
	Doc: "causal logging, images of each rank alone: determinants travel until they are stable " +
		"or f+1 ranks hold them [EZ], [AHM]",
	Errata: table, Own: errataOf("manetho"), Chooses: true,
	Options: func(text string) error { _, err := readOptions(text); return err },
	OptionDocs: []protocol.Option{
		{Name: "keep", Values: "store|family",
			Doc: "determinants are made stable, later, or f+1 ranks hold them"},
		{Name: "f", Values: "N",
			Doc: "with keep=family: failures at a time that are survived, as tolerates; 1"}},
	Setup: func(r protocol.Request) (*core.Setup, error) {
		o, err := readOptions(r.Options)
		if err != nil {
			return nil, err
		}
		return setup("manetho", r, o, false)
	},
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 7, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Overlapping: true, Collectives: protocol.ExpandedCollectives,
		Checkpoints: protocol.OwnCheckpoints, Crossing: true, Spontaneous: 1, Outputs: true,
		Loops: true, Settings: settings,
		Variations: []protocol.Variation{{}, {Options: "keep=family"},
			{Options: "keep=family f=2", MinRanks: 3}},
	},
}

// dense is what the antecedence graph of [EZ] is here; causal has the graph with neighbours alone.
const dense = "each rank has the receptions of all ranks that may concern it, and what each " +
	"other one has of those of each"

// Teams is the same with teams that checkpoint and restart together.
var Teams = protocol.Protocol{
	Name:  "causal-teams",
	Dense: dense,
	Doc: "causal logging between teams, which checkpoint and restart together: determinants " +
		"travel until f+1 teams hold them [CAMEL]",
	Errata: table, Own: errataOf("causal-teams"), Chooses: true,
	Options: func(text string) error { _, err := readTeams(text); return err },
	OptionDocs: []protocol.Option{
		{Name: "f", Values: "N", Doc: "teams that may fail at a time, as tolerates; 1"}},
	Setup: func(r protocol.Request) (*core.Setup, error) {
		o, err := readTeams(r.Options)
		if err != nil {
			return nil, err
		}
		return setup("causal-teams", r, o, true)
	},
	Mutants: teamMutants,
	Shapes: &protocol.Shapes{
		Items: 7, Needs: promise.Piecewise, Clusters: protocol.AnyClusters, Wildcards: true,
		Posts: true, Overlapping: true, Collectives: protocol.ExpandedCollectives,
		Checkpoints: protocol.OwnCheckpoints, Crossing: true, Spontaneous: 1, Outputs: true,
		Loops: true, Settings: settings,
		Variations: []protocol.Variation{{Clusters: protocol.AnyClusters},
			{Options: "f=2", MinClusters: 3, Clusters: protocol.AnyClusters}},
	},
}

// settings are the keys of the failure model that random scenarios vary.
var settings = []string{"at-once", "from-dead", "to-dead", "torn"}

// errataOf are those that are listed with a protocol.
func errataOf(name string) core.Errata {
	var list core.Errata
	for _, e := range table {
		if e.Of == name {
			list = append(list, e)
		}
	}
	return list
}
