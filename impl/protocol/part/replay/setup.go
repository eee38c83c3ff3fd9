package replay

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// config is shared by the ranks of one setup and never changes.
type config struct {
	Rules
	ranks   int
	groups  []int         // by rank
	members [][]core.Rank // by group, ascending
	picks   bool          // some program lets the environment choose, which nobody records
	// the ranks outside its group that a rank tells that it has restarted
	greeted func(core.Rank) []core.Rank
	wiring  *snapshot.Wiring // of many ranks: the channels in a group that are marked
}

func (c *config) has(b Break) bool              { return c.Breaks.has(b) }
func (c *config) same(a, b core.Rank) bool      { return c.groups[a] == c.groups[b] }
func (c *config) mates(r core.Rank) []core.Rank { return c.members[c.groups[r]] }

// recording reports whether there are determinants. Where all ranks are one group nobody can have
// seen what is lost.
func (c *config) recording() bool { return c.Gate != NoGate && len(c.members) > 1 }

// together reports whether there is a group of several ranks.
func (c *config) together() bool { return len(c.members) < c.ranks }

// newConfig reads the groups.
func newConfig(layout *trace.Layout, rules Rules) (*config, error) {
	c := &config{Rules: rules, ranks: layout.Ranks, groups: layout.Clusters}
	if c.groups == nil {
		for r := range c.ranks {
			c.groups = append(c.groups, r)
		}
	}
	if len(c.groups) != c.ranks {
		return nil, fmt.Errorf("%s: %d ranks, but %d have a cluster", c.Protocol, c.ranks,
			len(c.groups))
	}
	for r, k := range c.groups {
		if k < 0 || k >= c.ranks {
			return nil, fmt.Errorf("%s: rank %d is in cluster %d, want a number in [0, %d)",
				c.Protocol, r, k, c.ranks)
		}
		for len(c.members) <= k {
			c.members = append(c.members, nil)
		}
		c.members[k] = append(c.members[k], core.Rank(r))
	}
	for k, ranks := range c.members {
		if len(ranks) == 0 {
			return nil, fmt.Errorf("%s: cluster %d has no rank", c.Protocol, k)
		}
	}
	if c.Alone && c.together() {
		return nil, fmt.Errorf("%s: every rank restarts alone, so no cluster has several ranks: "+
			"leave the clusters out", c.Protocol)
	}
	return c, nil
}

// NewSetup prepares a protocol of the given rules for the programs, with Layout.Clusters[r] the
// group of rank r; without them each rank is a group. What it promises beside what follows from the
// rules is for the protocol to set.
func NewSetup(layout trace.Layout, programs []core.Program, rules Rules) (*core.Setup, error) {
	c, err := newConfig(&layout, rules)
	if err != nil {
		return nil, err
	}
	c.picks = slices.ContainsFunc(programs, core.Program.Picks)
	layout.Labels, layout.Kinds = core.Labels(programs), snapshot.Kinds()
	layout.Roles = roles()
	setup := &core.Setup{
		Protocol: rules.Protocol, Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		Promises:   c.promises(),
	}
	if err := setup.Validate(); err != nil {
		return nil, err
	}
	if c.greeted, err = rules.Greeted(programs, c.same); err != nil {
		return nil, err
	}
	if c.wiring, err = snapshot.Beyond(rules.few(), programs, c.members); err != nil {
		return nil, err
	}
	setup.Layout.Groups = map[core.Proc][]core.Proc{}
	for _, ranks := range c.members {
		var group []core.Proc
		for _, r := range ranks {
			group = append(group, r.Proc())
		}
		for _, p := range group {
			setup.Layout.Groups[p] = group
		}
		setup.Initiators = append(setup.Initiators, group[0])
	}
	setup.New = func(p core.Proc) core.Machine {
		rank := core.Rank(p)
		return program.NewHost(rank, programs[rank], func(app core.Application) core.Layer {
			return &layer{config: c, rank: rank, app: app}
		}).PostsWait()
	}
	setup.Reads = func(p core.Proc) []core.Proc {
		if c.Gate == Border && c.recording() {
			return slices.Clone(setup.Layout.Groups[p])
		}
		return snapshot.Reads(c.mates(core.Rank(p))[0].Proc(), p)
	}
	return setup, nil
}

// promises are what follows from the rules.
func (c *config) promises() promise.Promises {
	p := promise.Promises{
		Logging: "sender, between groups", Lines: "coordinated in each group",
		RollsBack: promise.Cluster, Needs: promise.Piecewise, PostsWait: true,
		FIFO: c.together(), Reliable: true, LogsOutside: true, Symmetric: true,
		StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey}, Writes: snapshot.Writes(),
		Flow: promise.EvenInLines,
		// of mates markers and the notices of two phases, of the others what a line covers
		Traffic: promise.Traffic{Promised: true, Line: 2},
		// With Border a restarted mate writes determinants that the restart of another one reads.
		RestartTogether: c.Gate != Border || !c.together() || !c.recording(),
	}
	if !c.together() {
		p.RollsBack, p.Logging, p.Lines = promise.FailedOnly, "sender", "each rank alone"
	}
	if c.Rules.Style == snapshot.Blocking && c.together() {
		p.Flow = promise.Receives
	}
	if c.recording() {
		p.StableKeys = append(p.StableKeys, DetKey)
		p.Flow, p.Outputs = promise.Receives, promise.WhenStable
	}
	return p
}
