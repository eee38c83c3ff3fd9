package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// config is shared by the procs of one setup and never changes.
type config struct {
	Options
	protocol Protocol
	ranks    int
	nodes    []int         // node of each rank; ranks of one node stop together only with Semi
	talks    [][]core.Rank // by rank: with whom its program exchanges messages
	anybody  []core.Rank   // whose programs may send to any rank
	named    [][]core.Rank // by rank: which sources its program names in a receive, for M1 alone
	largest  []int         // by rank: bytes of the largest message that its program sends
}

func (c *config) has(e Erratum) bool { return c.Errata.Has(e) }

// inside reports whether a channel stays in one node and is not logged.
func (c *config) inside(a, b core.Rank) bool { return c.Semi && a != b && c.nodes[a] == c.nodes[b] }

// logger is the proc that logs for a rank.
func (c *config) logger(r core.Rank) core.Proc { return core.Proc(c.ranks) + core.Proc(r) }

// newConfig reads the nodes and the programs, and refuses what the protocol can not run.
func newConfig(protocol Protocol, layout *trace.Layout, programs []core.Program,
	options Options) (*config, error) {
	c := &config{Options: options, protocol: protocol, ranks: layout.Ranks, nodes: layout.Clusters}
	if err := options.Validate(protocol); err != nil {
		return nil, err
	}
	if err := (&core.Setup{Protocol: protocol.String(), Layout: *layout,
		Programs: programs}).Validate(); err != nil {
		return nil, err
	}
	if c.nodes == nil {
		for r := range c.ranks {
			c.nodes = append(c.nodes, r)
		}
	}
	if len(c.nodes) != c.ranks {
		return nil, fmt.Errorf("%s: %d ranks, but %d have a node", protocol, c.ranks, len(c.nodes))
	}
	if shared := len(slices.Compact(slices.Sorted(slices.Values(c.nodes)))) < c.ranks; shared &&
		!options.Semi && options.Loggers == Apart {
		return nil,
			fmt.Errorf(
				"%s: ranks of one node make a difference with mode=semi or loggers=next only",
				protocol)
	}
	if c.Semi && c.ranks > core.MaxSearched {
		return nil, fmt.Errorf("%s: mode=semi with %d ranks, at most %d are supported: a "+
			"checkpoint of a node is about all", protocol, c.ranks, core.MaxSearched)
	}
	c.topology(programs)
	return c, c.sizes(programs, layout.Names)
}

// NewSetup prepares a protocol for the programs. Clusters of the layout are nodes. RBML and HMPL
// have one logger for each rank, behind the ranks, called L and the name of the rank.
func NewSetup(protocol Protocol, layout trace.Layout, programs []core.Program,
	options Options) (*core.Setup, error) {
	c, err := newConfig(protocol, &layout, programs, options)
	if err != nil {
		return nil, err
	}
	layout.Names = layout.Names[:c.ranks:c.ranks]
	layout.Labels, layout.Holdings = core.Labels(programs), true
	if !options.Semi {
		layout.Clusters = nil // a rank rolls back alone
	}
	if protocol != SBML {
		names := map[string]bool{}
		for _, name := range layout.Names {
			names[name] = true
		}
		for _, name := range layout.Names[:c.ranks] {
			if names["L"+name] {
				return nil,
					fmt.Errorf("%s: a rank is called L%s, which is the name of the logger of %s",
						protocol, name, name)
			}
			layout.Names = append(layout.Names, "L"+name)
		}
	}
	layout.Roles = roles()
	setup := &core.Setup{
		Protocol: protocol.String(), Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		Promises:   c.promises(), New: c.machine(programs),
	}
	for r := range core.Rank(c.ranks) {
		if !c.together(r) || c.first(r) == r {
			setup.Initiators = append(setup.Initiators, r.Proc())
		}
	}
	return setup, c.groups(setup)
}

// promises are those of the protocol with its options.
func (c *config) promises() promise.Promises {
	p := promise.Promises{RollsBack: promise.FailedOnly, Needs: promise.Piecewise, PostsWait: true,
		Reliable: true, Logging: loggings[c.protocol], Lines: "uncoordinated or semi-coordinated",
		KeepsCopies: true, KeepsLines: c.protocol != SBML, Fetches: c.protocol != SBML,
		StableKeys: []string{}}
	p.Flow, p.Traffic = promise.Receives, promise.Traffic{Promised: true, Delivery: 3, Alone: 3}
	if c.protocol == HMPL {
		p.Flow = promise.NamedSends
	}
	p.Memory = promise.Memory{Rank: c.Buffer.most(), Service: c.Memory.most()}
	if !c.Buffer.none() {
		p.StableKeys = append(p.StableKeys, spillKey)
	}
	if c.Full == CommandCheckpoint {
		p.Memory.Asks = kindNames[LogFull]
		p.Traffic.Alone = 4 // LogFull, Save, SaveOk, and LogAck for what waited for the image
	} else if !c.Memory.none() {
		p.StableKeys = append(p.StableKeys, logKey)
	}
	p.Memory.Keys = p.StableKeys
	if c.Semi {
		p.RollsBack, p.Traffic.Line = promise.Cluster, 3
	}
	if c.protocol == SBML {
		p.Holes = true // numbers of former lives that nobody can replay are not given again
		p.MaxFailures, p.StableKeys, p.Lines = 1, []string{imageKey}, "uncoordinated"
		p.Writes, p.Traffic.Delivery = map[string]int{imageKey: 1}, 2
		p.Traffic.Line, p.Traffic.Alone = 1, 0
	}
	return p
}

