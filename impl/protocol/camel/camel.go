package camel

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/trace"
)

// layer is what CAMEL adds to the layer of one rank.
type layer struct {
	*causal.Layer
	trees    []trace.Tree
	children [][]core.Rank   // of this rank, by group
	spare    [][]causal.Part // of rounds that are over
}

// NewSetup prepares CAMEL for the programs, whose groups are the trees of the layout.
func NewSetup(layout trace.Layout, programs []core.Program, options causal.Options) (*core.Setup,
	error) {
	if options.F > 1 {
		return nil, &core.ChoiceError{Key: "tolerates",
			Err: fmt.Errorf("camel: tolerates %d failures at a time, want [0, 1]", options.F)}
	}
	for _, t := range layout.Trees {
		if len(t.Members) < 2 {
			return nil, fmt.Errorf("camel: group %s has one member", t.Name)
		}
	}
	trees := layout.Trees
	setup, err := causal.Extend("camel", layout, programs, options,
		func(l *causal.Layer) causal.Extension {
			camel := &layer{Layer: l, trees: trees, children: make([][]core.Rank, len(trees))}
			for i := range trees {
				camel.children[i] = trees[i].Children(l.Rank)
			}
			return camel
		})
	if err != nil {
		return nil, err
	}
	setup.Promises.Minimal = true
	setup.Promises.Traffic.Send = 2 // a contribution goes up, that its round is complete comes down
	return setup, nil
}

// tree is the tree of a group, state what this rank keeps about it.
func (l *layer) tree(g core.Group) *trace.Tree    { return &l.trees[g-1] }
func (l *layer) state(g core.Group) *causal.Group { return &l.S.Groups[g-1] }
func (l *layer) root(g core.Group) bool           { return l.tree(g).Root() == l.Rank }

func (l *layer) Children(g core.Group) []core.Rank { return l.children[g-1] }

// SameGroup implements causal.Extension. Deviation: C6 keeps determinants of messages and of
// contributions under the same numbers.
func (l *layer) SameGroup(a, b core.Group) bool { return a == b || l.Has(C6) }

func (l *layer) Request(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Multicast:
		return l.multicast(in, out)
	case core.Contribute:
		return l.contribute(in, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

func (l *layer) Received(from core.Rank, m *causal.Message, out []core.Effect) []core.Effect {
	if m.Group == 0 || int(m.Group) > len(l.trees) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"no handler for "+m.Describe().Kind))
	}
	switch m.Kind {
	case causal.Multicast:
		return l.multicastArrives(from, m, out)
	case causal.Contribution:
		return l.contributionArrives(from, m, out)
	case causal.Completed:
		return l.completed(m.Group, m.Number, out)
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{},
		"no handler for "+m.Describe().Kind))
}
