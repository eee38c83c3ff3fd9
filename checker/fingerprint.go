package checker

import "math/bits"

// fingerprint is 128 bits of a state vector: for each half the sum over all words of a mixed pair
// (index, value). A sum, because a step changes a few words, and the fingerprint of its successor
// needs only those.
//
// The mixing of each pair is not linear, so the chance that two given states collide is about
// 2^-128, and the chance of any collision among n states about n²/2^129 (Collision).
type fingerprint struct{ hi, lo uint64 }

// mixer has the secrets of one word of the vector. They are constants: the same run gives the same
// fingerprints.
type mixer struct{ a, b, c, d uint64 }

func newMixers(words int) []mixer {
	seed := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 { // splitmix64
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	m := make([]mixer, words)
	for i := range m {
		m[i] = mixer{next(), next() | 1, next(), next() | 1}
	}
	return m
}

// mix is the part of one word in the fingerprint.
func (m *mixer) mix(value uint32) (hi, lo uint64) {
	h, l := bits.Mul64(uint64(value)*0xa0761d6478bd642f^m.a, m.b)
	lo = h ^ l
	h, l = bits.Mul64(lo^m.c, m.d)
	return h ^ l, lo
}

// fingerprintOf hashes a whole vector.
func fingerprintOf(mixers []mixer, state []uint32) (f fingerprint) {
	for i, value := range state {
		hi, lo := mixers[i].mix(value)
		f.hi, f.lo = f.hi+hi, f.lo+lo
	}
	return f
}

// Collision bounds the chance that two of n states have the same fingerprint, so that one of them
// was not explored.
func Collision(n int) float64 { return float64(n) * float64(n) / 0x1p129 }
