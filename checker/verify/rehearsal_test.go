package verify_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// Aim: what the protocols promise for runs without failures is true of all that is embedded, far
// from the small scopes in which mutants break it. Method: the runs that precede each search, of
// every scenario, in the short form of each eighth.
func TestRehearsals(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	rehearsed, left := 0, 0
	for i, s := range list {
		if s.Variant != "repaired" {
			continue
		}
		if i%8 > 0 && !effort.Long() {
			left++
			continue
		}
		r, err := verify.Resolve(all.Protocols(), s)
		if err != nil {
			continue
		}
		w, reason, err := world.Open(t.Context(), r.Case, checker.Options{MaxStates: 5000})
		if err != nil || reason != "" {
			continue
		}
		rehearsed++
		if run := w.Rehearse(); run != nil {
			t.Errorf("%s (%s): %s: %s", s.Name, s.Protocol, run.Violation.Property,
				run.Violation.Message)
		}
	}
	if left > 0 {
		t.Logf("%d scenarios are left out, all %s", left, effort.More)
	}
	if enough := effort.Of(30, 200); rehearsed < enough {
		t.Errorf("%d scenarios are rehearsed, want at least %d", rehearsed, enough)
	}
}
