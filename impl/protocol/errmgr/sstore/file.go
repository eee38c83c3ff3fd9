package sstore

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Codec says how a file is packed.
type Codec uint8

// The codecs.
const (
	None Codec = iota
	S2
	Zstd
	Gzip
	endOfCodecs
)

// String is the name.
func (c Codec) String() string {
	if c >= endOfCodecs {
		return fmt.Sprintf("Codec(%d)", uint8(c))
	}
	return [...]string{"none", "s2", "zstd", "gzip"}[c]
}

// MaxLen bounds the length of a file, so that an absurd one in a record is an error and not a
// machine without memory.
const MaxLen = 1 << 34

// File describes the bytes of one part: as the rank gave them away (raw), and as they lie in the
// replicas that are packed.
type File struct {
	_         struct{} `cbor:",toarray"`
	Codec     Codec    `json:"codec"`
	RawLen    int64    `json:"rawLen"`
	PackedLen int64    `json:"packedLen"`
	RawSum    []byte   `json:"rawSum"` // SHA-256
	PackedSum []byte   `json:"packedSum"`
}

// The reasons why a replica is bad. Whatever is wrong with it, it does not count.
var (
	ErrLength = errors.New("its length is not the recorded one")
	ErrSum    = errors.New("its sum is not the recorded one")
	ErrPacked = errors.New("it can not be unpacked")
)

// Describe is the description of raw bytes that are not packed.
func Describe(raw []byte) File {
	sum := sha256.Sum256(raw)
	return File{RawLen: int64(len(raw)), PackedLen: int64(len(raw)), RawSum: sum[:],
		PackedSum: sum[:]}
}

// Pack packs raw bytes, and describes what comes out.
func Pack(c Codec, raw []byte) (packed []byte, f File) {
	f = Describe(raw)
	if c == None {
		return raw, f
	}
	packed = encode(c, raw)
	sum := sha256.Sum256(packed)
	f.Codec, f.PackedLen, f.PackedSum = c, int64(len(packed)), sum[:]
	return packed, f
}

// encode packs bytes. The same bytes always give the same result: one goroutine, no time in it.
func encode(c Codec, raw []byte) []byte {
	switch c {
	case S2:
		return s2.Encode(nil, raw)
	case Zstd:
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(fmt.Sprintf("invariant: the options of zstd are valid: %v", err))
		}
		return w.EncodeAll(raw, nil)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(raw)
	if err = errors.Join(err, w.Close()); err != nil {
		panic(fmt.Sprintf("invariant: a buffer takes what is written to it: %v", err))
	}
	return b.Bytes()
}

// Check tells what is wrong with a replica, which is not unpacked for it: the sum of packed bytes
// was made together with them.
func (f *File) Check(packed []byte) error {
	sum := sha256.Sum256(packed)
	switch {
	case int64(len(packed)) != f.PackedLen:
		return fmt.Errorf("%w: %d bytes, want %d", ErrLength, len(packed), f.PackedLen)
	case !bytes.Equal(sum[:], f.PackedSum):
		return ErrSum
	}
	return nil
}

// Unpack checks a replica and returns the raw bytes, checked, too.
func (f *File) Unpack(packed []byte) ([]byte, error) {
	if err := f.Check(packed); err != nil {
		return nil, err
	}
	raw, err := Decode(f.Codec, packed, f.RawLen)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	if !bytes.Equal(sum[:], f.RawSum) {
		return nil, ErrSum
	}
	return raw, nil
}

// Decode unpacks bytes, of which there must be so many in the end. It stops one byte later: what is
// declared bounds the memory, and not what somebody has packed.
func Decode(c Codec, packed []byte, length int64) ([]byte, error) {
	if length < 0 || length > MaxLen {
		return nil, fmt.Errorf("%w: %d bytes are declared, want [0, %d]", ErrLength, length,
			int64(MaxLen))
	}
	if c == None {
		return exactly(packed, length)
	}
	r, err := reader(c, packed, length)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPacked, err)
	}
	raw, err := io.ReadAll(io.LimitReader(r, length+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPacked, err)
	}
	return exactly(raw, length)
}

func exactly(raw []byte, length int64) ([]byte, error) {
	if int64(len(raw)) != length {
		return nil, fmt.Errorf("%w: it unpacks to %d bytes or more, want %d", ErrLength, len(raw),
			length)
	}
	return raw, nil
}

// reader unpacks as it is read. A block of s2 begins with its length, which is looked at first.
func reader(c Codec, packed []byte, length int64) (io.Reader, error) {
	switch c {
	case S2:
		n, err := s2.DecodedLen(packed)
		if err != nil || int64(n) != length {
			return nil, fmt.Errorf("a block of %d bytes: %w", n, errors.Join(err, ErrLength))
		}
		raw, err := s2.Decode(nil, packed)
		return bytes.NewReader(raw), err
	case Zstd:
		d, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return d, nil
	case Gzip:
		return gzip.NewReader(bytes.NewReader(packed))
	}
	return nil, fmt.Errorf("unknown codec %d", c)
}
