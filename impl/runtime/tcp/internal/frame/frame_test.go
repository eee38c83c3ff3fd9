package frame_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

func example() (frame.Header, []byte) {
	return frame.Header{Kind: frame.Data, Note: 3, Incarnation: 7, Sequence: 1 << 31, Length: 8},
		bytes.Repeat([]byte{0xab}, 32)
}

// TestLayout pins the bytes of one frame, written by hand from the table in the package comment, so
// that two builds can talk to each other.
func TestLayout(t *testing.T) {
	h := frame.Header{Kind: frame.Control, Note: 9, Incarnation: 0x01020304, Sequence: 0x05060708,
		Length: 0x0a}
	got := frame.Append(nil, &h, []byte{0xee, 0xff})
	want := []byte{0xe1, 0xd0, 2, 9, 2, 0}
	if !bytes.Equal(got[:6], want) {
		t.Errorf("begins %x, want %x", got[:6], want)
	}
	if want := []byte{4, 3, 2, 1, 8, 7, 6, 5, 10, 0, 0, 0}; !bytes.Equal(got[8:20], want) {
		t.Errorf("numbers %x, want %x", got[8:20], want)
	}
	if want := []byte{0xee, 0xff}; !bytes.Equal(got[24:], want) {
		t.Errorf("extra %x, want %x", got[24:], want)
	}
}

// TestRoundTrip writes and reads headers of all kinds with small and large payloads, and checks the
// alignment that speed depends on.
func TestRoundTrip(t *testing.T) {
	for kind := frame.Data; kind <= frame.Bye; kind++ {
		for _, length := range []int{0, 1, 8, frame.Large - 1, frame.Large, 1 << 20} {
			for _, extra := range []int{0, 1, 32, 40, 41, frame.MaxExtra} {
				h := frame.Header{Kind: kind, Incarnation: 1, Sequence: 2, Length: length}
				b := frame.Append(nil, &h, make([]byte, extra))
				got, err := frame.Parse(b, 1<<20)
				if err != nil {
					t.Fatal(err)
				}
				if got.Kind != kind || got.Length != length || got.Extra != extra ||
					got.Incarnation != 1 || got.Sequence != 2 {
					t.Fatalf("got %+v, want %+v", got, h)
				}
				if len(b) != got.Prefix() || got.Total()%frame.Line != 0 ||
					got.Prefix()+length+got.Pad() != got.Total() {
					t.Fatalf("%d bytes, prefix %d, pad %d, total %d", len(b), got.Prefix(),
						got.Pad(), got.Total())
				}
				if length >= frame.Aligned && got.Prefix()%frame.Line != 0 {
					t.Fatalf("a large payload begins at %d", got.Prefix())
				}
			}
		}
	}
	h, extra := example()
	if frame.Append(nil, &h, extra); h.Total() != frame.Line {
		t.Errorf("8 bytes behind a header of 32 take %d bytes, want one line", h.Total())
	}
}

// TestBitFlips flips every bit of a prefix: each one must be noticed, in the header or in the
// extra.
func TestBitFlips(t *testing.T) {
	h, extra := example()
	b := frame.Append(nil, &h, extra)
	for bit := range len(b) * 8 {
		b[bit/8] ^= 1 << (bit % 8)
		got, err := frame.Parse(b, 1<<20)
		if err == nil {
			err = got.CheckExtra(b[frame.Size:])
		}
		if !errors.Is(err, frame.ErrGarbage) {
			t.Errorf("bit %d: %v, want %v", bit, err, frame.ErrGarbage)
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
	if got, err := frame.Parse(b, 8); err != nil || got.CheckExtra(b[frame.Size:]) != nil {
		t.Errorf("the frame itself is refused: %v", err)
	}
}

// TestTooLong refuses the first payload beyond the limit and takes the last one within.
func TestTooLong(t *testing.T) {
	h := frame.Header{Kind: frame.Data, Length: 101}
	b := frame.Append(nil, &h, nil)
	if _, err := frame.Parse(b, 100); !errors.Is(err, frame.ErrTooLong) {
		t.Errorf("got %v, want %v", err, frame.ErrTooLong)
	}
	if _, err := frame.Parse(b, 101); err != nil {
		t.Error(err)
	}
}

// FuzzParse feeds anything: no panic, and what is accepted is written again as it was.
func FuzzParse(f *testing.F) {
	h, extra := example()
	f.Add(frame.Append(nil, &h, extra))
	f.Add(make([]byte, frame.Size))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < frame.Size {
			return
		}
		h, err := frame.Parse(b, 1<<20)
		if err != nil || len(b) < frame.Size+h.Extra ||
			h.CheckExtra(b[frame.Size:frame.Size+h.Extra]) != nil {
			return
		}
		if again := frame.Append(nil, &h, b[frame.Size:frame.Size+h.Extra]); !bytes.Equal(
			again[:frame.Size], b[:frame.Size]) {
			t.Errorf("written again as %x, was %x", again, b)
		}
	})
}
