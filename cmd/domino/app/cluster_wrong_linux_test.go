package app

import (
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// TestWrongs hands torture runs that were judged, of each kind that is not fine: only those in
// which somebody gave up and was right, after more failures than the scenario's, and those that
// somebody else has taken out of the model go on, each counted for itself.
func TestWrongs(t *testing.T) {
	halted := trace.Trace{Events: []trace.Event{{Kind: trace.Halted}}}
	broken := &spec.Violation{Property: "no-orphan"}
	tests := []struct {
		name            string
		verdict         spec.Verdict
		violation       *spec.Violation
		result          cluster.Result
		wrong           bool
		beyond, outside int
	}{
		{"fine", spec.Holds, nil, cluster.Result{Failures: 3}, false, 0, 0},
		{"gave up beyond the scenario", spec.OutOfModel, nil,
			cluster.Result{Failures: 2, Trace: halted}, false, 1, 0},
		{"gave up within the scenario", spec.OutOfModel, nil,
			cluster.Result{Failures: 1, Trace: halted}, true, 1, 0},
		{"violation beyond the scenario", spec.Violated, broken,
			cluster.Result{Failures: 2, Trace: halted}, true, 0, 0},
		{"violation after a kill from outside", spec.OutOfModel, broken,
			cluster.Result{Failures: 4, Outside: 1, Trace: halted}, false, 0, 1},
		{"out of model and nobody gave up", spec.OutOfModel, nil, cluster.Result{Failures: 2}, true,
			0, 1},
		{"unknown", spec.Unknown, nil, cluster.Result{Failures: 2}, true, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, v := &torture{}, &victim{}
			v.own.Failures = 1
			if got := o.wrongs(v, &clusterRan{verdict: tt.verdict, violation: tt.violation,
				result: &tt.result}); got != tt.wrong || o.beyond != tt.beyond ||
				o.outside != tt.outside {
				t.Errorf("wrong %t, beyond %d, outside %d", got, o.beyond, o.outside)
			}
		})
	}
}

// TestDecideGivenUp judges two runs in which the first rank gives up at once: under a protocol that
// promises more, that is a violation and not out of model, also after a kill from outside within
// the model; after more kills than may be it is out of model.
func TestDecideGivenUp(t *testing.T) {
	list, err := catalogue().Select([]string{"ring3"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(all.Protocols(), list[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name              string
		failures, outside int
		crashes           int // with exits
		want              spec.Verdict
	}{
		{"without need", 0, 0, 0, spec.Violated},
		{"within the model", r.Model.Failures, 1, r.Model.Failures + 1, spec.Violated},
		{"more than may be", r.Model.Failures + 1, 1, r.Model.Failures + 1, spec.OutOfModel},
	} {
		c := &clusterCase{scenario: list[0], resolved: r}
		if reason, err := c.open(t.Context()); err != nil || reason != "" {
			t.Fatal(reason, err)
		}
		ran := &clusterRan{clusterCase: c, result: &cluster.Result{Failures: tt.failures,
			Outside: tt.outside, Crashes: make([]cluster.Crash, tt.crashes), Complete: true,
			Trace: trace.Trace{Layout: r.Setup.Layout,
				Events: []trace.Event{{Kind: trace.Halted, Proc: 0, Step: 1, Text: "lost"}}}}}
		if ran.decide(); ran.verdict != tt.want || ran.violation == nil ||
			ran.violation.Property != "gives-not-up" {
			t.Errorf("%s: %v %v, want %v", tt.name, ran.verdict, ran.violation, tt.want)
		}
	}
}
