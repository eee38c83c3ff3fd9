package policy

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Placement is where a rank is to run.
type Placement struct {
	_    struct{} `cbor:",toarray"`
	Rank core.Rank
	Node core.Proc
}

// Place finds a node for each of the ranks, in this order; ok is false if there is none for one.
// Of the nodes that hints and policies suggest the first that is legal is taken: one that lives, is
// not predicted to fail, has room, and is not where the rank was. Without one the emptiest such
// node, then one without room, then, for a rank that died alone, its own node, and last one that is
// predicted to fail: with no spare left there must be an answer too.
func (t Stack) Place(v *View, ranks []core.Rank, hints []core.Proc) (list []Placement, ok bool) {
	load := make([]int, len(v.Nodes))
	for r := range v.Ranks {
		if slices.Contains(ranks, core.Rank(r)) || v.Ranks[r].Gone || !v.Ranks[r].Alive {
			continue
		}
		for i := range v.Nodes {
			if v.Nodes[i].Node == v.Ranks[r].Node {
				load[i]++
			}
		}
	}
	for _, r := range ranks {
		i := t.place(v, r, hints, load)
		if i < 0 {
			return nil, false
		}
		load[i]++
		list = append(list, Placement{Rank: r, Node: v.Nodes[i].Node})
	}
	return list, true
}

// place is the index of the node for a rank, -1 if there is none.
func (t Stack) place(v *View, r core.Rank, hints []core.Proc, load []int) int {
	former := v.Ranks[r].Node
	legal := func(i int) bool {
		n := &v.Nodes[i]
		return n.Alive && !n.Predicted && n.Node != former && load[i] < n.Room
	}
	for _, p := range slices.Concat(hints, t.suggested(v, r)) {
		i := slices.IndexFunc(v.Nodes, func(n NodeView) bool { return n.Node == p })
		if i >= 0 && legal(i) {
			return i
		}
	}
	own := func(i int) bool { return v.Nodes[i].Alive && v.Nodes[i].Node == former }
	if v.InPlace {
		if i := emptiest(v, load, own); i >= 0 {
			return i
		}
	}
	for _, fits := range []func(int) bool{legal,
		func(i int) bool {
			n := &v.Nodes[i]
			return n.Alive && !n.Predicted && n.Node != former
		},
		func(i int) bool { return own(i) && !v.Nodes[i].Predicted },
		func(i int) bool { return v.Nodes[i].Alive },
	} {
		if i := emptiest(v, load, fits); i >= 0 {
			return i
		}
	}
	return -1
}

// emptiest is the first of the nodes with the fewest ranks that fit, -1 if none does.
func emptiest(v *View, load []int, fits func(int) bool) int {
	best := -1
	for i := range v.Nodes {
		if fits(i) && (best < 0 || load[i] < load[best]) {
			best = i
		}
	}
	return best
}
