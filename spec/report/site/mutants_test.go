package site

import "testing"

// TestDecades colours numbers by their power of ten.
func TestDecades(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 9: 0, 10: 1, 99: 1, 100: 2, 999_999: 5,
		1_000_000: 6, 1 << 40: 6} {
		if got := (&Kill{Count: n}).Decade(); got != want {
			t.Errorf("%d is of decade %d, want %d", n, got, want)
		}
	}
}

// TestStatus ranks mutants: those that want attention first, then what nothing kills.
func TestStatus(t *testing.T) {
	kill := []Kill{{}, {Killed: true}}
	for i, tt := range []struct {
		m    Mutant
		want string
	}{
		{Mutant{Unexpected: "x", Undecided: "y", Cells: kill}, "not as expected"},
		{Mutant{Undecided: "y", Cells: kill}, "undecided"},
		{Mutant{Expect: "equivalent"}, "survives"},
		{Mutant{Expect: "equivalent", Proof: "z"}, "equivalent"},
		{Mutant{Cells: kill}, "killed"},
	} {
		if tt.m.Status() != tt.want || tt.m.rank() != i || tt.m.Wrong() != (i < 2) {
			t.Errorf("%+v is %q at %d, want %q at %d", tt.m, tt.m.Status(), tt.m.rank(), tt.want, i)
		}
	}
}