// together reports whether the rank rolls back with another one.
func (c *config) together(r core.Rank) bool {
	if !c.Semi {
		return false
	}
	for q := range core.Rank(c.ranks) {
		if c.inside(r, q) {
			return true
		}
	}
	return false
}

// machine makes the machine of each proc.
func (c *config) machine(programs []core.Program) func(core.Proc) core.Machine {
	return func(p core.Proc) core.Machine {
		if int(p) >= c.ranks {
			return &logger{config: c, owner: core.Rank(int(p) - c.ranks)}
		}
		rank := core.Rank(p)
		h := program.NewHost(rank, programs[rank], func(app core.Application) core.Layer {
			if c.protocol == SBML {
				return &sender{config: c, rank: rank, app: app}
			}
			return &layer{config: c, rank: rank, app: app}
		})
		return h.PostsWait()
	}
}

// sizes finds out how large messages are. A circular buffer that keeps everything to itself never
// takes one that is larger than it: the send would block for ever, or be forgotten at once.
func (c *config) sizes(programs []core.Program, names []string) error {
	for r, p := range programs {
		largest := 0
		for _, op := range p {
			if op.Kind == core.OpSend {
				largest = max(largest, p.PayloadBytes(op))
			}
		}
		c.largest = append(c.largest, largest)
		if c.Buffer.Bytes > 0 && largest > c.Buffer.Bytes && (c.has(M11a) || c.has(M11b)) {
			return fmt.Errorf(
				"%s: %s sends a message of %d bytes, which never fits into a circular buffer of "+
					"%d bytes", c.protocol, names[r], largest, c.Buffer.Bytes)
		}
	}
	return nil
}

// topology finds out who talks to whom. A reply may go to anybody.
func (c *config) topology(programs []core.Program) {
	c.talks, c.named = make([][]core.Rank, c.ranks), make([][]core.Rank, c.ranks)
	for r, p := range programs {
		open := false
		for _, op := range p {
			switch {
			case op.Kind == core.OpSend && op.Any || op.Kind == core.OpFlush:
				open = true
			case op.Kind == core.OpSend:
				c.talks[r] = append(c.talks[r], op.Peer)
				c.talks[op.Peer] = append(c.talks[op.Peer], core.Rank(r))
			case (op.Kind == core.OpRecv || op.Kind == core.OpPost) && !op.Any && c.has(M1):
				c.named[r] = append(c.named[r], op.Peer)
			}
		}
		if open {
			c.anybody = append(c.anybody, core.Rank(r))
		}
	}
	for r := range c.talks {
		c.talks[r] = distinct(c.talks[r], core.Rank(r))
	}
}

// distinct are the ranks, each once and ascending, without one.
func distinct(list []core.Rank, but core.Rank) []core.Rank {
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(q core.Rank) bool { return q == but })
}

// peers are those with whom the program of a rank exchanges messages, as in a declared topology.
func (c *config) peers(r core.Rank) []core.Rank {
	list := slices.Concat(c.talks[r], c.anybody)
	if slices.Contains(c.anybody, r) {
		list = nil
		for q := range core.Rank(c.ranks) {
			list = append(list, q)
		}
	}
	return distinct(list, r)
}

// groups says what stops together: the ranks of a node in the semi-coordinated mode, and with
// loggers on the next node also the loggers there.
func (c *config) groups(setup *core.Setup) error {
	nodes := slices.Max(c.nodes) + 1
	if c.Loggers == Next && nodes < 3 {
		return fmt.Errorf(
			"%s: %d nodes, want at least 3: with two, the only survivor would protect itself",
			c.protocol, nodes)
	}
	lists := make([][]core.Proc, nodes)
	for r := range core.Rank(c.ranks) {
		if k := c.nodes[r]; (c.Semi || c.Loggers == Next) && !c.has(M24) {
			lists[k] = append(lists[k], r.Proc())
		}
	}
	for r := range core.Rank(c.ranks) {
		if k := (c.nodes[r] + 1) % nodes; c.Loggers == Next {
			lists[k] = append(lists[k], c.logger(r))
		}
	}
	groups := map[core.Proc][]core.Proc{}
	for _, group := range lists {
		for _, p := range group {
			groups[p] = group
		}
	}
	setup.Layout.Groups = groups
	return setup.Validate()
}
