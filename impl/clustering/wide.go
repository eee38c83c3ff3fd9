package clustering

import "math/bits"

// wide is a whole number of 128 bits with a sign, in two's complement: high word first. Costs of
// problems that Validate lets pass stay below 2^126, so sums and differences of them fit.
type wide struct {
	high int64
	low  uint64
}

// times is the product of a number that is not negative with another one.
func (a wide) times(n int64) wide {
	high, low := bits.Mul64(a.low, uint64(n))
	return wide{int64(uint64(a.high)*uint64(n) + high), low}
}

func (a wide) plus(b wide) wide {
	low, carry := bits.Add64(a.low, b.low, 0)
	high, _ := bits.Add64(uint64(a.high), uint64(b.high), carry)
	return wide{int64(high), low}
}

func (a wide) minus(b wide) wide {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	high, _ := bits.Sub64(uint64(a.high), uint64(b.high), borrow)
	return wide{int64(high), low}
}

// compare is negative, zero or positive as a is less than, equal to or greater than b.
func (a wide) compare(b wide) int {
	switch {
	case a.high < b.high || a.high == b.high && a.low < b.low:
		return -1
	case a == b:
		return 0
	}
	return 1
}

// whole is a number as a wide one.
func whole(n int64) wide { return wide{n >> 63, uint64(n)} }
