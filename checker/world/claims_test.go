package world_test

import (
	"path/filepath"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// TestClaimsKeepEnds explores scenarios of protocols that claim what commutes, in full and reduced:
// verdict and ends of runs must be equal. In b12 a claim was once wrong: an end was lost.
func TestClaimsKeepEnds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"epochs/b12", "epochs/b10-unlogged", "epochs/epochs-kept-orphan",
		"epochs/epochs-on-its-way", "hydee/collect-small", "hydee/s1", "hydee/s4"} {
		s, err := scenarios.Load(filepath.Join("../../scenarios", name+".txtar"))
		if err != nil {
			t.Error(err)
			continue
		}
		r, err := resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		c := world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}
		outcome := func(reduce checker.Reduction) *world.Outcome {
			out, err := world.Check(t.Context(), c, checker.Options{Reduce: reduce})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return out
		}
		full := outcome(checker.Unreduced)
		reduced := outcome(checker.Singletons | checker.Crashes)
		if full.Verdict != reduced.Verdict || full.Terminals != reduced.Terminals {
			t.Errorf("%s: %v with %d ends, reduced %v with %d", name, full.Verdict, full.Terminals,
				reduced.Verdict, reduced.Terminals)
		}
	}
}
