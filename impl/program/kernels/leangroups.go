package kernels

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// leanGroups is leanmd with multicasts and reductions as operations of its program: a cell and the
// ranks of its computes are a group with the tree along which the other form sends. It comes to the
// same numbers, step by step: all data of a step are received, all computes carried out, then the
// sums are made. All go through the groups in the order of their cells: nobody waits for one while
// somebody waits for it in an earlier one, and expanded into messages (package script) what two
// ranks have to do with each other in several groups is sent in the order in which it is received.
//
// Of the state of a member, waiting is what the contributions to the present step say of
// themselves, added up, and step counts those that have ended.
type leanGroups struct{ *leanmd }

// The parts of messages and computations: kind, and a cell, or a face of a cell.
const (
	leanFire = iota + leanFace + 1 // all computes of the rank
	leanEnd                        // the root of a cell takes the sum
	leanStepped
	leanLocal // faces between cells of the rank
	leanFaced // all faces are here
	leanKinds
)

func leanPart(kind, at int) int { return at*leanKinds + kind }

// leanJoins is how a contribution to a step begins, so that the sum tells how many there were.
func leanJoins(step int64) int64 { return 1<<32 | step }

func (k leanGroups) Begin() core.Numbers {
	n := k.zero()
	for s := range k.members {
		k.initial(&n, s)
	}
	return n
}

func (k leanGroups) Next(int, *core.Numbers) (core.Rank, bool) { return 0, false }

// Compute carries out a part; the slot of its cell is asked for where it has one.
func (k leanGroups) Compute(part int, n *core.Numbers) {
	switch at := part / leanKinds; part % leanKinds {
	case leanFire:
		for s := range k.members {
			m := k.member(n, s)
			m[leanWaiting] = leanJoins(m[leanStep])
		}
		for _, pair := range k.computes {
			k.force(n, pair)
		}
	case leanEnd:
		k.end(n, k.slot[at])
	case leanStepped:
		for s := range k.members {
			k.member(n, s)[leanStep]++
		}
	case leanLocal:
		for s, m := range k.members {
			for _, cell := range k.neighbours(m.cell) {
				if to, ok := k.slot[cell]; ok && m.root && k.members[to].root {
					k.face(n, to, k.data(n, s)[0])
				}
			}
		}
	case leanFaced:
		for s := range k.members {
			m := k.member(n, s)
			k.data(n, s)[0] += m[leanSums]
			m[leanSums] = 0
		}
	}
}

// end takes the sum of a step into the data of a cell, at its root.
func (k leanGroups) end(n *core.Numbers, slot int) {
	m := k.member(n, slot)
	if want := int64(k.members[slot].size) * leanJoins(m[leanStep]); m[leanWaiting] != want {
		k.surprise(n, uint64(m[leanWaiting]-want))
	}
	m[leanWaiting] = 0
	sum, data := k.sum(n, slot), k.data(n, slot)
	for i, s := range sum {
		data[i] = int64(core.Mix(uint64(data[i]) + uint64(s)))
	}
	clear(sum)
}

// surprise notes what should not have come: it shows in the end.
func (k leanGroups) surprise(n *core.Numbers, what uint64) {
	n.Counts[0] = int64(core.Mix(uint64(n.Counts[0]) + what))
}

// face takes the face of a neighbour.
func (k leanGroups) face(n *core.Numbers, slot int, value int64) {
	k.member(n, slot)[leanSums] += int64(core.Mix(uint64(value)))
}

func (k leanGroups) Size(part int, _ *core.Numbers) int {
	if part%leanKinds == leanFace {
		return leanFaceBytes
	}
	return 8 * (k.words + 1)
}

// head is how the data of a cell begin, and a face from it, in the present step.
func (k leanGroups) head(part int, step int64) uint64 {
	return uint64(part)<<32 | uint64(step)
}

