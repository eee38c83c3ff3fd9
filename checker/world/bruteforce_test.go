package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/impl/hydee"
)

// hydeeCase is one random question about HydEE.
type hydeeCase struct {
	program  string
	clusters []int
	errata   hydee.Set
	model    fault.Model
}

func (c hydeeCase) String() string {
	names := ""
	for i, e := range hydee.Errata() {
		if c.errata.Has(hydee.Erratum(i)) {
			names += " " + e.ID
		}
	}
	return fmt.Sprintf("clusters %v, errata%s, model %+v\n%s", c.clusters, names, c.model, c.program)
}

func randomHydee(r *rand.Rand) hydeeCase {
	ranks := 2 + r.IntN(3)
	c := hydeeCase{program: randomProgram(r, ranks, 1+r.IntN(6)), clusters: randomClusters(r, ranks), errata: randomErrata(r)}
	if r.IntN(2) == 0 {
		c.errata = 0 // what is repaired claims more
	}
	c.model = randomModel(r, ranks+1, 2)
	c.model.Checkpoints = r.IntN(2)
	return c
}

// compare explores the case with and without reduction, first for the ends of runs, then for violated properties.
func (c hydeeCase) compare(most int) (problem string, states int) {
	p, err := hydeePair(c.program, c.clusters, c.errata)
	if err != nil {
		return err.Error(), 0
	}
	full, err := explore(Config{Setup: p.setup, Model: c.model}, checker.Options{MaxStates: most}, "")
	if err != nil {
		return err.Error(), 0
	}
	if full.result.Bound != "" {
		return "", 0
	}
	reduced, _ := explore(Config{Setup: p.setup, Model: c.model}, checker.Options{Reduce: true}, "")
	d := difference(full, reduced)
	oracle, err := Oracle(context.Background(), p.baseline, checker.Options{})
	if err != nil {
		return err.Error(), 0
	}
	judged := Config{Setup: p.setup, Model: c.model, Facts: FactsOf(p.setup, &c.model, oracle)}
	all, _ := explore(judged, checker.Options{}, "")
	some, _ := explore(judged, checker.Options{Reduce: true}, "")
	if len(all.violated) > 0 != (len(some.violated) > 0) {
		d += fmt.Sprintf("violated: full %v, reduced %v\n", all.violated, some.violated)
	}
	// A violation cuts a path, so one property can hide another, in another order another one: each is compared alone.
	for name := range all.violated {
		alone, _ := explore(judged, checker.Options{Reduce: true}, name)
		if !alone.violated[name] {
			d += fmt.Sprintf("the reduced search misses a violation of %s\n", name)
		}
	}
	for name := range some.violated {
		alone, _ := explore(judged, checker.Options{}, name)
		if !alone.violated[name] {
			d += fmt.Sprintf("only the reduced search has a violation of %s\n", name)
		}
	}
	return d, full.result.States
}

// TestReductionAgainstBruteForce explores random small programs over HydEE, repaired and with random errata, under random
// failure models with and without reduction: the ends of runs and the violated properties must be the same.
func TestReductionAgainstBruteForce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	explored, states, broken, failed := 0, 0, 0, 0
	for n := range 200 * *moreCases {
		c := randomHydee(r)
		d, size := c.compare(6000)
		if size > 0 {
			explored++
			states += size
			if c.errata != 0 {
				broken++
			}
		}
		if d == "" {
			continue
		}
		if failed++; failed <= 3 {
			t.Errorf("case %d: %s%.1500s", n, c, d)
		}
	}
	t.Logf("%d cases explored, %d of them with errata, %d states, %d failed", explored, broken, states, failed)
}
