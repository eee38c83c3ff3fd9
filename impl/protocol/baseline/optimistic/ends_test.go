package optimistic_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/protocol/baseline/optimistic"
)

// TestEnds compares the table of one rank with its whole story: it begins intervals, goes back to
// any that has survived, and begins others. An interval is lost exactly when the story, at its end,
// does not hold it any more; and of those that are not, the newest incarnation is the order.
func TestEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type name struct{ incarnation, interval uint32 }
		table := optimistic.Ends{nil, nil}
		past, all := []name{{}}, map[name]bool{{}: true}
		for range rapid.IntRange(0, 20).Draw(t, "events") {
			if rapid.Bool().Draw(t, "begins") {
				next := name{uint32(len(table[1])), past[len(past)-1].interval + 1}
				past, all[next] = append(past, next), true
				continue
			}
			past = past[:rapid.IntRange(1, len(past)).Draw(t, "back")]
			table[1] = append(table[1], past[len(past)-1].interval)
		}
		survived := map[name]bool{}
		for _, n := range past {
			survived[n] = true
		}
		for n := range all {
			if got := table.Lost(1, n.incarnation, n.interval); got == survived[n] {
				t.Fatalf("%v with ends %v, past %v: lost is %v", n, table[1], past, got)
			}
			v := make(optimistic.Vector, 4)
			v.Set(1, n.incarnation, n.interval)
			if _, lost := table.LostIn(v); lost == survived[n] {
				t.Fatalf("vector %v with ends %v: lost is %v", v, table[1], lost)
			}
		}
		v := make(optimistic.Vector, 4)
		for _, n := range past { // merged in any order: entries that survived are ordered
			other := make(optimistic.Vector, 4)
			other.Set(1, n.incarnation, n.interval)
			other.Merge(v)
			v = other
		}
		if k, i := v.At(1); (name{k, i}) != past[len(past)-1] {
			t.Fatalf("merged to %d.%d, past %v", k, i, past)
		}
	})
}

// TestKnown: a table knows the incarnations whose beginnings it has, and merging never forgets.
func TestKnown(t *testing.T) {
	a, b := optimistic.Ends{{3}, nil}, optimistic.Ends{{3, 1}, {0}}
	if !a.Merge(b) || a.Merge(b) || a.Beyond(b) || b.Beyond(a) {
		t.Errorf("merged to %v", a)
	}
	for k, want := range []bool{true, true, true, false} {
		if got := a.Known(0, uint32(k)); got != want {
			t.Errorf("incarnation %d is known: %v", k, got)
		}
	}
	if a.KnownIn([]uint32{2, 9, 2, 1}) || !a.KnownIn([]uint32{2, 9, 1, 1}) || a.Begin(0) != 1 {
		t.Errorf("%v", a)
	}
	b[1][0] = 7
	if a[1][0] == 7 {
		t.Error("a table shares what it has merged")
	}
}
