// Package frame is the layout of what processes of a cluster run send each other.
//
// A frame is a header of fixed size, the protocol's own header behind it (extra: the piggyback of a
// data message), the payload, and zeros up to a multiple of Line bytes, because the kernel's copies
// are up to twice as fast when both sides of a connection see the payload at the same alignment. A
// payload of Aligned bytes or more begins on a multiple of Line; a smaller one right behind the
// extra, so that a message of eight bytes fits one cache line. All numbers are little-endian:
//
//	 0 magic       uint16   and the form
//	 2 kind        uint8
//	 3 note        uint8    meaning is the sender's
//	 4 extra       uint16   length of the extra
//	 6 extra sum   uint16
//	 8 incarnation uint32   of the sender
//	12 sequence    uint32   number of the frame on its connection, from 0, wraps
//	16 length      uint32   of the payload
//	20 sum         uint32   of the 20 bytes before
//
// The sums find garbage, a stranger and a mistake of ours, not a bad cable: the payload is left to
// the checksums of the transport. They are products folded together, because a CRC takes a good
// part of the time of a small message in shared memory.
//
// In shared memory a large payload does not follow its header: see Form.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// Sizes in bytes.
const (
	Line     = 64      // the length of a frame is a multiple of it
	Size     = 24      // of the header
	MaxExtra = 1 << 10 // of the extra
	Aligned  = 512     // a payload from here on begins on a multiple of Line
	Large    = 8 << 10 // a payload from here on is not copied by a sender
)

const magic = 0xd0e0

// Kind says what a frame is.
type Kind uint8

// The kinds of frames.
const (
	Data    Kind = iota + 1 // a protocol's data message: fixed layout in the extra
	Control                 // any other message of a protocol, by the codec, in the payload
	Beat                    // I am alive
	Bye                     // nothing follows: the connection ends in order
	end
)

// Form says where the payload is. A connection knows whole frames only.
type Form uint8

// The forms. All but Whole are for shared memory.
const (
	Whole Form = iota + 1 // behind the extra
	// in memory of the sender that the receiver sees: 8 bytes behind the extra say where
	Lent
	First // in the pieces that follow
	// of the payload of the frame before: so many bytes, from the next line on
	Piece
	Skip // nothing: the rest of the ring is not used
	forms
)

// Errors that a caller can tell apart.
var (
	ErrGarbage = errors.New("not a frame")
	ErrTooLong = errors.New("frame too long")
)

// Header is the fixed part of a frame.
type Header struct {
	Form        Form // 0 means Whole
	Kind        Kind
	Note        uint8
	Extra       int
	Incarnation uint32
	Sequence    uint32
	Length      int // of the payload, in [0, 1<<32)

	extraSum uint16
}

// Prefix is the number of bytes before the payload.
func (h *Header) Prefix() int {
	n := Size + h.Extra
	if h.Length >= Aligned {
		n = roundUp(n)
	}
	return n
}

// Total is the length of the frame, a multiple of Line.
func (h *Header) Total() int { return roundUp(h.Prefix() + h.Length) }

// Pad is the number of zeros behind the payload.
func (h *Header) Pad() int { return h.Total() - h.Prefix() - h.Length }

func roundUp(n int) int { return (n + Line - 1) &^ (Line - 1) }

// Place is the number of bytes by which a lent frame says where the payload is.
const Place = 8

// Room is what a frame takes in shared memory, by its form.
func (h *Header) Room() int {
	switch h.Form {
	case Lent:
		return roundUp(Size + h.Extra + Place)
	case First:
		return roundUp(Size + h.Extra)
	case Piece:
		return Line + roundUp(h.Length)
	case Skip:
		return Line
	}
	return h.Total()
}

var zeros [Line]byte

// Words is the header as three numbers, the first of which is never zero.
type Words [Size / 8]uint64

// Words makes the header of a frame with this extra; h.Extra is taken from it.
func (h *Header) Words(extra []byte) Words {
	h.Extra = len(extra)
	first, second, third := Pack(max(h.Form, Whole), h.Kind, h.Note, h.Incarnation, h.Sequence,
		extra, h.Length)
	return Words{first, second, third}
}

// Pack makes the three numbers of a header.
func Pack(form Form, kind Kind, note uint8, incarnation, sequence uint32, extra []byte,
	length int) (first, second, third uint64) {
	if len(extra) > MaxExtra {
		panic(fmt.Sprintf("invariant: the extra of a frame is at most %d bytes: %d", MaxExtra,
			len(extra)))
	}
	first = uint64(magic+uint16(form)) | uint64(kind)<<16 | uint64(note)<<24 | uint64(
		len(extra))<<32 | uint64(sumExtra(extra))<<48
	second = uint64(incarnation) | uint64(sequence)<<32
	return first, second, uint64(uint32(length)) | uint64(sum(first, second, uint32(length)))<<32
}

// Small reads the header of a whole frame whose payload is not large, after its extra, in one go;
// ok is false for any other, and for one that is not right.
func Small(first, second, third uint64, limit int) (extra, length int, ok bool) {
	extra, length = int(uint16(first>>32)), int(uint32(third))
	kind := Kind(first >> 16)
	ok = uint16(first) == magic+uint16(Whole) &&
		uint32(third>>32) == sum(first, second, uint32(third)) && kind > 0 && kind < Bye &&
		extra <= MaxExtra && length < Large && length <= limit
	return extra, length, ok
}

