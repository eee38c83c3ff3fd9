package fuzz

import (
	"math/bits"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
)

// chooser makes every choice of a generator: 0 is the simplest answer.
type chooser interface {
	// below is a number in [0, n), n at least 1.
	below(n int) int
}

// rapidChooser draws from rapid, with the same probability for all: its integers prefer small ones,
// so they are made of coins.
type rapidChooser struct {
	t     *rapid.T
	coins *rapid.Generator[bool]
}

func (c rapidChooser) below(n int) int {
	value := 0
	for range bits.Len(uint(n - 1)) {
		value *= 2
		if c.coins.Draw(c.t, "") {
			value++
		}
	}
	return value % n // not quite uniform where n is no power of two, which does no harm
}

// byteChooser reads choices from the input of a native fuzz target, a byte each; at its end
// everything is 0.
type byteChooser struct{ data []byte }

func (c *byteChooser) below(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := int(c.data[0])
	c.data = c.data[1:]
	return b % n
}

// oneIn is true with a probability of 1/n.
func oneIn(c chooser, n int) bool { return c.below(n) == n-1 }

// cases is what rapid draws scenarios from: a draft and the seed of its schedules.
func cases(template *scenarios.Scenario, shapes *protocol.Shapes) *rapid.Generator[drawn] {
	coins := rapid.Bool()
	seeds := rapid.Uint64()
	return rapid.Custom(func(t *rapid.T) drawn {
		return drawn{generate(rapidChooser{t, coins}, template, shapes),
			seeds.Draw(t, "seed of the schedules")}
	})
}

// drawn is one test case.
type drawn struct {
	draft *draft
	seed  uint64
}

// generate draws a scenario.
func generate(c chooser, template *scenarios.Scenario, s *protocol.Shapes) *draft {
	g := generator{chooser: c, shapes: s, draft: &draft{template: template, loops: 1}}
	g.closed, g.overlaps = s.Needs >= promise.SendDeterministic, s.Overlapping &&
		s.Needs < promise.SendDeterministic
	var v protocol.Variation
	if len(s.Variations) > 0 {
		v = g.variation()
		g.options, g.policies = strings.Fields(v.Options), v.Policies
	}
	least, most := s.Ranks()
	least = max(least, v.MinRanks, v.MinClusters, s.MinClusters)
	g.ranks = least + c.below(max(most-least, 0)+1)
	g.gone = make([]bool, g.ranks)
	if s.Clusters == protocol.AnyClusters || v.Clusters == protocol.AnyClusters {
		g.partition(max(s.MinClusters, v.MinClusters))
	}
	if s.Collectives != protocol.NoCollectives && g.ranks > 1 && oneIn(c, 2) {
		g.groups()
	}
	// written as sends and receives, a collective that is put off holds up those below
	free := len(g.trees) == 0 || s.Collectives == protocol.NativeCollectives
	g.crosses = s.Crossing && free && !g.closed
	g.receivers(free)
	g.watchers()
	g.sequence(v.NoCheckpoints)
	if s.Loops && oneIn(c, 6) {
		g.loops = 2
	}
	g.environment()
	g.again(v.NoCheckpoints)
	return g.draft
}

// generator is the state of generate.
type generator struct {
	chooser
	*draft
	shapes *protocol.Shapes
}

func (g *generator) variation() protocol.Variation {
	total := 0
	for _, v := range g.shapes.Variations {
		total += max(1, v.Weight)
	}
	at := g.below(total)
	for _, v := range g.shapes.Variations {
		if at -= max(1, v.Weight); at < 0 {
			return v
		}
	}
	panic("invariant: a number below the sum of the weights falls into one of them")
}

// partition puts the ranks into clusters, so many at least.
func (g *generator) partition(least int) {
	used := 0
	for r := range g.ranks {
		k := used // a new one
		if left := g.ranks - r; used > 0 && left > least-used {
			k = g.below(used + 1)
		}
		g.clusters = append(g.clusters, k)
		used = max(used, k+1)
	}
}

// groups draws one or two trees.
func (g *generator) groups() {
	for range 1 + g.below(2) {
		var t tree
		members := g.shuffled()
		t.members = members[:2+g.below(len(members)-1)]
		children := make([][]int, len(t.members))
		for i := 1; i < len(t.members); i++ {
			p := g.below(i)
			children[p] = append(children[p], i)
		}
		t = preorder(t.members, children)
		t.combine = []string{core.Sum, core.Concat, core.Xor, core.Max}[g.below(4)]
		g.trees = append(g.trees, t)
	}
}

