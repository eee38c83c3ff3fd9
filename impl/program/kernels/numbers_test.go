package kernels_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
)

// results runs a kernel and puts together what the ranks hold. Where several hold the same, they
// must agree to the last bit.
func results(t *testing.T, text string) map[[3]int]float64 {
	t.Helper()
	r := prepare(t, text)
	r.run(t)
	return r.points(t, text)
}

// points puts together what the ranks hold.
func (r *runner) points(t testing.TB, text string) map[[3]int]float64 {
	t.Helper()
	all := map[[3]int]float64{}
	for p, m := range r.machines {
		for _, point := range kernels.Points(r.setup.Programs[p][0].Kernel,
			m.State()[2].(*core.Numbers)) {
			if old, ok := all[point.At]; ok &&
				math.Float64bits(old) != math.Float64bits(point.Value) {
				t.Fatalf("%s: %v is %v and %v", text, point.At, old, point.Value)
			}
			all[point.At] = point.Value
		}
	}
	return all
}

// compare checks every number of a reference against the result.
func compare(t *testing.T, text string, want map[[3]int]float64, tolerance float64) {
	t.Helper()
	got := results(t, text)
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", text, len(got), len(want))
	}
	scale := 0.0
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	if scale == 0 || math.IsNaN(scale) || math.IsInf(scale, 0) {
		t.Fatalf("%s: the reference says nothing: %v", text, want)
	}
	for at, w := range want {
		if g := got[at]; !(math.Abs(g-w) <= tolerance*scale) {
			t.Fatalf("%s: at %v %v, want %v", text, at, g, w)
		}
	}
}

// plate is heat on the whole plate, step by step; it returns the largest change of the last step
// that is a multiple of every.
func plate(n, steps, every int) map[[3]int]float64 {
	now := map[[3]int]float64{}
	for y := -1; y <= n; y++ {
		for x := -1; x <= n; x++ {
			now[[3]int{x, y}] = kernels.HeatAt(n, x, y)
		}
	}
	largest := 0.0
	for s := range steps {
		next, change := map[[3]int]float64{}, 0.0
		for at, v := range now {
			next[at] = v
			if x, y := at[0], at[1]; x >= 0 && y >= 0 && x < n && y < n {
				next[at] = (now[[3]int{x, y - 1}] + now[[3]int{x, y + 1}] + now[[3]int{x - 1, y}] +
					now[[3]int{x + 1, y}]) / 4
				change = max(change, math.Abs(next[at]-v))
			}
		}
		if now = next; every > 0 && (s+1)%every == 0 {
			largest = change
		}
	}
	for at := range now {
		if x, y := at[0], at[1]; x < 0 || y < 0 || x == n || y == n {
			delete(now, at)
		}
	}
	now[[3]int{-1}] = largest
	return now
}

// TestHeat compares heat and laplace, bit by bit, with the whole plate in one piece.
func TestHeat(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 6, 9, 12} {
		for _, receives := range []string{"named", "any"} {
			compare(t, fmt.Sprintf("heat ranks=%d n=13 iterations=7 receives=%s", ranks, receives),
				plate(13, 7, 0), 0)
			compare(t, fmt.Sprintf("laplace ranks=%d n=9 iterations=23 receives=%s", ranks,
				receives), plate(9, 23, 10), 0)
		}
	}
}

// gravity moves all bodies at once.
func gravity(n, steps int) map[[3]int]float64 {
	type body struct{ at, speed [3]float64 }
	bodies, mass := make([]body, n), make([]float64, n)
	for b := range bodies {
		for d := range 3 {
			bodies[b].at[d] = kernels.Unit(uint64(4*b + d))
		}
		mass[b] = kernels.Unit(uint64(4*b + 3))
	}
	for range steps {
		var force [][3]float64
		for a := range bodies {
			var f [3]float64
			for b := range bodies {
				var d [3]float64
				square := 1e-2
				for i := range d {
					d[i] = bodies[b].at[i] - bodies[a].at[i]
					square += d[i] * d[i]
				}
				for i := range d {
					f[i] += mass[b] * d[i] / math.Pow(square, 1.5)
				}
			}
			force = append(force, f)
		}
		for b := range bodies {
			for i := range 3 {
				bodies[b].speed[i] += 1e-3 * force[b][i]
				bodies[b].at[i] += 1e-3 * bodies[b].speed[i]
			}
		}
	}
	want := map[[3]int]float64{}
	for b := range bodies {
		for d := range 3 {
			want[[3]int{b, d}] = bodies[b].at[d]
		}
	}
	return want
}

// TestNBody compares with all bodies in one piece.
func TestNBody(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 5} {
		compare(t, fmt.Sprintf("nbody ranks=%d n=%d iterations=20", ranks, 30/ranks),
			gravity(30, 20), 1e-13)
	}
	if still, moved := gravity(30, 0), gravity(30,
		20); math.Abs(still[[3]int{0, 0}]-moved[[3]int{0, 0}]) < 1e-6 {
		t.Error("nothing moves: the test looks at nothing")
	}
}

