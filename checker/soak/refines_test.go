package soak_test

import (
	"testing"

	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/spec"
)

// refining are the properties that hold a run against the abstract HydEE.
var refining = []spec.Property{spec.Refines, spec.RefinesArrivals, spec.PhasesDerived}

// TestGoroutinesRefine holds runs of goroutines against the abstract HydEE: those of the repaired
// protocol, also where checkpoints have messages on their way, are runs of it, and the first one
// that shows an erratum is not.
func TestGoroutinesRefine(t *testing.T) {
	for _, name := range []string{"h24", "s1", "s3", "survivors"} {
		for _, parallel := range []bool{false, true} {
			_, c := load(t, name, "")
			out, err := soak.Soak(t.Context(), c,
				soak.Options{Runs: ofRuns(120), Seed: 5, Parallel: parallel})
			if err != nil || out.Found != nil {
				t.Fatalf("%s: %v, %+v", name, err, out)
			}
			if !spec.Refines.Applies(out.World.Facts) {
				t.Errorf("%s: refines is not asked", name)
			}
		}
	}
	for name, erratum := range map[string]string{"h9-twice": "H9a", "h7-order": "H7",
		"h9-order": "H9b"} {
		_, c := load(t, name, "repaired+"+erratum)
		out, err := soak.Soak(t.Context(), c, soak.Options{Runs: 2000, Seed: 1})
		if err != nil || out.Found == nil {
			t.Fatalf("%s: %v, %+v", name, err, out)
		}
		found, err := spec.Judge(out.World.Facts, &out.Found.Local.Trace, refining,
			out.Found.Local.Complete)
		if err != nil || len(found) == 0 {
			t.Errorf("%s breaks %v and refines the abstract protocol: %v", name,
				out.Found.Violation, err)
		}
	}
}
