package world

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/fault"
)

// compareToy explores a toy with and without reduction; it returns what differs, and how many
// states there were, 0 when the case is too large.
func compareToy(toy *toy, m fault.Model, ways []checker.Options) (problem string, states int) {
	o := checker.Options{MaxStates: 4000}
	if !toy.rollsBack() { // a rollback is a failure that no budget announces
		toy.computeClaims()
	}
	if toy.endless(m) {
		return "", 0
	}
	full, err := explore(Config{Setup: toy.setup(), Model: m}, o, probe)
	if err != nil {
		return err.Error(), 0
	}
	if full.result.Bound != "" {
		return "", 0
	}
	for _, o := range ways {
		reduced, err := explore(Config{Setup: toy.setup(), Model: m}, o, probe)
		if err != nil {
			return err.Error(), 0
		}
		if d := difference(full, reduced); d != "" {
			return wayOf(o) + ": " + d, full.result.States
		}
		toy.saved = max(toy.saved, full.result.States-reduced.result.States)
	}
	return "", full.result.States
}

// endless reports whether the runs of a toy seem to go on for ever: then channels of more and more
// lives wait in each state, and even some thousand states take gigabytes.
func (t *toy) endless(m fault.Model) bool {
	first, err := explore(Config{Setup: t.setup(), Model: m}, checker.Options{MaxStates: 500},
		probe)
	return err == nil && first.result.Bound != "" && first.result.Depth > 200
}

// everyWay are the searches that are compared with a plain one by one worker.
var everyWay = []checker.Options{
	{Workers: 2},
	{Order: checker.BreadthFirst, Workers: 2},
	{Reduce: checker.Singletons},
	{Reduce: checker.Crashes},
	{Reduce: checker.Sleep},
	{Reduce: checker.Sleep, Order: checker.BreadthFirst, Workers: 2},
	{Reduce: checker.Singletons | checker.Crashes | checker.Sleep, Workers: 2},
}

// someWays are two of them, in turn.
func someWays(n int) []checker.Options {
	return []checker.Options{everyWay[n%len(everyWay)], everyWay[(n+3)%len(everyWay)]}
}

func wayOf(o checker.Options) string {
	return fmt.Sprintf("order %d, reduce %s, %d workers", o.Order, o.Reduce, o.Workers)
}

// TestReductionOfToys explores random table-driven protocols with and without reduction and
// compares the ends of runs and what a global property can see of visible events.
func TestReductionOfToys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		cases    int
		failures int
		features toyFeatures
	}{
		{"no failures", 150, 0, toyFeatures{}},
		{"no failures, much commutes", 200, 0, toyFeatures{monotone: true}},
		{"crashes, much commutes", 150, 1, toyFeatures{crashes: true, monotone: true}},
		{"cycles, much commutes", 150, 0, toyFeatures{monotone: true, cyclic: true}},
		{"cycles", 100, 0, toyFeatures{cyclic: true}},
		{"crashes", 100, 1, toyFeatures{crashes: true}},
		{"two crashes of groups", 50, 2, toyFeatures{crashes: true, groups: true}},
		{"crashes of hosts", 100, 2, toyFeatures{crashes: true, hosts: true}},
		{"crashes of hosts, much commutes", 100, 1,
			toyFeatures{crashes: true, hosts: true, monotone: true}},
		{"restarts that send", 100, 1, toyFeatures{crashes: true, restoreSends: true}},
		{"restarts that read others", 100, 1,
			toyFeatures{crashes: true, reads: true, groups: true}},
		{"crashes inside steps", 100, 1,
			toyFeatures{crashes: true, shows: true, restoreSends: true, small: true}},
		{"crashes inside steps of groups", 100, 1,
			toyFeatures{crashes: true, shows: true, groups: true, small: true}},
		{"rollbacks", 100, 0, toyFeatures{rollback: true}},
		{"launches", 150, 1, toyFeatures{crashes: true, launches: true}},
		{"launches, two failures", 100, 2, toyFeatures{launches: true}},
		{"launches, no failures", 100, 0, toyFeatures{launches: true}},
		{"launches, much commutes", 150, 1, toyFeatures{crashes: true, launches: true,
			monotone: true}},
		{"crashes behind rollbacks", 150, 2,
			toyFeatures{crashes: true, rollback: true, watched: true, small: true}},
		{"crashes of groups behind rollbacks", 100, 1, toyFeatures{crashes: true, rollback: true,
			watched: true, groups: true, small: true}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			explored, states, saved, failed := 0, 0, 0, 0
			cases := effort.Cases(tt.cases/10, tt.cases)
			for n := range cases {
				toy := randomToy(r, tt.features)
				m := randomModel(r, toy.procs, tt.failures)
				if tt.failures > 0 && r.IntN(3) == 0 {
					m.Checkpoints = 1
				}
				if tt.features.launches {
					harm(r, &m)
				}
				d, size := compareToy(toy, m, someWays(n))
				if size > 0 {
					explored++
					states += size
					saved += toy.saved
				}
				if d == "" {
					continue
				}
				if failed++; failed > 1 {
					continue
				}
				toy, d = shrink(toy, m, d)
				t.Errorf("case %d, model %+v\n%s%s", n, m, toy, d)
			}
			t.Logf("%d cases of %d explored, %d states, %d left out, %d failed", explored,
				cases, states, saved, failed)
			if explored*2 < cases {
				t.Errorf("only %d of %d cases are small enough", explored, cases)
			}
		})
	}
}

// harm draws what happens to records, and to disks.
func harm(r *rand.Rand, m *fault.Model) {
	m.Disks = fault.Disks(r.IntN(2))
	switch r.IntN(6) {
	case 0:
		m.Lose = 1
	case 1:
		m.Corrupt = 1
	case 2:
		m.Full = 1
	case 3:
		m.Torn = 1
	}
}

// shrink simplifies a failing toy as long as it still fails.
func shrink(t *toy, m fault.Model, d string) (*toy, string) {
	for again := true; again; {
		again = false
		for _, c := range t.smaller() {
			if e, _ := compareToy(c, m, everyWay); e != "" {
				t, d, again = c, e, true
				break
			}
		}
	}
	return t, d
}
