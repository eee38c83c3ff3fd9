package induced

import (
	_ "embed" // of the texts

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/recovery"
	"github.com/domino-check/domino/spec/promise"
)

// mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var mutants string

// entries describe the errata.
//
//go:embed errata.txt
var entries string

// The errata of its own, behind those of the recovery.
const (
	lateImage = recovery.Own + iota // B1
	ownIndex                        // B2
)

var own = core.MustErrata(recovery.Own, entries)

// rule says when an image is forced, and how the line is found.
type rule uint8

const (
	index  rule = iota // one number for all, which messages carry [BCS]
	vector             // a dependency on each other rank [Monnet]
)

func read(text string) (r rule, err error) {
	return r, protocol.ReadOptions(text, map[string]protocol.Setter{
		"rule": protocol.OneOf(&r, "index", "vector")})
}

// Protocol is communication-induced checkpoints.
var Protocol = protocol.Protocol{
	Name:   "induced",
	Doc:    "images that messages force before their delivery, so that none is useless [BCS]",
	Errata: recovery.Errata(own),
	Own:    own,
	Many:   true,
	Options: func(text string) error {
		_, err := read(text)
		return err
	},
	OptionDocs: []protocol.Option{{Name: "rule", Values: "index|vector",
		Doc: "what forces an image: an index above the own one, a new interval of a sender"}},
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Needs: promise.NoDeterminism, Wildcards: true, Posts: true, Overlapping: true,
		Checkpoints: protocol.OwnCheckpoints, Spontaneous: 1, Picks: true, Loops: true,
		Collectives: protocol.ExpandedCollectives,
		Settings:    []string{"at-once", "from-dead", "to-dead", "detect", "stop", "notice"},
		Variations:  []protocol.Variation{{}, {Options: "rule=vector"}},
	},
}

// setup makes the protocol for the programs of a scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	how, err := read(r.Options)
	if err != nil {
		return nil, err
	}
	c := byIndex(r)
	if how == vector {
		c = byVector(r)
	}
	r.Layout.Clusters = nil
	s, err := recovery.Setup("induced", c, r.Layout, r.Programs,
		func(rank core.Rank) core.Machine {
			return program.NewHost(rank, r.Programs[rank], func(app core.Application) core.Layer {
				return recovery.NewLayer(c, rank, app)
			})
		})
	if err != nil {
		return nil, err
	}
	s.Lines, s.Logging = "by images that messages force", "sender, every message"
	s.Undo = promise.Undoing{Orphans: true, Once: true, Maximal: how == vector,
		Indexed: how == index}
	if how == index { // an image with a higher index goes, whether it depends on a failure or not
		s.RollsBack = promise.All
	}
	return s, nil
}

// byIndex is the rule of [BCS].
func byIndex(r protocol.Request) *recovery.Config {
	return &recovery.Config{Ranks: r.Layout.Ranks, Errors: r.Errata, Rule: recovery.FirstOfIndex,
		Blocks: true,
		Stamp:  func(s *recovery.State) uint32 { return s.Index },
		Wants: func(s *recovery.State, from core.Rank, d *link.Data) bool {
			if r.Errata.Has(ownIndex) { // any image will do
				return d.Index > max(s.Index, s.Cleared.Of(from))
			}
			return d.Index > s.Index
		},
		Index: func(s *recovery.State, highest uint32) uint32 {
			if r.Errata.Has(ownIndex) && highest > 0 {
				return s.Index // Deviation: B2 gives a forced image the index of the one before
			}
			return max(s.Index+1, highest)
		},
		After: r.Errata.Has(lateImage), // Deviation: B1 delivers first, and then takes the image
	}
}

// byVector is the rule of [Monnet] for ranks that are alone: the first message of an interval of
// its sender forces an image.
func byVector(r protocol.Request) *recovery.Config {
	return &recovery.Config{Ranks: r.Layout.Ranks, Errors: r.Errata, Rule: recovery.Maximal,
		Blocks: true,
		Stamp:  func(s *recovery.State) uint32 { return s.Number + 1 },
		Wants: func(s *recovery.State, from core.Rank, d *link.Data) bool {
			return d.Index > max(s.Vector.Of(from), s.Cleared.Of(from))
		},
		Index: func(s *recovery.State, _ uint32) uint32 { return s.Number },
		After: r.Errata.Has(lateImage),
	}
}