// Unpack is the header that Small has accepted.
func (h *Header) Unpack(first, second, third uint64) {
	h.Form, h.Kind, h.Note, h.Extra, h.extraSum = Whole, Kind(first>>16), uint8(first>>24),
		int(uint16(first>>32)), uint16(first>>48)
	h.Incarnation, h.Sequence, h.Length = uint32(second), uint32(second>>32), int(uint32(third))
}

// Append appends the prefix of a frame with this extra; h.Extra is taken from it.
func Append(buf []byte, h *Header, extra []byte) []byte {
	for _, word := range h.Words(extra) {
		buf = binary.LittleEndian.AppendUint64(buf, word)
	}
	buf = append(buf, extra...)
	return append(buf, zeros[:h.Prefix()-Size-len(extra)]...)
}

// AppendPad appends the zeros behind the payload.
func AppendPad(buf []byte, h *Header) []byte { return append(buf, zeros[:h.Pad()]...) }

// Parse reads the first Size bytes of b, which must be there, of a whole frame. A payload of more
// than limit bytes is ErrTooLong.
func Parse(b []byte, limit int) (Header, error) {
	b = b[:Size]
	h, err := Words{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:])}.Header(limit)
	if err == nil && h.Form != Whole {
		return Header{}, fmt.Errorf("%w: form %d on a connection", ErrGarbage, h.Form)
	}
	return h, err
}

// Header is what the numbers say, in any form.
func (w Words) Header(limit int) (Header, error) {
	h := Header{Form: Form(uint16(w[0]) - magic), Kind: Kind(w[0] >> 16), Note: uint8(w[0] >> 24),
		Extra: int(uint16(w[0] >> 32)), extraSum: uint16(w[0] >> 48),
		Incarnation: uint32(w[1]), Sequence: uint32(w[1] >> 32), Length: int(uint32(w[2]))}
	if uint16(w[0])-magic >= uint16(forms) || h.Form == 0 ||
		uint32(w[2]>>32) != sum(w[0], w[1], uint32(w[2])) ||
		h.Kind == 0 || h.Kind >= end || h.Extra > MaxExtra || h.Length > limit {
		return Header{}, w.refused(limit)
	}
	return h, nil
}

// refused says what is wrong with a header.
func (w Words) refused(limit int) error {
	form, kind, extra, length := uint16(w[0])-magic, Kind(w[0]>>16), int(uint16(w[0]>>32)),
		int(uint32(w[2]))
	got, want := uint32(w[2]>>32), sum(w[0], w[1], uint32(w[2]))
	switch {
	case form == 0 || form >= uint16(forms):
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], w[0])
		return fmt.Errorf("%w: it begins with %x", ErrGarbage, b)
	case got != want:
		return fmt.Errorf("%w: header sum %08x, want %08x", ErrGarbage, got, want)
	case kind == 0 || kind >= end:
		return fmt.Errorf("%w: kind %d", ErrGarbage, kind)
	case extra > MaxExtra:
		return fmt.Errorf("%w: extra of %d bytes, at most %d", ErrTooLong, extra, MaxExtra)
	}
	return fmt.Errorf("%w: payload of %d bytes, at most %d", ErrTooLong, length, limit)
}

// CheckExtra compares the extra with the sum in the header.
func (h *Header) CheckExtra(extra []byte) error {
	if got := sumExtra(extra); got != h.extraSum {
		return fmt.Errorf("%w: extra sum %04x, want %04x", ErrGarbage, h.extraSum, got)
	}
	return nil
}

// Factors without a pattern; any would do.
const (
	factorA = 0xa0761d6478bd642f
	factorB = 0xe7037ed1a0b428db
)

// fold multiplies two numbers and folds the halves of the product: every bit of both counts.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func sum(first, second uint64, length uint32) uint32 {
	s := fold(fold(first^factorA, second^factorB)^factorA, uint64(length)^factorB)
	return uint32(s) ^ uint32(s>>32)
}

// sumExtra is the sum of an extra, 0 of an empty one.
func sumExtra(extra []byte) uint16 {
	n := len(extra)
	if n == 0 {
		return 0
	}
	s := uint64(n) ^ factorA
	for ; len(extra) > 8; extra = extra[8:] {
		s = fold(s^binary.LittleEndian.Uint64(extra), factorB)
	}
	var last uint64
	switch { // the ends may overlap: all that counts is that every byte does
	case len(extra) == 8:
		last = binary.LittleEndian.Uint64(extra)
	case len(extra) >= 4:
		last = uint64(binary.LittleEndian.Uint32(extra)) | uint64(
			binary.LittleEndian.Uint32(extra[len(extra)-4:]))<<32
	default:
		last = uint64(extra[0]) | uint64(extra[len(extra)/2])<<8 | uint64(extra[len(extra)-1])<<16
	}
	s = fold(s^last, factorB)
	s ^= s >> 32
	return uint16(s) ^ uint16(s>>16)
}
