package monnet

import (
	_ "embed" // of the texts
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/recovery"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
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

var own = core.MustErrata(recovery.InsideRounds, entries)

// Protocol is the hierarchical protocol of [Monnet].
var Protocol = protocol.Protocol{
	Name:    "monnet",
	Doc:     "coordinated in groups, induced by messages between them, a log there [Monnet]",
	Errata:  recovery.Errata(own),
	Own:     own,
	Many:    true,
	Setup:   setup,
	Mutants: mutants,
	Shapes: &protocol.Shapes{
		Needs: promise.NoDeterminism, Wildcards: true, Posts: true, Overlapping: true,
		Clusters: protocol.AnyClusters, Checkpoints: protocol.OwnCheckpoints, Spontaneous: 1,
		Picks: true, Loops: true, Collectives: protocol.ExpandedCollectives,
		Settings: []string{"at-once", "from-dead", "to-dead", "detect", "notice"},
	},
	Perf: protocol.Perf{Clustered: func(string) bool { return true }},
}

// setup makes the protocol for the programs of a scenario.
func setup(r protocol.Request) (*core.Setup, error) {
	mates, err := members(&r.Layout)
	if err != nil {
		return nil, err
	}
	var groups [][]core.Rank
	for r, group := range mates {
		if group[0] == core.Rank(r) {
			groups = append(groups, group)
		}
	}
	wiring, err := snapshot.Beyond(core.MaxSearched, r.Programs, groups)
	if err != nil {
		return nil, fmt.Errorf("monnet: %w", err)
	}
	c := &recovery.Config{Ranks: r.Layout.Ranks, Mates: mates, Errors: r.Errata,
		Rule: recovery.Grouped(mates), Blocks: true, Wiring: wiring,
		Stamp: (*recovery.State).Interval,
		Wants: func(s *recovery.State, from core.Rank, d *link.Data) bool {
			return d.Index > max(s.Vector.Of(from), s.Cleared.Of(from))
		},
		Index: func(s *recovery.State, _ uint32) uint32 { return s.Number }}
	s, err := recovery.Setup("monnet", c, r.Layout, r.Programs,
		func(rank core.Rank) core.Machine {
			return program.NewHost(rank, r.Programs[rank], func(app core.Application) core.Layer {
				return recovery.NewLayer(c, rank, app)
			})
		})
	if err != nil {
		return nil, err
	}
	s.Lines = "coordinated in each group, by images that messages force between them"
	s.Logging, s.LogsOutside = "sender, between groups", true
	s.Undo = promise.Undoing{Orphans: true, Once: true, Maximal: true}
	if slices.ContainsFunc(mates, func(group []core.Rank) bool { return len(group) > 1 }) {
		// A member goes back with its group, when it could stay alone: 1. a of the group {a, b}
		// sends, 2. b receives from c, which fails and loses that send, 3. b goes back, and a with
		// it. So the line is maximal among those that hold groups together, and not rank by rank.
		s.Undo.Maximal, s.RollsBack = false, promise.All
	}
	return s, nil
}

// members are the groups of all ranks: the clusters of the scenario; without any, each is alone.
func members(layout *core.Layout) ([][]core.Rank, error) {
	mates := make([][]core.Rank, layout.Ranks)
	if len(layout.Clusters) == 0 {
		for r := range mates {
			mates[r] = []core.Rank{core.Rank(r)}
		}
		return mates, nil
	}
	if len(layout.Clusters) != layout.Ranks {
		return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf(
			"monnet: %d ranks, but %d have a group", layout.Ranks, len(layout.Clusters))}
	}
	groups := map[int][]core.Rank{}
	for r, k := range layout.Clusters {
		if k < 0 {
			return nil, &core.ChoiceError{Key: "clusters",
				Err: errors.New("monnet: a group has a negative number")}
		}
		groups[k] = append(groups[k], core.Rank(r))
	}
	for r, k := range layout.Clusters {
		mates[r] = groups[k]
	}
	return mates, nil
}
