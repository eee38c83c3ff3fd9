package kernels

import "github.com/domino-check/domino/impl/core"

// Point is one number of the whole that a kernel computes, at a place in it.
type Point struct {
	At    [3]int
	Value float64
}

// Points gives the part of the result that one rank holds: the plate of heat; x of cg, and its
// estimate at place -1; positions of bodies; the product of matmul; real and imaginary parts of the
// field of ft (last coordinate) and its checksum at place -1; the data of the cells of leanmd, in
// halves, and what its ranks did not expect at place -1; u of mg.
func Points(k core.Kernel, n *core.Numbers) (list []Point) {
	add := func(x, y, z int, v float64) { list = append(list, Point{[3]int{x, y, z}, v}) }
	switch k := k.(type) {
	case *heat:
		for y := range k.size[1] {
			for x := range k.size[0] {
				add(k.first[0]+x, k.first[1]+y, 0, k.old(n)[(y+1)*k.width()+x+1])
			}
		}
		add(-1, 0, 0, k.change(n)[1])
	case *cg:
		for i, x := range k.vector(n, "x") {
			add(k.colFirst+i, 0, 0, x)
		}
		add(-1, 0, 0, *k.scalar(n, "zeta"))
		add(-1, 1, 0, *k.scalar(n, "residual"))
	case *nbody:
		for b := range k.bodies {
			for d := range 3 {
				add(k.rank*k.bodies+b, d, 0, k.own(n)[4*b+d])
			}
		}
	case *matmul:
		for i := 0; i < k.n*k.n && k.rank == 0; i++ {
			add(i/k.n, i%k.n, 0, n.Floats[k.a()+k.b()+i])
		}
	case *ft:
		planes, _ := k.own()
		for i, v := range k.planes(n) {
			add(i/2%(k.nx*k.ny), k.rank*planes+i/2/(k.nx*k.ny), i%2, v)
		}
		if k.rank == 0 {
			add(-1, 0, 0, k.sum(n)[0])
			add(-1, 1, 0, k.sum(n)[1])
		}
	case *leanmd:
		add(-1, 0, 0, float64(n.Counts[0])) // zero, so the same everywhere
		for s, m := range k.members {
			for i := 0; i < k.words && m.root; i++ { // exact, in two halves
				v := uint64(k.data(n, s)[i])
				add(m.cell, i, 0, float64(v>>32))
				add(m.cell, i, 1, float64(v&0xffffffff))
			}
		}
	case leanGroups:
		return Points(k.leanmd, n)
	case *mg:
		top := k.top()
		first, u := k.levels[top].first, k.u(n, top)
		k.inside(top, func(x, y, z, at int) {
			add(first[0]+x-1, first[1]+y-1, first[2]+z-1, u[at])
		})
		add(-1, 0, 0, k.norm(n)[0])
	}
	return list
}

// What references begin with.
var (
	Unit      = unit
	HeatAt    = heatAt
	Mix       = core.Mix
	CGElement = cgElement
	CGOffsets = cgOffsets
)
