package core_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// TestErrata looks up switches in a table with a blank, which must never be found, listed or
// published.
func TestErrata(t *testing.T) {
	table := core.Errata{0: {ID: "X1", Class: core.ClassPrinted}, 1: {Class: core.ClassPrinted},
		2: {ID: "X3"},
		3: {ID: "X4", Class: core.ClassPrinted}}
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

// TestErrataText reads a table, and refuses what is not of the form with the line that is wrong.
func TestErrataText(t *testing.T) {
	text := "# A comment.\n\nX1: [P] Fig. 2: top\n\tswitched: one\n\t\ttwo: three\n" +
		"\trepaired: four\n\tclass: printed\n\tquote: five\n" +
		"\nX2: [P]\n\tof: p q\n\tshown: by hand\n"
	want := core.Errata{{}, {ID: "X1", Place: "[P] Fig. 2: top", Switched: "one two: three",
		Repaired: "four", Quote: "five", Class: core.ClassPrinted},
		{ID: "X2", Place: "[P]", Of: "p q", Shown: "by hand"}}
	if diff := cmp.Diff(want, core.MustErrata(1, text)); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	for bad, line := range map[string]int{
		"\tswitched: of nothing":                               1,
		"X1: p\n\tprints: one":                                 2,
		"X1: p\n\tswitched one":                                2,
		"X1: p\n\tswitched: one\n\tswitched: two":              3,
		"X1: p\n\t\tmore":                                      2,
		"X1: p\n\tswitched: one\n\tother: two\n\tclass: error": 4,
		"X1 without place":                                     1,
	} {
		func() {
			defer func() {
				said := fmt.Sprint(recover())
				if !strings.Contains(said, fmt.Sprintf("core: line %d of errata", line)) {
					t.Errorf("%q: got %s, want line %d refused", bad, said, line)
				}
			}()
			core.MustErrata(0, bad)
		}()
	}
}
