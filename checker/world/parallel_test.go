package world_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/spec"
)

// counted is what a search comes to, however many explore.
type counted struct {
	States, Transitions, Terminals int
	Broken, Seen                   []string
	LocalSteps, LocalStates        int
}

// count explores a world of its own of a scenario to its end.
func count(t *testing.T, scenario string, o checker.Options) (c counted) {
	t.Helper()
	s, err := load(scenario)
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	var oracle *spec.Oracle
	if r.Baseline != nil {
		if oracle, err = world.Oracle(t.Context(), r.Baseline, checker.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	w, err := world.New(world.Config{Setup: r.Setup, Model: r.Model,
		Facts: world.FactsOf(r.Setup, &r.Model, oracle), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	o.All = true
	found := search.Explore(t.Context(), w, o)
	if found.Bound != "" || w.Err() != nil {
		t.Fatalf("%s: %s, %v", scenario, found.Bound, w.Err())
	}
	c.States, c.Transitions, c.Terminals = found.States, found.Transitions, found.Terminals
	for _, f := range found.Found {
		c.Broken = append(c.Broken, f.Property)
	}
	slices.Sort(c.Broken)
	c.Seen, _ = w.Seen()
	c.LocalSteps, c.LocalStates = w.LocalSteps()
	return c
}

// TestManyWorkers explores a scenario of each of many protocols with one worker and with eight,
// more than there are cores: machines run, monitors judge and things are numbered at one time, and
// the counts stay the same. Under the race detector it looks for what they share.
func TestManyWorkers(t *testing.T) {
	t.Parallel()
	list := []string{"camel-cast-answers", "ho-race", "light-or-autor", "paxos-stale"}
	if effort.Long() {
		list = append(list, "causal-s8", "coordinated-posted", "epochs-sent-again", "h7-gate",
			"hmpl-published", "koo-toueg-both", "manetho-output", "monnet-inside",
			"optimistic-orphan", "pess-doubles", "radic-rbml-memory", "replicated-echo",
			"sbml-published-places", "unco-early")
	}
	for _, scenario := range list {
		for _, o := range effort.Of([]checker.Options{{}}, []checker.Options{{},
			{Reduce: checker.Singletons | checker.Crashes}}) {
			o.Workers = 1
			want := count(t, scenario, o)
			o.Workers = 8
			got := count(t, scenario, o)
			if o.Reduce != checker.Unreduced { // which of two runs is left out may differ
				got.LocalSteps, got.LocalStates = want.LocalSteps, want.LocalStates
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %v (-one worker +eight):\n%s", scenario, o.Reduce, d)
			}
		}
	}
}
