package world_test

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/apart"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
)

// TestScenariosJudgedApart is TestToysJudgedApart for scenarios, which have pasts and recovery
// lines: what the world shows to properties of any kind the re-checker shows, and nothing else.
func TestScenariosJudgedApart(t *testing.T) {
	t.Parallel()
	names := strings.Fields("m31 koo-toueg-transit radic-rbml-rejoin")
	if effort.Long() {
		names = strings.Fields("m31 koo-toueg-transit head-full radic-rbml-rejoin h9-twice " +
			"pess-logs h5 causal-s4 s5 coordinated-late radic-hmpl-zombie-logger " +
			"koo-toueg-both sustain-node peers-spare radic-sbml-output")
	}
	for _, name := range names {
		shownApart(t, name)
	}
}

// shownApart compares both on a scenario.
func shownApart(t *testing.T, name string) {
	t.Helper()
	s, err := load(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := world.Oracle(t.Context(), r.Baseline, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	procs := len(r.Setup.Layout.Names)
	here, there := world.NewShowing(procs, "", ""), world.NewShowing(procs, "", "")
	w, err := world.New(world.Config{Setup: r.Setup, Model: r.Model,
		Facts: world.FactsOf(r.Setup, &r.Model, oracle, here.Own()...)})
	if err != nil {
		t.Fatal(err)
	}
	var states [][]uint32
	explored := search.Explore(t.Context(), w, checker.Options{MaxStates: 100_000,
		Visited: func(all iter.Seq[[]uint32]) {
			for state := range all {
				states = append(states, slices.Clone(state))
			}
		}})
	if states == nil {
		t.Fatalf("%s: %+v", name, explored)
	}
	var b bytes.Buffer
	if err := w.WriteCertificate(&b, certificate.Header{}, slices.Values(states),
		certificate.Room{}); err != nil {
		t.Fatal(err)
	}
	facts := world.FactsOf(r.Setup, &r.Model, oracle, there.Own()...)
	n, err := recheck.Check(t.Context(), apart.Subject(r.Setup, &r.Model, facts),
		read(t, b.Bytes()))
	if err != nil || n.States != explored.States || n.Transitions != explored.Transitions {
		t.Errorf("%s: %+v, %v; the search has %d states, %d transitions", name, n, err,
			explored.States, explored.Transitions)
	}
	if d := here.Differ(there); d != "" {
		t.Errorf("%s, first the world, then the re-checker:\n%s", name, d)
	}
	t.Logf("%s: %d states, %s", name, n.States, here)
}
