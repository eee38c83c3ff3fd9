package checker_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// TestFinds shows violations of two properties in runs of several lengths: the shortest of each is
// kept, the first or the preferred one of two of the same length, and none of a property that
// nobody asks for.
func TestFinds(t *testing.T) {
	type run struct {
		property, name string
		length         int
	}
	shown := []run{{"a", "long", 7}, {"b", "only", 5}, {"a", "short", 3}, {"a", "equal", 3},
		{"a", "longer", 4}}
	tests := map[string]struct {
		finds        checker.Finds[string]
		runs, sorted []string
	}{
		"first": {checker.Finds[string]{}, []string{"short", "only"}, []string{"short", "only"}},
		"preferred": {checker.Finds[string]{Prefer: func(a, b string) bool { return a < b }},
			[]string{"equal", "only"}, []string{"equal", "only"}},
		"of one":  {checker.Finds[string]{Only: "b"}, []string{"only"}, []string{"only"}},
		"of none": {checker.Finds[string]{Only: "c"}, nil, nil},
	}
	for name, tt := range tests {
		f := tt.finds
		for _, r := range shown {
			kept := f.Keep(spec.Violation{Property: r.property}, r.length,
				func() string { return r.name })
			if want := f.Only == "" || f.Only == r.property; kept != want {
				t.Errorf("%s: %v is looked for: %t, want %t", name, r, kept, want)
			}
		}
		if got := f.Runs(); !slices.Equal(got, tt.runs) || f.Any() != (len(tt.runs) > 0) {
			t.Errorf("%s: %q, any %t, want %q", name, got, f.Any(), tt.runs)
		}
		if got := f.Sorted(); !slices.Equal(got, tt.sorted) {
			t.Errorf("%s: sorted %q, want %q", name, got, tt.sorted)
		}
	}
	var f checker.Finds[int]
	for i, property := range []string{"x", "y", "z"} {
		f.Keep(spec.Violation{Property: property}, 9-i, func() int { return 9 - i })
	}
	if got := f.Sorted(); !slices.Equal(got, []int{7, 8, 9}) {
		t.Errorf("sorted %v, want the shortest first", got)
	}
}

// TestBounds hits each bound alone, one step before it and at it.
func TestBounds(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		options checker.Options
		want    string
	}{
		{"none", t.Context(), checker.Options{}, ""},
		{"enough", t.Context(), checker.Options{MaxBytes: 5 << 20, MaxTime: time.Hour}, ""},
		{"memory", t.Context(), checker.Options{MaxBytes: 5<<20 - 1}, "memory limit 4 MiB"},
		{"little memory", t.Context(), checker.Options{MaxBytes: 3 << 10}, "memory limit 3 KiB"},
		{"time", t.Context(), checker.Options{MaxTime: 1}, "time limit 1ns"},
		{"caller", cancelled, checker.Options{MaxTime: 1, MaxBytes: 1}, "interrupted"},
	}
	for _, tt := range tests {
		b := tt.options.Bounds(tt.ctx)
		b.Began = b.Began.Add(-time.Minute)
		if got := b.Over(5 << 20); got != tt.want {
			t.Errorf("%s: over by %q, want %q", tt.name, got, tt.want)
		}
	}
	b := (&checker.Options{MaxStates: 3}).Bounds(t.Context())
	if b.States(3) != "" || b.States(4) != "limit of 3 states" {
		t.Errorf("three states: %q, four: %q", b.States(3), b.States(4))
	}
}
