package clustering

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// exact is a wide number as one without limit.
func exact(a wide) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(a.high), 64)
	return n.Add(n, new(big.Int).SetUint64(a.low))
}

// TestWide compares products, sums, differences and order with numbers that have no limit, of all
// lengths up to the 126 bits of a cost.
func TestWide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 13))
	for range 20_000 {
		a, b := whole(r.Int64()>>r.IntN(63)), whole(r.Int64()>>r.IntN(63))
		n := r.Int64() >> (1 + r.IntN(62))
		product := a.times(n)
		want := new(big.Int).Mul(exact(a), big.NewInt(n))
		if exact(product).Cmp(want) != 0 {
			t.Fatalf("%v times %d is %v, want %v", a, n, exact(product), want)
		}
		for _, c := range []wide{product, whole(0).minus(product)} { // also less than nothing
			sum, rest := c.plus(b), c.minus(b)
			if exact(sum).Cmp(want.Add(exact(c), exact(b))) != 0 {
				t.Fatalf("%v plus %v is %v, want %v", exact(c), exact(b), exact(sum), want)
			}
			if exact(rest).Cmp(want.Sub(exact(c), exact(b))) != 0 {
				t.Fatalf("%v minus %v is %v, want %v", exact(c), exact(b), exact(rest), want)
			}
			if c.compare(b) != exact(c).Cmp(exact(b)) || c.compare(c) != 0 {
				t.Fatalf("%v against %v is %d", exact(c), exact(b), c.compare(b))
			}
		}
		if small := whole(0).minus(b); exact(small.times(n>>1)).Cmp(want.Mul(exact(small),
			big.NewInt(n>>1))) != 0 {
			t.Fatalf("%v times %d is not %v", exact(small), n>>1, want)
		}
	}
}
