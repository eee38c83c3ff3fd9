package kernels

import (
	"math"

	"github.com/domino-check/domino/impl/core"
)

// Computations of mg: one of these plus the level. Smaller numbers are exchanges, of a rank with
// itself.
const (
	mgRestrict    = (iota + 1) << 12 // the residual of a level to the one below
	mgZero                           // the approximation of a level
	mgSmooth                         // u += C r
	mgInterpolate                    // u of a level += u of the one below, where the rank has it
	mgResidual                       // r -= A u; at the top r = v - A u
	mgRightSide                      // begin again
	mgNormPart                       // largest residual, to be combined
)

// Weights of a point, its 6 face, 12 edge and 8 corner neighbours.
var (
	mgA = [4]float64{-8.0 / 3, 0, 1.0 / 6, 1.0 / 12}
	mgC = [4]float64{-3.0 / 8, 1.0 / 32, -1.0 / 64, 0}
	mgP = [4]float64{1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16}
)

// around sums up the neighbours of a point with the weights. sx and sxy are the distances of
// neighbours along y and z.
func around(a core.Floats, at, sx, sxy int, weights [4]float64) float64 {
	faces := a[at-1] + a[at+1] + a[at-sx] + a[at+sx] + a[at-sxy] + a[at+sxy]
	edges := a[at-1-sx] + a[at+1-sx] + a[at-1+sx] + a[at+1+sx] +
		a[at-1-sxy] + a[at+1-sxy] + a[at-1+sxy] + a[at+1+sxy] +
		a[at-sx-sxy] + a[at+sx-sxy] + a[at-sx+sxy] + a[at+sx+sxy]
	corners := a[at-1-sx-sxy] + a[at+1-sx-sxy] + a[at-1+sx-sxy] + a[at+1+sx-sxy] +
		a[at-1-sx+sxy] + a[at+1-sx+sxy] + a[at-1+sx+sxy] + a[at+1+sx+sxy]
	return float64(weights[0]*a[at]) + float64(weights[1]*faces) + float64(weights[2]*edges) +
		float64(weights[3]*corners)
}

// inside calls back with every own point of a level.
func (k *mg) inside(l int, see func(x, y, z, at int)) {
	m := k.levels[l].m
	for z := 1; z < m[2]-1; z++ {
		for y := 1; y < m[1]-1; y++ {
			for x := 1; x < m[0]-1; x++ {
				see(x, y, z, x+m[0]*(y+m[1]*z))
			}
		}
	}
}

func (k *mg) Begin() core.Numbers { return core.Numbers{Floats: make(core.Floats, k.levels[0].r)} }

func (k *mg) Compute(part int, n *core.Numbers) {
	l := part % mgRestrict
	switch part - l {
	case 0:
		k.wrap(part, n)
	case mgRestrict:
		k.restrict(n, l)
	case mgZero:
		clear(k.u(n, l))
	case mgSmooth:
		u, r, m := k.u(n, l), k.r(n, l), k.levels[l].m
		k.living(l, func(_, _, _, at int) { u[at] += around(r, at, m[0], m[0]*m[1], mgC) })
	case mgInterpolate:
		k.interpolate(n, l)
	case mgResidual:
		u, r, m := k.u(n, l), k.r(n, l), k.levels[l].m
		v := r
		if l == k.top() {
			v = k.v(n)
		}
		k.living(l, func(_, _, _, at int) { r[at] = v[at] - around(u, at, m[0], m[0]*m[1], mgA) })
	case mgRightSide:
		k.rightSide(n)
	case mgNormPart:
		k.norm(n)[0] = 0
		r := k.r(n, k.top())
		k.inside(k.top(), func(_, _, _, at int) {
			k.norm(n)[0] = max(k.norm(n)[0], math.Abs(r[at]))
		})
	}
}

// living is inside, for who does not sit out.
func (k *mg) living(l int, see func(x, y, z, at int)) {
	if !k.levels[l].dead {
		k.inside(l, see)
	}
}

// rightSide puts charges of both signs on a few points and forgets everything else.
func (k *mg) rightSide(n *core.Numbers) {
	clear(n.Floats)
	top := k.top()
	v, first, size := k.v(n), k.levels[top].first, uint64(1)<<top
	k.inside(top, func(x, y, z, at int) {
		seed := core.Mix((uint64(first[2]+z-1)*size+uint64(first[1]+y-1))*size +
			uint64(first[0]+x-1))
		switch seed % 7 {
		case 0:
			v[at] = 1
		case 1:
			v[at] = -1
		}
	})
	copy(k.r(n, top), v)
}

// shift is where the finer level has the points of the coarser one: fine = 2 coarse + shift.
func (k *mg) shift(l int) (s [3]int) {
	for a := range 3 {
		if k.levels[l].m[a] == 3 {
			s[a] = -1
		}
	}
	return s
}

// restrict takes the residual of a level to the one below.
func (k *mg) restrict(n *core.Numbers, l int) {
	fine, coarse, m, s := k.r(n, l), k.r(n, l-1), k.levels[l].m, k.shift(l)
	k.living(l-1, func(x, y, z, at int) {
		coarse[at] = around(fine, 2*x+s[0]+m[0]*(2*y+s[1]+m[1]*(2*z+s[2])), m[0], m[0]*m[1], mgP)
	})
}

