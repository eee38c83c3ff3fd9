package world

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// exploreSets is explore for each crash set in turn, added up.
func exploreSets(c Config, o checker.Options) (*seen, error) {
	w, err := New(c)
	if err != nil {
		return nil, err
	}
	s := &seen{terminals: map[string]bool{}, violated: map[string]bool{}, noted: map[string]bool{}}
	o.All = true
	for _, set := range crashSets(c.Setup, &c.Model) {
		if err := w.UseCrashes(set); err != nil {
			return nil, err
		}
		s.result.Add(search.Explore(context.Background(), recorded{World: w, s: s}, o))
	}
	for _, f := range s.result.Found {
		s.violated[f.Property] = true
	}
	return s, nil
}

// TestCrashSets compares the ends of runs that one search over all failures finds with those of the
// outer loop over crash sets, on random protocols and random HydEE programs with up to two
// failures.
func TestCrashSets(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	compared, two := 0, 0
	check := func(c Config, about string) {
		full, err := explore(c, checker.Options{MaxStates: 3000}, "")
		if err != nil || full.result.Bound != "" || c.Model.Failures == 0 {
			return
		}
		sets, err := exploreSets(c, checker.Options{Reduce: checker.Singletons | checker.Crashes})
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if c.Model.Failures > 1 {
			two++
		}
		sets.result.States = 0 // they are counted several times
		if d := difference(full, sets); d != "" {
			t.Errorf("%s\n%s", about, d)
		}
		if d := gocmp.Diff(full.violated, sets.violated); d != "" {
			t.Errorf("%s\nviolated (-at once +by sets):\n%s", about, d)
		}
	}
	for n := range effort.Cases(20, 120) {
		toy := randomToy(r, toyFeatures{crashes: true, groups: n%2 == 0, restoreSends: n%3 == 0,
			reads: n%5 == 0, launches: n%4 == 3})
		m := randomModel(r, toy.procs, 2)
		check(Config{Setup: toy.setup(), Model: m}, fmt.Sprintf("model %+v\n%s", m, toy))
	}
	for range effort.Cases(5, 30) {
		c := randomHydee(r)
		p, err := hydeePair(c.program, c.clusters, c.errata)
		if err != nil {
			t.Fatal(err)
		}
		check(Config{Setup: p.setup, Model: c.model}, c.String())
	}
	t.Logf("%d cases compared, %d with two failures", compared, two)
	if two < effort.Of(3, 20) {
		t.Errorf("only %d cases with two failures", two)
	}
}

// TestSymmetry explores every crash set of programs with interchangeable ranks, unreduced: sets
// that a renaming turns into each other must have equal numbers of states, transitions and ends,
// and as many sets must be left out as one counts by hand.
func TestSymmetry(t *testing.T) {
	t.Parallel()
	ring := "a: send b x; recv c\nb: send c x; recv a\nc: send a x; recv b"
	tests := []struct {
		name, program   string
		clusters        []int
		model           fault.Model
		interchangeable []core.Rank
		sets, leftOut   int
	}{
		{"two alike", "a: send b x; recv b\nb: send a y; recv a", []int{0, 1},
			fault.Model{Failures: 1}, []core.Rank{0, 1}, 3, 1},
		{"two alike, two failures", "a: send b x; recv b\nb: send a y; recv a", []int{0, 1},
			fault.Model{Failures: 2}, []core.Rank{0, 1}, 6, 2},
		{"one cluster", "a: send b x; recv b\nb: send a y; recv a", []int{0, 0},
			fault.Model{Failures: 1}, []core.Rank{}, 2, 0},
		{"ring", ring, []int{0, 1, 2}, fault.Model{Failures: 1, Victims: []core.Proc{0, 1, 2}},
			[]core.Rank{0, 1, 2}, 3, 2},
		{"star", "a: recv *; recv *\nb: send a x\nc: send a y", []int{0, 1, 2},
			fault.Model{Failures: 1}, []core.Rank{1, 2}, 4, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.model.Failures > 1 && !effort.Long() {
				t.Skip("large: " + effort.More)
			}
			pair := mustPair(t, tt.program, tt.clusters, 0)
			renamings, err := symmetries(pair.setup, &tt.model, tt.interchangeable)
			if err != nil {
				t.Fatal(err)
			}
			sets := crashSets(pair.setup, &tt.model)
			counts, leftOut := map[string][3]int{}, 0
			for _, set := range sets {
				w, err := New(Config{Setup: pair.setup, Model: tt.model})
				if err == nil {
					err = w.UseCrashes(set)
				}
				if err != nil {
					t.Fatal(err)
				}
				r := search.Explore(t.Context(), w, checker.Options{})
				got := [3]int{r.States, r.Transitions, r.Terminals}
				least := set
				for _, renaming := range renamings {
					if image := set.renamed(renaming); cmp.Compare(fmt.Sprint(image),
						fmt.Sprint(least)) < 0 {
						least = image
					}
				}
				key := fmt.Sprint(least)
				if want, ok := counts[key]; ok {
					leftOut++
					if want != got {
						t.Errorf("set %v has %v states, transitions and ends, %s has %v", set, got,
							key, want)
					}
				}
				counts[key] = got
			}
			if len(sets) != tt.sets || leftOut != tt.leftOut {
				t.Errorf("%d sets, %d left out, want %d and %d", len(sets), leftOut, tt.sets,
					tt.leftOut)
			}
		})
	}
}

// TestNotSymmetric declares ranks interchangeable that are not: the error says which.
func TestNotSymmetric(t *testing.T) {
	tests := []struct {
		name, program string
		clusters      []int
		model         fault.Model
		text          string
	}{
		{"program", "a: send b x\nb: recv a", []int{0, 1}, fault.Model{},
			"no renaming that turns a into b"},
		{"clusters", "a: send b x; recv b\nb: send a x; recv a\nc: end", []int{0, 1, 1},
			fault.Model{}, "no renaming that turns a into b"},
		{"victims", "a: send b x; recv b\nb: send a x; recv a", []int{0, 1},
			fault.Model{Victims: []core.Proc{0}}, "no renaming that turns a into b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pair := mustPair(t, strings.ReplaceAll(tt.program, "c: end", "c: checkpoint"),
				tt.clusters, 0)
			if _, err := symmetries(pair.setup, &tt.model, []core.Rank{0, 1}); err == nil ||
				!strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %q", err, tt.text)
			}
			pair.setup.Promises.Symmetric = false
			if _, err := symmetries(pair.setup, &tt.model, []core.Rank{0, 1}); err == nil ||
				!strings.Contains(err.Error(), "does not promise") {
				t.Errorf("error %v without the promise", err)
			}
		})
	}
}
