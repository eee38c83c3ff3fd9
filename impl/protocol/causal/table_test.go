package causal_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
)

// Aim: a table is written as the one list of its determinants, by receiver and number, and read
// from it. Method: random lists, sorted by the standard library, as a table that is read from them,
// written again, by both codecs.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []causal.Det
		for range rapid.IntRange(0, 20).Draw(t, "determinants") {
			d := causal.Det{Recver: core.Rank(rapid.IntRange(0, 5).Draw(t, "receiver")),
				RSN: causal.RSN(rapid.IntRange(1, 50).Draw(t, "rsn")), SSN: 7, Holders: 3}
			if !slices.Contains(list, d) {
				list = append(list, d)
			}
		}
		sorted := slices.SortedFunc(slices.Values(list), func(a, b causal.Det) int {
			return cmp.Or(cmp.Compare(a.Recver, b.Recver), cmp.Compare(a.RSN, b.RSN))
		})
		var table causal.Table
		if err := core.Decode(core.Encode(list), &table); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table.All(), sorted) ||
			!bytes.Equal(core.Encode(&table), core.Encode(sorted)) {
			t.Fatalf("%v is the table %v", list, table.All())
		}
		if got, err := json.Marshal(table); err != nil || len(sorted) > 0 &&
			string(got) != string(must(json.Marshal(sorted))) {
			t.Fatalf("%s, %v", got, err)
		}
	})
	if core.Decode([]byte{0x81, 0x01}, new(causal.Table)) == nil {
		t.Error("a list of something else is read")
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
