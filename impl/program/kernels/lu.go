package kernels

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// lu is a pipelined wavefront over a grid of columns: xdim rows of ranks by ydim.
type lu struct {
	xdim, ydim, n int
}

// Parts, by the direction in which a message goes: planes of the two sweeps, and layers for the
// right-hand side.
const (
	luSouth, luEast, luNorth, luWest = 0, 1, 2, 3
	luLayer                          = 4 // added to the direction
)

func (l *lu) place(rank int) (row, col int) { return rank % l.xdim, rank / l.xdim }

func (l *lu) sizes(rank int) map[int]int {
	row, col := l.place(rank)
	_, nx := block(l.n, l.xdim, row)
	_, ny := block(l.n, l.ydim, col)
	inner := func(points, at, of int) int { // without the global boundary
		if at == 0 {
			points--
		}
		if at == of-1 {
			points--
		}
		return points
	}
	ni, nj := inner(nx, row, l.xdim), inner(ny, col, l.ydim)
	return map[int]int{collective: 40, luSouth: 40 * nj, luNorth: 40 * nj, luEast: 40 * ni,
		luWest:            40 * ni,
		luLayer + luSouth: 80 * ny * l.n, luLayer + luNorth: 80 * ny * l.n, luLayer +
			luEast: 80 * nx * l.n, luLayer + luWest: 80 * nx * l.n}
}

// neighbours are the ranks to the north, south, west and east; the rank itself where the grid ends.
func (l *lu) neighbours(rank int) (north, south, west, east int) {
	row, col := l.place(rank)
	north, south, west, east = rank, rank, rank, rank
	if row > 0 {
		north = rank - 1
	}
	if row < l.xdim-1 {
		south = rank + 1
	}
	if col > 0 {
		west = rank - l.xdim
	}
	if col < l.ydim-1 {
		east = rank + l.xdim
	}
	return north, south, west, east
}

// sweeps goes down through the planes with the wave to the south-east, and up with the wave back.
func (l *lu) sweeps(w *writer) {
	north, south, west, east := l.neighbours(w.rank)
	w.loop(l.n-2, func() {
		w.recv(north, luSouth)
		w.recv(west, luEast)
		w.compute(0)
		w.send(south, luSouth)
		w.send(east, luEast)
	})
	w.loop(l.n-2, func() {
		w.recv(south, luNorth)
		w.recv(east, luWest)
		w.compute(1)
		w.send(north, luNorth)
		w.send(west, luWest)
	})
}

// rightHandSide exchanges layers along both axes.
func (l *lu) rightHandSide(w *writer) {
	north, south, west, east := l.neighbours(w.rank)
	w.send(south, luLayer+luSouth)
	w.recv(north, luLayer+luSouth)
	w.send(north, luLayer+luNorth)
	w.recv(south, luLayer+luNorth)
	w.send(east, luLayer+luEast)
	w.recv(west, luLayer+luEast)
	w.send(west, luLayer+luWest)
	w.recv(east, luLayer+luWest)
	w.compute(2)
}

func buildLU(c *config) error {
	l := &lu{ydim: divisor(c.ranks), n: c.of("n")}
	l.xdim = c.ranks / l.ydim
	if l.n < 2*l.xdim {
		return fmt.Errorf(
			"%d ranks as a grid of %dx%d, but n=%d: want at most %d ranks in a column, two "+
				"points for each", c.ranks, l.xdim, l.ydim, l.n, l.n/2)
	}
	c.each(func(rank int) core.Kernel {
		return &skeleton{rank: rank, words: 5 * l.n * l.n * l.n / c.ranks, sizes: l.sizes(rank)}
	}, func(w *writer) {
		reduce := func() {
			w.compute(collective)
			w.allreduce(0)
		}
		// of the forcing term, at the start, and to warm up
		w.loop(3, func() { l.rightHandSide(w) })
		reduce()
		w.iterate(c.of("iterations")+1, func() {
			l.sweeps(w)
			l.rightHandSide(w)
		})
		w.loop(4, reduce)
	})
	return nil
}

// benchmarkKernels are those in the manner of the NAS parallel benchmarks.
func benchmarkKernels() []kernel {
	mainLoop := []parameter{iterations(2), checkpoints}
	with := func(p ...parameter) []parameter { return append(p, mainLoop...) }
	return []kernel{
		{name: "bt", doc: "multi-partition sweeps with block-tridiagonal messages, ranks a square",
			parameters: with(size(12, 1, 4096, "points each way")),
			classes: map[string]map[string]int{"S": {"n": 12, "iterations": 60},
				"W": {"n": 24, "iterations": 200}, "A": {"n": 64, "iterations": 200},
				"D": {"n": 408, "iterations": 250}},
			build: multipartitioned(btForward, btReverse)},
		{name: "sp", doc: "multi-partition sweeps with pentadiagonal messages, ranks a square",
			parameters: with(size(12, 1, 4096, "points each way")),
			classes: map[string]map[string]int{"S": {"n": 12, "iterations": 100},
				"A": {"n": 64, "iterations": 400}, "D": {"n": 408, "iterations": 500}},
			build: multipartitioned(spForward, spReverse)},
		{name: "lu", doc: "pipelined wavefronts over a grid of ranks",
			parameters: with(size(12, 3, 4096, "points each way")),
			classes: map[string]map[string]int{"S": {"n": 12, "iterations": 50},
				"A": {"n": 64, "iterations": 250}, "D": {"n": 408, "iterations": 300}},
			build: buildLU},
		{name: "cg", doc: "conjugate gradients on a grid of ranks, ranks a power of 2",
			parameters: append(with(size(1400, 2, 1<<24, "unknowns")),
				parameter{"inner", 25, 1, 1000, "steps of an outer iteration"}),
			classes: map[string]map[string]int{"S": {"n": 1400, "iterations": 15},
				"W": {"n": 7000, "iterations": 15}, "A": {"n": 14000, "iterations": 15},
				"D": {"n": 1500000, "iterations": 100}},
			build: buildCG},
		{name: "ft", doc: "three-dimensional Fourier transforms with an alltoall each",
			parameters: with(size(8, 1, 4096, "points along x"),
				parameter{"ny", 0, 0, 4096, "points along y, 0 for as many as along x"},
				parameter{"nz", 0, 0, 4096, "points along z, 0 for as many as along x"}),
			classes: map[string]map[string]int{"S": {"n": 64, "ny": 64, "nz": 64, "iterations": 6},
				"A": {"n": 256, "ny": 256, "nz": 128, "iterations": 6},
				"D": {"n": 2048, "ny": 1024, "nz": 1024, "iterations": 25}},
			build: buildFT},
		{name: "mg", doc: "multigrid V-cycles on a periodic cube, ranks and n powers of 2",
			parameters: with(size(8, 2, 4096, "points each way")),
			classes: map[string]map[string]int{"S": {"n": 32, "iterations": 4},
				"A": {"n": 256, "iterations": 4}, "D": {"n": 1024, "iterations": 50}},
			build: buildMG},
	}
}