func (k leanGroups) Fill(part int, n *core.Numbers, to []byte) {
	at := part / leanKinds
	if part%leanKinds == leanFace {
		slot := k.slot[at/6]
		clear(to)
		binary.LittleEndian.PutUint64(to, k.head(part, k.member(n, slot)[leanStep]))
		binary.LittleEndian.PutUint64(to[8:], uint64(k.data(n, slot)[0]))
		return
	}
	slot := k.slot[at]
	m := k.member(n, slot)
	if part%leanKinds == leanUp {
		binary.BigEndian.PutUint64(to, uint64(m[leanWaiting]))
		m[leanWaiting] = 0
		putSums(k.sum(n, slot), to[8:])
		return
	}
	binary.LittleEndian.PutUint64(to, k.head(part, m[leanStep]))
	putCounts(k.data(n, slot), to[8:])
}

func (k leanGroups) Take(part int, n *core.Numbers, _ core.Rank, data []byte) {
	at := part / leanKinds
	head := binary.LittleEndian.Uint64(data)
	switch part % leanKinds {
	case leanFace:
		slot := k.slot[k.neighbours(at / 6)[at%6]]
		if head != k.head(part, k.member(n, slot)[leanStep]) {
			k.surprise(n, head)
		}
		k.face(n, slot, int64(binary.LittleEndian.Uint64(data[8:])))
		for _, b := range data[16:] {
			if b != 0 {
				k.surprise(n, uint64(b))
			}
		}
	case leanUp:
		slot := k.slot[at]
		k.member(n, slot)[leanWaiting] += int64(binary.BigEndian.Uint64(data))
		addSums(k.sum(n, slot), data[8:])
	default:
		slot := k.slot[at]
		if head != k.head(part, k.member(n, slot)[leanStep]) {
			k.surprise(n, head)
		}
		for i := range k.words {
			k.data(n, slot)[i] = int64(binary.LittleEndian.Uint64(data[8*i+8:]))
		}
	}
}

// writeGroups writes the programs of all ranks.
func (s *leanShape) writeGroups(c *config, words, steps int) {
	groups := make([]core.Group, len(s.groups)) // by cell; 0 where its root has all computes
	for cell, members := range s.groups {
		if len(members) > 1 {
			c.trees = append(c.trees, heapTree(fmt.Sprint("cell", cell), members, c.of("arity")))
			groups[cell] = core.Group(len(c.trees))
		}
	}
	c.each(func(rank int) core.Kernel {
		return leanGroups{s.at(rank, c.ranks, c.of("arity"), words, steps)}
	}, func(w *writer) {
		k := w.ops[0].Kernel.(leanGroups)
		step := func() { w.iteration(func() { k.write(w, groups) }) }
		w.loop(steps/10, func() {
			w.loop(10, step)
			k.writeFaces(w)
		})
		w.loop(steps%10, step)
	})
}

// write writes a step.
func (k leanGroups) write(w *writer, groups []core.Group) {
	for _, m := range k.members {
		if groups[m.cell] > 0 {
			w.multicast(groups[m.cell], leanPart(leanDown, m.cell))
		}
	}
	w.compute(leanPart(leanFire, 0))
	for _, m := range k.members {
		if groups[m.cell] > 0 {
			w.contribute(groups[m.cell], leanPart(leanUp, m.cell))
		}
		if m.root && groups[m.cell] > 0 {
			w.result(groups[m.cell], leanPart(leanUp, m.cell))
		}
		if m.root {
			w.compute(leanPart(leanEnd, m.cell))
		}
	}
	w.compute(leanPart(leanStepped, 0))
}

// writeFaces writes the exchange of faces between cells of different ranks, in the order of the
// cells that they come from.
func (k leanGroups) writeFaces(w *writer) {
	var in []int
	for _, m := range k.members {
		if !m.root {
			continue
		}
		for d, other := range k.neighbours(m.cell) {
			if other%k.ranks == w.rank {
				continue
			}
			w.send(other%k.ranks, leanPart(leanFace, 6*m.cell+d))
			for back, cell := range k.neighbours(other) {
				if cell == m.cell {
					in = append(in, 6*other+back)
				}
			}
		}
	}
	w.compute(leanPart(leanLocal, 0))
	slices.Sort(in)
	for _, at := range slices.Compact(in) {
		w.recv(at/6%k.ranks, leanPart(leanFace, at))
	}
	w.compute(leanPart(leanFaced, 0))
}
