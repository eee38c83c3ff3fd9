package soak_test

import (
	"testing"

	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// refining are the properties that hold a run against the abstract HydEE.
var refining = []spec.Property{spec.Refines, spec.RefinesArrivals, spec.PhasesDerived}

// judged counts, run by run, what refines judges an event as.
type judged struct {
	now  map[string]int
	runs []map[string]int // that have come to their end
}

// properties count, and break nothing.
func (j *judged) properties() []spec.Property {
	j.now = map[string]int{}
	return []spec.Property{
		{Name: "counts", Kind: spec.Always, Global: true, Doc: "counts what refines judges",
			Event: func(f *spec.Facts, v spec.View, e trace.Event) string {
				if as := spec.RefinedAs(f, v, e); as != "" {
					j.now[as]++
				}
				return ""
			}},
		{Name: "counted", Kind: spec.Final, Global: true, Doc: "ends the count of a run",
			End: func(*spec.Facts, spec.View) string {
				j.runs, j.now = append(j.runs, j.now), map[string]int{}
				return ""
			}},
	}
}

// TestGoroutinesRefine holds runs of goroutines against the abstract HydEE: those of the repaired
// protocol, also where checkpoints have messages on their way, are runs of it, and the first one
// that shows an erratum is not. In each of them refines judges every message of the program at
// least once.
func TestGoroutinesRefine(t *testing.T) {
	for _, name := range []string{"h24", "s1", "s3", "survivors"} {
		for _, parallel := range []bool{false, true} {
			_, c := load(t, name, "")
			var j judged
			c.Properties = j.properties()
			out, err := soak.Soak(t.Context(), c,
				soak.Options{Runs: ofRuns(125), Seed: 5, Parallel: parallel})
			if err != nil || out.Found != nil {
				t.Fatalf("%s: %v, %+v", name, err, out)
			}
			if !spec.Refines.Applies(out.World.Facts) {
				t.Errorf("%s: refines is not asked", name)
			}
			if out.Cut > 0 || len(j.runs) != out.Runs {
				t.Errorf("%s: %d runs, %d cut, %d counted", name, out.Runs, out.Cut, len(j.runs))
			}
			all := map[string]int{}
			for i, n := range j.runs {
				if least := len(out.World.Facts.Abstract.Messages); n[spec.AsSend] < least {
					t.Errorf("%s, run %d: %v judged, want %d sends at least", name, i+1, n, least)
				}
				for as := range n {
					all[as] += n[as]
				}
			}
			t.Logf("%s: %d runs with %d failures, judged %v", name, out.Runs, out.Failures, all)
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
