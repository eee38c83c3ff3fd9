package kernels

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// openatom is rows of ranks. In a step every row multicasts from one of its ranks, which changes
// from step to step, and reduces to it: for each rank of a row there is a group with that one at
// the root of its tree. Then each rank sends a block to the one that is at its place when rows and
// columns are exchanged.
type openatom struct {
	skeleton
	down, up int // words of a multicast and of a contribution
}

// Parts of messages, and computations.
const (
	atomDown = iota
	atomUp
	atomDirect

	atomBegin = iota // the root makes the data of the multicast
	atomShare        // the own contribution
	atomEnd          // the result goes into the state, at the root
)

// hold is the multicast of the step, behind the field, to be passed on as it is.
func (k *openatom) hold(n *core.Numbers) core.Floats { return n.Floats[k.words:][:k.down] }

// sum is the contribution of this rank and those below, exact and in any order.
func (k *openatom) sum(n *core.Numbers) []int64 { return n.Counts[reduceCount+5:] }

func (k *openatom) field(n *core.Numbers) *core.Numbers {
	return &core.Numbers{Floats: n.Floats[:k.words], Counts: n.Counts}
}

func (k *openatom) Begin() core.Numbers {
	n := k.skeleton.Begin()
	n.Floats = append(n.Floats, make(core.Floats, k.down)...)
	n.Counts = append(n.Counts, make([]int64, k.up)...)
	return n
}

func (k *openatom) Compute(part int, n *core.Numbers) {
	switch part {
	case atomBegin:
		k.skeleton.Compute(part, k.field(n))
		buffer := make([]byte, 8*k.down)
		k.skeleton.Fill(atomDown, k.field(n), buffer)
		k.hold(n).Get(buffer)
	case atomShare:
		for i := range k.sum(n) {
			k.sum(n)[i] = int64(core.Mix(uint64(n.Counts[digestCount]) + uint64(i)))
		}
	case atomEnd:
		for _, s := range k.sum(n) {
			n.Counts[digestCount] = int64(core.Mix(uint64(n.Counts[digestCount])*31 + uint64(s)))
		}
	}
}

func (k *openatom) Fill(part int, n *core.Numbers, to []byte) {
	switch part {
	case atomDown:
		clear(to)
		k.hold(n).Put(to)
	case atomUp:
		putSums(k.sum(n), to)
	default:
		k.skeleton.Fill(part, k.field(n), to)
	}
}

func (k *openatom) Take(part int, n *core.Numbers, from core.Rank, data []byte) {
	switch part {
	case atomDown:
		k.hold(n).Get(data)
		k.skeleton.Take(part, k.field(n), from, data)
	case atomUp:
		addSums(k.sum(n), data)
	default:
		k.skeleton.Take(part, k.field(n), from, data)
	}
}

func buildOpenAtom(c *config) error {
	m, arity, bytes, percent := c.of("row"), c.of("arity"), c.of("size"), c.of("direct")
	rows := c.ranks / m
	if rows*m != c.ranks {
		least := max(rows, 1)
		return fmt.Errorf("%d ranks, want a multiple of row=%d: %d or %d", c.ranks, m, least*m,
			(least+1)*m)
	}
	up := bytes * 79 / 100
	transposed := func(r int) int { return r%m*rows + r/m }
	senders := 0
	for r := range c.ranks {
		if transposed(r) != r {
			senders++
		}
	}
	direct := 0
	if senders > 0 {
		direct = percent * rows * (m - 1) * (bytes + up) / ((100 - percent) * senders)
	}
	c.trees = atomTrees(c.ranks, m, arity)
	sizes := map[int]int{atomDown: bytes, atomUp: up, atomDirect: direct}
	c.each(func(rank int) core.Kernel {
		return &openatom{skeleton{rank: rank, words: max(bytes, direct)/8 + 1, sizes: sizes},
			bytes / 8, up / 8}
	}, func(w *writer) {
		for t := range c.of("iterations") {
			w.iteration(func() { atomStep(w, atomGroup(w.rank, m, t)) })
			w.send(transposed(w.rank), atomDirect)
			for from := range w.n {
				if transposed(from) == w.rank {
					w.recv(from, atomDirect)
				}
			}
			if w.checkpoint > 0 && (t+1)%w.checkpoint == 0 {
				w.add(core.Op{Kind: core.OpCheckpoint})
			}
		}
	})
	return nil
}

