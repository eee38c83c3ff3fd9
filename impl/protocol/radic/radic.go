package radic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// config is shared by the procs of one setup and never changes.
type config struct {
	Options
	ranks  int
	stored bool      // the protocol below has no loggers, so there are vaults in their place
	nodes  int       // active nodes at the start
	first  core.Proc // of the nodes: active ones, then spares, then those that join later
	origin []int     // node of each rank at the start
}

func (c *config) has(e Erratum) bool { return c.Errata.Has(e) }

func (c *config) node(k int) core.Proc         { return c.first + core.Proc(k) }
func (c *config) logger(r core.Rank) core.Proc { return core.Proc(c.ranks) + core.Proc(r) }
func (c *config) all() int                     { return c.nodes + c.Spares }
func (c *config) index(p core.Proc) int        { return int(p) - int(c.first) }
func (c *config) isActive(p core.Proc) bool    { return p >= c.first && c.index(p) < c.nodes }

// step is the k-th node behind another one in the direction in which protection goes.
func (c *config) step(from, k int) int {
	if c.Backwards {
		k = -k
	}
	return ((from+k)%c.nodes + c.nodes) % c.nodes
}

// NewSetup puts the control plane over a logging protocol whose procs are the ranks and one logger
// for each, in this order, or the ranks alone: then it keeps their images. nodes[r] is the node of
// rank r at the start, from 0; nil gives every rank a node of its own.
func NewSetup(inner *core.Setup, nodes []int, options Options) (*core.Setup, error) {
	if err := options.validate(); err != nil {
		return nil, &core.ChoiceError{Key: "options", Err: err}
	}
	c := &config{Options: options, ranks: inner.Layout.Ranks, origin: slices.Clone(nodes)}
	c.first = core.Proc(2 * c.ranks)
	switch n := len(inner.Layout.Names); {
	case n == c.ranks && !inner.Promises.KeepsLines:
		c.stored = true
	case n != 2*c.ranks || !inner.Promises.KeepsLines:
		return nil,
			fmt.Errorf("radic: protocol %s has neither a logger for each rank nor none at all",
				inner.Protocol)
	}
	if c.stored && options.Zombies {
		return nil, &core.ChoiceError{Key: "options",
			Err: fmt.Errorf("radic: protocol %s has no loggers, so zombies=yes is not supported; "+
				"the nearest that it can carry: zombies=no, or RBML or HMPL on the same nodes",
				inner.Protocol)}
	}
	if c.origin == nil {
		for r := range c.ranks {
			c.origin = append(c.origin, r)
		}
	}
	if options.Nodes > 0 {
		for r := range c.ranks {
			c.origin[r] = r * options.Nodes / c.ranks
		}
	}
	c.nodes = max(options.Nodes, slices.Max(c.origin)+1)
	if c.nodes < 3 {
		return nil, &core.ChoiceError{Key: "clusters",
			Err: fmt.Errorf("radic: NeedThreeNodes: %d nodes, want at least 3: with two, the only "+
				"survivor would protect itself; the nearest that it can carry: options nodes=3",
				c.nodes)}
	}
	if options.Leaves > c.nodes {
		return nil, &core.ChoiceError{Key: "options",
			Err: fmt.Errorf("radic: node %d is to leave, and there are %d", options.Leaves,
				c.nodes)}
	}
	s := *inner
	s.Protocol = "radic-" + inner.Protocol
	s.Watchers, s.Watchdogs, s.Saves = nil, true, true
	if err := c.promises(&s, inner); err != nil {
		return nil, err
	}
	s.NewMessage = func() core.Message { return &Message{spare: inner.NewMessage()} }
	s.New = c.machine(inner)
	if err := c.layout(&s, inner); err != nil {
		return nil, err
	}
	return &s, s.Validate()
}

// machine makes the machine of each proc.
func (c *config) machine(inner *core.Setup) func(core.Proc) core.Machine {
	return func(p core.Proc) core.Machine {
		below := carrier{config: c, self: p, newMessage: inner.NewMessage,
			fresh: func() core.Machine {
				return inner.New(p)
			}}
		switch {
		case int(p) < c.ranks:
			below.inner = inner.New(p)
			if c.stored {
				below.inner = &stored{config: c, rank: core.Rank(p), inner: below.inner,
					newMessage: inner.NewMessage}
			}
			o := &observer{carrier: below}
			if c.Zombies {
				o.zombie = inner.New(p)
			}
			return o
		case p < c.first && c.stored:
			return &vault{owner: core.Rank(int(p) - c.ranks)}
		case p < c.first:
			below.inner = inner.New(p)
			return &below
		}
		return &node{config: c, self: p}
	}
}

// layout says who runs where and who is a spare.
func (c *config) layout(s, inner *core.Setup) error {
	l := &s.Layout
	l.Names = slices.Clone(inner.Layout.Names)
	if c.stored {
		for r := range c.ranks {
			name := "V" + inner.Layout.Names[r]
			if slices.Contains(inner.Layout.Names, name) {
				return &core.ChoiceError{Key: "-- program --",
					Err: fmt.Errorf(
						"radic: a rank is called %s, which is the name of the vault of %s", name,
						inner.Layout.Names[r])}
			}
			l.Names = append(l.Names, name)
		}
	}
	l.Hosted, l.Groups = map[core.Proc]bool{}, nil
	l.Nodes, l.Spares, l.Late, l.Leaving, l.Room = nil, nil, nil, nil, c.Capacity
	if c.Leaves > 0 {
		l.Leaving = append(l.Leaving, c.node(c.Leaves-1))
	}
	l.Roles = roles(inner.Layout.Roles)
	l.Kinds = map[string]trace.Meaning{kindNames[WhereIs]: trace.Question,
		basicProtection: trace.Shares, entered: trace.Enters, leaving: trace.Leaves}
	for _, k := range c.origin {
		l.Nodes = append(l.Nodes, c.node(k))
	}
	for p := range c.first {
		l.Hosted[p] = true
	}
	for k := range c.all() + c.Joins {
		p, name := c.node(k), fmt.Sprintf("N%d", k+1)
		if k >= c.nodes {
			name = fmt.Sprintf("S%d", k-c.nodes+1)
			l.Spares = append(l.Spares, p)
		}
		if k >= c.all() {
			name = fmt.Sprintf("J%d", k-c.all()+1)
			l.Late = append(l.Late, p)
		}
		if slices.Contains(l.Names, name) {
			return &core.ChoiceError{Key: "-- program --",
				Err: fmt.Errorf("radic: a rank or logger is called %s, which is the name of a node",
					name)}
		}
		l.Names = append(l.Names, name)
		if !c.Rejoin {
			l.Hosted[p] = false // nobody adopts a node: it is gone for good
		}
	}
	return nil
}

// table is the RADICTable at the start: the protector of a node is the next one in the direction of
// the ring.
func (c *config) table() []Row {
	var rows []Row
	for r, k := range c.origin {
		rows = append(rows, Row{Rank: core.Rank(r), Host: c.node(k),
			Protector: c.node(c.step(k, 1))})
	}
	return rows
}

// plus is a sorted list with one more element, minus one with one less. Neither changes the list
// that it is given.
func plus(list []core.Proc, p core.Proc) []core.Proc {
	i, found := slices.BinarySearch(list, p)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, p)
}

func minus(list []core.Proc, p core.Proc) []core.Proc {
	return slices.DeleteFunc(slices.Clone(list), func(q core.Proc) bool { return q == p })
}
