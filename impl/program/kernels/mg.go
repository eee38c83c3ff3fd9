package kernels

import (
	"fmt"
	"math/bits"

	"github.com/domino-check/domino/impl/core"
)

// mg solves a Poisson equation on a periodic cube by V-cycles. Where a level has fewer points along
// an axis than there are ranks, some of them sit out; on the way up those who have the points hand
// interpolated values to those who come back.
type mg struct {
	rank   int
	levels []mgLevel // from 1, the coarsest, which has two points each way
}

// mgLevel is one level at one rank.
type mgLevel struct {
	m            [3]int // points each way, a layer of others' on either side included
	dead         bool   // the rank has no points
	below, above [3]int // neighbours along each axis
	give, take   [3]bool
	first        [3]int // place of the first own point in the whole
	u, r         int    // where the approximation and the residual begin in the floats
}

// Parts of messages: level, what is exchanged, axis, direction in which it goes.
const (
	mgUp     = 1 // direction +
	mgExpand = 6
	mgRight  = 12 // what is exchanged: 0 the approximation, else the residual
	mgParts  = 32 // to a level
)

// Sums at the end.
const mgNorm = 1

func (k *mg) top() int { return len(k.levels) - 1 }

func (k *mg) size(l int) int {
	m := k.levels[l].m
	return m[0] * m[1] * m[2]
}

func (k *mg) u(n *core.Numbers, l int) core.Floats { return n.Floats[k.levels[l].u:][:k.size(l)] }
func (k *mg) r(n *core.Numbers, l int) core.Floats { return n.Floats[k.levels[l].r:][:k.size(l)] }
func (k *mg) v(n *core.Numbers) core.Floats        { return n.Floats[:k.size(k.top())] }
func (k *mg) norm(n *core.Numbers) core.Floats     { return n.Floats[k.size(k.top()):][:1] }

// newMG finds out the place of a rank on every level.
func newMG(rank, ranks, n int) *mg {
	p := bits.Len(uint(ranks)) - 1
	var grid, at, stride [3]int
	grid[0], grid[1] = 1<<(p/3), 1<<((p-p/3)/2)
	grid[2] = ranks / (grid[0] * grid[1])
	at = [3]int{rank % grid[0], rank / grid[0] % grid[1], rank / (grid[0] * grid[1])}
	k := &mg{rank: rank, levels: make([]mgLevel, bits.Len(uint(n)))}
	for a := range 3 {
		stride[a] = 1
		points := func(x, l int) int { return (x+1)<<l/grid[a] - x<<l/grid[a] + 2 }
		name := func(x int) int {
			c := at
			c[a] = (x%grid[a] + grid[a]) % grid[a]
			return c[0] + grid[0]*(c[1]+c[2]*grid[1])
		}
		for l := k.top(); l >= 1; l-- {
			level := &k.levels[l]
			mine, next := points(at[a], l), points(at[a]+stride[a], l)
			level.m[a], level.first[a] = mine, at[a]<<l/grid[a]
			if l < k.top() {
				k.levels[l+1].give[a], k.levels[l+1].take[a] = mine == 3 && next == 2, mine == 2 &&
					next == 3
			}
			if mine == 2 || next == 2 {
				stride[a] *= 2
			}
			level.dead = level.dead || mine == 2
			level.below[a], level.above[a] = name(at[a]-stride[a]), name(at[a]+stride[a])
		}
	}
	end := k.size(k.top()) + 1
	for l := 1; l <= k.top(); l++ {
		k.levels[l].u, k.levels[l].r = end, end+k.size(l)
		end += 2 * k.size(l)
	}
	k.levels[0].r = end
	return k
}

func mgPart(l, what, axis, direction int) int { return l*mgParts + what + 2*axis + direction }

// faces writes the exchange of the outer layers of the approximation or the residual (comm3).
func (k *mg) faces(w *writer, l, what int) {
	level := &k.levels[l]
	if level.dead {
		return
	}
	for axis := range 3 {
		w.compute(mgPart(l, what, axis, 0)) // a copy when the rank is its own neighbour
		w.send(level.above[axis], mgPart(l, what, axis, mgUp))
		w.send(level.below[axis], mgPart(l, what, axis, 0))
		w.recv(level.below[axis], mgPart(l, what, axis, mgUp))
		w.recv(level.above[axis], mgPart(l, what, axis, 0))
	}
}

// expand writes how ranks that come back get what they need (comm3_ex).
func (k *mg) expand(w *writer, l int) {
	level := &k.levels[l]
	for axis := range 3 {
		if level.give[axis] {
			w.send(level.above[axis], mgPart(l, mgExpand, axis, mgUp))
			w.send(level.below[axis], mgPart(l, mgExpand, axis, 0))
		}
		if level.take[axis] {
			w.recv(level.below[axis], mgPart(l, mgExpand, axis, mgUp))
			w.recv(level.above[axis], mgPart(l, mgExpand, axis, 0))
		}
	}
}

// cycle writes a V-cycle.
func (k *mg) cycle(w *writer) {
	top := k.top()
	for l := top; l >= 2; l-- {
		w.compute(mgRestrict + l)
		k.faces(w, l-1, mgRight)
	}
	w.compute(mgZero + 1)
	w.compute(mgSmooth + 1)
	k.faces(w, 1, 0)
	for l := 2; l <= top; l++ {
		if l < top {
			w.compute(mgZero + l)
		}
		w.compute(mgInterpolate + l)
		k.expand(w, l)
		w.compute(mgResidual + l)
		k.faces(w, l, mgRight)
		w.compute(mgSmooth + l)
		k.faces(w, l, 0)
	}
	w.compute(mgResidual + top)
	k.faces(w, top, mgRight)
}

func buildMG(c *config) error {
	n, ranks := c.of("n"), c.ranks
	if ranks&(ranks-1) != 0 {
		lower := 1 << (bits.Len(uint(ranks)) - 1)
		return fmt.Errorf("%d ranks, want a power of 2: %d or %d", ranks, lower, 2*lower)
	}
	if n&(n-1) != 0 {
		return fmt.Errorf("n=%d, want a power of 2", n)
	}
	if k := newMG(0, ranks, n); k.levels[k.top()].dead || k.top() < 2 && ranks > 1 {
		return fmt.Errorf(
			"n=%d for %d ranks: some would have no points, want a larger n or fewer ranks", n,
			ranks)
	}
	c.each(func(rank int) core.Kernel { return newMG(rank, ranks, n) }, func(w *writer) {
		k := w.ops[0].Kernel.(*mg)
		top := k.top()
		begin := func() { // the right-hand side, and the residual of no approximation
			w.compute(mgRightSide)
			k.faces(w, top, mgRight)
			w.compute(mgResidual + top)
			k.faces(w, top, mgRight)
		}
		begin()
		k.cycle(w) // to warm up
		begin()
		w.compute(mgNormPart)
		w.allreduce(mgNorm)
		w.iterate(c.of("iterations"), func() { k.cycle(w) })
		w.compute(mgNormPart)
		w.allreduce(mgNorm)
	})
	return nil
}
