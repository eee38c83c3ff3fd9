package manetho

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

// keep says who remembers determinants.
type keep uint8

const (
	store  keep = iota // stable storage, and until it does whoever depends on them
	family             // f+1 teams
)

// ranks is a set of ranks below maxRanks.
type ranks uint64

// maxRanks is the largest number of ranks: a set of them is one word.
const maxRanks = 64

func only(r core.Rank) ranks         { return 1 << r }
func (s ranks) has(r core.Rank) bool { return s&only(r) != 0 }

// config is shared by the ranks of one setup and never changes.
type config struct {
	ranks int
	keep  keep
	// determinants travel while at most so many teams are known to hold them; all of them when they
	// become stable
	f       int
	errata  core.Switches
	members [][]core.Rank // of the team of each rank, ascending
	teams   []ranks       // each once
}

func (c *config) has(e core.Switch) bool { return c.errata.Has(e) }

// mates reports whether two ranks fail together.
func (c *config) mates(a, b core.Rank) bool { return c.members[a][0] == c.members[b][0] }

// alone reports whether everybody fails together: nobody is left who could depend on anything.
func (c *config) alone() bool { return len(c.teams) == 1 }

// count is how many teams have a rank in the set: what a team holds several times it loses at once.
func (c *config) count(s ranks) (n int) {
	if len(c.teams) == c.ranks || c.has(MN8) {
		return bits.OnesCount64(uint64(s)) // Deviation: MN8 counts ranks
	}
	for _, t := range c.teams {
		if s&t != 0 {
			n++
		}
	}
	return n
}

// options are what a scenario may say.
type options struct {
	keep keep
	f    int // 0 where it says nothing
}

func readOptions(text string) (o options, err error) {
	err = protocol.ReadOptions(text, map[string]protocol.Setter{
		"keep": protocol.OneOf(&o.keep, "store", "family"),
		"f":    protocol.Between(&o.f, 1, maxRanks-1)})
	if err == nil && o.f > 0 && o.keep != family {
		err = fmt.Errorf("option f=%d: any number of failures is survived with the store, want "+
			"keep=family with it", o.f)
	}
	return o, err
}

// readTeams is readOptions without stable storage, which teams do not need here.
func readTeams(text string) (o options, err error) {
	o.keep = family
	err = protocol.ReadOptions(text, map[string]protocol.Setter{
		"f": protocol.Between(&o.f, 1, maxRanks-1)})
	return o, err
}

// newConfig reads the teams, and refuses what the protocol can not run.
func newConfig(name string, r *protocol.Request, o options, teams bool) (*config, error) {
	n := len(r.Programs)
	if n > maxRanks {
		return nil, blame("program", "%s: %d ranks, at most %d are supported", name, n, maxRanks)
	}
	key := "options"
	if r.Tolerates != nil && o.keep == family {
		if key = "tolerates"; o.f > 0 && o.f != *r.Tolerates || *r.Tolerates < 1 {
			return nil, blame(key, "%s: tolerates %d failures at a time, want at least 1, and "+
				"what option f=N says if it is there", name, *r.Tolerates)
		}
		o.f = *r.Tolerates
	}
	c := &config{ranks: n, keep: o.keep, f: o.f, errata: r.Errata, members: make([][]core.Rank, n)}
	clusters := r.Layout.Clusters
	if len(clusters) > 0 && len(clusters) != n {
		return nil, blame("clusters", "%s: %d ranks, but %d have a team", name, n, len(clusters))
	}
	for p := range core.Rank(n) {
		first := p
		if len(clusters) > 0 {
			first = core.Rank(slices.Index(clusters, clusters[p]))
		}
		if first == p {
			c.teams = append(c.teams, 0)
		} else if !teams {
			return nil, blame("clusters",
				"%s: ranks %s and %s share a cluster, but each rank rolls back alone: "+
					"causal-teams has teams", name, r.Layout.Names[first], r.Layout.Names[p])
		}
		c.members[first] = append(c.members[first], p)
	}
	for i, k := 0, core.Rank(0); k < core.Rank(n); k++ {
		list := c.members[k]
		if len(list) == 0 || list[0] != k {
			continue
		}
		for _, p := range list {
			c.members[p] = list
			c.teams[i] |= only(p)
		}
		i++
	}
	return c, c.bound(name, key)
}

// bound sets how many failures at a time are survived; the key is who asked for that.
func (c *config) bound(name, key string) error {
	switch most := len(c.teams) - 1; {
	case c.keep == store:
		c.f = c.ranks // nobody counts: it is stable, or travels
	case c.f > most:
		return blame(key, "%s: f=%d failures at a time: want at most %d with %d ranks or teams "+
			"that fail apart: f+1 of them hold each determinant", name, c.f, most, most+1)
	case c.f == 0:
		c.f = min(1, most)
	}
	return nil
}

func blame(key string, format string, args ...any) error {
	return &core.ChoiceError{Key: key, Err: fmt.Errorf(format, args...)}
}

// setup prepares the protocol for the programs.
func setup(name string, r protocol.Request, o options, teams bool) (*core.Setup, error) {
	s := &core.Setup{Protocol: name, Layout: r.Layout, Programs: r.Programs}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	c, err := newConfig(name, &r, o, teams)
	if err != nil {
		return nil, err
	}
	s.Layout.Labels, s.Layout.Kinds = core.Labels(r.Programs), snapshot.Kinds()
	s.Layout.Roles = roles()
	s.Layout.Groups = map[core.Proc][]core.Proc{}
	for p := range core.Rank(c.ranks) {
		group := make([]core.Proc, 0, len(c.members[p]))
		for _, q := range c.members[p] {
			group = append(group, q.Proc())
		}
		s.Layout.Groups[p.Proc()] = group
		if c.members[p][0] == p {
			s.Initiators = append(s.Initiators, p.Proc())
		}
	}
	s.NewMessage = func() core.Message { return new(Message) }
	s.Promises = c.promises(teams)
	s.New = func(p core.Proc) core.Machine {
		rank := core.Rank(p)
		return program.NewHost(rank, r.Programs[rank], func(app core.Application) core.Layer {
			return &layer{config: c, rank: rank, app: app}
		}).PostsWait()
	}
	s.Reads = func(p core.Proc) []core.Proc {
		return snapshot.Reads(c.members[p][0].Proc(), p)
	}
	return s, s.Validate()
}

// promises is what the protocol says of itself.
func (c *config) promises(teams bool) promise.Promises {
	p := promise.Promises{Logging: "causal, sender", Lines: "each rank alone",
		RollsBack: promise.FailedOnly, Needs: promise.Piecewise, PostsWait: true, FIFO: true,
		Reliable: true, Recovers: true, Holders: !c.alone(), Suspicions: -1,
		StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey}, Writes: snapshot.Writes(),
		Flow: promise.EvenInLines,
		// a line: the others hear of it
		Traffic: promise.Traffic{Promised: true, Line: 1}}
	if teams {
		p.Logging, p.Lines = "causal, sender, between teams", "coordinated in each team"
		p.RollsBack, p.LogsOutside, p.RestartTogether = promise.Cluster, true, true
		p.Traffic.Line = 3 // markers and notices in the team as well
	}
	switch {
	case c.keep == store:
		p.StableKeys = append(p.StableKeys, storeKey)
		p.Flow = promise.NamedSends // an output waits for the store
		p.Outputs = promise.WhenStable
	case len(c.teams) > 1:
		p.MaxFailures = c.f
	}
	return p
}
