package trace

import (
	"fmt"
	"slices"
)

// Tree is a group of ranks with a spanning tree, along which multicasts go down from its root and
// reductions go up to it.
type Tree struct {
	Name string `json:"name"`
	// how contributions are combined; associative, in the order of Members
	Combine string `json:"combine"`
	Members []Rank `json:"members"` // in preorder: root first, each member before its children
	Parents []Rank `json:"parents"` // of each member; the root's is itself
}

// NewTree makes a tree from the children of each member, in order. The errors name what is not a
// tree.
func NewTree(name, combine string, names []string, parents []Rank, children [][]Rank) (Tree,
	error) {
	t := Tree{Name: name, Combine: combine}
	above := map[Rank]Rank{}
	for i, p := range parents {
		if slices.Contains(parents[:i], p) {
			return t, fmt.Errorf("group %s: %s is given children twice", name, names[p])
		}
		for _, c := range children[i] {
			if q, twice := above[c]; twice {
				return t, fmt.Errorf("group %s: %s is a member twice, below %s and below %s", name,
					names[c], names[q], names[p])
			}
			above[c] = p
		}
	}
	var roots []string
	var root Rank
	for _, p := range parents {
		if _, below := above[p]; !below {
			root = p
			roots = append(roots, names[p])
		}
	}
	switch {
	case len(parents) == 0:
		return t, fmt.Errorf("group %s has no members", name)
	case len(roots) == 0:
		return t, fmt.Errorf("group %s is not a tree: it has no root, everybody is below somebody",
			name)
	case len(roots) > 1:
		return t, fmt.Errorf("group %s has %d roots: %v", name, len(roots), roots)
	}
	var visit func(r, parent Rank)
	visit = func(r, parent Rank) {
		t.Members, t.Parents = append(t.Members, r), append(t.Parents, parent)
		if i := slices.Index(parents, r); i >= 0 {
			for _, c := range children[i] {
				visit(c, r)
			}
		}
	}
	visit(root, root)
	if len(t.Members) != len(above)+1 {
		for _, p := range parents {
			if !t.Has(p) {
				return t, fmt.Errorf("group %s is not a tree: %s is in a cycle", name, names[p])
			}
		}
	}
	return t, nil
}

// Root is the root of the tree.
func (t *Tree) Root() Rank { return t.Members[0] }

// Has reports whether the rank is a member.
func (t *Tree) Has(r Rank) bool { return slices.Contains(t.Members, r) }

// Parent is the parent of a member; the root's is itself.
func (t *Tree) Parent(r Rank) Rank { return t.Parents[slices.Index(t.Members, r)] }

// Children are the children of a member, in order.
func (t *Tree) Children(r Rank) []Rank {
	var list []Rank
	for i, m := range t.Members {
		if i > 0 && t.Parents[i] == r {
			list = append(list, m)
		}
	}
	return list
}

// SameChannel reports whether two messages of one rank go the same way: both from rank to rank, or
// both to one group.
func (l *Layout) SameChannel(a, b MsgID) bool {
	c, collective := l.Collectives[a]
	d, other := l.Collectives[b]
	return collective == other && c.Tree == d.Tree
}

// Collective says what a message of a program is when it is not from rank to rank.
type Collective struct {
	Tree  int    // index in Layout.Trees
	Round uint32 // of a contribution, from 1; 0 for a multicast
	// receptions that its sender has before it at least, in every run; 0 where only the run tells
	Past uint32
}

// Edges is how many messages a send is on the trees of the groups: of a multicast one for each
// edge, of a contribution one to the parent.
func (l *Layout) Edges(id MsgID) int {
	c, collective := l.Collectives[id]
	if !collective {
		return 1
	}
	t := &l.Trees[c.Tree]
	switch {
	case c.Round == 0:
		return len(t.Members) - 1
	case t.Root() == id.From:
		return 0
	}
	return 1
}

// Hops are the messages that a send is between ranks, as Edges counts them: to whom it goes, or
// along the tree of its group.
func (l *Layout) Hops(id MsgID, to Proc, visit func(from, to Rank)) {
	c, collective := l.Collectives[id]
	if !collective {
		visit(id.From, Rank(to))
		return
	}
	t := &l.Trees[c.Tree]
	switch {
	case c.Round == 0:
		for i, m := range t.Members[1:] {
			visit(t.Parents[i+1], m)
		}
	case t.Root() != id.From:
		visit(id.From, t.Parent(id.From))
	}
}

// Joins reports whether both are of one round of one group.
func (c Collective) Joins(d Collective) bool { return c.Tree == d.Tree && c.Round == d.Round }
