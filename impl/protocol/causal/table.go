package causal

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Table is determinants, each once, by receiver and number. It is written as one list in that
// order. A list for each receiver is what makes it cheap to add one: a rank that delivers adds to
// the end of its own, in whatever order it hears of the receptions of others. Who has none is not
// there: with many ranks that are most.
type Table struct{ By []Receptions }

// Receptions are determinants of one receiver, by number.
type Receptions struct {
	Recver core.Rank
	List   []Det
}

// All is the one list.
func (t Table) All() (list []Det) {
	for i := range t.By {
		list = append(list, t.By[i].List...)
	}
	return list
}

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
		t.insert(d)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (t Table) MarshalJSON() ([]byte, error) { return json.Marshal(t.All()) }

// at is the place of a receiver.
func (t *Table) at(recver core.Rank) (i int, found bool) {
	return slices.BinarySearchFunc(t.By, recver, func(r Receptions, recver core.Rank) int {
		return cmp.Compare(r.Recver, recver)
	})
}

// of are those of a receiver.
func (t *Table) of(recver core.Rank) []Det {
	if i, found := t.at(recver); found {
		return t.By[i].List
	}
	return nil
}

// place is that of a determinant among those of its receiver.
func place(list []Det, rsn RSN) (at int, found bool) {
	if n := len(list); n == 0 || list[n-1].RSN < rsn {
		return n, false
	}
	return slices.BinarySearchFunc(list, rsn, func(d Det, rsn RSN) int {
		return cmp.Compare(d.RSN, rsn)
	})
}

// find is a determinant, nil if it is not there. It is valid until the next one is added.
func (t *Table) find(recver core.Rank, rsn RSN) *Det {
	list := t.of(recver)
	if at, found := place(list, rsn); found {
		return &list[at]
	}
	return nil
}

// insert puts a determinant at its place.
func (t *Table) insert(d Det) {
	i, found := t.at(d.Recver)
	if !found {
		t.By = slices.Insert(t.By, i, Receptions{Recver: d.Recver})
	}
	list := &t.By[i].List
	at, _ := place(*list, d.RSN)
	*list = slices.Insert(*list, at, d)
}

// prune removes determinants, and receivers that have none left: an image has none of them either.
func (t *Table) prune(which func(Det) bool) {
	for i := range t.By {
		t.By[i].List = slices.DeleteFunc(t.By[i].List, which)
	}
	t.By = slices.DeleteFunc(t.By, func(r Receptions) bool { return len(r.List) == 0 })
}
