package boundary_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// The programs of the worlds whose runs are judged again.
var worldPrograms = []*program{
	{text: "x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send y m7",
		clusters: []int{0, 0, 1}},
	{text: "a: send b a1; recv b; send b a3\nb: recv a; send a b1; recv a", clusters: []int{0, 1}},
}

// program is what all ranks run, with the cluster of each.
type program struct {
	text     string
	clusters []int
	oracle   *spec.Oracle // explored once
}

// models are failure models of different kinds.
var models = []struct {
	name    string
	model   fault.Model
	outside bool // beyond what the protocol promises to handle
}{
	{name: "one failure and one checkpoint", model: fault.Model{Failures: 1, Checkpoints: 1}},
	{name: "three failures, two at once", model: fault.Model{Failures: 3, AtOnce: 2,
		Checkpoints: 1}},
	{name: "members stop one by one", model: fault.Model{Failures: 2, Checkpoints: 1,
		Staggered: true}},
	{name: "nothing from the dead, everything to them",
		model: fault.Model{Failures: 2, Checkpoints: 1, FromDead: fault.Nothing, KeepToDead: true}},
	{name: "everything from the dead", model: fault.Model{Failures: 2, Checkpoints: 1,
		FromDead: fault.Every}},
	{name: "an eager detector that errs, and damaged records",
		model: fault.Model{Failures: 2, Checkpoints: 2, DetectAny: true, Suspicions: 1, Torn: 1}},
	{name: "a bad network", model: fault.Model{Failures: 1, Checkpoints: 1, Unordered: true,
		Loss: 1, Duplicates: 1}, outside: true},
}

