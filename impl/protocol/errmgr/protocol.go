package errmgr

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/impl/protocol/errmgr/replicated"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// usual is the stack of a scenario that names none.
const usual = "autor"

// Protocol is the composite with the policies of the house.
var Protocol = WithPolicies()

// WithPolicies is the composite with policies of somebody else's beside those of the house, for
// stacks to name.
func WithPolicies(more ...policy.Maker) protocol.Protocol {
	makers := append(policy.House(), more...)
	p := protocol.Protocol{
		Name: "errmgr",
		Dense: "each daemon has the places of all ranks, and each rank the life of every other " +
			"one, as snapshots are of the whole job",
		Doc:    "composable recovery policies over stable storage of snapshots [ErrMgr]",
		Errata: Errata(),
		Options: func(text string) error {
			_, err := ParseOptions(text)
			return err
		},
		OptionDocs: optionDocs,
		Policies: func(text string) error {
			_, err := policy.Parse(text, makers)
			return err
		},
		Mutants:     mutants,
		Shapes:      shapes(),
		Collectives: true,
		Errors:      true,
		Setup:       func(r protocol.Request) (*core.Setup, error) { return setupOf(r, makers) },
		Perf:        protocol.Perf{Colour: 0},
	}
	for _, m := range makers {
		p.PolicyDocs = append(p.PolicyDocs, protocol.Option{Name: m.Name, Doc: m.Doc})
	}
	return p
}

// setupOf is the composite that a scenario asks for.
func setupOf(r protocol.Request, makers []policy.Maker) (*core.Setup, error) {
	o, err := ParseOptions(r.Options)
	if err != nil {
		return nil, err
	}
	if r.Policies == "" {
		r.Policies = usual
	}
	c, err := newConfig(o, r.Errata, r.Policies, r.Layout.Ranks, r.Layout.Clusters, makers...)
	if err != nil {
		return nil, err
	}
	s, err := c.setup(r.Layout, r.Programs)
	if err != nil || o.Heads == 1 {
		return s, err
	}
	return replicated.Setup(s, replicated.Options{Service: c.head, Replicas: o.Heads})
}

// setup is the composite for programs.
func (c *config) setup(layout trace.Layout, programs []core.Program) (*core.Setup, error) {
	layout.Labels, layout.Roles = core.Labels(programs), roles()
	layout.Collectives = core.Collectives(programs, layout.Trees)
	c.trees = layout.Trees
	if err := c.layout(&layout); err != nil {
		return nil, err
	}
	s := &core.Setup{
		Protocol: "errmgr", Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		New:        func(p core.Proc) core.Machine { return c.machine(p, programs) },
		Launched:   true,
		Promises:   c.promises(),
	}
	s.Watchers, s.Initiators = []core.Proc{c.head}, []core.Proc{c.head}
	for r := range core.Proc(c.ranks) {
		if c.Peers {
			s.Watchers = append(s.Watchers, r)
		}
	}
	for p := c.node(c.all()); int(p) < len(layout.Names); p++ {
		s.Spared, s.Certain = append(s.Spared, p), append(s.Certain, p)
	}
	for k := range c.all() {
		s.Local, s.Certain = append(s.Local, c.node(k)), append(s.Certain, c.node(k))
	}
	if err := c.repeats(s); err != nil {
		return nil, err
	}
	return s, s.Validate()
}

// machine makes the machine of a proc.
func (c *config) machine(p core.Proc, programs []core.Program) core.Machine {
	switch {
	case c.isRank(p):
		return newRank(c, core.Rank(p), programs[p])
	case c.isNode(p):
		return &daemon{config: c, self: p}
	case p == c.head:
		return newHead(c)
	case p == c.store:
		return &store{config: c}
	}
	return newOracle(c)
}

// promises are those of the composite with its options and policies.
func (c *config) promises() promise.Promises {
	p := promise.Promises{FIFO: true, Reliable: true, Recovers: true, PostsWait: true,
		Lines: "coordinated", Damage: -1, Full: -1, Suspicions: -1,
		StableKeys: []string{"file/", "snap/", movePrefix, recordSeq, recordRuling, recordMove,
			recordAbort, recordDrained},
		Snapshots: promise.Storage{Promised: true, Copying: c.Flow, Cache: c.Cache}}
	p.Policies = c.stack.Promises(c.makers)
	if p.Has(promise.RestoresAll) {
		p.RollsBack = promise.All
	}
	if c.logs {
		p.Logging, p.Needs = "at the sender", promise.Deterministic
	}
	if c.Store == sstore.Central {
		p.Snapshots.Copying = 0
	}
	if c.Store == sstore.Peers {
		p.Snapshots.Replicas = c.Copies
		if c.Domains != nil {
			p.Snapshots.Domains = make([]int, c.first)
			p.Snapshots.Domains = append(p.Snapshots.Domains, c.Domains...)
		}
	}
	return p
}
