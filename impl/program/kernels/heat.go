package kernels

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/core"
)

// heat spreads heat over a square plate of n by n points in explicit steps, on a grid of ranks;
// outside the plate it is cold but for the side before the first column. Laplace is the same until
// the largest change of a step is known everywhere, now and then.
type heat struct {
	n           int
	px, py      int
	x, y        int // of the rank in the grid
	first, size [2]int
	sides       [4]int // neighbours: north, south, west, east; -1 for none
}

// Sides. A message to a side is received from the opposite one.
const (
	north = iota
	south
	west
	east
)

// heatResidual is the part of the allreduce.
const heatResidual = 1

// Computations.
const (
	heatEdge    = iota // points that neighbours need
	heatInside         // the others
	heatSwap           // the new plate becomes the old one
	heatLargest        // the largest change is to be combined
)

// The floats: the plate before and after a step, with a layer of others around, and the largest
// change: local and combined.
func (k *heat) width() int                         { return k.size[0] + 2 }
func (k *heat) area() int                          { return k.width() * (k.size[1] + 2) }
func (k *heat) old(n *core.Numbers) core.Floats    { return n.Floats[:k.area()] }
func (k *heat) now(n *core.Numbers) core.Floats    { return n.Floats[k.area() : 2*k.area()] }
func (k *heat) change(n *core.Numbers) core.Floats { return n.Floats[2*k.area():] }

// heatAt is the temperature at the beginning.
func heatAt(n, x, y int) float64 {
	switch {
	case x < 0:
		return 1
	case y < 0 || x >= n || y >= n:
		return 0
	}
	return unit(uint64(y*n + x))
}

func (k *heat) Begin() core.Numbers {
	n := core.Numbers{Floats: make(core.Floats, 2*k.area()+2)}
	for y := range k.size[1] + 2 {
		for x := range k.width() {
			v := heatAt(k.n, k.first[0]+x-1, k.first[1]+y-1)
			k.old(&n)[y*k.width()+x], k.now(&n)[y*k.width()+x] = v, v
		}
	}
	return n
}

func (k *heat) Compute(part int, n *core.Numbers) {
	switch part {
	case heatEdge:
		k.change(n)[0] = 0
		w, h := k.size[0], k.size[1]
		k.step(n, 1, 1, w, 1)
		if h > 1 {
			k.step(n, 1, h, w, h)
		}
		k.step(n, 1, 2, 1, h-1)
		if w > 1 {
			k.step(n, w, 2, w, h-1)
		}
	case heatInside:
		k.step(n, 2, 2, k.size[0]-1, k.size[1]-1)
	case heatSwap:
		copy(k.old(n), k.now(n))
	case heatLargest:
		k.change(n)[1] = k.change(n)[0]
	}
}

// step computes the points of a rectangle, both corners included.
func (k *heat) step(n *core.Numbers, x0, y0, x1, y1 int) {
	old, now, w := k.old(n), k.now(n), k.width()
	largest := k.change(n)[0]
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			at := y*w + x
			now[at] = 0.25 * (old[at-w] + old[at+w] + old[at-1] + old[at+1])
			largest = max(largest, math.Abs(now[at]-old[at]))
		}
	}
	k.change(n)[0] = largest
}

// border calls back with the places of the points on a side: our own, or the layer outside.
func (k *heat) border(side int, outside bool, see func(at int)) {
	w, x, y, dx, count := k.width(), 1, 1, 1, k.size[0]
	shift := 0
	if outside {
		shift = 1
	}
	switch side {
	case north:
		y -= shift
	case south:
		y = k.size[1] + shift
	case west:
		x, dx, count = x-shift, w, k.size[1]
	case east:
		x, dx, count = k.size[0]+shift, w, k.size[1]
	}
	for i := range count {
		see(y*w + x + i*dx)
	}
}

func (k *heat) Size(part int, _ *core.Numbers) int {
	switch {
	case part&collective != 0:
		return 8
	case part == north || part == south:
		return 8 * k.size[0]
	}
	return 8 * k.size[1]
}

