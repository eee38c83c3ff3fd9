package radic

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
)

// Protocols are the logging protocols on nodes that RADIC controls.
func Protocols() []protocol.Protocol {
	sender := describe(pessimistic.SBML, 5, "")
	// The control plane is the same, and its errata take two failures, of which this protocol
	// survives one at a time.
	sender.Own = core.Errata{}
	sender.Shapes.Variations = apart()
	hybrid := describe(pessimistic.HMPL, 4, "")
	hybrid.Claims = claims()
	return []protocol.Protocol{hybrid, describe(pessimistic.RBML, 3, mutants), sender}
}

// describe is one of them. Its errata are those of the control plane, and its mutants are hunted
// over one logging protocol only.
func describe(p pessimistic.Protocol, colour int, mutants string) protocol.Protocol {
	shapes := pessimistic.Shapes()
	shapes.MinRanks, shapes.Items = 1, 4
	shapes.Variations = append(nodes(),
		protocol.Variation{Options: "nodes=3 full=checkpoint memory=1"},
		protocol.Variation{Options: "nodes=4 memory=12B"})
	return protocol.Protocol{
		Name: "radic-" + p.String(),
		Dense: "each observer has a table of where all ranks and their protectors are, as " +
			"published (radictable)",
		Doc:    "protectors, observers and spares of RADIC over " + p.String() + " [RADIC]",
		Errata: Errata(),
		Options: func(text string) error {
			_, _, err := parse(text)
			return err
		},
		OptionDocs: optionDocs(),
		Setup:      func(r protocol.Request) (*core.Setup, error) { return setup(p, r) },
		Shapes:     shapes,
		Mutants:    mutants,
		Perf:       protocol.Perf{Colour: colour, Pale: true},
	}
}

// parse reads options of the control plane, and leaves the rest to the logging protocol.
func parse(text string) (Options, pessimistic.Options, error) {
	own, rest, err := ParseOptions(text)
	if err != nil {
		return own, pessimistic.Options{}, err
	}
	inner, err := pessimistic.ParseOptions(rest)
	return own, inner, err
}

func setup(p pessimistic.Protocol, r protocol.Request) (*core.Setup, error) {
	own, inner, err := parse(r.Options)
	if err != nil {
		return nil, err
	}
	if own.Errata = r.Errata; own.Errata.Has(M33) { // the fence is a matter of the log
		inner.Errata = inner.Errata.With(pessimistic.M49)
	}
	layout := r.Layout
	nodes := layout.Clusters
	layout.Clusters = nil // for the logging protocol every rank is alone
	s, err := pessimistic.NewSetup(p, layout, r.Programs, inner)
	if err != nil {
		return nil, err
	}
	s.Promises.Lines = "uncoordinated" // each rank has a node for itself here
	return NewSetup(s, nodes, own)
}

// nodes are the ways to set up the control plane. With nodes that join late there are more nodes
// than one failure of each could be told of, so that tables are old where ranks have moved.
//
// What zombies=yes adds survives no failure, and heartbeats are nothing for a world without clocks,
// so neither is drawn.
func nodes() []protocol.Variation {
	return []protocol.Variation{{Options: "nodes=4"}, {Options: "nodes=3 spares=1", Weight: 2},
		{Options: "nodes=4 spares=1", Weight: 2}, {Options: "nodes=3 spares=2"},
		{Options: "nodes=3 rejoin=yes"}, {Options: "nodes=3"},
		{Options: "nodes=3 spares=1 capacity=1"}, {Options: "nodes=4 spares=2 capacity=1"},
		{Options: "nodes=3 joins=1"}, {Options: "nodes=4 ring=-1"},
		{Options: "nodes=3 joins=2"}, {Options: "nodes=5 joins=1", Weight: 2},
		{Options: "nodes=3 spares=1 leaves=1"}, {Options: "nodes=4 leaves=2"},
		{Options: "nodes=3 joins=1 leaves=1"},
		{Options: "nodes=3 spares=1 ring=-1"}, {Options: "nodes=4 spares=1 rejoin=yes"}}
}

// apart are the ways in which no two ranks share a node, as a protocol without loggers needs it
// where they talk.
func apart() []protocol.Variation {
	return []protocol.Variation{{Options: "nodes=4"}, {Options: "nodes=4 spares=1", Weight: 3},
		{Options: "nodes=4 spares=2 capacity=1"}, {Options: "nodes=4 ring=-1"},
		{Options: "nodes=4 spares=1 rejoin=yes"}, {Options: "nodes=5 joins=1"},
		{Options: "nodes=4 joins=1 spares=1"}, {Options: "nodes=4 spares=1 leaves=1"},
		{Options: "spares=1", MinRanks: 3, Weight: 2}, {Options: "rejoin=yes", MinRanks: 3},
		{Options: "nodes=4 spares=2", Weight: 2}}
}
