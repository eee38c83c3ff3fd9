package checker

import "math/bits"

// set is a set of state vectors that numbers its members from 0 in the order of insertion.
type set interface {
	// insert returns the number of the state and whether it is new.
	insert(state []uint32) (number uint32, fresh bool)
	// lookup returns the number of a state that is in the set.
	lookup(state []uint32) (number uint32, ok bool)
	bytes() int64
}

// fingerprint is 128 bits of a state vector.
type fingerprint struct{ hi, lo uint64 }

// fingerprintOf hashes a vector with two independent chains of 64x64 to 128 bit multiplications.
func fingerprintOf(state []uint32) fingerprint {
	a, b := uint64(0x9e3779b97f4a7c15), uint64(0xc2b2ae3d27d4eb4f)
	i := 0
	for ; i+1 < len(state); i += 2 {
		w := uint64(state[i]) | uint64(state[i+1])<<32
		hi, lo := bits.Mul64(a^w, 0xa0761d6478bd642f)
		a = hi ^ lo
		hi, lo = bits.Mul64(b^bits.RotateLeft64(w, 29), 0xe7037ed1a0b428db)
		b = hi ^ lo + w
	}
	if i < len(state) {
		hi, lo := bits.Mul64(a^uint64(state[i]), 0x8ebc6af09c88c6e3)
		a = hi ^ lo
		b += a * 0x589965cc75374cc3
	}
	hi, lo := bits.Mul64(a^0x1d8e4e27c47d124f, b^0xeb44accab455d165)
	return fingerprint{hi: hi ^ a, lo: lo ^ b}
}

// fingerprintSet is an open-addressing table of fingerprints: 16 bytes and a 4 byte number for each slot.
type fingerprintSet struct {
	prints  []fingerprint
	numbers []uint32 // 0 = empty, otherwise number+1
	count   uint32
}

func newFingerprintSet() *fingerprintSet {
	return &fingerprintSet{prints: make([]fingerprint, 1<<12), numbers: make([]uint32, 1<<12)}
}

func (s *fingerprintSet) insert(state []uint32) (uint32, bool) {
	if int(s.count)*4 >= len(s.prints)*3 {
		s.grow()
	}
	return s.add(fingerprintOf(state), s.count)
}

// add stores the number under the fingerprint unless it is there already.
func (s *fingerprintSet) add(f fingerprint, number uint32) (uint32, bool) {
	mask := uint64(len(s.prints) - 1)
	for i := f.lo & mask; ; i = (i + 1) & mask {
		if s.numbers[i] == 0 {
			s.prints[i], s.numbers[i] = f, number+1
			s.count++
			return number, true
		}
		if s.prints[i] == f {
			return s.numbers[i] - 1, false
		}
	}
}

func (s *fingerprintSet) lookup(state []uint32) (uint32, bool) {
	f := fingerprintOf(state)
	mask := uint64(len(s.prints) - 1)
	for i := f.lo & mask; s.numbers[i] != 0; i = (i + 1) & mask {
		if s.prints[i] == f {
			return s.numbers[i] - 1, true
		}
	}
	return 0, false
}

func (s *fingerprintSet) grow() {
	old := *s
	s.prints, s.numbers, s.count = make([]fingerprint, 2*len(old.prints)), make([]uint32, 2*len(old.prints)), 0
	for i, n := range old.numbers {
		if n != 0 {
			s.add(old.prints[i], n-1)
		}
	}
}

func (s *fingerprintSet) bytes() int64 { return int64(len(s.prints)) * 20 }

// exactSet stores the vectors themselves: no collision can hide a state.
type exactSet struct {
	words   int
	vectors []uint32
	slots   []uint32 // 0 = empty, otherwise number+1
}

func newExactSet(words int) *exactSet { return &exactSet{words: words, slots: make([]uint32, 1<<12)} }

func (s *exactSet) at(number uint32) []uint32 {
	return s.vectors[int(number)*s.words : (int(number)+1)*s.words]
}

func (s *exactSet) insert(state []uint32) (uint32, bool) {
	count := uint32(len(s.vectors) / s.words)
	if int(count)*4 >= len(s.slots)*3 {
		s.slots = make([]uint32, 2*len(s.slots))
		for n := range count {
			i, _ := s.find(s.at(n))
			s.slots[i] = n + 1
		}
	}
	i, number := s.find(state)
	if number != 0 {
		return number - 1, false
	}
	s.vectors = append(s.vectors, state...)
	s.slots[i] = count + 1
	return count, true
}

func (s *exactSet) lookup(state []uint32) (uint32, bool) {
	_, content := s.find(state)
	return content - 1, content != 0
}

// find returns the slot of the state and what is in it.
func (s *exactSet) find(state []uint32) (slot uint64, content uint32) {
	mask := uint64(len(s.slots) - 1)
	for i := fingerprintOf(state).lo & mask; ; i = (i + 1) & mask {
		if s.slots[i] == 0 || equal(s.at(s.slots[i]-1), state) {
			return i, s.slots[i]
		}
	}
}

func equal(a, b []uint32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (s *exactSet) bytes() int64 { return int64(cap(s.vectors))*4 + int64(len(s.slots))*4 }
