package kernels

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// BT and SP: n = q^2 ranks with q cells each on the diagonals of a q^3 grid of cells, so that all
// ranks work in every stage of a sweep. A torus with six neighbours.

// multipartition is what BT and SP have in common.
type multipartition struct {
	q, n             int // ranks each way; points each way
	forward, reverse func(p *multipartition, rank, d, s int) int
}

// Parts: faces to a direction, and stages of sweeps in a direction. Directions are 0 to 2, their
// opposites 3 to 5.
func facePart(direction int) int                    { return direction }
func (p *multipartition) forwardPart(d, s int) int  { return 6 + d*p.q + s }
func (p *multipartition) backwardPart(d, s int) int { return 6 + 3*p.q + d*p.q + s }
func (p *multipartition) plane(c int) int           { _, count := block(p.n, p.q, c); return count }
func (p *multipartition) place(rank int) (i, j int) { return rank % p.q, rank / p.q }
func (p *multipartition) cell(rank, c int) [3]int {
	i, j := p.place(rank)
	return [3]int{(i + c) % p.q, (j - c + p.q) % p.q, c}
}
func (p *multipartition) rank(i, j int) int           { return (i+p.q)%p.q + (j+p.q)%p.q*p.q }
func (p *multipartition) successor(rank, d int) int   { return p.neighbour(rank, d, 1) }
func (p *multipartition) predecessor(rank, d int) int { return p.neighbour(rank, d, -1) }

func (p *multipartition) neighbour(rank, d, by int) int {
	i, j := p.place(rank)
	step := [3][2]int{{1, 0}, {0, 1}, {-1, 1}}[d]
	return p.rank(i+by*step[0], j+by*step[1])
}

// faceBytes is the size of the faces message in a direction: two layers of five doubles of the
// cells that have a neighbour there.
func (p *multipartition) faceBytes(rank, direction int) (bytes int) {
	d, last := direction%3, p.q-1
	if direction >= 3 {
		last = 0
	}
	for c := range p.q {
		if at := p.cell(rank, c); at[d] != last {
			bytes += 80 * p.plane(at[(d+1)%3]) * p.plane(at[(d+2)%3])
		}
	}
	return bytes
}

// at is the cell of the rank with a coordinate in a direction.
func (p *multipartition) at(rank, d, s int) [3]int {
	for c := range p.q {
		if cell := p.cell(rank, c); cell[d] == s {
			return cell
		}
	}
	panic("invariant: a rank has one cell in every plane of every direction")
}

// btForward and btReverse: blocks of 30 and 5 doubles for a face of the largest cell.
func btForward(p *multipartition, _, _, _ int) int { m := p.n/p.q + 1; return 240 * m * m }
func btReverse(p *multipartition, _, _, _ int) int { m := p.n/p.q + 1; return 40 * m * m }

// spFace is the face of a cell without points of the global boundary.
func spFace(p *multipartition, rank, d, s int) int {
	at, a := p.at(rank, d, s), 1
	for _, e := range []int{(d + 1) % 3, (d + 2) % 3} {
		points := p.plane(at[e])
		if at[e] == 0 {
			points--
		}
		if at[e] == p.q-1 {
			points--
		}
		a *= points
	}
	return a
}
func spForward(p *multipartition, rank, d, s int) int { return 176 * spFace(p, rank, d, s) }
func spReverse(p *multipartition, rank, d, s int) int { return 80 * spFace(p, rank, d, s) }

func (p *multipartition) sizes(rank int) map[int]int {
	sizes := map[int]int{collective: 40}
	for direction := range 6 {
		sizes[facePart(direction)] = p.faceBytes(rank, direction)
	}
	for d := range 3 {
		for s := range p.q {
			sizes[p.forwardPart(d, s)] = p.forward(p, rank, d, s)
			sizes[p.backwardPart(d, s)] = p.reverse(p, rank, d, s)
		}
	}
	return sizes
}

// faces exchanges with the six neighbours. What a successor gets is what its predecessor sends, and
// the other way round.
func (p *multipartition) faces(w *writer) {
	if p.q == 1 {
		return
	}
	for d := range 3 {
		w.send(p.successor(w.rank, d), facePart(d))
		w.send(p.predecessor(w.rank, d), facePart(d+3))
	}
	for d := range 3 {
		w.recv(p.predecessor(w.rank, d), facePart(d))
		w.recv(p.successor(w.rank, d), facePart(d+3))
	}
	w.compute(0)
}

// solve sweeps in one direction there and back.
func (p *multipartition) solve(w *writer, d int) {
	next, before := p.successor(w.rank, d), p.predecessor(w.rank, d)
	for s := range p.q {
		if s > 0 {
			w.recv(before, p.forwardPart(d, s-1))
		}
		w.compute(1)
		if s < p.q-1 {
			w.send(next, p.forwardPart(d, s))
		}
	}
	for s := p.q - 1; s >= 0; s-- {
		if s < p.q-1 {
			w.recv(next, p.backwardPart(d, s+1))
		}
		w.compute(2)
		if s > 0 {
			w.send(before, p.backwardPart(d, s))
		}
	}
}

// multipartitioned builds BT or SP.
func multipartitioned(forward, reverse func(*multipartition, int, int, int) int) func(
	c *config) error {
	return func(c *config) error {
		p := &multipartition{n: c.of("n"), forward: forward, reverse: reverse}
		for p.q = 1; p.q*p.q < c.ranks; p.q++ {
		}
		if p.q*p.q != c.ranks {
			return fmt.Errorf("%d ranks, want a square: %d or %d", c.ranks, (p.q-1)*(p.q-1),
				p.q*p.q)
		}
		if p.n < 3*p.q && p.q > 1 {
			return fmt.Errorf(
				"n=%d for %d ranks: a cell needs 3 points each way, want n=%d or more, or at "+
					"most %d ranks", p.n, c.ranks, 3*p.q, (p.n/3)*(p.n/3))
		}
		c.each(func(rank int) core.Kernel {
			return &skeleton{rank: rank, words: 5 * p.n * p.n * p.n / c.ranks, sizes: p.sizes(rank)}
		}, func(w *writer) {
			w.iterate(c.of("iterations")+1, func() { // one to warm up
				p.faces(w)
				for d := range 3 {
					p.solve(w, d)
				}
			})
			p.faces(w)
			for range 2 {
				w.compute(collective)
				w.allreduce(0)
			}
		})
		return nil
	}
}