// TestMatmul compares both products with the definition.
func TestMatmul(t *testing.T) {
	n := 11
	want := map[[3]int]float64{}
	for i := range n {
		for j := range n {
			for l := range n {
				want[[3]int{i, j}] += kernels.Unit(uint64(2*(i*n+l))) * kernels.Unit(
					uint64(2*(l*n+j)+1))
			}
		}
	}
	for _, ranks := range []int{2, 3, 5, 13} {
		compare(t, fmt.Sprintf("matmul ranks=%d n=%d iterations=2", ranks, n), want, 1e-15)
		compare(t, fmt.Sprintf("matmul-dynamic ranks=%d n=%d blocks=7", ranks, n), want, 1e-15)
	}
}

// inverse solves (A) z = x by elimination, for as many outer iterations as asked for, from x = 1;
// it returns x at the end and the estimate.
func inverse(n, outer int) map[[3]int]float64 {
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, n)
	}
	for i := range n {
		a[i][i] += 10
		for _, o := range kernels.CGOffsets {
			j := (i + o) % n
			a[i][j] += kernels.CGElement(n, i, o)
			a[j][i] += kernels.CGElement(n, i, o)
		}
	}
	x, zeta := make([]float64, n), 0.0
	for i := range x {
		x[i] = 1
	}
	for range outer {
		m, z := make([][]float64, n), make([]float64, n)
		for i := range m {
			m[i] = append(append([]float64{}, a[i]...), x[i])
		}
		for i := range n { // diagonally dominant: no pivots
			for j := i + 1; j < n; j++ {
				f := m[j][i] / m[i][i]
				for l := i; l <= n; l++ {
					m[j][l] -= f * m[i][l]
				}
			}
		}
		xz, zz := 0.0, 0.0
		for i := n - 1; i >= 0; i-- {
			z[i] = m[i][n]
			for j := i + 1; j < n; j++ {
				z[i] -= m[i][j] * z[j]
			}
			z[i] /= m[i][i]
			xz, zz = xz+x[i]*z[i], zz+z[i]*z[i]
		}
		zeta = 1 / xz
		for i := range x {
			x[i] = z[i] / math.Sqrt(zz)
		}
	}
	want := map[[3]int]float64{{-1}: zeta, {-1, 1}: 0}
	for i, v := range x {
		want[[3]int{i}] = v
	}
	return want
}

// TestCG compares with a direct solution: after enough steps the residual is zero, and x and the
// estimate are those of inverse iteration.
func TestCG(t *testing.T) {
	for _, n := range []int{40, 203} {
		for _, ranks := range []int{1, 2, 4, 8, 16, 32} {
			compare(t, fmt.Sprintf("cg ranks=%d n=%d iterations=3 inner=60", ranks, n),
				inverse(n, 3), 1e-12)
		}
	}
}

// fourier solves the same by the definition of the transforms.
func fourier(nx, ny, nz, iterations int) map[[3]int]float64 {
	n := nx * ny * nz
	field := make([]complex128, n)
	for i := range field {
		field[i] = complex(kernels.Unit(uint64(2*i)), kernels.Unit(uint64(2*i+1)))
	}
	transform := func(a []complex128, sign float64) []complex128 {
		out := make([]complex128, n)
		for k := range out {
			for j := range a {
				angle := float64(k%nx*(j%nx))/float64(nx) + float64(k/nx%ny*(j/nx%ny))/float64(ny) +
					float64(k/nx/ny*(j/nx/ny))/float64(nz)
				out[k] += a[j] * cmplx.Exp(complex(0, sign*2*math.Pi*angle))
			}
		}
		return out
	}
	fold := func(i, n int) float64 { return float64((i+n/2)%n - n/2) }
	modes := transform(field, -1)
	for k := range modes {
		kx, ky, kz := fold(k%nx, nx), fold(k/nx%ny, ny), fold(k/nx/ny, nz)
		modes[k] *= complex(math.Exp(-4e-6*math.Pi*math.Pi*(kx*kx+ky*ky+kz*kz)*float64(
			iterations))/float64(n), 0)
	}
	want := map[[3]int]float64{}
	for i, v := range transform(modes, 1) {
		want[[3]int{i % (nx * ny), i / (nx * ny), 0}] = real(v)
		want[[3]int{i % (nx * ny), i / (nx * ny), 1}] = imag(v)
	}
	return want
}

