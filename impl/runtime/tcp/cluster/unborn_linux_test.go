package cluster_test

import (
	"os"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/trace"
)

// TestUnborn kills the second process of a proc as soon as it is there, before its machine has
// taken a step: to all others its start only takes longer. Nobody is told of a failure that was
// none, nothing that waits for the proc is lost, and its incarnations have no gap.
func TestUnborn(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"told by a detector", example("uncoordinated", ring)},
		{"messages wait", example("causal", strings.ReplaceAll(ring,
			"checkpoint; ", ""), "overlap: 1")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, r := config(t, tt.text, plan.Plan{Failures: []plan.Failure{{
				Victims: []core.Proc{0}, By: 0, After: 3}}})
			processes := 0
			c.Started = func(p core.Proc, process int) {
				if p != 0 {
					return
				}
				if processes++; processes == 2 {
					if p, err := os.FindProcess(process); err != nil || p.Kill() != nil {
						t.Error("the second process was not killed")
					}
				}
			}
			out, v := judged(t, c, r)
			if v != nil {
				t.Fatal(v)
			}
			told, crashed := map[core.Proc]int{}, 0
			for _, e := range out.Trace.Events {
				switch {
				case e.Kind == trace.Told:
					told[e.Proc]++
				case e.Kind == trace.Crashed && e.Proc == 0:
					crashed++
				case e.Kind == trace.Restored && e.Proc == 0 && int(e.Incarnation) != crashed:
					t.Errorf("incarnation %d after %d failures", e.Incarnation, crashed)
				}
			}
			for _, w := range r.Setup.Watchers {
				if w != 0 && told[w] != crashed {
					t.Errorf("%s was told %d times of %d failures", r.Setup.Layout.Name(w), told[w],
						crashed)
				}
			}
			if out.Outside != 1 || processes < 3 {
				t.Errorf("%d killed, %d processes: nothing was tried", out.Outside, processes)
			}
		})
	}
}