// atomTrees are the trees of the rows, each rank at the root of one; rows of one rank have none.
func atomTrees(ranks, m, arity int) (trees []trace.Tree) {
	for root := range ranks {
		first := root - root%m
		members := []int{root}
		for r := first; r < first+m; r++ {
			if r != root {
				members = append(members, r)
			}
		}
		if m > 1 {
			trees = append(trees, heapTree(fmt.Sprint("row", root), members, arity))
		}
	}
	return trees
}

// atomGroup is the group of the row of a rank in step t, 0 in rows of one rank.
func atomGroup(rank, m, t int) core.Group {
	if m == 1 {
		return 0
	}
	return core.Group(rank - rank%m + t%m + 1)
}

// atomStep writes the multicast and the reduction of a step in the row of the rank.
func atomStep(w *writer, g core.Group) {
	root := g == 0 || w.trees[g-1].Root() == core.Rank(w.rank)
	if root {
		w.compute(atomBegin)
	}
	if g > 0 {
		w.multicast(g, atomDown)
	}
	w.compute(atomShare)
	if g > 0 {
		w.contribute(g, atomUp)
	}
	if root && g > 0 {
		w.result(g, atomUp)
	}
	if root {
		w.compute(atomEnd)
	}
}

// putCounts writes whole numbers to bytes, eight for each; what is left of the bytes is zero.
func putCounts(counts []int64, to []byte) {
	clear(to)
	for i, c := range counts {
		binary.LittleEndian.PutUint64(to[8*i:], uint64(c))
	}
}

// putSums writes the own part of a reduction, in the byte order in which contributions are combined
// (core.Combine). It is gone then: what comes of the reduction has it, or has passed it on.
func putSums(sums []int64, to []byte) {
	clear(to)
	for i, s := range sums {
		binary.BigEndian.PutUint64(to[8*i:], uint64(s))
	}
	clear(sums)
}

// addSums adds what a reduction brings to the own part.
func addSums(sums []int64, data []byte) {
	for i := range sums {
		sums[i] += int64(binary.BigEndian.Uint64(data[8*i:]))
	}
}

// heapTree is a tree in which the member at place p has children at arity*p+1 and so on.
func heapTree(name string, members []int, arity int) trace.Tree {
	t := trace.Tree{Name: name, Combine: core.Sum}
	var visit func(p, parent int)
	visit = func(p, parent int) {
		t.Members = append(t.Members, core.Rank(members[p]))
		t.Parents = append(t.Parents, core.Rank(members[parent]))
		for c := arity*p + 1; c <= arity*p+arity && c < len(members); c++ {
			visit(c, p)
		}
	}
	visit(0, 0)
	return t
}

// objectKernels are those of many small objects.
func objectKernels() []kernel {
	arity := parameter{"arity", 2, 1, 64, "children of a place in a tree"}
	return []kernel{
		{name: "leanmd",
			doc: "cells and computes in the manner of molecular dynamics: multicasts to and " +
				"reductions from the computes of a cell, or (form=messages) receives by any " +
				"and sends on arrival, not send-deterministic", build: buildLeanMD,
			orders: func(c *config) bool { return c.choices["form"] == "messages" },
			words:  map[string][]string{"form": {"groups", "messages"}},
			parameters: []parameter{{"cx", 2, 1, 64, "cells along x"},
				{"cy", 1, 1, 64, "cells along y"}, {"cz", 1, 1, 64, "cells along z"},
				{"reach", 1, 0, 8, "how far a cell sees"}, arity,
				{"size", 64, 16, 1 << 26, "bytes of a message"}, iterations(1)}},
		{name: "openatom",
			doc: "multicast and reduction in rows of ranks, then a transposition, contributions " +
				"combined as they come", build: buildOpenAtom,
			parameters: []parameter{{"row", 2, 1, maxRanks, "ranks in a row"}, arity,
				{"size", 64, 8, 1 << 26, "bytes of a multicast"},
				{"direct", 32, 0, 99,
					"share of the bytes of a step that is transposed, in percent"},
				{"iterations", 2, 0, 10000, "steps"}, checkpoints}},
	}
}
