// Package targets says which random scenarios fit each protocol of the catalogue: those inside its promises. Package fuzz knows no protocol,
// the catalogue knows nothing of random scenarios.
//
// What a protocol promises about failures is in its setup, and fuzz obeys it; here is what only the prose of a protocol says: which programs, which clusters,
// which options go together, and which settings of the environment it is made for.
package targets

import (
	"fmt"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/catalog"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
)

// Names are the protocols that there are random scenarios for, by name.
func Names() []string {
	var names []string
	for _, p := range catalog.Protocols() {
		if _, ok := shapesOf(p.Name); ok {
			names = append(names, p.Name)
		}
	}
	return names
}

// Of is the target for a protocol in a variant ("repaired", "published", "repaired+ID").
func Of(protocol, variant string) (fuzz.Target, error) {
	p, err := catalog.Find(protocol)
	if err != nil {
		return fuzz.Target{}, err
	}
	shapes, ok := shapesOf(p.Name)
	if !ok {
		return fuzz.Target{}, fmt.Errorf("protocol %s takes no programs, so there is nothing to draw", p.Name)
	}
	t := fuzz.Target{Shapes: shapes, Resolve: Resolve}
	t.Template = scenarios.Scenario{Protocol: p.Name, Variant: variant, Expect: "holds"}
	return t, nil
}

// Resolve turns the names of a scenario into code.
func Resolve(s *scenarios.Scenario) (world.Case, error) {
	r, err := catalog.Resolve(s)
	if err != nil {
		return world.Case{}, err
	}
	return world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model, Force: s.Force}, nil
}

// shapesOf says what is drawn for a protocol; ok is false for those without programs or without recovery.
func shapesOf(name string) (s fuzz.Shapes, ok bool) {
	switch name {
	case "hydee":
		return fuzz.Shapes{Items: 8, Clusters: fuzz.AnyClusters, Needs: core.SendDeterministic, Wildcards: true, Posts: true,
			Collectives: fuzz.ExpandedCollectives, Checkpoints: fuzz.OwnCheckpoints, Spontaneous: 1, Outputs: true, Loops: true,
			Settings: fuzz.Settings("at-once", "from-dead", "to-dead", "detect", "stop", "notice")}, true
	case "causal":
		return fuzz.Shapes{Items: 7, Needs: core.Piecewise, Wildcards: true, Posts: true, Collectives: fuzz.ExpandedCollectives,
			Checkpoints: fuzz.TogetherCheckpoints, Outputs: true, Loops: true, Tolerates: 2,
			Settings: fuzz.Settings("at-once", "from-dead", "to-dead")}, true
	case "camel":
		return fuzz.Shapes{Items: 6, Needs: core.Piecewise, Wildcards: true, Posts: true, Collectives: fuzz.NativeCollectives,
			Checkpoints: fuzz.TogetherCheckpoints, Outputs: true, Loops: true,
			Settings: fuzz.Settings("from-dead", "to-dead", "network")}, true
	case "sbml":
		return fuzz.Shapes{Items: 7, Needs: core.Piecewise, Wildcards: true, Posts: true,
			Collectives: fuzz.ExpandedCollectives, Checkpoints: fuzz.OwnCheckpoints, Spontaneous: 1,
			Settings: fuzz.Settings("from-dead", "to-dead", "network")}, true
	case "rbml", "hmpl":
		s = pessimistic()
		s.Variations = []fuzz.Variation{{Weight: 6}, {Options: "memory=1"}, {Options: "full=checkpoint memory=1"},
			{Options: "loggers=next", Clusters: fuzz.AnyClusters, MinClusters: 3, MinRanks: 3}}
		if name == "hmpl" {
			s.Variations = append(s.Variations, fuzz.Variation{Options: "buffer=1", Weight: 2})
		}
		return s, true
	case "radic-rbml", "radic-hmpl":
		s = pessimistic()
		s.MinRanks, s.MaxRanks, s.Items, s.Spontaneous = 1, 4, 4, 0
		s.Settings = nil
		s.Variations = []fuzz.Variation{{Options: "nodes=4"}, {Options: "nodes=3 spares=1", Weight: 2}, {Options: "nodes=4 spares=1", Weight: 2},
			{Options: "nodes=3 spares=2"}, {Options: "nodes=3 rejoin=yes"}, {Options: "nodes=3"}}
		return s, true
	}
	return s, false
}

func pessimistic() fuzz.Shapes {
	return fuzz.Shapes{Items: 6, Needs: core.Piecewise, Wildcards: true, Posts: true, Checkpoints: fuzz.OwnCheckpoints,
		Collectives: fuzz.ExpandedCollectives, Spontaneous: 1, Outputs: true, Settings: fuzz.Settings("from-dead", "to-dead", "network")}
}
