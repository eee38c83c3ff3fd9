package page_test

import (
	"encoding/json"
	"testing"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/trace"
)

// TestAgree changes one thing of a run and asks how long it is the same: up to there, or to the end
// where what is changed is not looked at.
func TestAgree(t *testing.T) {
	local := func(n int) []json.RawMessage {
		return []json.RawMessage{json.RawMessage([]byte{byte('0' + n)}), nil}
	}
	run := func() *report.Run {
		r := &report.Run{Start: report.Step{Locals: local(0)},
			Trace: trace.Trace{Layout: trace.Layout{Ranks: 1, Names: []string{"p", "q"}}}}
		for k := 1; k <= 5; k++ {
			r.Steps = append(r.Steps, report.Step{Event: "step", Locals: local(k)})
			r.Trace.Events = append(r.Trace.Events, trace.Event{Step: k, Kind: trace.Told},
				trace.Event{Step: k, Kind: trace.Released})
		}
		return r
	}
	for name, tt := range map[string]struct {
		change func(*report.Run)
		same   int
		blind  bool
	}{
		"nothing":  {func(*report.Run) {}, 5, false},
		"a name":   {func(r *report.Run) { r.Steps[2].Event = "another" }, 2, false},
		"evidence": {func(r *report.Run) { r.Trace.Events[7].Digest = 1 }, 3, false},
		"one event fewer": {func(r *report.Run) { r.Trace.Events = r.Trace.Events[:9] }, 4,
			false},
		"a state":       {func(r *report.Run) { r.Steps[1].Locals = local(9) }, 1, false},
		"the first one": {func(r *report.Run) { r.Start.Locals = local(9) }, 5, true},
		"states": {func(r *report.Run) {
			r.Start.Locals, r.Steps[0].Locals = nil, nil
		}, 5, true},
		"its end": {func(r *report.Run) {
			r.Steps, r.Trace.Events = r.Steps[:2], r.Trace.Events[:4]
		}, 2, false},
		"a schedule": {func(r *report.Run) { r.Steps, r.Start.Locals = nil, nil }, 5, true},
	} {
		other := run()
		tt.change(other)
		for _, both := range [][2]*report.Run{{run(), other}, {other, run()}} {
			if same, blind := page.Agree(both[0], both[1]); same != tt.same || blind != tt.blind {
				t.Errorf("without %s: the same for %d steps, blind %t; want %d, %t", name, same,
					blind, tt.same, tt.blind)
			}
		}
	}
	other := run()
	other.Trace.Layout.Names = []string{"p", "r"}
	if page.SameProcs(run(), other) || !page.SameProcs(run(), run()) {
		t.Error("procs are the same by their names")
	}
}
