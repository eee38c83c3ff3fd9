package camel_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/runtime/census"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

func setups(t *testing.T, text string) (setup, baseline *core.Setup) {
	t.Helper()
	suite, err := script.Read(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
	if setup, err = camel.NewSetup(layout, suite.Programs, causal.Options{F: 1}); err != nil {
		t.Fatal(err)
	}
	if baseline, err = none.NewSetup(layout, suite.Programs); err != nil {
		t.Fatal(err)
	}
	return setup, baseline
}

// TestCombines runs one reduction with each way to combine, with any one failure: the result is
// that of the transparent protocol, in the order of the tree, whatever order the contributions
// arrive in.
func TestCombines(t *testing.T) {
	for _, combine := range []string{core.Sum, core.Xor, core.Max, core.Concat} {
		setup, baseline := setups(t, fmt.Sprintf(
			"group g %s: r > t w\nr: contribute g; recv g\nt: contribute g\nw: contribute g",
			combine))
		out, err := world.Check(t.Context(), world.Case{Setup: setup, Baseline: baseline,
			Model: fault.Model{Failures: 1}}, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if out.Verdict != spec.Holds {
			t.Errorf("%s: %v %v", combine, out.Verdict, out.Found)
		}
	}
}

// TestOneFailureAtATime checks that more is refused, and a group of one.
func TestOneFailureAtATime(t *testing.T) {
	layout := trace.Layout{Names: []string{"a", "b", "c"}, Ranks: 3}
	want := "camel: tolerates 2 failures at a time, want [0, 1]"
	_, err := camel.NewSetup(layout, make([]core.Program, 3), causal.Options{F: 2})
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	layout.Trees = []trace.Tree{{Name: "g", Combine: core.Sum, Members: []core.Rank{0},
		Parents: []core.Rank{0}}}
	if _, err := camel.NewSetup(layout, make([]core.Program, 3),
		causal.Options{F: 1}); err == nil || err.Error() != "camel: group g has one member" {
		t.Errorf("error %v", err)
	}
}

// TestErrata checks that each switch has a name that finds it and words, and that the switches of
// SCMEL are found, too.
func TestErrata(t *testing.T) {
	for _, e := range camel.Errata().List() {
		s, ok := camel.All().Find(e.ID)
		if !ok || s < causal.Count || e.Place == "" || e.Switched == "" || e.Repaired == "" {
			t.Errorf("erratum %+v", e)
		}
	}
	if s, ok := camel.All().Find("S3"); !ok || s != causal.S3 {
		t.Error("S3 is not found")
	}
	if p := camel.All().Published(); !p.Has(camel.C1) || !p.Has(causal.S3) || p.Has(camel.C8) {
		t.Errorf("published is %b", p)
	}
}

// TestDeterminants is [CAMEL] Alg. 2 l. 31-34: a result has a determinant for each child of the
// root and none at inner nodes, a multicast one at each receiver. Over point-to-point logging there
// would be one for each edge.
func TestDeterminants(t *testing.T) {
	for text, want := range map[string]int{
		"group g: r > t w\nr: contribute g; recv g\nt: contribute g\nw: contribute g":          2,
		"group g: r > t; t > w\nr: contribute g; recv g\nt: contribute g\nw: contribute g":     1,
		"group g: r > t; t > w\nr: multicast g m\nt: recv g\nw: recv g":                        2,
		"group g: r > t w\nr: reduce g; reduce g\nt: reduce g; reduce g\nw: reduce g;reduce g": 4,
	} {
		setup, _ := setups(t, text)
		n, err := census.Count(setup, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		if n.Determinants != want {
			t.Errorf("%d determinants, want %d\n%s", n.Determinants, want, text)
		}
	}
}

// TestCompletedIsRepeated draws runs in which a round is complete at the root behind its marks and
// before its image, and the root fails behind the line with the acknowledgements on their way.
// There are too many states for a test; if the new life of the root does not repeat them, t keeps
// its contribution in one of the first 3,000 runs.
func TestCompletedIsRepeated(t *testing.T) {
	strategy, err := sample.ParseStrategy("pos", 0)
	if err != nil {
		t.Fatal(err)
	}
	setup, baseline := setups(t, "group g: r > s; s > t; t > w\n"+
		"r: contribute g; checkpoint; recv g\ns: contribute g; checkpoint\n"+
		"t: contribute g; checkpoint\nw: contribute g; checkpoint\n")
	c := world.Case{Setup: setup, Baseline: baseline, Model: fault.Model{Failures: 1,
		Victims: []trace.Proc{0}, FromDead: fault.Nothing}}
	runs := effort.Of(500, 40000)
	out, err := world.Sample(t.Context(), c, strategy, sample.Options{Runs: runs, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Found) > 0 || out.Samples.Faults < runs/2 {
		t.Errorf("%d faults struck, found %+v", out.Samples.Faults, out.Found)
	}
}
