package core

import (
	"fmt"
	"slices"
)

// Dense is the largest number of ranks of which a ByRank has an entry for each.
const Dense = 64

// Ranked is an entry of a ByRank: it has a field for the rank that it is about, which is no part of
// its encoding.
type Ranked[T any] interface {
	*T
	// About is the field.
	About() *Rank
}

// ByRank is what a layer keeps about other ranks, by ascending ranks. Of up to Dense ranks it has
// an entry for each, at the place of its rank; of more only those that were asked for, because most
// ranks never hear of each other, and an entry for each pair would not fit into memory. It is plain
// data. Its encoding is the list of entries where they are those of the first ranks, which is what
// a plain slice by rank has.
type ByRank[T any, P Ranked[T]] []T

// NewByRank is what is kept at the beginning.
func NewByRank[T any, P Ranked[T]](ranks int) ByRank[T, P] {
	if ranks > Dense {
		return nil
	}
	s := make(ByRank[T, P], ranks)
	s.number()
	return s
}

// number says of each entry that it is about the rank of its place.
func (s ByRank[T, P]) number() {
	for i := range s {
		*P(&s[i]).About() = Rank(i)
	}
}

// Find is the entry about a rank, nil if there is none. It is valid until the next At.
func (s ByRank[T, P]) Find(r Rank) P {
	if i, ok := s.place(r); ok {
		return &s[i]
	}
	return nil
}

// At is the entry about a rank, which is made if there is none: then all other fields are zero, and
// entries may move.
func (s *ByRank[T, P]) At(r Rank) P {
	i, ok := s.place(r)
	if !ok {
		var entry T
		*P(&entry).About() = r
		*s = slices.Insert(*s, i, entry)
	}
	return &(*s)[i]
}

// place is where the entry about a rank is, or would be.
func (s ByRank[T, P]) place(r Rank) (at int, ok bool) {
	if int(r) < len(s) && *P(&s[r]).About() == r {
		return int(r), true
	}
	end := len(s)
	for at < end {
		if middle := (at + end) / 2; *P(&s[middle]).About() < r {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at, at < len(s) && *P(&s[at]).About() == r
}

// sparse is the encoding of entries that are not those of the first ranks.
type sparse[T any] struct {
	Ranks   []Rank `cbor:"ranks"`
	Entries []T    `cbor:"entries"`
}

// MarshalCBOR writes the entries.
func (s ByRank[T, P]) MarshalCBOR() ([]byte, error) {
	if n := len(s); n == 0 || *P(&s[n-1]).About() == Rank(n-1) {
		return encoding.Marshal([]T(s))
	}
	list := sparse[T]{Entries: s}
	for i := range s {
		list.Ranks = append(list.Ranks, *P(&s[i]).About())
	}
	return encoding.Marshal(list)
}

// UnmarshalCBOR reads what MarshalCBOR has written.
func (s *ByRank[T, P]) UnmarshalCBOR(b []byte) error {
	const aMap = 5 // major type
	*s = nil
	if len(b) == 0 || b[0]>>5 != aMap {
		err := decoding.Unmarshal(b, (*[]T)(s))
		s.number()
		return err
	}
	var list sparse[T]
	if err := decoding.Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list.Ranks) != len(list.Entries) {
		return fmt.Errorf("%d entries about %d ranks", len(list.Entries), len(list.Ranks))
	}
	for i, r := range list.Ranks {
		if i > 0 && r <= list.Ranks[i-1] {
			return fmt.Errorf("entry %d is about rank %d, behind one about rank %d", i, r,
				list.Ranks[i-1])
		}
		*P(&list.Entries[i]).About() = r
	}
	*s = list.Entries
	return nil
}
