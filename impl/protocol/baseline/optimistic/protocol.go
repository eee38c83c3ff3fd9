package optimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

// Protocol is optimistic message logging: each rank is a unit.
var Protocol = protocol.Protocol{
	Name:   "optimistic",
	Dense:  dense,
	Doc:    "receptions logged without waiting, dependency vectors, an end table [SY] [DG]",
	Errata: flat,
	Setup: func(r protocol.Request) (*core.Setup, error) {
		c, err := newConfig("optimistic", &r)
		if err == nil && len(c.members) < c.ranks {
			err = &core.ChoiceError{Key: "clusters", Err: fmt.Errorf("optimistic: every rank is " +
				"a unit of its own; vaidya has units of several ranks")}
		}
		if err != nil {
			return nil, err
		}
		return setup("optimistic", r)
	},
	Mutants: mutants,
	Shapes:  shapes(),
}

// Vaidya is the same over units of several ranks.
var Vaidya = protocol.Protocol{
	Name:    "vaidya",
	Dense:   dense,
	Doc:     "coordinated checkpoints in clusters, optimistic logging between them [Vaidya]",
	Errata:  errata,
	Own:     between,
	Setup:   func(r protocol.Request) (*core.Setup, error) { return setup("vaidya", r) },
	Mutants: unitMutants,
	Shapes: func() *protocol.Shapes {
		s := shapes()
		s.Clusters = protocol.AnyClusters
		return s
	}(),
}

// dense is what [SY] and [DG] have about all ranks: by way of others, a rank soon depends on each.
const dense = "each message has the interval of every rank on which its sender depends, and each " +
	"rank the ends of all, as published"

// shapes are the random scenarios that fit.
func shapes() *protocol.Shapes {
	return &protocol.Shapes{
		Items: 6, MaxRanks: 3, Needs: promise.Piecewise, Wildcards: true, Posts: true,
		Collectives: protocol.ExpandedCollectives, Checkpoints: protocol.OwnCheckpoints,
		Spontaneous: 1, Outputs: true, Loops: true,
		Settings: []string{"at-once", "from-dead", "to-dead", "detect", "stop", "notice", "torn"},
	}
}

// config is shared by all ranks of one setup and never changes.
type config struct {
	ranks   int
	units   []int         // by rank
	members [][]core.Rank // by unit, ascending
	outputs bool          // programs have some, which ask for what is stable
	errata  core.Switches
}

func (c *config) has(e core.Switch) bool { return c.errata.Has(e) }

// alone reports whether there is one unit: nobody is outside, who could depend on what is lost, so
// nothing is logged.
func (c *config) alone() bool { return len(c.members) == 1 }

// fetches reports whether a unit has several members, which have to agree on the line before they
// can load its images.
func (c *config) fetches() bool { return len(c.members) < c.ranks && !c.alone() }

// newConfig reads the units; where nothing is said, each rank is one.
func newConfig(name string, r *protocol.Request) (*config, error) {
	c := &config{ranks: r.Layout.Ranks, units: r.Layout.Clusters, errata: r.Errata}
	if c.units == nil {
		for q := range c.ranks {
			c.units = append(c.units, q)
		}
	}
	if len(c.units) != c.ranks {
		return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf(
			"%s: %d ranks, but %d have a cluster", name, c.ranks, len(c.units))}
	}
	for q, k := range c.units {
		if k < 0 || k >= c.ranks {
			return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf(
				"%s: rank %d is in cluster %d, want a number in [0, %d)", name, q, k, c.ranks)}
		}
		for len(c.members) <= k {
			c.members = append(c.members, nil)
		}
		c.members[k] = append(c.members[k], core.Rank(q))
	}
	for k, ranks := range c.members {
		if len(ranks) == 0 {
			return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf(
				"%s: cluster %d has no rank", name, k)}
		}
	}
	for _, p := range r.Programs {
		c.outputs = c.outputs ||
			slices.ContainsFunc(p, func(op core.Op) bool { return op.Kind == core.OpOutput })
	}
	return c, nil
}

// setup prepares the programs.
func setup(name string, r protocol.Request) (*core.Setup, error) {
	c, err := newConfig(name, &r)
	if err != nil {
		return nil, err
	}
	layout := r.Layout
	layout.Clusters, layout.Labels = c.units, core.Labels(r.Programs)
	layout.Kinds, layout.Roles = snapshot.Kinds(), roles()
	layout.Groups = map[core.Proc][]core.Proc{}
	s := &core.Setup{
		Protocol: name, Layout: layout, Programs: r.Programs,
		NewMessage: func() core.Message { return new(Message) },
		Reads: func(p core.Proc) []core.Proc {
			return snapshot.Reads(c.members[c.units[p]][0].Proc(), p)
		},
		New: func(p core.Proc) core.Machine {
			return program.NewHost(core.Rank(p), r.Programs[p],
				func(app core.Application) core.Layer {
					return &layer{config: c, rank: core.Rank(p), app: app}
				}).PostsWait()
		},
		Promises: c.promises(),
	}
	for _, ranks := range c.members {
		group := make([]core.Proc, len(ranks))
		for i, q := range ranks {
			group[i] = q.Proc()
		}
		if c.alone() { // all go back when one has failed, as it is in the model
			for _, p := range group {
				layout.Groups[p] = group
			}
		}
		s.Initiators = append(s.Initiators, group[0])
	}
	return s, s.Validate()
}

// promises are what the protocol says of itself.
func (c *config) promises() promise.Promises {
	p := promise.Promises{
		Needs: promise.Piecewise, PostsWait: true, FIFO: true, Reliable: true,
		Lines:  "coordinated in each unit",
		Writes: snapshot.Writes(), Flow: promise.EvenInLines,
		StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey},
	}
	if c.alone() {
		p.RollsBack, p.RestartTogether = promise.Cluster, true
		p.Outputs, p.Traffic = promise.WithTheLine, promise.Traffic{Promised: true, Line: 2}
		return p
	}
	p.RollsBack, p.Outputs = promise.Dependents, promise.WhenStable
	p.Undo = promise.Undoing{Orphans: true, Once: true}
	p.Logging = "sender, between units; receptions at the receiver, without waiting"
	p.StableKeys = append(p.StableKeys, logKey, endsKey)
	p.Writes[endsKey] = 0
	p.Fetches = c.fetches()
	if !c.outputs {
		// a line: in the unit markers and the notices of two phases, of everybody else what is
		// stable, asked and answered, and what the line covers
		p.Traffic = promise.Traffic{Promised: true, Line: 5}
	}
	return p
}
