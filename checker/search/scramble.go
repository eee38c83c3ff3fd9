package search

import "github.com/domino-check/domino/checker"

// place is a code as the table holds it: scrambled, so that states that are alike lie far apart,
// but one to one, so that the place is still the state itself.
type place struct {
	shard uint32
	slot  uint64 // odd: 0 is an empty slot
	high  uint64 // of wide codes
}

const (
	shardBits = 4
	shardMask = 1<<shardBits - 1
	lowMask   = 1<<63 - 1

	mixHigh = 0x9e3779b97f4a7c15
	mixA    = 0xff51afd7ed558ccd
	mixB    = 0xc4ceb9fe1a85ec53
)

// unmixA and unmixB undo the multiplications.
var unmixA, unmixB = inverse(mixA), inverse(mixB)

// inverse is the number by which an odd one yields 1, modulo 2^64 and all smaller powers of two.
func inverse(odd uint64) uint64 {
	x := odd // right in 3 bits, and each round doubles them
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// mix is one to one on numbers of 63 bits.
func mix(z uint64) uint64 {
	z ^= z >> 32
	z = z * mixA & lowMask
	z ^= z >> 32
	z = z * mixB & lowMask
	return z ^ z>>32
}

func unmix(z uint64) uint64 {
	z ^= z >> 32
	z = z * unmixB & lowMask
	z ^= z >> 32
	z = z * unmixA & lowMask
	return z ^ z>>32
}

// narrowPlace is that of a code of at most checker.NarrowBits bits. What 63 bits do not hold says
// in which shard it lies.
func narrowPlace(c checker.Code) place {
	high := c.Hi<<1 | c.Lo>>63
	z := mix((c.Lo + high*mixHigh) & lowMask)
	return place{shard: uint32((high ^ z) & shardMask), slot: z<<1 | 1}
}

// widePlace is that of any code.
func widePlace(c checker.Code) place {
	high := c.Hi<<1 | c.Lo>>63
	z := mix((c.Lo + (high^high>>32)*mixHigh) & lowMask)
	return place{shard: uint32(z & shardMask), slot: z<<1 | 1, high: high}
}

// code undoes narrowPlace and widePlace.
func (p place) code(isWide bool) checker.Code {
	z := p.slot >> 1
	high, times := uint64(p.shard)^z&shardMask, uint64(0)
	times = high
	if isWide {
		high = p.high
		times = high ^ high>>32
	}
	low := (unmix(z) - times*mixHigh) & lowMask
	return checker.Code{Hi: high >> 1, Lo: low | high<<63}
}