func (k *heat) Fill(part int, n *core.Numbers, to []byte) {
	if part&collective != 0 {
		k.change(n)[1:].Put(to)
		return
	}
	now := k.now(n)
	k.border(part, false, func(at int) {
		binary.LittleEndian.PutUint64(to, math.Float64bits(now[at]))
		to = to[8:]
	})
}

func (k *heat) Take(part int, n *core.Numbers, _ core.Rank, data []byte) {
	if part&collective != 0 {
		other := math.Float64frombits(binary.LittleEndian.Uint64(data))
		k.change(n)[1] = max(k.change(n)[1], other) // exact, so the tree does not show
		return
	}
	now := k.now(n)
	k.border(part^1, true, func(at int) { // sent to a side, received from the opposite one
		now[at] = math.Float64frombits(binary.LittleEndian.Uint64(data))
		data = data[8:]
	})
}

func (k *heat) Next(int, *core.Numbers) (core.Rank, bool) { return 0, false }

func newHeat(rank, ranks, n int) *heat {
	k := &heat{n: n, px: divisor(ranks)}
	k.py = ranks / k.px
	k.x, k.y = rank%k.px, rank/k.px
	k.first[0], k.size[0] = block(n, k.px, k.x)
	k.first[1], k.size[1] = block(n, k.py, k.y)
	k.sides = [4]int{rank - k.px, rank + k.px, rank - 1, rank + 1}
	for side, none := range [4]bool{k.y == 0, k.y == k.py-1, k.x == 0, k.x == k.px-1} {
		if none {
			k.sides[side] = -1
		}
	}
	return k
}

// exchange writes a step of the plate.
func (k *heat) exchange(w *writer, any bool) {
	w.compute(heatEdge)
	for side, to := range k.sides {
		if to >= 0 {
			w.send(to, side)
		}
	}
	w.compute(heatInside)
	for side, from := range k.sides {
		switch {
		case from < 0:
		case any: // on arrival; the messages of a step are from different ranks
			w.post(from, side^1)
		default:
			w.recv(from, side^1)
		}
	}
	if any {
		w.wait()
	}
	w.compute(heatSwap)
}

// buildHeat builds heat, or laplace, which combines the largest change after every tenth step.
func buildHeat(every int) func(c *config) error {
	return func(c *config) error {
		n, any := c.of("n"), c.choices["receives"] == "any"
		if k := newHeat(0, c.ranks, n); n < k.py {
			return fmt.Errorf("n=%d for a grid of %dx%d ranks: want n=%d or more", n, k.px, k.py,
				k.py)
		}
		c.each(func(rank int) core.Kernel { return newHeat(rank, c.ranks, n) }, func(w *writer) {
			k := w.ops[0].Kernel.(*heat)
			if every == 0 {
				w.iterate(c.of("iterations"), func() { k.exchange(w, any) })
				return
			}
			step := func() { w.iteration(func() { k.exchange(w, any) }) }
			w.repeat(c.of("iterations")/every, func() {
				w.loop(every, step)
				w.compute(heatLargest)
				w.allreduce(heatResidual)
			})
			w.loop(c.of("iterations")%every, step)
		})
		return nil
	}
}

// meshKernels exchange with the neighbours of a grid.
func meshKernels() []kernel {
	receives := map[string][]string{"receives": {"named", "any"}}
	return []kernel{
		{name: "heat", doc: "heat on a plate, blocks with four neighbours", words: receives,
			build: buildHeat(0),
			parameters: []parameter{size(8, 1, 1<<16, "points each way"), iterations(3),
				checkpoints}},
		{name: "laplace", doc: "heat with the largest change combined every ten steps",
			words: receives, build: buildHeat(10),
			parameters: []parameter{size(8, 1, 1<<16, "points each way"), iterations(10),
				{"checkpoint", 0, 0, 1 << 20,
					"a checkpoint after every so many times ten steps, 0 for none"}}},
		{name: "smg",
			doc: "exchanges with ranks 1, 2, 4, ... away, of half the size each, received on " +
				"arrival", build: buildSMG,
			parameters: []parameter{{"edge", 64, 1, 1 << 24, "doubles to the nearest"},
				iterations(2), checkpoints}},
	}
}