// preorder is the tree with each member before its children.
func preorder(members []int, children [][]int) (t tree) {
	var visit func(i, parent int)
	visit = func(i, parent int) {
		here := len(t.members)
		t.members, t.parents = append(t.members, members[i]), append(t.parents, max(parent, 0))
		for _, c := range children[i] {
			visit(c, here)
		}
	}
	visit(0, -1)
	return t
}

func (g *generator) shuffled() []int {
	var list []int
	for r := range g.ranks {
		list = append(list, r)
	}
	for i := range list {
		j := i + g.below(len(list)-i)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

// receivers draws how each rank receives; free says that no collective gets in its way.
func (g *generator) receivers(free bool) {
	open := g.shapes.Wildcards && free
	for range g.ranks {
		s := byName
		switch k := g.below(8); {
		case k == 1 && g.shapes.Posts && free:
			s = posting
		case k >= 2 && k <= 3 && open:
			s = anyone
		case k == 4 && open && !g.closed:
			s = ordered
		case k == 5 && open && !g.closed && len(g.trees) == 0 && oneIn(g, 2):
			s = server
		}
		g.styles = append(g.styles, s)
	}
}

// watchers draws who sees errors. A server that has received nothing would wait for ever for
// somebody to answer.
func (g *generator) watchers() {
	if !g.shapes.Errors || !oneIn(g, 2) {
		return
	}
	for r := range g.ranks {
		g.sees = append(g.sees, !oneIn(g, 4) && g.styles[r] != server)
	}
}

// sequence draws what happens. Checkpoints that all ranks take together are drawn as one.
func (g *generator) sequence(noCheckpoints bool) {
	n := 1 + g.below(g.shapes.Length())
	together := g.shapes.Checkpoints == protocol.TogetherCheckpoints
	rare := 5
	if together && !g.crosses {
		rare = 8
	}
	checkpoints := g.shapes.Checkpoints != protocol.NoCheckpoints && !noCheckpoints
	for k := range n {
		i := item{number: k + 1, late: oneIn(g, 2), settle: oneIn(g, 2), from: g.below(g.ranks)}
		switch {
		case checkpoints && oneIn(g, rare):
			if i.kind = checkpoint; together {
				i.to = -1
			}
		case g.shapes.Outputs && oneIn(g, 10):
			i.kind = output
		case g.shapes.Picks && oneIn(g, 6):
			i.kind = chance
		case len(g.trees) > 0 && oneIn(g, 2):
			i.kind, i.group = multicast+itemKind(g.below(2)), g.below(len(g.trees))
		case g.ranks > 1:
			i.to = (i.from + 1 + g.below(g.ranks-1)) % g.ranks
		default:
			i.kind = output // nobody to talk to
		}
		g.items = append(g.items, i)
	}
}

// again makes one rank the victim of all failures, and tears its writes: what a life leaves behind
// that did not get far is the business of the next one, most of all around a checkpoint, which is
// put in where there is none.
func (g *generator) again(noCheckpoints bool) {
	m := &g.model
	if g.shapes.Crashes() < 2 || m.AtOnce > 1 || m.OneInstant || !oneIn(g, 4) {
		return
	}
	m.Failures, g.victim = max(m.Failures, 2), 1+g.below(g.ranks)
	if g.shapes.Checkpoints == protocol.NoCheckpoints || noCheckpoints {
		return
	}
	if oneIn(g, 2) {
		m.Torn = 1
	}
	if !slices.ContainsFunc(g.items, func(i item) bool { return i.kind == checkpoint }) {
		i := item{kind: checkpoint, number: len(g.items) + 1, from: g.victim - 1}
		if g.shapes.Checkpoints == protocol.TogetherCheckpoints {
			i.to = -1
		}
		g.items = slices.Insert(g.items, g.below(len(g.items)+1), i)
	}
}

// environment draws the failure model. How many failures there are is drawn so that a single one is
// as likely as all larger numbers.
func (g *generator) environment() {
	m := &g.model
	if m.Failures = 1; g.shapes.Crashes() > 1 && oneIn(g, 2) {
		m.Failures = 2 + g.below(g.shapes.Crashes()-1)
	}
	if g.shapes.Spontaneous > 0 && oneIn(g, 3) {
		m.Checkpoints = 1 + g.below(g.shapes.Spontaneous)
	}
	for _, name := range g.shapes.Settings {
		s := fault.Find(name) // known, as Shapes.Validate says
		if oneIn(g, 4) {
			s.Set(m, s.Draw[g.below(len(s.Draw))])
		}
	}
	for i := range fault.Keys {
		if k := &fault.Keys[i]; k.Get(m) == 0 {
			k.Clear(m) // with what makes no sense without it
		}
	}
	if g.shapes.Tolerates > 0 && oneIn(g, 3) {
		g.tolerates = 1 + g.below(min(g.shapes.Tolerates, max(1, g.ranks-1)))
	}
}
