package order

import (
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Cut is one point for each rank, by rank: what is in it is the point and the past of the rank up
// to it.
type Cut []Node

// After is the cut at which the ranks are after an event of the trace. A rank that is down is where
// it was.
func (o *Order) After(event int) Cut { return slices.Clone(o.cuts[event]) }

// In reports whether a node is in the cut.
func (o *Order) In(c Cut, n Node) bool {
	if n == None {
		return true
	}
	for p := c[o.nodes[n].event.Proc]; p != None; p = o.nodes[p].before {
		if p == n {
			return true
		}
	}
	return false
}

// inside is the set of what is in the cut.
func (o *Order) inside(c Cut) bits {
	set := make(bits, len(o.nodes)/64+1)
	for _, p := range c {
		for ; p != None; p = o.nodes[p].before {
			set[p/64] |= 1 << (p % 64)
		}
	}
	return set
}

// Consistent reports whether everything that happened before something in the cut is in it.
func (o *Order) Consistent(c Cut) bool { return len(o.OrphanRanks(c)) == 0 }

// OrphanRanks are the ranks that are orphans at the cut: something happened before where they are
// that is not in it.
func (o *Order) OrphanRanks(c Cut) (list []trace.Rank) {
	in := o.inside(c)
	for r, n := range c {
		if !o.nodes[n].past.within(in) {
			list = append(list, trace.Rank(r))
		}
	}
	return list
}

// Orphans are the receptions in the cut of what is not sent in it: its orphan messages. A cut is
// consistent if and only if it has none.
func (o *Order) Orphans(c Cut) (list []Node) {
	in := o.inside(c)
	for n := range Node(len(o.nodes)) {
		if n != None && in.has(n) && slices.ContainsFunc(o.nodes[n].sends,
			func(s Node) bool { return !in.has(s) }) {
			list = append(list, n)
		}
	}
	return list
}

// InTransit are the sends in the cut of what somebody receives, and not in it: what the channels
// hold, and what a recovery to the cut would lose.
func (o *Order) InTransit(c Cut) (list []Node) {
	in := o.inside(c)
	for n := range Node(len(o.nodes)) {
		for _, s := range o.nodes[n].sends {
			if !in.has(n) && in.has(s) && !slices.Contains(list, s) && !o.receivedIn(in, s, n) {
				list = append(list, s)
			}
		}
	}
	slices.Sort(list)
	return list
}

// receivedIn reports whether the rank that receives a send at a node has received it in the set,
// too.
func (o *Order) receivedIn(in bits, send, n Node) bool {
	for m := range Node(len(o.nodes)) {
		if m != None && in.has(m) && o.nodes[m].event.Proc == o.nodes[n].event.Proc &&
			slices.Contains(o.nodes[m].sends, send) {
			return true
		}
	}
	return false
}

// Line is the recovery line: of the cuts in which each rank is at one of its points or at its
// beginning, the last one that is consistent. The points of a rank are on one past of it, in
// order. It is found by rollback propagation: as long as a rank is an orphan, it goes back.
func (o *Order) Line(points [][]Node) Cut {
	c := make(Cut, len(points))
	left := slices.Clone(points)
	step := func(r int) { // to the last point that is left
		c[r] = None
		if k := len(left[r]); k > 0 {
			c[r], left[r] = left[r][k-1], left[r][:k-1]
		}
	}
	for r := range c {
		step(r)
	}
	for {
		orphans := o.OrphanRanks(c)
		if len(orphans) == 0 {
			return c
		}
		step(int(orphans[0]))
	}
}
