package world_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
)

// TestDisk explores scenarios with so little memory beyond the contents of states that they spill,
// most at nearly every level: the same counts, verdict and length of the counterexample as in
// memory, with one worker and two.
func TestDisk(t *testing.T) {
	type result struct {
		Verdict                                         string
		States, Transitions, Terminals, Depth, Shortest int
	}
	resultOf := func(r checker.Result) result {
		s := result{r.Verdict.String(), r.States, r.Transitions, r.Terminals, r.Depth, -1}
		if len(r.Found) > 0 {
			s.Shortest = len(r.Found[0].Path)
		}
		return s
	}
	for _, tt := range []struct{ scenario, variant string }{{"one-cluster", ""}, {"h23-kept", ""},
		{"h8", "repaired+H8"}, {"s1", "published"}} {
		if !effort.Long() && tt.scenario == "h8" {
			continue // the largest
		}
		w := fresh(t, tt.scenario, tt.variant)
		want := search.Explore(t.Context(), w.World, checker.Options{Order: checker.BreadthFirst})
		contents := w.Bytes()
		for _, workers := range effort.Of([]int{2}, []int{1, 2}) {
			// the same world, which knows all contents already: they are as large at the first
			// level as at the last, whatever the order in which two workers meet them
			o := checker.Options{Order: checker.BreadthFirst, Workers: workers, Disk: t.TempDir(),
				MaxBytes: contents + 1<<14}
			r, err := search.Run(t.Context(), w.World, o)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(resultOf(want), resultOf(r)); d != "" {
				t.Errorf("%s, %d workers, bound %q (-want +got):\n%s", tt.scenario, workers,
					r.Bound, d)
			}
			// a worker looks at its memory every so many states
			if r.Spills < 1 && r.States > 2*workers*checker.LookEvery {
				t.Errorf("%s: %d spills, the test is of searches that spill", tt.scenario, r.Spills)
			}
			for _, f := range r.Found {
				if _, err := w.Follow(f.Path); err != nil {
					t.Errorf("%s: the run can not be followed: %v", tt.scenario, err)
				}
			}
		}
	}
}
