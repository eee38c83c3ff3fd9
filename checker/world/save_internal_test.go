package world

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// TestJudgementSurvives puts a witness and violations into a world that no embedded scenario leads
// to, saves it with a search, and finds them in the one that goes on: a pair of runs may be split
// by the interrupt.
func TestJudgementSurvives(t *testing.T) {
	s, err := scenarios.Load("../../scenarios/hydee/s1.txtar")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := script.Read(s.Program, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := core.Layout{Names: suite.Names, Ranks: len(suite.Names)}
	if layout.Clusters, err = scenarios.ReadClusters(s.Clusters, suite.Names); err != nil {
		t.Fatal(err)
	}
	setup, err := hydee.NewSetup(layout, suite.Programs, hydee.Options{})
	if err != nil {
		t.Fatal(err)
	}
	saved, err := New(Config{Setup: setup, Model: s.Model,
		Facts: FactsOf(setup, &s.Model, nil)})
	if err != nil {
		t.Fatal(err)
	}
	saved.sights.first("p\x00key", "first")
	first := saved.violation(spec.Violation{Property: "p", Message: "m", Step: 3})
	second := saved.violation(spec.Violation{Property: "q"})
	file := filepath.Join(t.TempDir(), "run")
	if r, err := search.Run(t.Context(), saved,
		checker.Options{MaxStates: 1200, Saving: checker.Saving{File: file}}); err != nil ||
		r.File != file {
		t.Fatal(err, r.Unsaved)
	}
	again, err := New(Config{Setup: setup, Model: s.Model,
		Facts: FactsOf(setup, &s.Model, nil)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := search.Run(t.Context(), again,
		checker.Options{MaxStates: 1200, Saving: checker.Saving{Resume: file}}); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(saved.sights.witnesses, again.sights.witnesses,
		cmp.AllowUnexported(witness{})); d != "" {
		t.Errorf("witnesses (-want +got):\n%s", d)
	}
	if d := cmp.Diff(saved.violations, again.violations); d != "" ||
		again.violation(saved.violations[first-1]) != first ||
		again.Violation(second).Property != "q" {
		t.Errorf("violations (-want +got):\n%s", d)
	}
	seen, unseen := saved.Seen()
	seenAgain, unseenAgain := again.Seen()
	if d := cmp.Diff([][]string{seen, unseen}, [][]string{seenAgain, unseenAgain}); d != "" ||
		len(seen)+len(unseen) == 0 {
		t.Errorf("seen (-want +got):\n%s", d)
	}
}

// TestLaunchesSurvive interrupts searches of toys that launch, kill and read back, under harm to
// records, and goes on in worlds that know nothing: the counts are those of the whole.
func TestLaunchesSurvive(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	resumed := 0
	for n := range effort.Cases(10, 60) {
		toy := randomToy(r, toyFeatures{launches: true, crashes: n%2 == 0})
		m := randomModel(r, toy.procs, 2)
		harm(r, &m)
		explored := func(o checker.Options) checker.Result {
			w, err := New(Config{Setup: toy.setup(), Model: m, Twice: true})
			if err != nil {
				t.Fatal(err)
			}
			result, err := search.Run(t.Context(), w, o)
			if err != nil || result.Unsaved != nil {
				t.Fatal(err, result.Unsaved)
			}
			return result
		}
		want := explored(checker.Options{MaxStates: 5000})
		if want.Bound != "" || want.States < 10 {
			continue
		}
		file := filepath.Join(t.TempDir(), "run")
		explored(checker.Options{MaxStates: want.States / 2, Saving: checker.Saving{File: file}})
		got := explored(checker.Options{Saving: checker.Saving{Resume: file}})
		if got.States != want.States || got.Transitions != want.Transitions ||
			got.Terminals != want.Terminals {
			t.Errorf("case %d: %d states, %d transitions, %d ends; without interrupt %d, %d, %d",
				n, got.States, got.Transitions, got.Terminals, want.States, want.Transitions,
				want.Terminals)
		}
		resumed++
	}
	if resumed < 4 {
		t.Errorf("only %d searches were resumed", resumed)
	}
}
