package fuzz_test

import (
	"cmp"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

var (
	every    = flag.Bool("every", false, "look for every erratum, and log what it takes")
	mostRuns = flag.Int("runs", 20000, "with -every: runs for each")
	only     = flag.String("protocol", "", "with -every: only of this protocol")
)

// quick are errata of each family that the fuzzer finds in a second, see TestErrata.
var quick = []struct{ protocol, erratum string }{
	{"hydee", "H1"}, {"hydee", "H4"}, {"hydee", "H5"}, {"hydee", "H6"}, {"hydee", "H7b"},
	{"hydee", "H17"},
	{"causal", "S2"}, {"causal", "S4"}, {"causal", "S8"},
	{"camel", "C1"}, {"camel", "C8"}, {"camel", "C9b"},
	{"sbml", "M18"}, {"sbml", "M21"},
	{"rbml", "M16"}, {"rbml", "M15"}, {"hmpl", "M2"}, {"hmpl", "M8"},
	{"radic-rbml", "M31"}, {"radic-hmpl", "M31"},
}

// TestErrata finds quick errata of each family within 1000 runs at a fixed seed. Every file must be
// read back as it was written, be within the promises of the protocol, and break what it says, by
// replay in a new world; the repaired protocol must survive the same schedule, as far as it can
// follow it. The smallest run for the scenario, by breadth-first search, says how good the shrunk
// one is.
func TestErrata(t *testing.T) {
	var rapidRatios, ratios []float64
	for i, tt := range quick {
		if i%16 > 0 && !effort.Long() {
			continue
		}
		target := targetOf(t, tt.protocol, "repaired+"+tt.erratum)
		r, err := fuzz.Run(t.Context(), target, fuzz.Options{Seed: 1, Runs: 1000, Shrink: 500})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Failures) != 1 {
			t.Errorf("%s %s: not found: %+v", tt.protocol, tt.erratum, r)
			continue
		}
		f := r.Failures[0]
		replays(t, f.Scenario, f.Property)
		least := shortest(t, f.Scenario, f.Property)
		ratios, rapidRatios = append(ratios, float64(f.Least.Steps)/float64(least)),
			append(rapidRatios, float64(f.Shrunk.Steps)/float64(least))
		t.Logf("%-10s %-4s %4d runs, %-8s %-16s %+v -> %+v -> %+v, shortest %d, %d tried, %v",
			tt.protocol, tt.erratum, f.Runs, f.Strategy, f.Property, f.Drawn, f.Shrunk, f.Least,
			least, f.Tried, r.Elapsed.Round(time.Millisecond))
	}
	slices.Sort(ratios)
	slices.Sort(rapidRatios)
	if median := ratios[len(ratios)/2]; median > 1.5 {
		t.Errorf(
			"shrunk runs are %v times as long as the shortest ones: median %.2f, want at most 1.5",
			ratios, median)
	}
	t.Logf("median ratio of steps to the shortest: %.2f by rapid alone, %.2f in the end",
		rapidRatios[len(rapidRatios)/2], ratios[len(ratios)/2])
}

