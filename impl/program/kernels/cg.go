package kernels

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/domino-check/domino/impl/core"
)

// cg solves A x = b by conjugate gradients and estimates an eigenvalue by inverse iteration. The
// matrix lies in blocks on a grid of ranks; vectors by columns of the grid, each column of ranks
// alike. A product is summed along the row of the grid, then transposed.
type cg struct {
	rank, n            int
	rows, cols, stages int // stages: log2 of cols
	row, col           int // of the rank
	first, count       int // rows of the matrix
	colFirst, colCount int // columns of the matrix, which are also the part of each vector
	half               int // of the rows, with twice as many columns as rows: where our half begins
	halves             bool
	place              map[string]int // of vectors and scalars in the floats
}

// Parts.
const (
	cgRowSum    = 0 // plus the stage
	cgTranspose = 64
	cgDot       = 65 // one double; plus the stage
	cgDots      = 97 // two doubles; plus the stage
)

// Computations.
const (
	cgOuter   = iota // x becomes the right-hand side, z zero
	cgRho            // after the first dot product
	cgProduct        // w = A p, for the columns of the rank
	cgProductZ
	cgCurvature // d = p.q, to be summed
	cgStep      // z, r and the next rho, to be summed
	cgDirection // the next p
	cgResidual  // |x - A z|^2, to be summed
	cgNorms     // x.z and z.z, to be summed
	cgNext      // the next x
	cgRestart   // forget the warm-up
)

// cgOffsets are the distances of the elements of the matrix from its diagonal, both ways and round
// the edge.
var cgOffsets = [...]int{1, 13, 101}

// cgElement is the element at (i, (i+o) mod n) and its mirror.
func cgElement(n, i, o int) float64 { return -unit(uint64(i%n)<<20 + uint64(o)) }

const cgDiagonal = 10 // larger than the sum of the rest of a row

func (k *cg) Begin() core.Numbers {
	n := core.Numbers{Floats: make(core.Floats, k.place["end"])}
	for i := range k.colCount {
		n.Floats[k.place["x"]+i] = 1
	}
	return n
}

func (k *cg) vector(n *core.Numbers, name string) core.Floats {
	return n.Floats[k.place[name]:][:k.colCount]
}

func (k *cg) scalar(n *core.Numbers, name string) *float64 { return &n.Floats[k.place[name]] }

func dot(a, b core.Floats) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// product puts the rank's block of the matrix times v into w.
func (k *cg) product(n *core.Numbers, v core.Floats) {
	w := n.Floats[k.place["w"]:][:k.count]
	at := func(j int) (float64, bool) {
		j = (j%k.n+k.n)%k.n - k.colFirst
		if j < 0 || j >= k.colCount {
			return 0, false
		}
		return v[j], true
	}
	for i := range w {
		row := k.first + i
		sum := 0.0
		if x, ok := at(row); ok {
			sum = float64(cgDiagonal * x)
		}
		for _, o := range cgOffsets {
			if x, ok := at(row + o); ok {
				sum += float64(cgElement(k.n, row, o) * x)
			}
			if x, ok := at(row - o); ok {
				sum += float64(cgElement(k.n, ((row-o)%k.n+k.n)%k.n, o) * x)
			}
		}
		w[i] = sum
	}
}

func (k *cg) Compute(part int, n *core.Numbers) {
	x, z, p, q, r := k.vector(n, "x"), k.vector(n, "z"), k.vector(n, "p"), k.vector(n, "q"),
		k.vector(n, "r")
	sum, rho := k.scalar(n, "sum"), k.scalar(n, "rho")
	switch part {
	case cgOuter:
		clear(z)
		copy(r, x)
		copy(p, x)
		*sum = dot(r, r)
	case cgRho:
		*rho = *sum
	case cgProduct:
		k.product(n, p)
	case cgProductZ:
		k.product(n, z)
	case cgCurvature:
		k.local(n)
		*sum = dot(p, q)
	case cgStep:
		alpha := 0.0
		if *sum != 0 {
			alpha = *rho / *sum
		}
		for i := range z {
			z[i] += float64(alpha * p[i])
			r[i] -= float64(alpha * q[i])
		}
		*sum = dot(r, r)
	case cgDirection:
		beta := 0.0
		if *rho != 0 {
			beta = *sum / *rho
		}
		*rho = *sum
		for i := range p {
			p[i] = r[i] + float64(beta*p[i])
		}
	case cgResidual:
		k.local(n)
		*sum = 0
		for i := range x {
			d := x[i] - q[i]
			*sum += float64(d * d)
		}
	case cgNorms:
		*k.scalar(n, "residual") = math.Sqrt(*sum)
		*sum, *k.scalar(n, "sum2") = dot(x, z), dot(z, z)
	case cgNext:
		*k.scalar(n, "zeta") = 1 / *sum
		scale := 1 / math.Sqrt(*k.scalar(n, "sum2"))
		for i := range x {
			x[i] = float64(scale * z[i])
		}
	case cgRestart:
		for i := range x {
			x[i] = 1
		}
	}
}

// local moves a product into q where the transposition is a local copy.
func (k *cg) local(n *core.Numbers) {
	if k.partner() == k.rank {
		copy(k.vector(n, "q"), n.Floats[k.place["w"]+k.half:])
	}
}

// partner is who holds the transposed part of a product.
func (k *cg) partner() int {
	if !k.halves {
		return k.rank%k.rows*k.rows + k.rank/k.rows
	}
	h := k.rank / 2
	return 2*(h%k.rows*k.rows+h/k.rows) + k.rank%2
}

