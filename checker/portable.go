package checker

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

// Digest is the identity of a content, or of a state, in every process: half a SHA-256, or a sum of
// such.
type Digest struct{ Hi, Lo uint64 }

// DigestOf is the digest of a content. It begins with its kind, so that two kinds have none in
// common.
func DigestOf(content []byte) Digest {
	sum := sha256.Sum256(content)
	return Digest{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])}
}

// Add is the sum of two digests, modulo 2^128.
func (d Digest) Add(e Digest) Digest {
	lo, carry := bits.Add64(d.Lo, e.Lo, 0)
	hi, _ := bits.Add64(d.Hi, e.Hi, carry)
	return Digest{hi, lo}
}

// Sub undoes Add.
func (d Digest) Sub(e Digest) Digest {
	lo, borrow := bits.Sub64(d.Lo, e.Lo, 0)
	hi, _ := bits.Sub64(d.Hi, e.Hi, borrow)
	return Digest{hi, lo}
}

// Compare orders digests as numbers.
func (d Digest) Compare(e Digest) int {
	return cmp.Or(cmp.Compare(d.Hi, e.Hi), cmp.Compare(d.Lo, e.Lo))
}

// DigestBytes is how many bytes a digest has.
const DigestBytes = 16

// Append writes the digest.
func (d Digest) Append(to []byte) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(to, d.Hi), d.Lo)
}

// ReadDigest reads what Append wrote, of at least DigestBytes.
func ReadDigest(from []byte) Digest {
	return Digest{binary.BigEndian.Uint64(from), binary.BigEndian.Uint64(from[8:])}
}

// String is the digest in hexadecimal.
func (d Digest) String() string { return fmt.Sprintf("%016x%016x", d.Hi, d.Lo) }

// Portable is a System of which the states mean something to other processes that explore the same:
// each word of a state has a digest, of its place and of all that it stands for, and no process
// numbers anything there. The identity of a state is the sum of the digests of its words: two
// states that differ have the same one with a probability of 2^-128. Its methods are safe for
// concurrent use.
type Portable interface {
	System
	// Digest is that of what a number of this process stands for as a word of a state.
	Digest(word int, number uint32) Digest
	// Contents tells of what stands behind a number: each thing once, those first to which others
	// refer by their digests. What is known is left out, with all to which it refers.
	Contents(word int, number uint32, known func(Digest) bool, tell func(Digest, []byte))
	// Number is the number in this process of what has a digest as a word of a state. Find is asked
	// for contents that this process has not met. An error is about a content: it is missing, has
	// another digest, or is none that this build would write.
	Number(word int, d Digest, find func(Digest) ([]byte, bool)) (uint32, error)
	// Shown is what runs in this process have shown so far besides states.
	Shown() Shown
	// Learn takes over what other processes have shown. Where this one has seen something else it
	// changes nothing and reports false: then only a system that begins anew can go on.
	Learn(Shown) bool
	// Met are the digests of local steps and of local states, but for the first so many of each.
	Met(steps, states int) (newSteps, newStates []Digest)
	// Ended is why this process can not tell what is true any more, or nil.
	Ended() error
}

// Shown is what runs have shown together, besides states and violations.
type Shown struct {
	Seen      []string          // properties that some run shows, sorted
	Answer    string            // the first in the alphabet of the answers of ranks that are lost
	Witnesses map[string]string // what properties of two runs have seen first
}

// Merge adds what others have shown; it returns the keys of which there are two different
// witnesses: the first in the alphabet stays.
func (s *Shown) Merge(t Shown) (conflicts []string) {
	s.Seen = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Seen, t.Seen))))
	if s.Answer == "" || t.Answer != "" && t.Answer < s.Answer {
		s.Answer = t.Answer
	}
	if s.Witnesses = maps.Clone(s.Witnesses); s.Witnesses == nil {
		s.Witnesses = map[string]string{}
	}
	for _, key := range slices.Sorted(maps.Keys(t.Witnesses)) {
		value, there := s.Witnesses[key]
		if there && value != t.Witnesses[key] {
			conflicts = append(conflicts, key)
		}
		if !there || t.Witnesses[key] < value {
			s.Witnesses[key] = t.Witnesses[key]
		}
	}
	return conflicts
}

// Identity is that of a state of a Portable: slow, for a few states.
func Identity(sys Portable, state []uint32) (sum Digest) {
	for word, number := range state {
		sum = sum.Add(sys.Digest(word, number))
	}
	return sum
}

// CheckContent reports a content that is missing or has another digest than it should.
func CheckContent(d Digest, find func(Digest) ([]byte, bool)) ([]byte, error) {
	content, ok := find(d)
	if !ok {
		return nil, fmt.Errorf("content %v is nowhere", d)
	}
	if got := DigestOf(content); got != d {
		return nil, fmt.Errorf("content %v has digest %v: it was damaged", d, got)
	}
	return bytes.Clone(content), nil
}
