// Package targets says which random scenarios fit each protocol of the catalogue: those inside its
// promises. Package fuzz knows no protocol, the catalogue knows nothing of random scenarios.
//
// What a protocol promises about failures is in its setup, and fuzz obeys it; here is what only the
// prose of a protocol says: which programs, which clusters, which options go together, and which
// settings of the environment it is made for.
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
		return fuzz.Target{},
			fmt.Errorf("protocol %s takes no programs, so there is nothing to draw", p.Name)
	}
	t := fuzz.Target{Shapes: shapes, Resolve: Resolve}
	t.Template = scenarios.Scenario{Protocol: p.Name, Variant: variant, Expect: "holds"}
	return t, nil
}

// Unjudged are properties that random scenarios of a protocol are not judged by, because they say
// more than it promises there.
//
// TODO: camel. log-available does not see that the image of a root can hold a contribution that its
// child may then forget. Until then a loss of contributions shows in terminates and outcome alone.
func Unjudged(protocol string) []string {
	if protocol == "camel" {
		return []string{"log-available"}
	}
	return nil
}

// Resolve turns the names of a scenario into code.
func Resolve(s *scenarios.Scenario) (world.Case, error) {
	r, err := catalog.Resolve(s)
	if err != nil {
		return world.Case{}, err
	}
	return world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model, Force: s.Force}, nil
}

// shapesOf says what is drawn for a protocol; ok is false for those without programs or without
// recovery.
func shapesOf(name string) (s fuzz.Shapes, ok bool) {
	switch name {
	case "hydee":
		return fuzz.Shapes{Items: 8, Clusters: fuzz.AnyClusters, Needs: core.SendDeterministic,
				Wildcards: true, Posts: true,
				Collectives: fuzz.ExpandedCollectives, Checkpoints: fuzz.OwnCheckpoints,
				Spontaneous: 1,
				Outputs:     true, Loops: true,
				Settings: fuzz.Settings("at-once", "from-dead", "to-dead", "detect", "stop",
					"notice")},
			true
	case "causal":
		return fuzz.Shapes{Items: 7, Needs: core.Piecewise, Wildcards: true, Posts: true,
			Collectives: fuzz.ExpandedCollectives,
			Checkpoints: fuzz.TogetherCheckpoints, Outputs: true, Loops: true, Tolerates: 2,
			Settings: fuzz.Settings("at-once", "from-dead", "to-dead", "network")}, true
	case "camel":
		return fuzz.Shapes{Items: 6, Needs: core.Piecewise, Wildcards: true, Posts: true,
			Collectives: fuzz.NativeCollectives,
			Checkpoints: fuzz.TogetherCheckpoints, Outputs: true, Loops: true,
			Settings: fuzz.Settings("from-dead", "to-dead", "network")}, true
	case "sbml":
		s = pessimistic()
		s.Items = 7
		return s, true
	case "rbml", "hmpl":
		s = pessimistic()
		s.Variations = loggers(name == "hmpl")
		return s, true
	case "radic-sbml", "radic-rbml", "radic-hmpl":
		s = pessimistic()
		s.MinRanks, s.Items = 1, 4
		s.Variations = nodes(name != "radic-sbml")
		return s, true
	}
	return s, false
}

func pessimistic() fuzz.Shapes {
	return fuzz.Shapes{Items: 6, Needs: core.Piecewise, Wildcards: true, Posts: true,
		Checkpoints: fuzz.OwnCheckpoints,
		Collectives: fuzz.ExpandedCollectives, Spontaneous: 1, Outputs: true,
		Settings: fuzz.Settings("from-dead", "to-dead", "network")}
}

// loggers are the ways to set up a protocol with loggers.
func loggers(buffer bool) []fuzz.Variation {
	list := []fuzz.Variation{{Weight: 6}, {Options: "memory=1"},
		{Options: "full=checkpoint memory=1"}, {Options: "memory=12B"},
		{Options: "full=checkpoint memory=12B"},
		{Options: "loggers=next", Clusters: fuzz.AnyClusters, MinClusters: 3, MinRanks: 3},
		{Options: "mode=semi", Clusters: fuzz.AnyClusters, Weight: 3},
		{Options: "mode=semi memory=1 full=checkpoint", Clusters: fuzz.AnyClusters},
		{Options: "mode=semi memory=12B", Clusters: fuzz.AnyClusters},
		{Options: "mode=semi loggers=next", Clusters: fuzz.AnyClusters, MinClusters: 3,
			MinRanks: 4}}
	if buffer {
		list = append(list, fuzz.Variation{Options: "buffer=1", Weight: 2},
			fuzz.Variation{Options: "buffer=12B"},
			fuzz.Variation{Options: "mode=semi buffer=1", Clusters: fuzz.AnyClusters})
	}
	return list
}

// nodes are the ways to set up the control plane of RADIC. What zombies=yes adds is meant for runs
// without crashes, so it is not drawn. TODO: draw leaves=N. A node that leaves counts as no
// failure, so a crash beside it may take the rest of what protects a rank, and with that
// recoverable, reach and line-progress break; until somebody has judged them, only scenarios with
// names have nodes that leave.
func nodes(loggers bool) []fuzz.Variation {
	list := []fuzz.Variation{{Options: "nodes=4"}, {Options: "nodes=3 spares=1", Weight: 2},
		{Options: "nodes=4 spares=1", Weight: 2},
		{Options: "nodes=3 spares=2"}, {Options: "nodes=3 rejoin=yes"}, {Options: "nodes=3"},
		{Options: "nodes=3 spares=1 capacity=1"},
		{Options: "nodes=4 spares=2 capacity=1"}, {Options: "nodes=3 joins=1"},
		{Options: "nodes=4 ring=-1"}, {Options: "nodes=3 spares=1 ring=-1"},
		{Options: "nodes=4 spares=1 rejoin=yes"}}
	if loggers {
		list = append(list, fuzz.Variation{Options: "nodes=3 full=checkpoint memory=1"},
			fuzz.Variation{Options: "nodes=4 memory=12B"})
	}
	return list
}