// worldOf assembles the world of HydEE with some errata, changed by wrap.
func worldOf(t *testing.T, p *program, m fault.Model, errata hydee.Set,
	wrap func(*core.Setup) *core.Setup) *world.World {
	t.Helper()
	names, programs, err := script.Parse(p.text, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: names, Ranks: len(names), Clusters: p.clusters}
	baseline, err := none.NewSetup(layout, programs)
	if err != nil {
		t.Fatal(err)
	}
	if p.oracle == nil {
		if p.oracle, err = world.Oracle(t.Context(), baseline, checker.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	setup, err := hydee.NewSetup(layout, programs, hydee.Options{Errata: errata})
	if err != nil {
		t.Fatal(err)
	}
	setup = wrap(setup)
	w, err := world.New(world.Config{Setup: setup, Model: m,
		Facts: world.FactsOf(setup, &m, p.oracle), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func unchanged(s *core.Setup) *core.Setup { return s }

// worldOnly are the violations that a trace can not show: of runs compared with each other, and of
// the machine itself.
var worldOnly = map[string]bool{"send-determinism": true, "stamp-determinism": true,
	"deterministic": true, "no-panic": true}

// agree judges the trace of a run and compares: the world stops at the first step with a violation,
// and the judge must find that one there, and nothing before.
func agree(w *world.World, run *world.Run) error {
	list, err := spec.Select(w.Facts)
	if err != nil {
		return err
	}
	judged, err := spec.Judge(w.Facts, &run.Trace, list, run.Complete)
	if err != nil {
		return err
	}
	if run.Violation == nil {
		if len(judged) > 0 {
			return fmt.Errorf("the world accepts the run, the judge finds %v", judged)
		}
		return nil
	}
	v := *run.Violation
	found := worldOnly[v.Property] || slices.ContainsFunc(spec.Properties(),
		func(p spec.Property) bool { return p.Name == v.Property && p.Kind == spec.FailureFree })
	for _, j := range judged {
		if j.Step != 0 && (v.Step == 0 || j.Step < v.Step) {
			return fmt.Errorf("the judge finds %v before the world finds %v", j, v)
		}
		found = found || j == v
	}
	if !found {
		return fmt.Errorf("the world finds %v, the judge %v", v, judged)
	}
	return nil
}

// Aim: the world, which judges transitions as it explores, and the judge, which sees nothing but
// the trace, come to the same verdict about the shortest run that breaks each mutant. Method: find
// it breadth first, follow it, judge its trace.
func TestWorldAndJudgeAgreeOnMutants(t *testing.T) {
	broken, left := 0, 0
	for i, m := range Catalogue() {
		if m.Legal {
			continue
		}
		if i%6 > 0 && !effort.Long() {
			left++
			continue
		}
		for _, p := range worldPrograms {
			w := worldOf(t, p, fault.Model{Failures: 1, Checkpoints: 1}, 0, m.Wrap)
			r := search.Explore(t.Context(), w,
				checker.Options{Order: checker.BreadthFirst, MaxStates: 1200})
			for _, found := range r.Found {
				run, err := w.Follow(found.Path)
				if err != nil {
					t.Fatalf("%s: %v", m.Name, err)
				}
				got := *run.Violation
				got.Step = 0
				if diff := cmp.Diff(found.Violation, got); diff != "" {
					t.Errorf("%s: the run followed again shows something else (-search +run):\n%s",
						m.Name, diff)
				}
				if err := agree(w, run); err != nil {
					t.Errorf("%s: %v\n%v", m.Name, err, run.Schedule)
				}
				broken++
			}
		}
	}
	if left > 0 {
		t.Logf("%d mutants are left out, all %s", left, effort.More)
	}
	if enough := effort.Of(6, 25); broken < enough {
		t.Errorf("only %d runs of mutants are broken, want at least %d: the comparison says little",
			broken, enough)
	}
}

// Aim: the same for whatever runs there are, also long ones, under every kind of failure model,
// inside and outside of what the protocol promises to handle; inside, the repaired protocol is
// accepted. Method: random walks to the first violation or to the end, of the repaired protocol and
// of each erratum.
func TestWorldAndJudgeAgreeOnWalks(t *testing.T) {
	broken, complete := 0, 0
	for number, m := range models {
		t.Run(m.name, func(t *testing.T) {
			for e := -1; e < len(hydee.Errata()); e += effort.Of(3, 1) {
				errata := hydee.Set(0)
				if e >= 0 {
					errata = errata.With(hydee.Erratum(e))
				}
				w := worldOf(t, worldPrograms[(number+e+1)%len(worldPrograms)], m.model, errata,
					unchanged)
				rng := rand.New(rand.NewPCG(uint64(number), uint64(e+1)))
				for range 2 {
					run, err := w.Follow(walk(w, rng))
					if err != nil {
						t.Fatal(err)
					}
					if err := agree(w, run); err != nil {
						t.Fatalf("errata %b: %v\n%v", errata, err, run.Schedule)
					}
					if v := run.Violation; v != nil {
						broken++
						if errata == 0 && !m.outside || v.Property == "no-panic" ||
							v.Property == "deterministic" {
							t.Errorf("errata %b: %v\n%v", errata, *v, run.Schedule)
						}
					}
					if run.Complete {
						complete++
					}
				}
			}
		})
	}
	if broken < effort.Of(6, 20) || complete < effort.Of(30, 100) {
		t.Errorf("%d walks are broken and %d complete: the comparison says little", broken,
			complete)
	}
}

// walk is a random path to the first violation or to where nothing but faults can happen. One
// choice in eight is a fault, where one is possible.
func walk(w *world.World, rng *rand.Rand) []uint64 {
	state := make([]uint32, w.Words())
	w.Initial(state)
	x := checker.NewExpansion(w.Words())
	var path []uint64
	for {
		w.Expand(state, checker.Unreduced, x)
		var usual, faults []int
		for i, s := range x.Steps {
			if s.Fault {
				faults = append(faults, i)
			} else {
				usual = append(usual, i)
			}
		}
		chosen := usual
		if len(faults) > 0 && len(usual) > 0 && rng.IntN(8) == 0 {
			chosen = faults
		}
		if len(chosen) == 0 {
			return path
		}
		i := chosen[rng.IntN(len(chosen))]
		path = append(path, x.Steps[i].Code)
		if x.Steps[i].Violation != 0 {
			return path
		}
		state = x.State(i, state[:0])
	}
}
