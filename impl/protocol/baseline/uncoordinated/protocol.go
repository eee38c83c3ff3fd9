package uncoordinated

import (
	_ "embed" // of the texts

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/recovery"
	"github.com/domino-check/domino/spec/promise"
)

// mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var mutants string

// channels says what becomes of messages that a recovery finds on their way.
type channels uint8

const (
	logged channels = iota // who has sent them sends them again
	lossy                  // they are lost
)

// options are what a scenario may choose.
type options struct{ channels channels }

func read(text string) (o options, err error) {
	return o, protocol.ReadOptions(text, map[string]protocol.Setter{
		"channels": protocol.OneOf(&o.channels, "log", "lossy")})
}

// Protocol is independent checkpoints.
var Protocol = protocol.Protocol{
	Name:   "uncoordinated",
	Doc:    "images whenever wanted, the line is found after a failure [BL], [Wang]",
	Errata: recovery.Errata(nil),
	Many:   true,
	Options: func(text string) error {
		_, err := read(text)
		return err
	},
	OptionDocs: []protocol.Option{{Name: "channels", Values: "log|lossy",
		Doc: "messages on their way: sent again from a log, or lost, and the sender goes back"}},
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Needs: promise.NoDeterminism, Wildcards: true, Posts: true, Overlapping: true,
		Checkpoints: protocol.OwnCheckpoints, Spontaneous: 1, Picks: true, Loops: true,
		Collectives: protocol.ExpandedCollectives,
		Settings:    []string{"at-once", "from-dead", "to-dead", "detect", "stop", "notice"},
		Variations:  []protocol.Variation{{}, {Options: "channels=lossy"}},
	},
}

// setup makes the protocol for the programs of a scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	o, err := read(r.Options)
	if err != nil {
		return nil, err
	}
	c := &recovery.Config{Ranks: r.Layout.Ranks, Errors: r.Errata, Rule: recovery.Maximal,
		NoLog: o.channels == lossy,
		Stamp: func(s *recovery.State) uint32 { return s.Number + 1 },
		Index: func(*recovery.State, uint32) uint32 { return 0 }}
	if c.NoLog {
		c.Rule = recovery.Strict
	}
	r.Layout.Clusters = nil
	s, err := recovery.Setup("uncoordinated", c, r.Layout, r.Programs,
		func(rank core.Rank) core.Machine {
			return program.NewHost(rank, r.Programs[rank], func(app core.Application) core.Layer {
				return recovery.NewLayer(c, rank, app)
			})
		})
	if err != nil {
		return nil, err
	}
	s.Lines = "found after a failure"
	if !c.NoLog {
		s.Logging = "sender, every message"
	}
	s.Undo = promise.Undoing{Orphans: true, Once: true, Maximal: !c.NoLog, Domino: true}
	if c.NoLog { // who has sent what would be lost depends on nothing, and goes back all the same
		s.RollsBack = promise.All
	}
	return s, nil
}
