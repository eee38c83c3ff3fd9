package kernels

import (
	"math"
	"math/bits"
)

// transform is the discrete Fourier transform of lines of one length.
type transform struct {
	n     int
	roots []float64 // exp(-2 pi i k/n), real and imaginary parts in turn
}

func newTransform(n int) *transform {
	t := &transform{n: n, roots: make([]float64, 2*n)}
	for k := range n {
		sin, cos := math.Sincos(-2 * math.Pi * float64(k) / float64(n))
		t.roots[2*k], t.roots[2*k+1] = cos, sin
	}
	return t
}

// line transforms a line of complex numbers in place: with sign -1 forward, with 1 back, which is
// not divided by n. A length that is no power of two takes the square of the time. scratch has room
// for a line.
func (t *transform) line(a, scratch []float64, sign float64) {
	if t.n&(t.n-1) != 0 {
		t.slow(a, scratch, sign)
		return
	}
	shift := 64 - (bits.Len(uint(t.n)) - 1)
	for i := range t.n {
		if j := int(bits.Reverse64(uint64(i)) >> shift); t.n > 1 && i < j {
			a[2*i], a[2*j] = a[2*j], a[2*i]
			a[2*i+1], a[2*j+1] = a[2*j+1], a[2*i+1]
		}
	}
	for half := 1; half < t.n; half *= 2 {
		step := t.n / (2 * half)
		for from := 0; from < t.n; from += 2 * half {
			for k := range half {
				c, s := t.roots[2*k*step], -sign*t.roots[2*k*step+1]
				i, j := 2*(from+k), 2*(from+k+half)
				re := float64(c*a[j]) - float64(s*a[j+1])
				im := float64(c*a[j+1]) + float64(s*a[j])
				a[j], a[j+1] = a[i]-re, a[i+1]-im
				a[i], a[i+1] = a[i]+re, a[i+1]+im
			}
		}
	}
}

// slow sums up the definition.
func (t *transform) slow(a, scratch []float64, sign float64) {
	copy(scratch, a[:2*t.n])
	for k := range t.n {
		re, im := 0.0, 0.0
		for j := range t.n {
			at := j * k % t.n
			c, s := t.roots[2*at], -sign*t.roots[2*at+1]
			re += float64(c*scratch[2*j]) - float64(s*scratch[2*j+1])
			im += float64(c*scratch[2*j+1]) + float64(s*scratch[2*j])
		}
		a[2*k], a[2*k+1] = re, im
	}
}
