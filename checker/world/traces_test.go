package world_test

import (
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/internal/brute"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// resolve makes a scenario ready to run with the protocols of the house.
func resolve(s *scenarios.Scenario) (*verify.Resolved, error) {
	return verify.Resolve(all.Protocols(), s)
}

// TestTracesOfScenarios holds the numbers of traces of embedded scenarios; brute force must agree.
func TestTracesOfScenarios(t *testing.T) {
	t.Parallel()
	want := effort.Of(map[string]int{"h5": 32743}, map[string]int{"h5": 32743, "h9-twice": 78513})
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		traces, ok := want[s.Name]
		if !ok {
			continue
		}
		c, err := resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := world.Oracle(t.Context(), c.Baseline, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w, err := world.New(world.Config{Setup: c.Setup, Model: c.Model,
			Facts: world.FactsOf(c.Setup, &c.Model, oracle)})
		if err != nil {
			t.Fatal(err)
		}
		r := search.Explore(t.Context(), w, checker.Options{Order: checker.StatelessOptimal})
		if r.Traces != traces || r.Verdict != spec.Holds || r.Blocked != 0 {
			t.Errorf("%s: %d traces, %d blocked, %v %s, want %d traces", s.Name, r.Traces,
				r.Blocked, r.Verdict, r.Bound, traces)
		}
		count, ok := brute.Sleeping(w, 1<<20)
		if !ok || count.Complete != traces {
			t.Errorf("%s: brute force counts %+v (%v), want %d", s.Name, count, ok, traces)
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("no scenarios %v", want)
	}
}
