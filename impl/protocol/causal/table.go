package causal

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Table is determinants, each once, by receiver and number. It is written as one list in that
// order. A list for each receiver is what makes it cheap to add one: a rank that delivers adds to
// the end of its own, in whatever order it hears of the receptions of others.
type Table struct{ By [][]Det }

// All is the one list.
func (t Table) All() []Det { return slices.Concat(t.By...) }

// MarshalCBOR implements cbor.Marshaler.
func (t Table) MarshalCBOR() ([]byte, error) { return core.Encode(t.All()), nil }

// UnmarshalCBOR implements cbor.Unmarshaler.
func (t *Table) UnmarshalCBOR(encoded []byte) error {
	var list []Det
	if err := core.Decode(encoded, &list); err != nil {
		return err
	}
	*t = Table{}
	for _, d := range list {
		at, _ := t.find(d.Recver, d.RSN)
		t.insert(at, d)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (t Table) MarshalJSON() ([]byte, error) { return json.Marshal(t.All()) }

// of are those of a receiver.
func (t *Table) of(recver core.Rank) []Det {
	if int(recver) < len(t.By) {
		return t.By[recver]
	}
	return nil
}

// find is the place of a determinant among those of its receiver.
func (t *Table) find(recver core.Rank, rsn RSN) (at int, found bool) {
	return slices.BinarySearchFunc(t.of(recver), rsn, func(d Det, rsn RSN) int {
		return cmp.Compare(d.RSN, rsn)
	})
}

// insert puts a determinant at its place.
func (t *Table) insert(at int, d Det) {
	if more := int(d.Recver) + 1 - len(t.By); more > 0 {
		t.By = slices.Grow(t.By, more) // at once: with thousands of ranks, step by step is slow
	}
	for int(d.Recver) >= len(t.By) {
		if len(t.By) < cap(t.By) {
			t.By = t.By[:len(t.By)+1] // with the room of a list that was pruned
		} else {
			t.By = append(t.By, nil)
		}
	}
	t.By[d.Recver] = slices.Insert(t.By[d.Recver], at, d)
}

// prune removes determinants. No empty list stays at the end, so that equal tables have equal
// lists.
func (t *Table) prune(which func(Det) bool) {
	for r := range t.By {
		t.By[r] = slices.DeleteFunc(t.By[r], which)
	}
	for n := len(t.By); n > 0 && len(t.By[n-1]) == 0; n-- {
		t.By = t.By[:n-1]
	}
}