func targetOf(t testing.TB, protocol, variant string) fuzz.Target {
	t.Helper()
	target, err := fuzz.TargetOf(all.Protocols(), protocol, variant)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// replays checks a failure as a file: domino replay does the same.
func replays(t *testing.T, s *scenarios.Scenario, property string) {
	t.Helper()
	parsed, err := scenarios.Parse(s.Name+".txtar", scenarios.Format(s))
	if err != nil {
		t.Fatal(err)
	}
	c, err := resolve(parsed)
	if err != nil {
		t.Fatal(err)
	}
	w, reason, err := world.Open(t.Context(), c, checker.Options{})
	if err != nil || reason != "" {
		t.Errorf("%s: %v, out of model: %s", s.Name, err, reason)
		return
	}
	run, err := w.Replay(parsed.Schedule)
	if err != nil || run.Violation == nil || run.Violation.Property != property ||
		parsed.Breaks != property || parsed.Expect != "violated" {
		t.Errorf("%s: %v, breaks %+v, want %s", s.Name, err, run.Violation, property)
		return
	}
	parsed.Variant = "repaired"
	if c, err = resolve(parsed); err != nil {
		t.Fatal(err)
	}
	if w, _, err = world.Open(t.Context(), c, checker.Options{}); err != nil {
		t.Fatal(err)
	}
	if run := w.Attempt(parsed.Schedule, property); run.Violation != nil {
		t.Errorf("%s: the repaired protocol breaks %s, too", s.Name, run.Violation.Property)
	}
}

// shortest is the number of steps of a shortest run of the scenario that breaks the property.
func shortest(t *testing.T, s *scenarios.Scenario, property string) int {
	t.Helper()
	c, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := world.Open(t.Context(), c, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := search.Explore(t.Context(), w, checker.Options{Order: checker.BreadthFirst, Only: property,
		MaxStates: 300_000})
	if len(r.Found) == 0 {
		return r.Covered + 1
	}
	return max(1, len(r.Found[0].Path))
}

// TestRepaired draws runs of every repaired protocol at a fixed seed: none may break anything. What
// the fuzzer draws must be meant for the protocol, so little may be refused, be outside its
// promises or be too large. Longer searches are the business of domino fuzz.
func TestRepaired(t *testing.T) {
	for _, name := range fuzz.Names(all.Protocols()) {
		target := targetOf(t, name, "repaired")
		r, err := fuzz.Run(t.Context(), target, fuzz.Options{Seed: 3,
			Runs: effort.Cases(15, 120), Ignore: target.Shapes.Unjudged})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, f := range r.Failures {
			t.Errorf("%s: %s: %s\n%s", name, f.Property, f.Message, scenarios.Format(f.Scenario))
		}
		lost := r.Refused + r.OutOfModel + r.TooLarge
		if r.Cases < effort.Of(1, 2) || lost > r.Cases/5 || r.Faults < r.Runs/4 {
			t.Errorf(
				"%s: %d cases, %d refused, %d out of model, %d too large, %d faults in %d runs: %s",
				name, r.Cases, r.Refused, r.OutOfModel, r.TooLarge, r.Faults, r.Runs, r.Why)
		}
		if r.Verdict() == spec.Holds {
			t.Errorf("%s: random runs are called a proof", name)
		}
	}
}

// TestEvery looks for every erratum and logs what it takes.
func TestEvery(t *testing.T) {
	if !*every {
		t.Skip("takes minutes: -every")
	}
	for _, name := range fuzz.Names(all.Protocols()) {
		p, err := all.Protocols().Find(name)
		if err != nil || name != cmp.Or(*only, name) {
			continue
		}
		for _, e := range p.Listed() {
			r, err := fuzz.Run(t.Context(), targetOf(t, name, "repaired+"+e.ID),
				fuzz.Options{Seed: 1, Runs: *mostRuns})
			if err != nil {
				t.Errorf("%s %s: %v", name, e.ID, err)
				continue
			}
			if len(r.Failures) == 0 {
				t.Logf("%-10s %-5s none: %d runs, %d cases, %d refused, %d out, %d large, %v", name,
					e.ID, r.Runs, r.Cases, r.Refused, r.OutOfModel, r.TooLarge, r.Elapsed)
				continue
			}
			f := r.Failures[0]
			t.Logf("%-10s %-5s %6d runs %-10s %-24s %+v -> %+v -> %+v %d tried %v", name, e.ID,
				f.Runs, f.Strategy, f.Property, f.Drawn, f.Shrunk, f.Least, f.Tried, r.Elapsed)
		}
	}
}

// resolve makes a scenario ready to run with the protocols of the house.
func resolve(s *scenarios.Scenario) (world.Case, error) {
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		return world.Case{}, err
	}
	return r.Case, nil
}