// interpolate adds the approximation of the level below, in the layers of others, too.
func (k *mg) interpolate(n *core.Numbers, l int) {
	if k.levels[l-1].dead {
		return
	}
	u, coarse, m, c, s := k.u(n, l), k.u(n, l-1), k.levels[l].m, k.levels[l-1].m, k.shift(l)
	at := 0
	for z := range m[2] {
		z0, z1 := half(z - s[2])
		for y := range m[1] {
			y0, y1 := half(y - s[1])
			for x := range m[0] {
				x0, x1 := half(x - s[0])
				sum := 0.0
				for _, p := range [...][3]int{{x0, y0, z0}, {x1, y0, z0}, {x0, y1, z0},
					{x1, y1, z0}, {x0, y0, z1}, {x1, y0, z1}, {x0, y1, z1}, {x1, y1, z1}} {
					sum += coarse[p[0]+c[0]*(p[1]+c[1]*p[2])]
				}
				u[at] += 0.125 * sum
				at++
			}
		}
	}
}

// half gives the coarse points on either side of a fine one, twice the same where they coincide.
func half(fine int) (below, above int) { return fine / 2, (fine + 1) / 2 }

// wrap copies the outer layers along an axis from the other end, where the rank is its own
// neighbour.
func (k *mg) wrap(part int, n *core.Numbers) {
	l, what, axis, _ := mgSplit(part)
	level := &k.levels[l]
	if level.below[axis] != k.rank {
		return
	}
	a, last := k.array(n, l, what), level.m[axis]-1
	k.layer(part, 0, func(to, from int) { a[to] = a[from] }, last-1)
	k.layer(part, last, func(to, from int) { a[to] = a[from] }, 1)
}

func mgSplit(part int) (l, what, axis, direction int) {
	l, part = part/mgParts, part%mgParts
	what = part / mgExpand * mgExpand
	return l, what, part % mgExpand / 2, part % 2
}

func (k *mg) array(n *core.Numbers, l, what int) core.Floats {
	if what == mgRight {
		return k.r(n, l)
	}
	return k.u(n, l)
}

// layer calls back with the place of every point that an exchange moves in a layer, and of the same
// point in another layer.
func (k *mg) layer(part, at int, see func(here, there int), other int) {
	l, what, axis, _ := mgSplit(part)
	m := k.levels[l].m
	from, to := [3]int{}, m
	// axes that come later are not exchanged yet
	for a := axis + 1; a < 3 && what != mgExpand; a++ {
		from[a], to[a] = 1, m[a]-1
	}
	from[axis], to[axis] = at, at+1
	stride := [3]int{1, m[0], m[0] * m[1]}
	for z := from[2]; z < to[2]; z++ {
		for y := from[1]; y < to[1]; y++ {
			for x := from[0]; x < to[0]; x++ {
				here := x + m[0]*y + m[0]*m[1]*z
				see(here, here+(other-at)*stride[axis])
			}
		}
	}
}

// layers are those that a message takes from its sender and that it becomes at its receiver: from
// the first up to but without the last.
func (k *mg) layers(part int, sending bool) (from, to int) {
	l, what, axis, direction := mgSplit(part)
	end := k.levels[l].m[axis]
	switch {
	case what == mgExpand && direction == mgUp && sending:
		return end - 2, end
	case what == mgExpand && direction == mgUp:
		return 0, 2
	case sending && direction == mgUp:
		return end - 2, end - 1
	case sending:
		return 1, 2
	case direction == mgUp:
		return 0, 1
	}
	return end - 1, end
}

func (k *mg) Size(part int, _ *core.Numbers) int {
	if part&collective != 0 {
		return 8
	}
	l, what, axis, direction := mgSplit(part)
	points := 1
	for a, m := range k.levels[l].m {
		switch {
		case a > axis && what != mgExpand:
			points *= m - 2
		case a != axis:
			points *= m
		}
	}
	if what == mgExpand && direction == mgUp {
		points *= 2
	}
	return 8 * points
}

func (k *mg) Fill(part int, n *core.Numbers, to []byte) {
	if part&collective != 0 {
		k.norm(n).Put(to)
		return
	}
	l, what, _, _ := mgSplit(part)
	a := k.array(n, l, what)
	first, end := k.layers(part, true)
	for at := first; at < end; at++ {
		k.layer(part, at, func(here, _ int) {
			a[here : here+1].Put(to)
			to = to[8:]
		}, at)
	}
}

func (k *mg) Take(part int, n *core.Numbers, _ core.Rank, data []byte) {
	if part&collective != 0 {
		var other [1]float64
		core.Floats(other[:]).Get(data)
		k.norm(n)[0] = max(k.norm(n)[0], other[0])
		return
	}
	l, what, _, _ := mgSplit(part)
	a := k.array(n, l, what)
	first, end := k.layers(part, false)
	for at := first; at < end; at++ {
		k.layer(part, at, func(here, _ int) {
			a[here : here+1].Get(data)
			data = data[8:]
		}, at)
	}
}

func (k *mg) Next(int, *core.Numbers) (core.Rank, bool) { return 0, false }
