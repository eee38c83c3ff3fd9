package volume

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/runtime/census"
	"github.com/domino-check/domino/spec/trace"
)

// workload makes both setups of the causal family for a workload.
func workloadSetups(t *testing.T, w *script.Workload, steps int) (plain, aware *core.Setup) {
	t.Helper()
	suite, err := script.Read(w.Program(steps), 1)
	if err != nil {
		t.Fatal(err)
	}
	expanded, err := script.Expand(suite)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names)}
	if plain, err = causal.NewSetup(layout, expanded, causal.Options{F: 1}); err != nil {
		t.Fatal(err)
	}
	layout.Trees = suite.Trees
	if aware, err = camel.NewSetup(layout, suite.Programs, causal.Options{F: 1}); err != nil {
		t.Fatal(err)
	}
	return plain, aware
}

// Aim: what the protocols really send, log and number is what the closed form counts. Method: run
// small workloads of both kinds over both protocols, with prompt and with late acknowledgements,
// and compare with the enumeration of their trees.
func TestCountAgainstClosedForm(t *testing.T) {
	lean, err := script.LeanMD([3]int{3, 3, 1}, 1, 8, 2)
	if err != nil {
		t.Fatal(err)
	}
	atom, err := script.OpenAtom(4, 4, 2, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	const steps = 2
	for name, w := range map[string]*script.Workload{"leanmd": lean, "openatom": atom} {
		plain, aware := workloadSetups(t, w, steps)
		for _, late := range []bool{false, true} {
			p, err := census.Count(plain, 1, late)
			if err != nil {
				t.Fatal(err)
			}
			a, err := census.Count(aware, 1, late)
			if err != nil {
				t.Fatal(err)
			}
			wantP, wantA := w.Plain(false), w.Aware()
			got := [][4]int{{p.Messages, p.Determinants, p.Copies + p.Parts, p.Seeds},
				{a.Messages, a.Determinants, a.Copies + a.Parts, a.Seeds}}
			want := [][4]int{{steps * wantP.Messages, steps * wantP.Determinants,
				steps * wantP.Logged, 0},
				{steps * wantA.Messages, steps * wantA.Determinants, steps * wantA.Logged,
					steps * wantA.Seeds}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf(
					"%s, late %t: messages, determinants, log, seeds over SCMEL and CAMEL "+
						"(-closed form +run):\n%s", name, late, diff)
			}
			// where acknowledgements are prompt, few travel in any case, and chance decides
			most := p.Piggybacked
			if !late {
				most += most / 10
			}
			if a.Piggybacked >= most || p.Piggybacked == 0 {
				t.Errorf("%s, late %t: %d determinants piggybacked over CAMEL, %d over SCMEL", name,
					late, a.Piggybacked, p.Piggybacked)
			}
		}
	}
}
