package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// TestErrata looks up switches in a table with a blank, which must never be found, listed or
// published.
func TestErrata(t *testing.T) {
	table := core.Errata{0: {ID: "X1", Published: true}, 1: {Published: true}, 2: {ID: "X3"},
		3: {ID: "X4", Published: true}}
	if got, want := table.Published(), core.Switches(0b1001); got != want || !got.Has(3) ||
		got.Has(1) {
		t.Errorf("published: %b, want %b", got, want)
	}
	if diff := cmp.Diff([]core.Erratum{table[0], table[2], table[3]}, table.List()); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	for id, want := range map[string]core.Switch{"X1": 0, "X3": 2, "X4": 3} {
		if got, ok := table.Find(id); !ok || got != want {
			t.Errorf("%s is %d, %t, want %d", id, got, ok, want)
		}
	}
	for _, id := range []string{"", "X2", "x1"} {
		if e, ok := table.Find(id); ok {
			t.Errorf("%q found: %d", id, e)
		}
	}
}
