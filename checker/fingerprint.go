package checker

import (
	"cmp"
	"math/bits"
)

// Fingerprint is 128 bits of a state vector: for each half the sum over all words of a mixed pair
// (index, value). A sum, because a step changes a few words, and the fingerprint of its successor
// needs only those.
//
// The mixing of each pair is not linear, so the chance that two given states collide is about
// 2^-128, and the chance of any collision among n states about n²/2^129 (Collision).
type Fingerprint struct{ Hi, Lo uint64 }

// Compare orders fingerprints.
func (f Fingerprint) Compare(g Fingerprint) int {
	return cmp.Or(cmp.Compare(f.Hi, g.Hi), cmp.Compare(f.Lo, g.Lo))
}

// mixer has the secrets of one word of the vector. They are constants: the same run gives the same
// fingerprints.
type mixer struct{ a, b, c, d uint64 }

// Mixers make the fingerprints of states of one length.
type Mixers []mixer

// NewMixers are those of states of so many words.
func NewMixers(words int) Mixers {
	seed := uint64(0x9e3779b97f4a7c15)
	next := func() uint64 { // splitmix64
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	m := make(Mixers, words)
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

// Fingerprint hashes a whole vector.
func (m Mixers) Fingerprint(state []uint32) (f Fingerprint) {
	for i, value := range state {
		hi, lo := m[i].mix(value)
		f.Hi, f.Lo = f.Hi+hi, f.Lo+lo
	}
	return f
}

// Collision bounds the chance that two of n states have the same fingerprint, so that one of them
// was not explored.
func Collision(n int) float64 { return float64(n) * float64(n) / 0x1p129 }
