package boundary_test

import (
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: world and judge agree about the causal family, too: determinants, what is kept, overlapping
// and separate failures, groups. Method: random walks of the repaired protocols, which are
// accepted, and of each erratum, compared as those of HydEE are.
func TestWorldAndJudgeAgreeOnCausalWalks(t *testing.T) {
	programs := []string{
		"y: recv * ordered; send w w1; recv * ordered\na: send y a; recv w\nw: send y b; recv y; " +
			"send a w2",
		"y: recv a; checkpoint; recv a; send a y1\na: send y a; checkpoint; send y b; recv y",
		"group g: r > t; t > w\nr: contribute g; recv * ordered; recv * ordered; send t x; send " +
			"w y\nt: send r a; contribute g; recv r\nw: contribute g; recv r",
		"group g: r > t; t > w\nr: multicast g m0; multicast g m1\nt: recv g; recv g\nw: recv g; " +
			"recv g",
	}
	models := []fault.Model{{Failures: 1}, {Failures: 2, Overlap: 1},
		{Failures: 2, Overlap: 1, KeepToDead: true, FromDead: fault.Every},
		{Failures: 2, AtOnce: 2}}
	broken, complete := 0, 0
	for i, text := range programs {
		suite, err := script.Read(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
		baseline, err := none.NewSetup(layout, suite.Programs)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := world.Oracle(t.Context(), baseline, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		make, count := causal.NewSetup, causal.Count
		if len(suite.Trees) > 0 {
			make, count = camel.NewSetup, causal.Erratum(len(camel.Errata()))
		}
		for j, m := range models {
			for e := -1; e < int(count); e += effort.Of(7, 1) {
				options := causal.Options{F: 1}
				if e >= 0 {
					options.Errata = options.Errata.With(causal.Erratum(e))
				}
				w := causalWorld(t, make, layout, suite.Programs, options, m, oracle)
				rng := rand.New(rand.NewPCG(uint64(i*len(models)+j), uint64(e+1)))
				for range 3 {
					run, err := w.Follow(walk(w, rng))
					if err != nil {
						t.Fatal(err)
					}
					if err := agree(w, run); err != nil {
						t.Fatalf("program %d, model %d, erratum %d: %v\n%v", i, j, e, err,
							run.Schedule)
					}
					if run.Violation != nil {
						broken++
						if e < 0 && m.AtOnce == 0 {
							t.Errorf("program %d, model %d: the repaired protocol breaks: %v", i, j,
								*run.Violation)
						}
					}
					if run.Complete {
						complete++
					}
				}
			}
		}
	}
	if broken < effort.Of(3, 10) || complete < effort.Of(25, 100) {
		t.Errorf("%d walks are broken and %d complete: the comparison says little", broken,
			complete)
	}
}

// maker makes the setup of one protocol of the family.
type maker func(trace.Layout, []core.Program, causal.Options) (*core.Setup, error)

func causalWorld(t *testing.T, make maker, layout trace.Layout, programs []core.Program,
	o causal.Options, m fault.Model, oracle *spec.Oracle) *world.World {
	t.Helper()
	setup, err := make(layout, programs, o)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Config{Setup: setup, Model: m,
		Facts: world.FactsOf(setup, &m, oracle), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}
