package verify_test

import (
	"path/filepath"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// TestOrbits asks a scenario that says how many states there are in orbits: those stand for as
// many, and what is broken is found by a shortest run, whatever was stored.
func TestOrbits(t *testing.T) {
	for name, states := range map[string]int{"two-phase": 920, "two-phase-hasty": 0} {
		s, err := scenarios.Load(filepath.Join("../../scenarios/two-phase", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		a, err := verify.Check(t.Context(), all.Protocols(), s,
			verify.Options{Reduce: checker.Ranks})
		if err != nil {
			t.Fatal(err)
		}
		if !a.AsExpected || states > 0 && (a.States != states || a.Saved.Renamed != 296_448-920) {
			t.Errorf("%s: %s, %d states and %d more; %s", name, a.Verdict, a.States,
				a.Saved.Renamed, a.Why)
		}
		if states == 0 && a.Length != 6 {
			t.Errorf("%s: a run of %d steps, want 6: all but one prepare and are heard, the last "+
				"one aborts", name, a.Length)
		}
	}
}
