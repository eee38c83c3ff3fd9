package perf_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

// TestEfficiencies sums up runs that were made by hand: none takes 10 s, the protocol 11, with 9
// checkpoints 12.8, so one costs 0.2 s; of the runs with failures one takes 16 s, the other is cut
// short.
func TestEfficiencies(t *testing.T) {
	rates := &perf.Rates{Protocols: []string{"p"}, Checkpoints: []int{10},
		MTBFs: []time.Duration{100 * time.Second}, Rounds: 2, Taken: map[int]int{10: 9},
		Iterations: 100, Repeats: true}
	failing := perf.Trial{Protocol: "p", Checkpoint: 10, MTBF: 100 * time.Second}
	ends := []uint64{7}
	var list []perf.Trying
	for round := range 2 {
		for _, one := range []perf.Trying{
			{Trial: perf.Trial{Protocol: "none"}, Time: 10 * time.Second},
			{Trial: perf.Trial{Protocol: "p"}, Time: 11 * time.Second},
			{Trial: perf.Trial{Protocol: "p", Checkpoint: 10}, Time: 12800 * time.Millisecond},
			{Trial: failing, Time: 16 * time.Second, Failures: 2, Restart: 3 * time.Second}} {
			one.Round, one.Digests = round, ends
			list = append(list, one)
		}
	}
	list[7].Bound = "time limit"
	rows, advice := perf.Efficiencies(rates, list)
	if len(rows) != 2 || len(advice) != 1 {
		t.Fatalf("%+v, %+v", rows, advice)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("interval", rows[0].Interval, 1.1)
	near("efficiency of calm runs", rows[0].Efficiency, 10/12.8)
	near("what the model says", rows[0].Expected, 10/12.8)
	near("efficiency with failures", rows[1].Efficiency, 10.0/16)
	near("failures", rows[1].Failures, 2)
	near("cost of a checkpoint", advice[0].Cost, 0.2)
	near("restart", advice[0].Restart, 1.5)
	near("slow-down", advice[0].Slowdown, 1.1)
	near("Young's interval", advice[0].Young, math.Sqrt(40))
	near("best interval", advice[0].Best, 1.1)
	if rows[1].Unfinished != "time limit" || rows[1].Rounds != 1 || rows[1].Wrong != "" {
		t.Errorf("%+v", rows[1])
	}
	// the model of Daly: a segment of s takes M exp(R/M) (exp(s/M) - 1)
	segments, m := 10.0, 100.0
	total := m * math.Exp(1.5/m) * ((segments-1)*(math.Exp(1.3/m)-1) + math.Exp(1.1/m) - 1)
	near("what the model says with failures", rows[1].Expected, 10/total)
	list[6].Digests = []uint64{8}
	if rows, _ = perf.Efficiencies(rates, list); !strings.Contains(rows[0].Wrong, "round 2") {
		t.Errorf("wrong digests are taken: %+v", rows[0])
	}
	free := *rates
	free.Repeats = false
	if other, _ := perf.Efficiencies(&free, list); other[0].Wrong != "" {
		t.Errorf("a program that may end otherwise is called wrong: %+v", other[0])
	}
	var b strings.Builder
	if err := perf.PrintEfficiencies(&b, rates, rows, advice); err != nil ||
		!strings.Contains(b.String(), "WRONG: a run of p") ||
		!strings.Contains(b.String(), "every 6.32s by Young") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if f := perf.EfficiencyOver(rates, rows, "p", "k"); len(f.Lines) != 4 {
		t.Errorf("%d lines, want two rates, each with its model", len(f.Lines))
	}
}

// TestTry makes all runs of a plan once a round, and ends with the context.
func TestTry(t *testing.T) {
	rates := &perf.Rates{Protocols: []string{"p", "q"}, Checkpoints: []int{1, 2},
		MTBFs: []time.Duration{1, 2}, Rounds: 3}
	seen := map[perf.Trial]int{}
	run := func(_ context.Context, t perf.Trial, _ int) (*cluster.Result, error) {
		seen[t]++
		return &cluster.Result{Complete: true, Elapsed: time.Second}, nil
	}
	list, err := perf.Try(t.Context(), rates, run, nil)
	if err != nil || len(list) != rates.Runs() || len(seen) != 15 || rates.Runs() != 45 {
		t.Errorf("%d of %d runs of %d kinds, %v", len(list), rates.Runs(), len(seen), err)
	}
	ctx, stop := context.WithCancel(t.Context())
	n := 0
	list, err = perf.Try(ctx, rates, run, func(perf.Trying) {
		if n++; n == 5 {
			stop()
		}
	})
	if err != nil || len(list) != 5 {
		t.Errorf("%d runs and %v after the context had ended", len(list), err)
	}
	rates.Rounds = 0
	if _, err := perf.Try(t.Context(), rates, run, nil); err == nil {
		t.Error("no round is no error")
	}
}

// TestOffers counts what programs do: loops in loops, and what a kernel decides itself.
func TestOffers(t *testing.T) {
	ops := func(kinds ...core.OpKind) (p core.Program) {
		for _, k := range kinds {
			p = append(p, core.Op{Kind: k, Count: 3, Iteration: k == core.OpSend})
		}
		return p
	}
	for _, tt := range []struct {
		p                       core.Program
		iterations, checkpoints int
		ok                      bool
	}{
		{nil, 0, 0, true}, {ops(core.OpSend, core.OpCheckpoint), 1, 1, true},
		{ops(core.OpLoop, core.OpCheckpoint, core.OpLoop, core.OpCheckpoint, core.OpSend,
			core.OpEnd, core.OpEnd, core.OpCheckpoint), 9, 13, true},
		{ops(core.OpLoop, core.OpCheckpoint, core.OpAgain), 0, 0, false},
	} {
		if i, c, ok := perf.Offers(tt.p); i != tt.iterations || c != tt.checkpoints || ok != tt.ok {
			t.Errorf("%v: %d iterations, %d checkpoints, %t", tt.p, i, c, ok)
		}
	}
	for text, want := range map[string][2]int{
		"heat ranks=4 n=16 iterations=40 checkpoint=10": {40, 4},
		"heat ranks=4 n=16 iterations=45 checkpoint=10": {45, 4},
		"ring ranks=4 iterations=9":                     {9, 0}} {
		suite, err := kernels.Build(text)
		if err != nil {
			t.Fatal(err)
		}
		if i, c, ok := perf.Offers(suite.Programs[0]); [2]int{i, c} != want || !ok {
			t.Errorf("%s: %d iterations, %d checkpoints, want %v", text, i, c, want)
		}
	}
}
