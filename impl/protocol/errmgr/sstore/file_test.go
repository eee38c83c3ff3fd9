package sstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
)

// codecs are all of them.
var codecs = []sstore.Codec{sstore.None, sstore.S2, sstore.Zstd, sstore.Gzip}

// TestPack packs and unpacks bytes of several sizes, which must be the same, and packed the same
// way every time.
func TestPack(t *testing.T) {
	for _, c := range codecs {
		for _, n := range []int{0, 1, 100, 100_000} {
			t.Run(fmt.Sprint(c, n), func(t *testing.T) {
				raw := bytes.Repeat([]byte("abcdefghij"), n/10+1)[:n]
				packed, f := sstore.Pack(c, raw)
				again, _ := sstore.Pack(c, raw)
				if !bytes.Equal(packed, again) {
					t.Error("packed in two ways")
				}
				if n > 1000 && c != sstore.None && len(packed) > n/10 {
					t.Errorf("%d bytes packed to %d", n, len(packed))
				}
				got, err := f.Unpack(packed)
				if err != nil || !bytes.Equal(got, raw) {
					t.Errorf("%d bytes, %v, want %d", len(got), err, n)
				}
			})
		}
	}
}

// TestDamaged damages every byte of a packed file, and cuts it anywhere: no damage is taken for the
// file, by its sum nor, where somebody has made a new sum, by what it unpacks to.
func TestDamaged(t *testing.T) {
	raw := []byte("a state that is not all the same, 0123456789, and again 0123456789")
	for _, c := range codecs {
		t.Run(c.String(), func(t *testing.T) {
			packed, f := sstore.Pack(c, raw)
			refused := func(what string, b []byte) {
				if _, err := f.Unpack(b); err == nil {
					t.Errorf("%s is taken for the file", what)
				}
				g := sstore.Describe(b)
				g.Codec, g.RawLen, g.RawSum = f.Codec, f.RawLen, f.RawSum
				if got, err := g.Unpack(b); err == nil && !bytes.Equal(got, raw) {
					t.Errorf("%s with a sum of its own is taken for the file", what)
				}
			}
			for i := range packed {
				b := bytes.Clone(packed)
				b[i] ^= 1
				refused(fmt.Sprint("byte ", i), b)
				refused(fmt.Sprint("a cut at ", i), packed[:i])
			}
			refused("a byte more", append(bytes.Clone(packed), 0))
		})
	}
}

// TestBounded unpacks a file that is larger than it is declared to be: what is declared bounds it,
// and no byte more than one is unpacked.
func TestBounded(t *testing.T) {
	for _, c := range codecs[1:] {
		t.Run(c.String(), func(t *testing.T) {
			packed, _ := sstore.Pack(c, make([]byte, 1<<24))
			for _, n := range []int64{0, 1000, 1<<24 - 1, 1<<24 + 1} {
				if _, err := sstore.Decode(c, packed, n); !errors.Is(err, sstore.ErrLength) {
					t.Errorf("declared as %d bytes: %v, want ErrLength", n, err)
				}
			}
		})
	}
	for _, n := range []int64{-1, sstore.MaxLen + 1} {
		if _, err := sstore.Decode(sstore.None, nil, n); !errors.Is(err, sstore.ErrLength) {
			t.Errorf("%d bytes: %v, want ErrLength", n, err)
		}
	}
	if _, err := sstore.Decode(99, nil, 0); !errors.Is(err, sstore.ErrPacked) {
		t.Errorf("unknown codec: %v, want ErrPacked", err)
	}
}
