package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/fault"
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
	return fmt.Sprintf("clusters %v, errata%s, model %+v\n%s", c.clusters, names, c.model,
		c.program)
}

func randomHydee(r *rand.Rand) hydeeCase {
	ranks := 2 + r.IntN(3)
	c := hydeeCase{program: randomProgram(r, ranks, 1+r.IntN(6)),
		clusters: randomClusters(r, ranks), errata: randomErrata(r)}
	if r.IntN(2) == 0 {
		c.errata = 0 // what is repaired claims more
	}
	c.model = randomModel(r, ranks+1, 2)
	c.model.Checkpoints = r.IntN(2)
	return c
}

// compare explores the case with and without reduction, first for the ends of runs, then for
// violated properties.
func (c hydeeCase) compare(most int, ways []checker.Options) (problem string, states int) {
	p, err := hydeePair(c.program, c.clusters, c.errata)
	if err != nil {
		return err.Error(), 0
	}
	full, err := explore(Config{Setup: p.setup, Model: c.model}, checker.Options{MaxStates: most},
		"")
	if err != nil {
		return err.Error(), 0
	}
	if full.result.Bound != "" {
		return "", 0
	}
	d := ""
	for _, o := range ways {
		reduced, _ := explore(Config{Setup: p.setup, Model: c.model}, o, "")
		if e := difference(full, reduced); e != "" {
			d += wayOf(o) + ": " + e
		}
	}
	oracle, err := Oracle(context.Background(), p.baseline, checker.Options{})
	if err != nil {
		return err.Error(), 0
	}
	judged := Config{Setup: p.setup, Model: c.model, Facts: FactsOf(p.setup, &c.model, oracle)}
	all, _ := explore(judged, checker.Options{}, "")
	for _, o := range ways {
		d += compareViolations(judged, o, all)
	}
	return d, full.result.States
}

// compareViolations says in which violated properties a search differs from a plain one. A
// violation cuts a path, so one property can hide another, in another order another one: each is
// compared alone.
func compareViolations(c Config, o checker.Options, all *seen) (d string) {
	some, _ := explore(c, o, "")
	if len(all.violated) > 0 != (len(some.violated) > 0) {
		d += fmt.Sprintf("violated: full %v, %s %v\n", all.violated, wayOf(o), some.violated)
	}
	for name := range all.violated {
		alone, _ := explore(c, o, name)
		if !alone.violated[name] {
			d += fmt.Sprintf("%s misses a violation of %s\n", wayOf(o), name)
		}
	}
	for name := range some.violated {
		alone, _ := explore(c, checker.Options{}, name)
		if !alone.violated[name] {
			d += fmt.Sprintf("only %s has a violation of %s\n", wayOf(o), name)
		}
	}
	return d
}

// TestReductionAgainstBruteForce explores random small programs over HydEE, repaired and with
// random errata, under random failure models with and without reduction: the ends of runs and the
// violated properties must be the same.
func TestReductionAgainstBruteForce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	explored, states, broken, failed := 0, 0, 0, 0
	for n := range effort.Cases(20, 80) {
		c := randomHydee(r)
		d, size := c.compare(6000, someWays(n))
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
	t.Logf("%d cases explored, %d of them with errata, %d states, %d failed", explored, broken,
		states, failed)
}
