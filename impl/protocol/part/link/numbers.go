package link

import (
	"encoding/json"
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// Number is the number of a message to or from one rank.
type Number struct {
	Rank  core.Rank
	Value uint32
}

// About implements core.Ranked.
func (n *Number) About() *core.Rank { return &n.Rank }

// ranked is what Numbers are.
type ranked = core.ByRank[Number, *Number]

// Numbers are numbers by rank, 0 where there is none: like Channels, with an entry for each of up
// to core.Dense ranks, and then encoded as the plain list of their values.
type Numbers ranked

// NewNumbers are all 0.
func NewNumbers(ranks int) Numbers { return Numbers(core.NewByRank[Number](ranks)) }

// Of is the number of a rank.
func (s Numbers) Of(r core.Rank) uint32 {
	if n := ranked(s).Find(r); n != nil {
		return n.Value
	}
	return 0
}

// Set sets the number of a rank. One that is 0 already is left out.
func (s *Numbers) Set(r core.Rank, value uint32) {
	if n := ranked(*s).Find(r); n != nil {
		n.Value = value
	} else if value != 0 {
		(*ranked)(s).At(r).Value = value
	}
}

// Raise makes the number of a rank at least so high.
func (s *Numbers) Raise(r core.Rank, value uint32) {
	if value > s.Of(r) {
		s.Set(r, value)
	}
}

// Clear makes all numbers 0.
func (s Numbers) Clear() {
	for i := range s {
		s[i].Value = 0
	}
}

// Values are the numbers, where there are any, by ascending ranks.
func (s Numbers) Values() (list []uint32) {
	for _, n := range s {
		list = append(list, n.Value)
	}
	return list
}

// listed is the encoding of numbers that are not those of the first ranks.
type listed struct {
	Ranks  []core.Rank `cbor:"ranks" json:"ranks"`
	Values []uint32    `cbor:"values" json:"values"`
}

// plain is what is encoded: a list of values, or with the ranks.
func (s Numbers) plain() any {
	list := listed{Values: s.Values()}
	if n := len(s); n == 0 || s[n-1].Rank == core.Rank(n-1) {
		return list.Values
	}
	for _, n := range s {
		list.Ranks = append(list.Ranks, n.Rank)
	}
	return &list
}

// MarshalCBOR writes the numbers.
func (s Numbers) MarshalCBOR() ([]byte, error) { return core.Encode(s.plain()), nil }

// MarshalJSON writes them for readers.
func (s Numbers) MarshalJSON() ([]byte, error) { return json.Marshal(s.plain()) }

// UnmarshalCBOR reads what MarshalCBOR has written.
func (s *Numbers) UnmarshalCBOR(b []byte) error {
	const aMap = 5 // major type
	var list listed
	*s = nil
	if len(b) == 0 || b[0]>>5 != aMap {
		if err := core.Decode(b, &list.Values); err != nil {
			return err
		}
		for q, value := range list.Values {
			*s = append(*s, Number{core.Rank(q), value})
		}
		return nil
	}
	if err := core.Decode(b, &list); err != nil {
		return err
	}
	if len(list.Ranks) != len(list.Values) {
		return fmt.Errorf("%d numbers of %d ranks", len(list.Values), len(list.Ranks))
	}
	for i, r := range list.Ranks {
		if i > 0 && r <= list.Ranks[i-1] {
			return fmt.Errorf("number %d is of rank %d, behind one of rank %d", i, r,
				list.Ranks[i-1])
		}
		*s = append(*s, Number{r, list.Values[i]})
	}
	return nil
}
