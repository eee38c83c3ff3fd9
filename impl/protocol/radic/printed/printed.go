package printed

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	pessimistic "github.com/domino-check/domino/impl/protocol/pessimistic/printed"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/spec/trace"
)

// The forms, by the logging protocol below, which is the printed one, too.
var (
	RBML = over(pessimistic.RBML)
	HMPL = over(pessimistic.HMPL)
)

// Beside are the repaired protocols with the printed forms of each. The thesis has no SBML on
// RADIC.
func Beside(list []protocol.Protocol) []protocol.Protocol {
	forms := map[string]protocol.Printed{"radic-rbml": RBML, "radic-hmpl": HMPL}
	for i := range list {
		if f, ok := forms[list[i].Name]; ok {
			list[i] = list[i].PrintedAs(f)
		}
	}
	return list
}

func over(below protocol.Printed) protocol.Printed {
	return protocol.Printed{Variant: "published",
		Paper: "[RADIC] sections 2.3 and 6.2.1, over " + below.Paper,
		Setup: func(r protocol.Request) (*core.Setup, error) { return setup(below, r) }}
}

// config is shared by the procs of one setup and never changes.
type config struct {
	radic.Options
	ranks  int
	nodes  int       // active nodes
	first  core.Proc // of the nodes: active ones, then spares
	origin []int     // node of each rank at the start
}

func (c *config) node(k int) core.Proc         { return c.first + core.Proc(k) }
func (c *config) logger(r core.Rank) core.Proc { return core.Proc(c.ranks) + core.Proc(r) }

// after is the k-th node behind another one in the direction in which protection goes: "each
// observer sets his protector as the next logical node, and the last node sets the first one as its
// protector" (2.3.4). In Figs. 2.8 and 6.1 it is the one before: ring=-1.
func (c *config) after(p core.Proc, k int) core.Proc {
	if c.Backwards {
		k = -k
	}
	return c.node(((int(p-c.first)+k)%c.nodes + c.nodes) % c.nodes)
}

// next is the protector of a node, without those that are known to be dead, and without one more:
// "all processes use the same initial data and apply the same deterministic algorithm to update the
// RADICTable" (2.3.4). 0: there is none.
func (c *config) next(p core.Proc, dead []core.Proc, but core.Proc) core.Proc {
	if int(p-c.first) >= c.nodes { // a spare is in no ring: the algorithm begins with the first one
		p = c.after(c.first, -1)
	}
	for k := 1; k <= c.nodes; k++ {
		if q := c.after(p, k); q != but && !slices.Contains(dead, q) {
			return q
		}
	}
	return 0
}

// table is the RADICTable at the start.
func (c *config) table() (rows []Row) {
	for r, k := range c.origin {
		rows = append(rows, Row{Rank: core.Rank(r), Host: c.node(k),
			Protector: c.after(c.node(k), 1)})
	}
	return rows
}

// options reads those of which the text says enough to follow it.
func options(text string) (radic.Options, string, error) {
	o, rest, err := radic.ParseOptions(text)
	if err == nil && (o.Joins > 0 || o.Leaves > 0 || o.Rejoin || o.Zombies || o.Heartbeat > 0) {
		err = fmt.Errorf("radic as printed has nodes, spares, capacity and ring: the text does " +
			"not say how a node that joins, leaves, comes back or lives on is treated")
	}
	if err != nil {
		err = &core.ChoiceError{Key: "options", Err: err}
	}
	return o, rest, err
}

func setup(below protocol.Printed, r protocol.Request) (*core.Setup, error) {
	own, rest, err := options(r.Options)
	if err != nil {
		return nil, err
	}
	clusters := r.Layout.Clusters
	r.Options, r.Layout.Clusters = rest, nil
	inner, err := below.Setup(r)
	if err != nil {
		return nil, err
	}
	c := &config{Options: own, ranks: r.Layout.Ranks, first: core.Proc(2 * r.Layout.Ranks)}
	for p := range c.ranks {
		k := p
		switch {
		case own.Nodes > 0:
			k = p * own.Nodes / c.ranks
		case clusters != nil:
			k = clusters[p]
		}
		c.origin = append(c.origin, k)
	}
	if c.nodes = max(own.Nodes, slices.Max(c.origin)+1); c.nodes < 3 {
		return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf("radic: NeedThreeNodes: "+
			"%d nodes, want at least 3: with two, the only survivor would protect itself",
			c.nodes)}
	}
	s := *inner
	s.Protocol, s.Watchers, s.Watchdogs = "radic-"+inner.Protocol, nil, true
	s.Saves = true
	s.Promises.Suspicions = 0 // fail-stop (2.2.1), and diagnosis avoids false failures (Table 2.1)
	s.Promises.InAll = c.nodes - 2
	s.Promises.RanksWatch = true
	s.Promises.Limits = map[string]string{
		"suspicions": "as printed, who is silent is dead",
		"failures": fmt.Sprintf("of %d nodes that are no spares two have to be left, so that one "+
			"protects the other: what the last one does, the text does not say", c.nodes)}
	s.NewMessage = func() core.Message { return new(Message) }
	s.New = func(p core.Proc) core.Machine {
		if p >= c.first {
			return &node{config: c, self: p}
		}
		below := carrier{config: c, self: p, inner: inner.New(p), newMessage: inner.NewMessage,
			fresh: func() core.Machine { return inner.New(p) }}
		if int(p) >= c.ranks {
			return &below
		}
		return &observer{carrier: below}
	}
	if err := c.layout(&s.Layout); err != nil {
		return nil, err
	}
	return &s, s.Validate()
}

// layout says who runs where and who is a spare.
func (c *config) layout(l *core.Layout) error {
	l.Names = slices.Clone(l.Names)
	l.Hosted, l.Groups = map[core.Proc]bool{}, nil
	l.Nodes, l.Spares, l.Late, l.Room = nil, nil, nil, c.Capacity
	l.Roles = roles(l.Roles)
	l.Kinds = map[string]trace.Meaning{kindNames[WhereIs]: trace.Question,
		basicProtection: trace.Shares}
	for _, k := range c.origin {
		l.Nodes = append(l.Nodes, c.node(k))
	}
	for p := range c.first {
		l.Hosted[p] = true
	}
	for k := range c.nodes + c.Spares {
		p, name := c.node(k), fmt.Sprintf("N%d", k+1)
		if k >= c.nodes {
			name = fmt.Sprintf("S%d", k-c.nodes+1)
			l.Spares = append(l.Spares, p)
		}
		if slices.Contains(l.Names, name) {
			return &core.ChoiceError{Key: "-- program --", Err: fmt.Errorf(
				"radic: a rank or logger is called %s, which is the name of a node", name)}
		}
		l.Names = append(l.Names, name)
		l.Hosted[p] = false // nobody adopts a node: it is gone for good
	}
	return nil
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
