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

// Compare orders codes; of one packing that does not fold, as their vectors.
func (c Code) Compare(d Code) int {
	return cmp.Or(cmp.Compare(c.Hi, d.Hi), cmp.Compare(c.Lo, d.Lo))
}

// field is where a word lies in a code. Shifts by 64 and more yield 0.
type field struct {
	max      uint32 // the largest value
	low      uint8  // to the left in Lo
	up, down uint8  // to the left and to the right in Hi
}

// none is a shift that leaves nothing.
const none = 255

func newField(shift, width int) field {
	f := field{max: uint32(1<<width - 1), low: uint8(shift), up: none, down: none}
	if shift >= 64 {
		f.up = uint8(shift - 64)
	} else {
		f.down = uint8(64 - shift)
	}
	return f
}

func (f *field) width() int { return bits.Len32(f.max) }

// flip is what turns a word of a code into another one, given the bits in which they differ.
func (f *field) flip(c *Code, difference uint32) {
	d := uint64(difference)
	c.Lo ^= d << f.low
	c.Hi ^= d<<f.up | d>>f.down
}

// of is the word of a code.
func (f *field) of(c Code) uint32 {
	return uint32(c.Lo>>f.low|c.Hi<<f.down|c.Hi>>f.up) & f.max
}

// Key is a state as bytes, for maps; they lie in the buffer.
func Key(state []uint32, buf *[]byte) []byte {
	*buf = (*buf)[:0]
	for _, word := range state {
		*buf = binary.LittleEndian.AppendUint32(*buf, word)
	}
	return *buf
}
