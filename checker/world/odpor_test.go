package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/internal/brute"
	"github.com/domino-check/domino/spec/fault"
)

// traceCase compares the stateless search of a world with a plain one, in the ends of runs and the
// violated properties, and its number of runs with the number of traces by brute force. The size is
// that number, 0 when the case is too large.
func traceCase(c Config, most int) (problem string, size int) {
	full, err := explore(c, checker.Options{Order: checker.BreadthFirst, MaxStates: most}, "")
	if err != nil {
		return err.Error(), 0
	}
	if full.result.Bound != "" {
		return "", 0
	}
	w, err := New(c)
	if err != nil {
		return err.Error(), 0
	}
	want, ok := brute.Sleeping(w, most)
	if !ok || want.Complete+want.Violating > most {
		return "", 0
	}
	optimal, err := explore(c, checker.Options{Order: checker.StatelessOptimal}, "")
	if err != nil {
		return err.Error(), 0
	}
	r := optimal.result
	if got := (brute.Count{Complete: r.Traces, Violating: r.Violating}); got != want ||
		r.Blocked != 0 || r.Bound != "" {
		problem = fmt.Sprintf("%+v, blocked %d %s, want %+v\n", got, r.Blocked, r.Bound, want)
	}
	full.result.States = max(r.States, full.result.States) // not comparable
	problem += difference(full, optimal)
	if w, _ := New(c); want.Complete+want.Violating < 100 {
		if direct, ok := brute.Classes(w, 1000); ok && direct != want {
			problem += fmt.Sprintf("brute force: %+v by swaps, %+v by sleep sets\n", direct, want)
		}
	}
	return problem, want.Complete + want.Violating
}

// TestTracesOfToys compares the stateless search of random protocols under random failure models
// with plain search and brute force.
func TestTracesOfToys(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	compared, traces, failed := 0, 0, 0
	for n := range effort.Cases(90, 900) {
		toy := randomToy(r, toyFeatures{crashes: n%3 > 0, groups: n%5 == 0, restoreSends: n%2 == 0,
			reads: n%7 == 0, rollback: n%11 == 0, watched: n%22 == 0, hosts: n%6 == 1,
			launches: n%6 == 2})
		m := randomModel(r, toy.procs, n%3)
		m.Unordered = r.IntN(3) == 0
		switch r.IntN(9) {
		case 8:
			harm(r, &m)
		case 0:
			m.Checkpoints = 1
		case 1:
			m.Loss = 1
		case 2:
			m.Duplicates = 1
		case 3:
			m.Suspicions = 1
		case 4:
			m.Torn = 1
		}
		d, size := traceCase(Config{Setup: toy.setup(), Model: m}, 1000)
		if size > 0 {
			compared++
			traces += size
		}
		if d == "" {
			continue
		}
		if failed++; failed <= 3 {
			t.Errorf("case %d, model %+v\n%s%.1500s", n, m, toy, d)
		}
	}
	t.Logf("%d cases compared, %d traces, %d failed", compared, traces, failed)
	if compared < effort.Of(40, 400) || traces < effort.Of(1000, 10000) {
		t.Errorf("%d cases, %d traces say little", compared, traces)
	}
}

// TestTracesOfChangedSteps is a message that makes its receiver roll back, so that it depends on
// everything, unless another message comes first: then it depends on nothing elsewhere. The race of
// the two messages does not tell that the rollback has an order with what happens elsewhere.
func TestTracesOfChangedSteps(t *testing.T) {
	t.Parallel()
	toy := newToy(3, 4, 2)
	start := toy.kinds + toyStart
	toy.rules[0][0][start].sends = []toySend{{to: 1, kind: 1}}
	toy.rules[1][0][start] = toyRule{next: 1, sends: []toySend{{to: 2, kind: 1}}}
	toy.rules[1][1][0].next = 3
	toy.rules[1][1][1].rollback = true
	toy.rules[2][0][start].sends = []toySend{{to: 1, kind: 0}}
	d, size := traceCase(Config{Setup: toy.setup(),
		Model: fault.Model{FromDead: fault.Nothing, KeepToDead: true}}, 1000)
	if d != "" || size != 4 {
		t.Errorf("%d traces, want 4\n%s", size, d)
	}
}

// TestTracesOfHydee does the same with random programs over HydEE.
func TestTracesOfHydee(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	compared, traces, failed := 0, 0, 0
	for n := range effort.Cases(20, 80) {
		c := randomHydee(r)
		c.model.Failures = min(c.model.Failures, r.IntN(2))
		p, err := hydeePair(c.program, c.clusters, c.errata)
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := Oracle(context.Background(), p.baseline, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, size := traceCase(Config{Setup: p.setup, Model: c.model,
			Facts: FactsOf(p.setup, &c.model, oracle)}, 2000)
		if size > 0 {
			compared++
			traces += size
		}
		if d == "" {
			continue
		}
		if failed++; failed <= 3 {
			t.Errorf("case %d: %s%.1500s", n, c, d)
		}
	}
	t.Logf("%d cases compared, %d traces, %d failed", compared, traces, failed)
	if compared < effort.Of(3, 15) || traces < effort.Of(200, 2000) {
		t.Errorf("%d cases, %d traces say little", compared, traces)
	}
}
