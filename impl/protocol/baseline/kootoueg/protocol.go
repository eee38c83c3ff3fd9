package kootoueg

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

// Protocol is Koo and Toueg's.
var Protocol = protocol.Protocol{
	Name:    "koo-toueg",
	Doc:     "checkpoints and rollbacks of those alone that depend on each other [KT]",
	Errata:  errata,
	Many:    true,
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Items: 6, MaxRanks: 4, Wildcards: true, Posts: true, Overlapping: true,
		Collectives: protocol.ExpandedCollectives, Checkpoints: protocol.OwnCheckpoints,
		Crossing: true, Spontaneous: 2, Outputs: true, Loops: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "detect", "notice", "torn"},
	},
}

// config is shared by all ranks of one setup and never changes.
type config struct {
	ranks  int
	errata core.Switches
}

func (c *config) has(e core.Switch) bool { return c.errata.Has(e) }

// setup lets each rank fail alone, whatever the clusters of the scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	layout, c := r.Layout, &config{ranks: r.Layout.Ranks, errata: r.Errata}
	layout.Clusters, layout.Labels = nil, core.Labels(r.Programs)
	layout.Roles = roles()
	s := &core.Setup{
		Protocol: "koo-toueg", Layout: layout, Programs: r.Programs,
		NewMessage: func() core.Message { return new(Message) },
		Promises: promise.Promises{Logging: "sender, until a permanent image holds the message",
			Lines:     "coordinated among those that depend on each other",
			RollsBack: promise.Dependents, Needs: promise.NoDeterminism, FIFO: true,
			Reliable: true, Outputs: promise.WithTheLine, Undo: promise.Undoing{Orphans: true},
			StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey, voidKey},
			// a tentative image may be given up, so only decisions are as many as lines
			Writes: map[string]int{snapshot.CommitKey: 1},
			Flow:   promise.Everything},
		New: func(p core.Proc) core.Machine {
			rank := core.Rank(p)
			return program.NewHost(rank, r.Programs[p], func(app core.Application) core.Layer {
				return &layer{config: c, rank: rank, app: app}
			})
		},
	}
	for p := range core.Proc(layout.Ranks) {
		s.Initiators = append(s.Initiators, p)
	}
	return s, s.Validate()
}