// stage is the partner in a stage of a sum along the row, 1 to stages.
func (k *cg) stage(i int) int { return k.row*k.cols + k.col ^ k.cols>>i }

// message is where in w the message of a stage of a row sum is: what is sent and what is received.
func (k *cg) message(n *core.Numbers, part int) (out, in core.Floats) {
	w := n.Floats[k.place["w"]:][:k.count]
	if !k.halves {
		return w, w
	}
	split := (k.count + 1) / 2
	even, odd := w[:split], w[split:]
	ours, theirs := even, odd
	if k.col%2 == 1 {
		ours, theirs = odd, even
	}
	if part == cgRowSum+k.stages {
		return theirs, ours
	}
	return ours, ours
}

func (k *cg) Size(part int, _ *core.Numbers) int {
	switch {
	case part >= cgDots:
		return 16
	case part >= cgDot:
		return 8
	case part == cgTranspose || !k.halves:
		return 8 * (k.rowEnd() - k.half)
	case part == cgRowSum+k.stages:
		return 8 * (k.count - (k.rowEnd() - k.half))
	}
	return 8 * (k.rowEnd() - k.half)
}

// rowEnd is where our half of the rows, or all of them, ends.
func (k *cg) rowEnd() int {
	if k.halves && k.col%2 == 0 {
		return (k.count + 1) / 2
	}
	return k.count
}

func (k *cg) Fill(part int, n *core.Numbers, to []byte) {
	switch {
	case part >= cgDots:
		n.Floats[k.place["sum"]:][:2].Put(to)
	case part >= cgDot:
		n.Floats[k.place["sum"]:][:1].Put(to)
	case part == cgTranspose:
		n.Floats[k.place["w"]:][k.half:k.rowEnd()].Put(to)
	default:
		out, _ := k.message(n, part)
		out.Put(to)
	}
}

func (k *cg) Take(part int, n *core.Numbers, _ core.Rank, data []byte) {
	switch {
	case part >= cgDots:
		addFloats(n.Floats[k.place["sum"]:][:2], data)
	case part >= cgDot:
		addFloats(n.Floats[k.place["sum"]:][:1], data)
	case part == cgTranspose:
		k.vector(n, "q").Get(data)
	default:
		_, in := k.message(n, part)
		addFloats(in, data)
	}
}

func (k *cg) Next(int, *core.Numbers) (core.Rank, bool) { return 0, false }

// multiply writes a product: the sum along the row, then the transposition.
func (k *cg) multiply(w *writer, product int) {
	w.compute(product)
	for i := k.stages; i >= 1; i-- {
		w.exchange(k.stage(i), cgRowSum+i)
	}
	w.exchange(k.partner(), cgTranspose)
}

// dot writes the sum of values along the row.
func (k *cg) dot(w *writer, part int) {
	for i := 1; i <= k.stages; i++ {
		w.exchange(k.stage(i), part+i-1)
	}
}

// outer writes an outer iteration.
func (k *cg) outer(w *writer, inner int) {
	w.compute(cgOuter)
	k.dot(w, cgDot)
	w.compute(cgRho)
	w.loop(inner, func() {
		k.multiply(w, cgProduct)
		w.compute(cgCurvature)
		k.dot(w, cgDot)
		w.compute(cgStep)
		k.dot(w, cgDot)
		w.compute(cgDirection)
	})
	k.multiply(w, cgProductZ)
	w.compute(cgResidual)
	k.dot(w, cgDot)
	w.compute(cgNorms)
	k.dot(w, cgDots)
	w.compute(cgNext)
}

// newCG places a rank on the grid.
func newCG(rank, ranks, n int) *cg {
	k := &cg{rank: rank, n: n, rows: 1 << ((bits.Len(uint(ranks)) - 1) / 2)}
	k.cols = ranks / k.rows
	k.halves = k.cols != k.rows
	k.stages = bits.Len(uint(k.cols)) - 1
	k.row, k.col = rank/k.cols, rank%k.cols
	k.first, k.count = block(n, k.rows, k.row)
	column := k.col
	if k.halves {
		column = k.col / 2
		if k.col%2 == 1 {
			k.half = (k.count + 1) / 2
		}
	}
	k.colFirst, k.colCount = block(n, k.rows, column)
	if split := (k.colCount + 1) / 2; k.halves && k.col%2 == 0 {
		k.colCount = split
	} else if k.halves {
		k.colFirst, k.colCount = k.colFirst+split, k.colCount-split
	}
	end := 0
	k.place = map[string]int{}
	for _, name := range []string{"x", "z", "p", "q", "r"} {
		k.place[name] = end
		end += k.colCount
	}
	k.place["w"] = end
	end += k.count
	for _, name := range []string{"sum", "sum2", "rho", "zeta", "residual"} {
		k.place[name] = end
		end++
	}
	k.place["end"] = end
	return k
}

func buildCG(c *config) error {
	n, ranks := c.of("n"), c.ranks
	if ranks&(ranks-1) != 0 {
		lower := 1 << (bits.Len(uint(ranks)) - 1)
		return fmt.Errorf("%d ranks, want a power of 2: %d or %d", ranks, lower, 2*lower)
	}
	if k := newCG(0, ranks, n); n < k.cols {
		return fmt.Errorf("n=%d for %d columns of ranks: want n=%d or more", n, k.cols, k.cols)
	}
	c.each(func(rank int) core.Kernel { return newCG(rank, ranks, n) }, func(w *writer) {
		k := w.ops[0].Kernel.(*cg)
		k.outer(w, c.of("inner")) // to warm up
		w.compute(cgRestart)
		w.iterate(c.of("iterations"), func() { k.outer(w, c.of("inner")) })
	})
	return nil
}
