package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// commuting is a world that executes, at every state that it expands, each pair of steps that are
// said to be independent in both orders.
type commuting struct {
	*World
	t     *testing.T
	pairs *int
	bad   *string
}

func (c commuting) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	c.World.Expand(state, reduce, x)
	if len(x.Steps) > 120 {
		return // a crash of all with many outcomes of writes: a million pairs that say the same
	}
	after := make([]*checker.Expansion, len(x.Steps))
	prints := make([]checker.Footprint, len(x.Steps))
	for i, s := range x.Steps {
		prints[i] = c.Footprint(state, s.Code)
		after[i] = checker.NewExpansion(c.Words())
		c.World.Expand(x.State(i, nil), checker.Unreduced, after[i])
	}
	for i := range x.Steps {
		for j := range x.Steps {
			if p := c.forgets(x, after, prints, i, j); p != "" && *c.bad == "" {
				*c.bad = fmt.Sprintf("%s and %s: %s", c.describe(state, eventCode(x.Steps[i].Code)),
					c.describe(state, eventCode(x.Steps[j].Code)), p)
			}
		}
	}
	for j, s := range x.Steps {
		if p := c.homeless(x, after, prints, j); p != "" && *c.bad == "" {
			*c.bad = fmt.Sprintf("%s: %s", c.describe(state, eventCode(s.Code)), p)
		}
	}
	for i, first := range x.Steps {
		for j, second := range x.Steps[:i] {
			if first.Violation != 0 || second.Violation != 0 || !prints[i].Independent(&prints[j]) {
				continue
			}
			*c.pairs++
			if p := c.differ(x, after, prints, i, j); p != "" && *c.bad == "" {
				*c.bad = fmt.Sprintf("%s and %s: %s", c.describe(state, eventCode(first.Code)),
					c.describe(state, eventCode(second.Code)), p)
			}
		}
	}
}

// differ says what distinguishes the two orders of two steps, or "".
func (c commuting) differ(x *checker.Expansion, after []*checker.Expansion,
	prints []checker.Footprint, i, j int) string {
	find := func(k, l int) int {
		return slices.IndexFunc(after[k].Steps, func(s checker.Step) bool {
			return s.Code == x.Steps[l].Code
		})
	}
	ij, ji := find(i, j), find(j, i)
	if ij < 0 || ji < 0 {
		return "one disables the other"
	}
	if c.Footprint(x.State(i, nil), x.Steps[j].Code) != prints[j] ||
		c.Footprint(x.State(j, nil), x.Steps[i].Code) != prints[i] {
		return "one changes the footprint of the other"
	}
	if after[i].Steps[ij].Violation != 0 || after[j].Steps[ji].Violation != 0 {
		return "one makes the other a violation"
	}
	if !slices.Equal(after[i].State(ij, nil), after[j].State(ji, nil)) {
		return "the orders lead to different states"
	}
	return ""
}

// forgets says whether the second of two dependent steps, taken after the first, is independent of
// it: the order of the two would be lost.
func (c commuting) forgets(x *checker.Expansion, after []*checker.Expansion,
	prints []checker.Footprint, i, j int) string {
	code := x.Steps[j].Code
	enabled := slices.ContainsFunc(after[i].Steps, func(s checker.Step) bool {
		return s.Code == code
	})
	if i == j || x.Steps[i].Violation != 0 || !enabled || prints[i].Independent(&prints[j]) {
		return ""
	}
	if late := c.Footprint(x.State(i, nil), code); prints[i].Independent(&late) {
		return "the second depends on the first only where it has not been taken"
	}
	return ""
}

// homeless says whether there is no family of steps (World.Hinges) to which a step can belong: one
// of which something is written by each step that takes it away or changes its footprint.
func (c commuting) homeless(x *checker.Expansion, after []*checker.Expansion,
	prints []checker.Footprint, j int) string {
	code := x.Steps[j].Code
	families := c.Hinges()
	for i, first := range x.Steps {
		if i == j || first.Violation != 0 || prints[i] == checker.Everything() {
			continue
		}
		enabled := slices.ContainsFunc(after[i].Steps, func(s checker.Step) bool {
			return s.Code == code
		})
		if enabled && c.Footprint(x.State(i, nil), code) == prints[j] {
			continue
		}
		families = slices.DeleteFunc(families, func(f checker.Footprint) bool {
			return f.Independent(&prints[i])
		})
	}
	if len(families) == 0 {
		return "no family has all that alters it"
	}
	return ""
}

