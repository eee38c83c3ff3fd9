package pessimistic

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
)

// Protocols are the three of the family, by name.
func Protocols() []protocol.Protocol {
	hybrid := describe(HMPL, "hybrid: temporary buffers at both ends, log at the receiver's "+
		"protector [RADIC]", 4)
	hybrid.Shapes.Variations = append(loggers(),
		protocol.Variation{Options: "buffer=1", Weight: 2},
		protocol.Variation{Options: "buffer=12B"},
		protocol.Variation{Options: "mode=semi buffer=1", Clusters: protocol.AnyClusters})
	receiver := describe(RBML, "receiver-based message logging, pessimistic [RADIC]", 3)
	receiver.Shapes.Variations = loggers()
	sender := describe(SBML, "sender-based message logging, pessimistic: the order in volatile "+
		"logs of senders [RADIC]", 5)
	sender.Shapes.Items = 7
	return []protocol.Protocol{hybrid, receiver, sender}
}

func describe(p Protocol, doc string, colour int) protocol.Protocol {
	return protocol.Protocol{
		Name:   p.String(),
		Doc:    doc,
		Errata: Errata(p),
		Options: func(text string) error {
			_, err := ParseOptions(text)
			return err
		},
		OptionDocs: slices.Clone(optionDocs),
		Many:       true,
		Setup: func(r protocol.Request) (*core.Setup, error) {
			own, err := ParseOptions(r.Options)
			if err != nil {
				return nil, err
			}
			own.Errata = r.Errata
			return NewSetup(p, r.Layout, r.Programs, own)
		},
		Shapes:  Shapes(),
		Mutants: mutants,
		Perf: protocol.Perf{Colour: colour,
			Clustered: func(options string) bool { return strings.Contains(options, "mode=semi") }},
	}
}

// Shapes are the random scenarios that fit any protocol of the family.
func Shapes() *protocol.Shapes {
	return &protocol.Shapes{
		Items: 6, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Checkpoints: protocol.OwnCheckpoints, Collectives: protocol.ExpandedCollectives,
		Spontaneous: 1, Outputs: true,
		Settings: []string{"from-dead", "to-dead", "network"},
	}
}

// loggers are the ways to set up a protocol with loggers.
func loggers() []protocol.Variation {
	const any = protocol.AnyClusters
	return []protocol.Variation{{Weight: 6}, {Options: "memory=1"},
		{Options: "full=checkpoint memory=1"}, {Options: "memory=12B"},
		{Options: "full=checkpoint memory=12B"},
		{Options: "loggers=next", Clusters: any, MinClusters: 3, MinRanks: 3},
		{Options: "mode=semi", Clusters: any, Weight: 3},
		{Options: "mode=semi memory=1 full=checkpoint", Clusters: any},
		{Options: "mode=semi memory=12B", Clusters: any},
		{Options: "mode=semi loggers=next", Clusters: any, MinClusters: 3, MinRanks: 4}}
}
