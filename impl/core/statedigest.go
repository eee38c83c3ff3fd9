package core

import "encoding/binary"

// StateDigest is a short fingerprint of the canonical bytes of a state (EncodeState), without the
// bytes of payloads: a driver that lends its memory to a layer (Recycler) lets it forget those that
// nobody reads there again, so two drivers may differ in them. It is never 0, and no checksum to
// rely on.
func StateDigest(state []byte) uint64 {
	kept := make([]byte, 0, len(state))
	for rest := state; len(rest) > 0; {
		if rest = appendItem(&kept, rest); rest == nil { // no state: as it is
			return max(1, Digest(state))
		}
	}
	return max(1, Digest(kept))
}

// The major types of CBOR (RFC 8949 section 3.1) that have more than a head.
const (
	cborBytes = 2
	cborText  = 3
	cborArray = 4
	cborMap   = 5
	cborTag   = 6
)

// cborHead reads the head of an item: its major type, its argument and its length; ok is false for
// bytes that are none.
func cborHead(b []byte) (major byte, argument uint64, length int, ok bool) {
	if len(b) == 0 {
		return 0, 0, 0, false
	}
	major, info := b[0]>>5, b[0]&31
	switch {
	case info < 24:
		return major, uint64(info), 1, true
	case info == 24 && len(b) > 1:
		return major, uint64(b[1]), 2, true
	case info == 25 && len(b) > 2:
		return major, uint64(binary.BigEndian.Uint16(b[1:])), 3, true
	case info == 26 && len(b) > 4:
		return major, uint64(binary.BigEndian.Uint32(b[1:])), 5, true
	case info == 27 && len(b) > 8:
		return major, binary.BigEndian.Uint64(b[1:]), 9, true
	}
	return 0, 0, 0, false
}

// appendItem appends an item without the bytes of its payloads, and returns what is behind it; nil
// if there is no item.
func appendItem(kept *[]byte, b []byte) []byte {
	major, n, length, ok := cborHead(b)
	if !ok {
		return nil
	}
	if payload := payloadHead(b); payload > 0 {
		*kept = append(*kept, b[:payload]...)
		_, size, head, ok := cborHead(b[payload:])
		if rest := b[payload:]; ok && size <= uint64(len(rest)-head) {
			return rest[head+int(size):]
		}
		return nil
	}
	*kept = append(*kept, b[:length]...)
	rest := b[length:]
	items := uint64(0)
	switch major {
	case cborBytes, cborText:
		if n > uint64(len(rest)) {
			return nil
		}
		*kept = append(*kept, rest[:n]...)
		return rest[n:]
	case cborArray:
		items = n
	case cborMap:
		items = 2 * n
	case cborTag:
		items = 1
	}
	for ; items > 0; items-- {
		if rest = appendItem(kept, rest); rest == nil {
			return nil
		}
	}
	return rest
}

// payloadHead is the length of the head of a Payload, up to its bytes: an array of a MsgID, which
// is one of two numbers, and bytes; 0 for another item.
func payloadHead(b []byte) int {
	at := 0
	for _, want := range []struct {
		major    byte
		argument uint64
		any      bool
	}{{cborArray, 2, false}, {cborArray, 2, false}, {0, 0, true}, {0, 0, true}} {
		major, argument, length, ok := cborHead(b[at:])
		if !ok || major != want.major || !want.any && argument != want.argument {
			return 0
		}
		at += length
	}
	if major, _, _, ok := cborHead(b[at:]); !ok || major != cborBytes {
		return 0
	}
	return at
}