// oddView is a global property that sees everything a view shows of all procs: what is independent
// must not change its verdict.
func oddView(_ *spec.Facts, v spec.View, e trace.Event) string {
	sum := uint64(0)
	for p := range trace.Proc(2) {
		if o := v.Observed(p); p != e.Proc {
			sum += o.Round + o.Evaluated + o.Former + uint64(o.Incarnation)
			if o.Up {
				sum += 2 // a crash adds 1 and takes this
			}
		}
	}
	if sum%3 == 1 {
		return "odd"
	}
	return ""
}

// commute explores a world, judged by oddView when it has no facts, and returns the number of
// independent pairs, and what is wrong with one of them.
func commute(t *testing.T, c Config) (pairs int, bad string) {
	judged := c.Facts != nil
	if !judged {
		c.Facts = &spec.Facts{Layout: &c.Setup.Layout}
	}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if !judged {
		w.local, w.final, w.pairs = nil, nil, nil
		w.sights.unseen.Store(nil)
		w.always = []spec.Property{{Name: "odd", Kind: spec.Always, Global: true, Event: oddView}}
	}
	search.Explore(t.Context(), commuting{World: w, t: t, pairs: &pairs, bad: &bad},
		checker.Options{All: true, MaxStates: effort.Of(150, 600)})
	return pairs, bad
}

// TestIndependence executes pairs of independent steps in both orders, at the states of random
// protocols and of random HydEE programs under random failure models: each must stay enabled, with
// the same footprint and verdict, and both orders must lead to the same state. The order of two
// dependent steps must show in their footprints after either of them, too.
func TestIndependence(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	toys, hydees, failed := 0, 0, 0
	report := func(bad string, about string) {
		if bad != "" {
			if failed++; failed <= 3 {
				t.Errorf("%s\n%s", bad, about)
			}
		}
	}
	for n := range effort.Cases(8, 150) {
		toy := randomToy(r, toyFeatures{crashes: n%3 > 0, groups: n%5 == 0, restoreSends: n%2 == 0,
			reads: n%7 == 0, rollback: n%11 == 0, watched: n%22 == 0, cyclic: n%4 == 0,
			hosts: n%6 == 1, launches: n%6 == 2})
		m := randomModel(r, toy.procs, n%3)
		m.Checkpoints, m.Loss, m.Duplicates, m.Suspicions = r.IntN(2), r.IntN(2), r.IntN(2),
			r.IntN(2)
		if m.Torn = r.IntN(2); n%4 > 0 {
			harm(r, &m)
		}
		switch r.IntN(4) {
		case 0:
			m.Unordered = true
		case 1:
			m.Unordered, m.Selective = true, true
		case 2:
			m.Set, m.Duplicates = true, 0
		}
		if m.KeepsIgnored() {
			m.DetectAny = true
		}
		pairs, bad := commute(t, Config{Setup: toy.setup(), Model: m})
		toys += pairs
		report(bad, fmt.Sprintf("model %+v\n%s", m, toy))
	}
	for range effort.Cases(3, 30) {
		c := randomHydee(r)
		p, err := hydeePair(c.program, c.clusters, c.errata)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := Oracle(context.Background(), p.baseline, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pairs, bad := commute(t, Config{Setup: p.setup, Model: c.model,
			Facts: FactsOf(p.setup, &c.model, oracle)})
		hydees += pairs
		report(bad, c.String())
	}
	services := monitoredPairs(t, report)
	t.Logf("%d pairs of toys, %d of HydEE, %d of services, %d cases failed", toys, hydees, services,
		failed)
	if enough := effort.Of(500, 10000); toys < enough || hydees < enough {
		t.Errorf("%d and %d pairs say little", toys, hydees)
	}
}
