package kernels

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/core"
)

// ft solves a diffusion equation in Fourier space: a forward transform once, then in each iteration
// a decay of every mode, an inverse transform and a checksum. In space a rank has planes of
// constant z, in Fourier space columns along z; each transform exchanges blocks between all.
type ft struct {
	rank, n    int
	nx, ny, nz int
	x, y, z    *transform // shared by all ranks, never changed
}

// Messages: the part is one of these plus the other rank.
const (
	ftForward = 0       // from planes to columns
	ftInverse = 1 << 12 // from columns to planes
	ftSum     = 1 << 13
)

// Computations.
const (
	ftStart   = iota // the initial field
	ftPlanes         // transform along x and y, and place what stays
	ftColumns        // transform along z
	ftDecay          // modes decay; transform along z back, and place what stays
	ftField          // transform along y and x back, checksum
)

// The floats: planes, columns, spectrum (columns before the decay), checksum, scratch for one line.
func (k *ft) cells() int                           { return 2 * k.nx * k.ny * k.nz / k.n }
func (k *ft) planes(n *core.Numbers) core.Floats   { return n.Floats[:k.cells()] }
func (k *ft) columns(n *core.Numbers) core.Floats  { return n.Floats[k.cells():][:k.cells()] }
func (k *ft) spectrum(n *core.Numbers) core.Floats { return n.Floats[2*k.cells():][:k.cells()] }
func (k *ft) sum(n *core.Numbers) core.Floats      { return n.Floats[3*k.cells():][:2] }
func (k *ft) scratch(n *core.Numbers) core.Floats  { return n.Floats[3*k.cells()+2:] }
func (k *ft) own() (planes, columns int)           { return k.nz / k.n, k.nx * k.ny / k.n }

func (k *ft) Begin() core.Numbers {
	n := core.Numbers{Floats: make(core.Floats, 3*k.cells()+2+2*max(k.nx, k.ny, k.nz)),
		Counts: []int64{0}}
	k.Compute(ftStart, &n)
	return n
}

func (k *ft) Compute(part int, n *core.Numbers) {
	switch part {
	case ftStart:
		for i := range k.planes(n) {
			n.Floats[i] = unit(uint64(k.rank*k.cells() + i))
		}
		n.Counts[0] = 0
	case ftPlanes:
		k.alongX(n, -1)
		k.alongY(n, -1)
		k.move(n, k.rank, ftForward)
	case ftColumns:
		k.alongZ(n, -1)
		copy(k.spectrum(n), k.columns(n))
	case ftDecay:
		n.Counts[0]++
		k.decay(n)
		k.alongZ(n, 1)
		k.move(n, k.rank, ftInverse)
	case ftField:
		k.alongY(n, 1)
		k.alongX(n, 1)
		k.checksum(n)
	}
}

func (k *ft) alongX(n *core.Numbers, sign float64) {
	a, scratch := k.planes(n), k.scratch(n)
	for i := 0; i < len(a); i += 2 * k.nx {
		k.x.line(a[i:i+2*k.nx], scratch, sign)
	}
}

func (k *ft) alongY(n *core.Numbers, sign float64) {
	planes, _ := k.own()
	a, line := k.planes(n), make([]float64, 2*k.ny)
	for z := range planes {
		for x := range k.nx {
			for y := range k.ny {
				at := 2 * ((z*k.ny+y)*k.nx + x)
				line[2*y], line[2*y+1] = a[at], a[at+1]
			}
			k.y.line(line, k.scratch(n), sign)
			for y := range k.ny {
				at := 2 * ((z*k.ny+y)*k.nx + x)
				a[at], a[at+1] = line[2*y], line[2*y+1]
			}
		}
	}
}

func (k *ft) alongZ(n *core.Numbers, sign float64) {
	a, scratch := k.columns(n), k.scratch(n)
	for i := 0; i < len(a); i += 2 * k.nz {
		k.z.line(a[i:i+2*k.nz], scratch, sign)
	}
}

// decay takes the modes of the spectrum at the present time.
func (k *ft) decay(n *core.Numbers) {
	_, columns := k.own()
	fold := func(i, n int) float64 { return float64((i+n/2)%n - n/2) }
	for c := range columns {
		xy := k.rank*columns + c
		kx, ky := fold(xy%k.nx, k.nx), fold(xy/k.nx, k.ny)
		for z := range k.nz {
			kz := fold(z, k.nz)
			square := float64(kx*kx) + float64(ky*ky) + float64(kz*kz)
			f := math.Exp(-4e-6*math.Pi*math.Pi*square*float64(n.Counts[0])) / float64(
				k.nx*k.ny*k.nz)
			at := 2 * (c*k.nz + z)
			k.columns(n)[at], k.columns(n)[at+1] = float64(f*k.spectrum(n)[at]),
				float64(f*k.spectrum(n)[at+1])
		}
	}
}

