package cluster_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// TestKilledClustersRefine holds what real processes do, of which some are killed, against the
// abstract HydEE: repaired, a run is one of it; where what is logged is sent again in any order, it
// is not. In each of them refines judges every message of the program at least once.
func TestKilledClustersRefine(t *testing.T) {
	const logged = "a: send b x; send b y; recv b\nb: recv a; recv a; send a k\n"
	figure4 := "x: send y m2; output\ny: recv *; send c m3; recv *\nc: recv y; send d m5\n" +
		"d: recv c; send y m7\n"
	tests := []struct {
		name, text string
		victim     core.Proc
		effects    []int
		long       bool
		breaks     string
	}{
		{"repaired", example("hydee", logged, "clusters: a | b"), 1, []int{1}, false, ""},
		{"H9b", example("hydee", logged, "clusters: a | b", "variant: repaired+H9b"), 1,
			[]int{1}, false, "refines-arrivals"},
		{"figure 4", example("hydee", figure4, "clusters: x y | c d"), 1, []int{1, 2, 3}, true,
			""},
		{"ring with checkpoints", example("hydee", ring, "clusters: a b | c"), 0,
			[]int{1, 2, 3, 4, 5, 6, 8}, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.long && !effort.Long() {
				t.Skip("starts many processes: " + effort.More)
			}
			for _, after := range tt.effects {
				c, r := config(t, tt.text, plan.Plan{Failures: []plan.Failure{
					{Victims: []core.Proc{tt.victim}, By: tt.victim, After: after}}})
				w, _, err := world.Open(t.Context(), world.Case{Setup: r.Setup,
					Baseline: r.Baseline, Model: r.Model}, checker.Options{})
				if err != nil || !spec.Refines.Applies(w.Facts) {
					t.Fatalf("refines is not asked: %v", err)
				}
				out, err := cluster.Run(t.Context(), c)
				if err != nil || !out.Complete || out.Failures != 1 && after == 1 {
					t.Fatalf("after %d effects: %d failures, complete %t, %v", after, out.Failures,
						out.Complete, err)
				}
				judged := map[string]int{}
				counts := spec.Property{Name: "counts", Kind: spec.Always, Global: true,
					Event: func(f *spec.Facts, v spec.View, e trace.Event) string {
						if as := spec.RefinedAs(f, v, e); as != "" {
							judged[as]++
						}
						return ""
					}}
				found, err := spec.Judge(w.Facts, &out.Trace, []spec.Property{counts,
					spec.Refines, spec.RefinesArrivals, spec.PhasesDerived}, true)
				if least := len(w.Facts.Abstract.Messages); tt.breaks == "" &&
					judged[spec.AsSend] < least {
					t.Errorf("killed after %d effects: %v judged, want %d sends at least", after,
						judged, least)
				}
				t.Logf("%d failures, judged %v", out.Failures, judged)
				if err != nil || len(found) > 0 != (tt.breaks != "") ||
					len(found) > 0 && found[0].Property != tt.breaks {
					t.Errorf("killed after %d effects: %v, %v; want %q", after, found, err,
						tt.breaks)
				}
			}
		})
	}
}
