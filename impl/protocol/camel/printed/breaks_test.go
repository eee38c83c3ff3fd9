package printed_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/camel/printed"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// TestBreaks explores the printed form beyond its first violation: which properties the errata
// break that it has, each in a program where none of the others could.
func TestBreaks(t *testing.T) {
	const chain = "group g: r > t; t > w\n"
	twice := func(victims ...trace.Proc) fault.Model {
		return fault.Model{Failures: 2, Overlap: 1, Victims: victims, FromDead: fault.Nothing}
	}
	tests := []struct {
		name, text string
		model      fault.Model
		want       []string
	}{
		{"nothing: one multicast", chain + "r: multicast g m\nt: recv g\nw: recv g", twice(0, 1, 2),
			nil},
		{"C3: replay and passing on, in any order",
			chain + "r: multicast g m; multicast g n\nt: recv g; recv g\nw: recv g; recv g",
			fault.Model{Failures: 1}, []string{"legal-order"}},
		{"C10, C11: a child of the root, then the root",
			chain + "r: contribute g; recv g\nt: contribute g\nw: contribute g", twice(0, 1),
			[]string{"log-available", "log-minimal", "terminates"}},
		{"C19, with C10 and C11: what z tells is released with its determinants, y and z fail",
			"group g: x > y; y > z\nx: send z a; contribute g; recv g\n" +
				"y: send z b; contribute g\nz: recv * ordered; recv * ordered; contribute g",
			twice(1, 2), []string{"final-state", "log-available", "log-minimal",
				"no-orphan-process"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.text)
			setup, err := printed.Form.Setup(r)
			if err != nil {
				t.Fatal(err)
			}
			baseline, err := none.NewSetup(r.Layout, r.Programs)
			if err != nil {
				t.Fatal(err)
			}
			out, err := world.Check(t.Context(), world.Case{Setup: setup, Baseline: baseline,
				Model: tt.model}, checker.Options{All: true})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range out.Found {
				got = append(got, f.Property)
			}
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", out.Verdict, diff)
			}
		})
	}
}