// checksum sums the field at every fifth point that is ours.
func (k *ft) checksum(n *core.Numbers) {
	a, sum := k.planes(n), k.sum(n)
	clear(sum)
	for i := 0; i < len(a); i += 10 {
		sum[0] += a[i]
		sum[1] += a[i+1]
	}
}

// piece calls back with every number that moves between this rank and another: its place in the
// planes and in the columns of whoever holds them.
func (k *ft) piece(other int, forward, sending bool, see func(plane, column int)) {
	planes, columns := k.own()
	zRank, xyRank := k.rank, other // who holds the planes, who the columns
	if forward != sending {
		zRank, xyRank = other, k.rank
	}
	for z := range planes {
		for c := range columns {
			xy := xyRank*columns + c
			see(2*(z*k.nx*k.ny+xy), 2*(c*k.nz+zRank*planes+z))
		}
	}
}

// move copies the block that stays.
func (k *ft) move(n *core.Numbers, other, direction int) {
	p, c := k.planes(n), k.columns(n)
	k.piece(other, direction == ftForward, true, func(plane, column int) {
		if direction == ftForward {
			c[column], c[column+1] = p[plane], p[plane+1]
		} else {
			p[plane], p[plane+1] = c[column], c[column+1]
		}
	})
}

func (k *ft) Size(part int, _ *core.Numbers) int {
	if part&collective != 0 {
		return 16
	}
	planes, columns := k.own()
	return 16 * planes * columns
}

func (k *ft) Fill(part int, n *core.Numbers, to []byte) {
	if part&collective != 0 {
		k.sum(n).Put(to)
		return
	}
	from, forward := k.planes(n), part < ftInverse
	if !forward {
		from = k.columns(n)
	}
	k.piece(part%ftInverse, forward, true, func(plane, column int) {
		at := plane
		if !forward {
			at = column
		}
		binary.LittleEndian.PutUint64(to, math.Float64bits(from[at]))
		binary.LittleEndian.PutUint64(to[8:], math.Float64bits(from[at+1]))
		to = to[16:]
	})
}

func (k *ft) Take(part int, n *core.Numbers, _ core.Rank, data []byte) {
	if part&collective != 0 {
		addFloats(k.sum(n), data)
		return
	}
	into, forward := k.columns(n), part < ftInverse
	if !forward {
		into = k.planes(n)
	}
	k.piece(part%ftInverse, forward, false, func(plane, column int) {
		at := column
		if !forward {
			at = plane
		}
		into[at] = math.Float64frombits(binary.LittleEndian.Uint64(data))
		into[at+1] = math.Float64frombits(binary.LittleEndian.Uint64(data[8:]))
		data = data[16:]
	})
}

func (k *ft) Next(int, *core.Numbers) (core.Rank, bool) { return 0, false }

func buildFT(c *config) error {
	n, nx, ny, nz := c.ranks, c.of("n"), c.of("ny"), c.of("nz")
	if ny == 0 {
		ny = nx
	}
	if nz == 0 {
		nz = nx
	}
	if nz%n != 0 || nx*ny%n != 0 {
		var allowed []int
		for r := 1; r <= min(nz, maxRanks); r++ {
			if nz%r == 0 && nx*ny%r == 0 {
				allowed = append(allowed, r)
			}
		}
		return fmt.Errorf(
			"%d ranks for %dx%dx%d points, want a number that divides the planes, %d, and the "+
				"columns, %d: %v", n, nx, ny, nz, nz, nx*ny, allowed)
	}
	x, y, z := newTransform(nx), newTransform(ny), newTransform(nz)
	c.each(func(rank int) core.Kernel {
		return &ft{rank, n, nx, ny, nz, x, y, z}
	}, func(w *writer) {
		forward := func() {
			w.compute(ftStart)
			w.compute(ftPlanes)
			w.alltoall(ftForward)
			w.compute(ftColumns)
		}
		w.loop(2, forward) // once to warm up
		w.iterate(c.of("iterations"), func() {
			w.compute(ftDecay)
			w.alltoall(ftInverse)
			w.compute(ftField)
			w.reduce(ftSum)
		})
	})
	return nil
}
