// Package frame is the layout of what processes of a cluster run send each other.
//
// A frame is a header of fixed size, the protocol's own header behind it (extra: the piggyback of a data message), the payload,
// and zeros up to a multiple of Line bytes, because the kernel's copies are up to twice as fast when both sides of a
// connection see the payload at the same alignment. A payload of Large bytes or more begins on a multiple of Line; a smaller
// one right behind the extra, so that a message of eight bytes fits one cache line. All numbers are little-endian:
//
//	 0 magic       uint16
//	 2 kind        uint8
//	 3 note        uint8    meaning is the sender's
//	 4 extra       uint16   length of the extra
//	 6 extra sum   uint16
//	 8 incarnation uint32   of the sender
//	12 sequence    uint32   number of the frame on its connection, from 0, wraps
//	16 length      uint32   of the payload
//	20 sum         uint32   CRC-32C of the 20 bytes before
//
// The sums find garbage, a stranger and a mistake of ours, not a bad cable: the payload is left to the checksums of the transport.
package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Sizes in bytes.
const (
	Line     = 64      // the length of a frame is a multiple of it
	Size     = 24      // of the header
	MaxExtra = 1 << 10 // of the extra
	Large    = 8 << 10 // a payload from here on is aligned and, by a sender, not copied
)

const magic = 0xd0e1

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

// Errors that a caller can tell apart.
var (
	ErrGarbage = errors.New("not a frame")
	ErrTooLong = errors.New("frame too long")
)

// Header is the fixed part of a frame.
type Header struct {
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
	if h.Length >= Large {
		n = roundUp(n)
	}
	return n
}

// Total is the length of the frame, a multiple of Line.
func (h *Header) Total() int { return roundUp(h.Prefix() + h.Length) }

// Pad is the number of zeros behind the payload.
func (h *Header) Pad() int { return h.Total() - h.Prefix() - h.Length }

func roundUp(n int) int { return (n + Line - 1) &^ (Line - 1) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var zeros [Line]byte

// Append appends the prefix of a frame with this extra; h.Extra is taken from it.
func Append(buf []byte, h *Header, extra []byte) []byte {
	if len(extra) > MaxExtra {
		panic(fmt.Sprintf("invariant: the extra of a frame is at most %d bytes: %d", MaxExtra, len(extra)))
	}
	h.Extra = len(extra)
	at := len(buf)
	buf = append(buf, zeros[:Size]...)
	b := buf[at : at+Size]
	binary.LittleEndian.PutUint16(b, magic)
	b[2], b[3] = byte(h.Kind), h.Note
	binary.LittleEndian.PutUint16(b[4:], uint16(len(extra)))
	binary.LittleEndian.PutUint16(b[6:], sumExtra(extra))
	binary.LittleEndian.PutUint32(b[8:], h.Incarnation)
	binary.LittleEndian.PutUint32(b[12:], h.Sequence)
	binary.LittleEndian.PutUint32(b[16:], uint32(h.Length))
	binary.LittleEndian.PutUint32(b[20:], crc32.Checksum(b[:20], castagnoli))
	buf = append(buf, extra...)
	return append(buf, zeros[:h.Prefix()-Size-len(extra)]...)
}

// AppendPad appends the zeros behind the payload.
func AppendPad(buf []byte, h *Header) []byte { return append(buf, zeros[:h.Pad()]...) }

// Parse reads the first Size bytes of b, which must be there. A payload of more than limit bytes is ErrTooLong.
func Parse(b []byte, limit int) (Header, error) {
	b = b[:Size]
	if m := binary.LittleEndian.Uint16(b); m != magic {
		return Header{}, fmt.Errorf("%w: it begins with %x", ErrGarbage, b[:8])
	}
	if got, want := crc32.Checksum(b[:20], castagnoli), binary.LittleEndian.Uint32(b[20:]); got != want {
		return Header{}, fmt.Errorf("%w: header sum %08x, want %08x", ErrGarbage, want, got)
	}
	h := Header{Kind: Kind(b[2]), Note: b[3], Extra: int(binary.LittleEndian.Uint16(b[4:])), extraSum: binary.LittleEndian.Uint16(b[6:]),
		Incarnation: binary.LittleEndian.Uint32(b[8:]), Sequence: binary.LittleEndian.Uint32(b[12:]), Length: int(binary.LittleEndian.Uint32(b[16:]))}
	switch {
	case h.Kind == 0 || h.Kind >= end:
		return Header{}, fmt.Errorf("%w: kind %d", ErrGarbage, h.Kind)
	case h.Extra > MaxExtra:
		return Header{}, fmt.Errorf("%w: extra of %d bytes, at most %d", ErrTooLong, h.Extra, MaxExtra)
	case h.Length > limit:
		return Header{}, fmt.Errorf("%w: payload of %d bytes, at most %d", ErrTooLong, h.Length, limit)
	}
	return h, nil
}

// CheckExtra compares the extra with the sum in the header.
func (h *Header) CheckExtra(extra []byte) error {
	if got := sumExtra(extra); got != h.extraSum {
		return fmt.Errorf("%w: extra sum %04x, want %04x", ErrGarbage, h.extraSum, got)
	}
	return nil
}

func sumExtra(extra []byte) uint16 {
	sum := crc32.Checksum(extra, castagnoli)
	return uint16(sum) ^ uint16(sum>>16)
}
