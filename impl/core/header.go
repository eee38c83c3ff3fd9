package core

import (
	"encoding/binary"
	"fmt"
)

// Fields reads the numbers of a header in the order in which binary.AppendUvarint wrote them. After
// the first one that is not there, or is too large, every other one is zero and End is an error.
// Only the shortest form of a number is accepted, so that no two headers are one message.
type Fields struct {
	rest   []byte
	broken bool
}

// ReadFields begins at the first number.
func ReadFields(header []byte) Fields { return Fields{rest: header} }

// Uint is the next number, in [0, most].
func (f *Fields) Uint(most uint64) uint64 {
	x, n := binary.Uvarint(f.rest)
	if f.broken || n <= 0 || n > 1 && f.rest[n-1] == 0 || x > most {
		f.broken = true
		return 0
	}
	f.rest = f.rest[n:]
	return x
}

// Uint32 is the next number, of at most 32 bits.
func (f *Fields) Uint32() uint32 { return uint32(f.Uint(1<<32 - 1)) }

// Rank is the next number as a rank.
func (f *Fields) Rank() Rank { return Rank(f.Uint(1<<32 - 1)) }

// Group is the next number as a group, or none.
func (f *Fields) Group() Group { return Group(f.Uint(1<<16 - 1)) }

// Bool is the next number as 0 or 1.
func (f *Fields) Bool() bool { return f.Uint(1) == 1 }

// End reports, for the protocol, a header that did not have exactly the numbers that were read.
func (f *Fields) End(protocol string) error {
	switch {
	case f.broken:
		return fmt.Errorf("%s: header is cut short, or has a number that is too large or too long",
			protocol)
	case len(f.rest) > 0:
		return fmt.Errorf("%s: header has %d bytes more than its message", protocol, len(f.rest))
	}
	return nil
}

// AppendBool appends a number that Fields.Bool reads.
func AppendBool(buf []byte, b bool) []byte {
	if b {
		return append(buf, 1)
	}
	return append(buf, 0)
}
