package kernels

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Closed is what a whole run of a kernel sends from rank to rank, collectives aside, by formula;
// nil where there is none.
func Closed(text string) (*Count, error) {
	c, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("no formula for %q: %w", text, err)
	}
	of := func(name string) int64 { return int64(c.of(name)) }
	ranks, it, n := int64(c.ranks), of("iterations"), of("n")
	switch c.name {
	case "ring":
		if ranks > 1 {
			return &Count{Messages: ranks * it, Bytes: ranks * it * of("size")}, nil
		}
		return &Count{}, nil
	case "nbody":
		return &Count{Messages: ranks * (ranks - 1) * it,
			Bytes: ranks * (ranks - 1) * it * 32 * n}, nil
	case "smg":
		return closedSMG(c), nil
	case "heat", "laplace":
		k := newHeat(0, c.ranks, c.of("n"))
		return &Count{Bytes: it * 16 * n * int64(k.px-1+k.py-1),
			Messages: it * 2 * int64((k.px-1)*k.py+(k.py-1)*k.px)}, nil
	case "matmul", "matmul-dynamic":
		return closedMatmul(c), nil
	case "cg":
		return closedCG(c), nil
	case "ft":
		points := n * cmp.Or(of("ny"), n) * cmp.Or(of("nz"), n)
		return &Count{Messages: (it + 2) * ranks * (ranks - 1),
			Bytes: (it + 2) * (ranks - 1) * (16 * points / ranks)}, nil
	case "lu":
		columns := divisor(c.ranks)
		x, y := ranks/int64(columns), int64(columns)
		pairs := (x-1)*y + (y-1)*x // of neighbours, each used in both directions
		return &Count{Messages: 2 * pairs * ((it+1)*(n-2) + it + 4),
			Bytes: (x + y - 2) * ((it+1)*80*(n-2)*(n-2) + (it+4)*160*n*n)}, nil
	case "bt", "sp":
		return closedMultipartition(c), nil
	case "leanmd":
		return closedLeanMD(c), nil
	case "openatom":
		return closedOpenAtom(c)
	}
	return nil, nil
}

func closedSMG(c *config) *Count {
	sum := &Count{}
	for l := range max(1, bits.Len(uint(c.ranks-1))) {
		if n := 2 * int64(c.of("iterations")) * int64(c.ranks); c.ranks > 1 {
			sum.Messages += n
			sum.Bytes += n * 8 * int64(c.of("edge")>>l)
		}
	}
	return sum
}

func closedMatmul(c *config) *Count {
	d, m := int64(c.of("n")), int64(c.ranks-1)
	b := m
	if c.name == "matmul-dynamic" {
		if b = int64(c.of("blocks")); b == 0 {
			b = 2 * m
		}
	}
	r := (d + b - 1) / b
	sum := &Count{Messages: m + 2*b, Bytes: 8 * (m*d*d + 2*b*r*d)}
	if c.name == "matmul-dynamic" {
		sum.Messages += m
	}
	return sum
}

func closedCG(c *config) *Count {
	k := newCG(0, c.ranks, c.of("n"))
	if k.halves {
		return nil
	}
	it, inner, r, l := int64(c.of("iterations")), int64(c.of("inner")), int64(k.rows),
		int64(k.stages)
	n, ranks := int64(c.of("n")), int64(c.ranks)
	return &Count{Bytes: (it + 1) * (8*(inner+1)*n*(r*l+r-1) + (16*inner+32)*ranks*l),
		Messages: (it + 1) * ((inner+1)*(ranks*l+ranks-r) + (2*inner+3)*ranks*l)}
}

func closedMultipartition(c *config) *Count {
	q, n, it, points := int64(1), int64(c.ranks), int64(c.of("iterations")), int64(c.of("n"))
	for ; q*q < n; q++ {
	}
	if q == 1 {
		return &Count{}
	}
	faces := 480 * (q - 1) * points * points
	m := points/q + 1
	solve := 840 * n * (q - 1) * m * m
	if c.name == "sp" {
		solve = 768 * (q - 1) * (points - 2) * (points - 2)
	}
	return &Count{Messages: n * (6*(it+2) + 6*(q-1)*(it+1)), Bytes: (it+2)*faces + (it+1)*solve}
}

func closedLeanMD(c *config) *Count {
	grid := [3]int{c.of("cx"), c.of("cy"), c.of("cz")}
	edges, faces := int64(-grid[0]*grid[1]*grid[2]), int64(0)
	for cell, group := range newLeanShape(grid, c.of("reach"), c.ranks).groups {
		edges += int64(len(group))
		for _, other := range (&leanmd{grid: grid}).neighbours(cell) {
			if other%c.ranks != cell%c.ranks {
				faces++
			}
		}
	}
	t, tens := int64(c.of("iterations")), int64(c.of("iterations")/10)
	return &Count{Messages: 2*edges*t + faces*tens,
		Bytes: 2*edges*t*int64(c.of("size")) + faces*tens*leanFaceBytes}
}

func closedOpenAtom(c *config) (*Count, error) {
	if err := c.build(c); err != nil {
		return nil, err
	}
	sizes := c.programs[0][0].Kernel.(*openatom).sizes
	m := c.of("row")
	rows, senders := c.ranks/m, 0
	for r := range c.ranks {
		if r%m*rows+r/m != r {
			senders++
		}
	}
	t, edges := int64(c.of("iterations")), int64(rows*(m-1))
	return &Count{Messages: t * (2*edges + int64(senders)),
		Bytes: t * (edges*int64(sizes[atomDown]+sizes[atomUp]) +
			int64(senders*sizes[atomDirect]))}, nil
}