// TestFT compares with the definition. The checksum is that of the field, point by point as the
// ranks choose them.
func TestFT(t *testing.T) {
	for _, tt := range []struct{ ranks, nx, ny, nz int }{{1, 4, 4, 4}, {2, 4, 2, 8}, {4, 8, 4, 4},
		{3, 3, 3, 3}, {6, 3, 4, 6}, {8, 4, 4, 8}} {
		want := fourier(tt.nx, tt.ny, tt.nz, 3)
		a := tt.nx * tt.ny * tt.nz / tt.ranks
		for r := range tt.ranks {
			for i := 0; i < a; i += 5 {
				at := r*a + i
				for c := range 2 {
					plane := tt.nx * tt.ny
					want[[3]int{-1, c}] += want[[3]int{at % plane, at / plane, c}]
				}
			}
		}
		compare(t, fmt.Sprintf("ft ranks=%d n=%d ny=%d nz=%d iterations=3", tt.ranks, tt.nx, tt.ny,
			tt.nz), want, 1e-12)
	}
}

// cube is a periodic cube of numbers.
type cube struct {
	n int
	a []float64
}

func newCube(n int) cube { return cube{n, make([]float64, n*n*n)} }

func (c cube) at(x, y, z int) *float64 {
	w := func(i int) int { return (i + c.n) % c.n }
	return &c.a[w(x)+c.n*(w(y)+c.n*w(z))]
}

// stencil sums the 27 points around one, with a weight for each distance.
func (c cube) stencil(x, y, z int, weights [4]float64) (sum float64) {
	for dz := -1; dz <= 1; dz++ {
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				sum += weights[dx*dx+dy*dy+dz*dz] * *c.at(x+dx, y+dy, z+dz)
			}
		}
	}
	return sum
}

func (c cube) each(see func(x, y, z int)) {
	for z := range c.n {
		for y := range c.n {
			for x := range c.n {
				see(x, y, z)
			}
		}
	}
}

// vCycles is multigrid on the whole cube, written by recursion: coarse point i lies on fine point
// 2i+1.
func vCycles(n, cycles int) map[[3]int]float64 {
	a, s := [4]float64{-8.0 / 3, 0, 1.0 / 6, 1.0 / 12}, [4]float64{-3.0 / 8, 1.0 / 32, -1.0 / 64, 0}
	p := [4]float64{1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16}
	smooth := func(u, r cube) {
		u.each(func(x, y, z int) { *u.at(x, y, z) += r.stencil(x, y, z, s) })
	}
	residual := func(u, v cube) cube {
		r := newCube(u.n)
		r.each(func(x, y, z int) { *r.at(x, y, z) = *v.at(x, y, z) - u.stencil(x, y, z, a) })
		return r
	}
	var solve func(r cube) cube  // an approximation of A u = r, from nothing
	correct := func(u, r cube) { // adds what the next coarser level says about r
		coarse := newCube(u.n / 2)
		coarse.each(func(x, y, z int) { *coarse.at(x, y, z) = r.stencil(2*x+1, 2*y+1, 2*z+1, p) })
		e := solve(coarse)
		u.each(func(x, y, z int) {
			for i := range 8 { // the corners of the coarse cube around it, several of them the same
				pick := func(f, high int) int { return (f+1+high)/2 - 1 }
				*u.at(x, y, z) += 0.125 * *e.at(pick(x, i&1), pick(y, i>>1&1), pick(z, i>>2))
			}
		})
	}
	solve = func(r cube) cube {
		u := newCube(r.n)
		if r.n > 2 {
			correct(u, r)
			r = residual(u, r)
		}
		smooth(u, r)
		return u
	}
	u, v := newCube(n), newCube(n)
	v.each(func(x, y, z int) {
		switch kernels.Mix((uint64(z)*uint64(n)+uint64(y))*uint64(n)+uint64(x)) % 7 {
		case 0:
			*v.at(x, y, z) = 1
		case 1:
			*v.at(x, y, z) = -1
		}
	})
	r := residual(u, v)
	for range cycles {
		correct(u, r)
		smooth(u, residual(u, v))
		r = residual(u, v)
	}
	want := map[[3]int]float64{}
	u.each(func(x, y, z int) { want[[3]int{x, y, z}] = *u.at(x, y, z) })
	for _, x := range r.a {
		want[[3]int{-1}] = max(want[[3]int{-1}], math.Abs(x))
	}
	return want
}

// TestMG compares with the whole cube in one piece, on numbers of ranks for which none, some and
// most sit out on the coarse levels.
func TestMG(t *testing.T) {
	for _, n := range []int{4, 8, 16} {
		want := vCycles(n, 2)
		for ranks := 1; ranks <= min(64, n*n*n/8); ranks *= 2 {
			compare(t, fmt.Sprintf("mg ranks=%d n=%d iterations=2", ranks, n), want, 1e-12)
		}
	}
	if first, second := vCycles(16, 1)[[3]int{-1}], vCycles(16, 4)[[3]int{-1}]; second > first/5 {
		t.Errorf("the residual is %v after one cycle and %v after four: it does not converge",
			first, second)
	}
}
