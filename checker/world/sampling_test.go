package world_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// rare are errata that samples are not expected to show, and why: a search finds them.
var rare = map[string]string{
	"KT8": "a rank that was prepared fails while the answer to it is on its way, and its next " +
		"life takes that for one to itself, with two failures in all",
	"OP4": "x has received an orphan, and a message that depends on the second life of its " +
		"sender comes by way of another rank before that life is announced",
	"W9": "two records are lost behind the second of two snapshots, and a rank fails after that",
}

// TestErrataBySampling draws runs of the scenarios of each erratum, with the erratum switched on,
// until one breaks a property: some strategy must find each erratum within the given number of
// runs, and each run that is found must replay and break what it is said to break. A huge one goes
// on after the first success and prints the median number of runs to the first violation, by
// scenario and strategy, over ten seeds.
func TestErrataBySampling(t *testing.T) {
	t.Parallel()
	all, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	runs, seeds, table := 8000, effort.Cases(1, 1), effort.Huge()
	if table {
		runs = 20000
		t.Logf("%d = none, by %v", runs+1, sample.Strategies())
	}
	numbers, found := map[string]int{}, map[string]bool{}
	for _, s := range all {
		if s.Erratum == "" || found[s.Erratum] && !table {
			continue
		}
		n, known := numbers[s.Erratum] // an erratum with all of its scenarios
		if !known {
			n = len(numbers)
			numbers[s.Erratum] = n
		}
		if !table && rare[s.Erratum] != "" || !effort.Long() && n%16 != 2 {
			continue
		}
		found[s.Erratum] = found[s.Erratum] || false
		newWorld := erroneous(t, s)
		medians := ""
		for _, name := range sample.Strategies() {
			var firsts []int
			for seed := range uint64(seeds) {
				st, _ := sample.ParseStrategy(name, 3)
				w := newWorld()
				r := sample.Draw(t.Context(), w, st,
					sample.Options{Runs: runs, Seed: seed})
				if r.Verdict == spec.Violated {
					found[s.Erratum] = true
					world.Replays(t, w, r)
					firsts = append(firsts, r.First)
				} else {
					firsts = append(firsts, runs+1)
				}
			}
			slices.Sort(firsts)
			medians += fmt.Sprintf("%8d", firsts[len(firsts)/2])
			if found[s.Erratum] && !table {
				break
			}
		}
		t.Logf("%-12s%s", s.Name, medians)
	}
	for id, ok := range found {
		if why := rare[id]; why != "" {
			t.Logf("%s found: %t; rare: %s", id, ok, why)
		} else if !ok {
			t.Errorf("no strategy finds %s in %d runs", id, runs)
		}
	}
	t.Logf("%d of %d errata are looked for, more %s", len(found), len(numbers), effort.More)
	if len(found) < effort.Of(5, 20) {
		t.Errorf("%d errata", len(found))
	}
}

// erroneous makes worlds of a scenario with its erratum switched on.
func erroneous(t *testing.T, s *scenarios.Scenario) func() *world.World {
	t.Helper()
	c := *s
	c.Variant = "repaired+" + s.Erratum
	resolved, err := resolve(&c)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := world.Oracle(t.Context(), resolved.Baseline, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return func() *world.World {
		w, err := world.New(world.Config{Setup: resolved.Setup, Model: resolved.Model,
			Facts: world.FactsOf(resolved.Setup, &resolved.Model, oracle,
				resolved.Properties...)})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}
