package camel

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/spec/trace"
)

// layer is what CAMEL adds to the layer of one rank.
type layer struct {
	*causal.Layer
	trees    []trace.Tree
	children []branch        // of this rank
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
	trees, all := layout.Trees, branches(&layout)
	setup, err := causal.Extend("camel", layout, programs, options,
		func(l *causal.Layer) causal.Extension {
			return &layer{Layer: l, trees: trees, children: all[l.Rank]}
		})
	if err != nil {
		return nil, err
	}
	setup.Promises.Minimal = true
	setup.Promises.Traffic.Send = 2 // a contribution goes up, that its round is complete comes down
	return setup, nil
}

// tree is the tree of a group, state what this rank keeps about it, valid until that of another
// group is asked for.
func (l *layer) tree(g core.Group) *trace.Tree    { return &l.trees[g-1] }
func (l *layer) state(g core.Group) *causal.Group { return l.S.Groups.At(core.Rank(g) - 1) }
func (l *layer) root(g core.Group) bool           { return l.tree(g).Root() == l.Rank }

func (l *layer) Children(g core.Group) []core.Rank {
	at, found := slices.BinarySearchFunc(l.children, g, func(b branch, g core.Group) int {
		return cmp.Compare(b.group, g)
	})
	if !found {
		return nil
	}
	return l.children[at].children
}

// branch is the children of a rank in a group.
type branch struct {
	group    core.Group
	children []core.Rank
}

// branches are, by rank, those that have any, by group: with thousands of groups most have none.
func branches(layout *trace.Layout) [][]branch {
	list := make([][]branch, layout.Ranks)
	for i := range layout.Trees {
		for _, r := range layout.Trees[i].Members {
			if children := layout.Trees[i].Children(r); len(children) > 0 {
				list[r] = append(list[r], branch{core.Group(i + 1), children})
			}
		}
	}
	return list
}

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
