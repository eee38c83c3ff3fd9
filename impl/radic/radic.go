package radic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Options choose a configuration.
type Options struct {
	Errata Set
	Spares int  // nodes that wait for the ranks of a failed one
	Nodes  int  // active nodes, over which the ranks are spread evenly; 0 = as the clusters say
	Rejoin bool // failed nodes come back, empty
}

// ParseOptions splits the text of a scenario into the options of RADIC (spares=N, nodes=N, rejoin=yes) and the rest, which is for the protocol below.
func ParseOptions(text string) (o Options, rest string, err error) {
	var words []string
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "spares":
			if o.Spares, err = strconv.Atoi(value); err != nil || o.Spares < 0 || o.Spares > 8 {
				return o, "", fmt.Errorf("option %q: want a number of spares in [0, 8]", word)
			}
		case "nodes":
			if o.Nodes, err = strconv.Atoi(value); err != nil || o.Nodes < 3 || o.Nodes > 64 {
				return o, "", fmt.Errorf("option %q: want a number of nodes in [3, 64]: with two, the only survivor would protect itself", word)
			}
		case "rejoin":
			if value != "yes" && value != "no" {
				return o, "", fmt.Errorf("option %q: want yes or no", word)
			}
			o.Rejoin = value == "yes"
		case "loggers", "mode":
			return o, "", fmt.Errorf("option %q: radic decides where loggers run, and the unit of failure is its node", word)
		default:
			words = append(words, word)
		}
	}
	return o, strings.Join(words, " "), nil
}

// config is shared by the procs of one setup and never changes.
type config struct {
	Options
	ranks  int
	nodes  int       // active nodes at the start
	first  core.Proc // of the nodes: protectors, then spares
	origin []int     // node of each rank at the start
}

func (c *config) has(e Erratum) bool { return c.Errata.Has(e) }

func (c *config) node(k int) core.Proc         { return c.first + core.Proc(k) }
func (c *config) logger(r core.Rank) core.Proc { return core.Proc(c.ranks) + core.Proc(r) }
func (c *config) all() int                     { return c.nodes + c.Spares }
func (c *config) index(p core.Proc) int        { return int(p) - int(c.first) }
func (c *config) isSpare(p core.Proc) bool     { return c.index(p) >= c.nodes }

// NewSetup puts the control plane over a logging protocol whose procs are the ranks and one logger for each, in this order. nodes[r] is the
// node of rank r at the start, from 0; nil gives every rank a node of its own.
func NewSetup(inner *core.Setup, nodes []int, options Options) (*core.Setup, error) {
	c := &config{Options: options, ranks: inner.Layout.Ranks, first: core.Proc(len(inner.Layout.Names)), origin: nodes}
	if len(inner.Layout.Names) != 2*c.ranks || !inner.Promises.KeepsLines {
		return nil, fmt.Errorf("radic: protocol %s has no logger for each rank", inner.Protocol)
	}
	if c.origin == nil {
		for r := range c.ranks {
			c.origin = append(c.origin, r)
		}
	}
	if options.Nodes > 0 {
		c.origin = nil
		for r := range c.ranks {
			c.origin = append(c.origin, r*options.Nodes/c.ranks)
		}
	}
	c.nodes = max(options.Nodes, slices.Max(c.origin)+1)
	if c.nodes < 3 {
		return nil, fmt.Errorf("radic: %d nodes, want at least 3: with two, the only survivor would protect itself", c.nodes)
	}
	s := *inner
	s.Protocol = "radic-" + inner.Protocol
	s.Layout.Names = slices.Clone(inner.Layout.Names)
	s.Layout.Hosted, s.Layout.Groups = map[core.Proc]bool{}, nil
	for _, k := range c.origin {
		s.Layout.Nodes = append(s.Layout.Nodes, c.node(k))
	}
	for p := range c.first {
		s.Layout.Hosted[p] = true
	}
	for k := range c.all() {
		name := fmt.Sprintf("N%d", k+1)
		if k >= c.nodes {
			name = fmt.Sprintf("S%d", k-c.nodes+1)
			s.Layout.Spares = append(s.Layout.Spares, c.node(k))
		}
		if slices.Contains(inner.Layout.Names, name) {
			return nil, fmt.Errorf("radic: a rank or logger is called %s, which is the name of a node", name)
		}
		s.Layout.Names = append(s.Layout.Names, name)
		s.Watchers = append(s.Watchers, c.node(k))
		if !options.Rejoin {
			s.Layout.Hosted[c.node(k)] = false // nobody adopts a node: it is gone for good
		}
	}
	s.NewMessage = func() core.Message { return new(Message) }
	s.New = func(p core.Proc) core.Machine {
		switch {
		case int(p) < c.ranks:
			return &rankCarrier{carrier{inner: inner.New(p), newMessage: inner.NewMessage}}
		case p < c.first:
			return &carrier{inner: inner.New(p), newMessage: inner.NewMessage}
		}
		return &protector{config: c, self: p}
	}
	return &s, s.Validate()
}

// table is the RADICTable at the start: the protector of a node is the next one on the ring.
func (c *config) table() []Row {
	var rows []Row
	for r, k := range c.origin {
		rows = append(rows, Row{Rank: core.Rank(r), Host: c.node(k), Protector: c.node((k + 1) % c.nodes)})
	}
	return rows
}
