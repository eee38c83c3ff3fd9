package performability

import (
	"fmt"
	"math"
)

// MostSimulated is how many cores Simulate takes at most: it looks at each in every iteration.
const MostSimulated = 1 << 14

// Simulated is a program whose cores were followed one by one.
type Simulated struct {
	Layout    []int   // cores along each dimension, which come as near to each other as can be
	Largest   int     // tiles of the largest supertile
	Iteration float64 // s, once the pace is steady
	// as those of Run, the mean of all cores
	Efficiency, Serial, Speedup float64
}

// block is the supertile of one core.
type block struct {
	tiles           int
	edge, internal  float64 // s to compute
	neighbours      []int
	faces           []float64 // s until what is sent to each is there
	edged, computed float64   // when, in this iteration
	done            float64   // with the last one
}

// Simulate follows the cores of a program through iterations: supertiles of whole tiles, in a grid
// without ends that meet, of which each begins an iteration when it has what its neighbours have
// sent, computes its edges, sends them, and computes the rest meanwhile. The model of On has
// supertiles of as many tiles as the division gives, all with neighbours on all sides.
func (p *Program) Simulate(cores int) (Simulated, error) {
	side := int(p.Side)
	err := p.check()
	switch {
	case err != nil:
		return Simulated{}, err
	case cores < 1 || cores > MostSimulated:
		return Simulated{}, fmt.Errorf("%d cores: want 1 to %d, which are followed one by one",
			cores, MostSimulated)
	case float64(side) != p.Side || p.Side > 1<<20:
		return Simulated{}, fmt.Errorf("%g tiles a side: want a whole number, at most %d", p.Side,
			1<<20)
	}
	s := Simulated{Layout: layout(cores, p.Dim)}
	steps := 8 // until the slowest core holds up all others, and as many again
	for _, n := range s.Layout {
		if steps += n; n > side {
			return Simulated{}, fmt.Errorf("%d cores a side have less than a tile each of %d", n,
				side)
		}
	}
	blocks := make([]block, cores)
	for c := range blocks {
		blocks[c] = p.block(c, side, s.Layout)
		s.Largest = max(s.Largest, blocks[c].tiles)
	}
	began := advance(blocks, steps)
	s.Iteration = (advance(blocks, steps) - began) / float64(steps)
	for c := range blocks {
		s.Efficiency += (blocks[c].edge + blocks[c].internal) / s.Iteration / float64(cores)
	}
	s.Speedup = math.Pow(p.Side, float64(p.Dim)) * p.Tile / s.Iteration
	s.Serial = s.Speedup / float64(cores)
	return s, nil
}

// layout divides cores among dimensions, the largest number last.
func layout(cores, dimensions int) []int {
	if dimensions == 1 {
		return []int{cores}
	}
	first := int(math.Round(math.Pow(float64(cores), 1/float64(dimensions))))
	for ; cores%first != 0; first-- { // 1 divides all
	}
	return append([]int{first}, layout(cores/first, dimensions-1)...)
}

// block is that of a core, with its neighbours.
func (p *Program) block(core, side int, layout []int) block {
	extents, at, rest := make([]int, len(layout)), make([]int, len(layout)), core
	b := block{tiles: 1}
	for d, n := range layout {
		at[d], rest = rest%n, rest/n
		extents[d] = side / n
		if at[d] < side%n { // the first ones have one more
			extents[d]++
		}
		b.tiles *= extents[d]
	}
	inner, stride := 1, 1
	for d, n := range layout {
		within := extents[d]
		for _, by := range []int{-1, 1} {
			if to := at[d] + by; to >= 0 && to < n {
				within--
				b.neighbours = append(b.neighbours, core+by*stride)
				b.faces = append(b.faces, float64(b.tiles/extents[d])*p.Times.Comm())
			}
		}
		inner, stride = inner*max(within, 0), stride*n
	}
	b.edge = float64(b.tiles-inner) * p.Border()
	b.internal = float64(inner) * p.Internal()
	return b
}

// advance goes on for so many iterations; it returns when the last core has done the last one.
func advance(blocks []block, iterations int) (last float64) {
	for range iterations {
		for c := range blocks {
			b := &blocks[c]
			b.edged = b.done + b.edge
			b.computed = b.edged + b.internal
		}
		for c := range blocks {
			b := &blocks[c]
			b.done = b.computed
			for i, n := range b.neighbours {
				// a face is as large on both sides: blocks of a row have the same other extents
				b.done = max(b.done, blocks[n].edged+b.faces[i])
			}
			last = max(last, b.done)
		}
	}
	return last
}
