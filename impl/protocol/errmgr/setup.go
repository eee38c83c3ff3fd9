package errmgr

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// nobody is the proc of a role that the options leave out.
const nobody = core.Proc(1<<16 - 1)

// config is shared by the procs of one setup and never changes.
type config struct {
	Options
	Errata core.Switches
	makers []policy.Maker // of all policies that a stack may name
	stack  policy.Stack
	ranks  int
	trees  []trace.Tree // of the groups of the programs
	// Procs are the ranks, then the active nodes and the spares, then the head, the store and the
	// oracle, those that there are, and then the other replicas of the head.
	first               core.Proc // of the nodes
	head, store, oracle core.Proc
	placement           []core.Proc // node of each rank at the start
	rules               sstore.Rules
	// logs: ranks keep what they send, for those that restart alone.
	logs bool
}

func (c *config) has(e Erratum) bool { return c.Errata.Has(e) }

// covers reports whether ranks are told which snapshots are established.
func (c *config) covers() bool { return c.logs || c.Hold }

// all is how many nodes and spares there are.
func (c *config) all() int { return c.Nodes + c.Spares }

// node is the k-th of them, spares behind the active ones.
func (c *config) node(k int) core.Proc { return c.first + core.Proc(k) }

// isNode reports whether a proc is a node, which is its daemon.
func (c *config) isNode(p core.Proc) bool { return p >= c.first && p < c.node(c.all()) }

// isRank reports whether a proc is a rank.
func (c *config) isRank(p core.Proc) bool { return int(p) < c.ranks }

// isHead reports whether a proc is the head. Where it is replicated nobody sees more than one.
func (c *config) isHead(p core.Proc) bool { return p == c.head }

// newConfig places everybody. clusters are the nodes of the ranks at the start, from 0. Where all
// are different, which is also so if nobody says, the ranks are dealt over the nodes in turn, of
// which there is one a rank if nobody says.
func newConfig(o Options, errata core.Switches, stack string, ranks int,
	clusters []int, makers ...policy.Maker) (*config, error) {
	c := &config{Options: o, Errata: errata, makers: makers, ranks: ranks,
		first: core.Proc(ranks), store: nobody, oracle: nobody}
	if makers == nil {
		c.makers = policy.House()
	}
	if len(slices.Compact(slices.Sorted(slices.Values(clusters)))) == ranks {
		clusters = nil
	}
	if c.Nodes == 0 {
		c.Nodes = ranks
		if clusters != nil {
			c.Nodes = slices.Max(clusters) + 1
		}
	}
	for r := range ranks {
		k := r % c.Nodes
		if clusters != nil {
			k = clusters[r]
		}
		if k >= c.Nodes {
			return nil, &core.ChoiceError{Key: "clusters", Err: fmt.Errorf(
				"rank %d is on node %d, and there are %d nodes", r, k+1, c.Nodes)}
		}
		c.placement = append(c.placement, c.node(k))
	}
	next := c.node(c.all())
	c.head = next
	next++
	if c.Store != sstore.Peers {
		c.store = next
		next++
	}
	if c.Predictions > 0 {
		c.oracle = next
	}
	var err error
	if c.stack, err = policy.Parse(stack, c.makers); err != nil {
		return nil, &core.ChoiceError{Key: "policies", Err: err}
	}
	judged := promise.Promises{Policies: c.stack.Promises(c.makers)}
	c.logs = judged.Has(promise.RestoresFailed)
	return c, c.newRules()
}

// newRules are those of the keeper, with its wrong ways.
func (c *config) newRules() error {
	c.rules = sstore.Rules{Kind: c.Store, Copies: c.Copies, Flow: c.Flow, Ranks: c.ranks,
		Store: c.store, Domains: c.Domains, Early: c.has(W1), Unpinned: c.has(W5),
		Leaks: c.has(W10), Everyone: c.has(W21)}
	for k := range c.all() {
		c.rules.Nodes = append(c.rules.Nodes, c.node(k))
	}
	bad := func(format string, args ...any) error {
		return &core.ChoiceError{Key: "options", Err: fmt.Errorf(format, args...)}
	}
	if c.Domains != nil && len(c.Domains) != c.all() {
		return bad("domains of %d nodes, and there are %d and %d spares", len(c.Domains), c.Nodes,
			c.Spares)
	}
	domains := c.all()
	if c.Domains != nil {
		domains = len(slices.Compact(slices.Sorted(slices.Values(c.Domains))))
	}
	if c.Store == sstore.Peers && c.Copies > domains {
		return bad("%d copies of a file need as many failure domains, and there are %d", c.Copies,
			domains)
	}
	if c.Capacity > 0 && c.Capacity*c.Nodes < c.ranks {
		return bad("%d nodes have room for %d ranks each, and there are %d ranks", c.Nodes,
			c.Capacity, c.ranks)
	}
	return nil
}

// layout says who is called what, who runs where and who is a spare.
func (c *config) layout(l *trace.Layout) error {
	l.Names = slices.Clone(l.Names[:c.ranks])
	l.Hosted = map[core.Proc]bool{}
	l.Holdings, l.Groups, l.Clusters = true, nil, nil
	l.Nodes, l.Room, l.Spares = c.placement, c.Capacity, nil
	for k := range c.all() {
		name := fmt.Sprintf("N%d", k+1)
		if k >= c.Nodes {
			name = fmt.Sprintf("S%d", k-c.Nodes+1)
		}
		if !slices.Contains(c.placement, c.node(k)) { // an active node, too, may have no rank
			l.Spares = append(l.Spares, c.node(k))
		}
		l.Names = append(l.Names, name)
		l.Hosted[c.node(k)] = false // nobody adopts a node: it is gone for good
	}
	for r := range c.ranks {
		l.Hosted[core.Proc(r)] = false // the head hears of its failure
	}
	l.Names = append(l.Names, "head")
	if c.store != nobody {
		l.Names = append(l.Names, "store")
	}
	if c.oracle != nobody {
		l.Names = append(l.Names, "oracle")
	}
	for i, name := range l.Names {
		if slices.Contains(l.Names[:i], name) {
			return &core.ChoiceError{Key: "-- program --", Err: fmt.Errorf(
				"a rank is called %s, which is the name of another proc", name)}
		}
	}
	return nil
}
