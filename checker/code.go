package checker

import (
	"cmp"
	"encoding/binary"
	"math/bits"
)

// CodeBits is how many bits a code may have.
const CodeBits = 127

// Code is a state as one number: the words of its vector side by side, each as wide as a Packing
// says. So the code is the state itself, and not a hash of it.
type Code struct{ Hi, Lo uint64 }

// Compare orders codes; of one packing that is Ordered, as their vectors.
func (c Code) Compare(d Code) int {
	if c.Hi != d.Hi {
		return cmp.Compare(c.Hi, d.Hi)
	}
	return cmp.Compare(c.Lo, d.Lo)
}

// Or has the bits of both codes.
func (c Code) Or(d Code) Code { return Code{c.Hi | d.Hi, c.Lo | d.Lo} }

// field is where some neighbouring bits of a word lie in a code: turned to the left as far as says
// turn, modulo 64, they are where the masks have bits.
type field struct {
	lo, hi uint64
	max    uint32 // the largest value of a word that needs no more bits than these
	turn   int8
}

// newField puts the bits [from, from+width) of a word at a shift in the code.
func newField(from, width, shift int) field {
	f := field{max: uint32(1<<(from+width) - 1), turn: int8((shift - from) & 63)}
	for i := shift; i < shift+width; i++ {
		c := bit(i)
		f.lo, f.hi = f.lo|c.Lo, f.hi|c.Hi
	}
	return f
}

// bit is a code with one bit.
func bit(i int) Code {
	if i < 64 {
		return Code{Lo: 1 << i}
	}
	return Code{Hi: 1 << (i - 64)}
}

// flip turns a word of a code into another one, given the bits in which they differ.
func (f *field) flip(c *Code, difference uint32) {
	turned := bits.RotateLeft64(uint64(difference), int(f.turn))
	c.Lo ^= turned & f.lo
	c.Hi ^= turned & f.hi
}

// of are the bits of the word in a code.
func (f *field) of(c Code) uint32 {
	return uint32(bits.RotateLeft64(c.Lo&f.lo|c.Hi&f.hi, -int(f.turn)))
}

// Key is a state as bytes, for maps; they lie in the buffer.
func Key(state []uint32, buf *[]byte) []byte {
	*buf = (*buf)[:0]
	for _, word := range state {
		*buf = binary.LittleEndian.AppendUint32(*buf, word)
	}
	return *buf
}
