package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

// TestPaperMeasures runs real processes for claims, once each: every case has its ratios, one a
// round. How long they take decides nothing here.
func TestPaperMeasures(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // of the children
	std := streams{Catalogue: catalogue(), err: new(strings.Builder)}
	kernels, err := std.perfClaimed(t.Context(), papers.PerfPlan{Kernels: []string{"lu"},
		Ranks: 2, Rounds: 1, Cases: []papers.PerfCase{{Name: "none", Protocol: "none"},
			{Name: "one", Protocol: "hydee", Clusters: 1}, {Name: "two", Protocol: "hydee",
				Clusters: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	pings, err := std.netpipeClaimed(t.Context(), papers.NetpipePlan{Cases: []string{"none",
		"hydee-2"}, Sizes: []int{8, 1 << 10}, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, one := range append(kernels.List, pings.List...) {
		for _, ratio := range one.Ratios {
			if ratio <= 0 {
				t.Errorf("%+v", one)
			}
		}
		got[one.Of+" "+one.Case] = len(one.Ratios)
	}
	for name, want := range map[string]int{"lu one": 1, "lu two": 1, "8 B hydee-2": 2,
		"1 KB hydee-2": 2} {
		if got[name] != want {
			t.Errorf("%s: %d ratios, want %d", name, got[name], want)
		}
	}
	if kernels.Processes < 2 || pings.Processes < 2 || kernels.Cores < 1 {
		t.Errorf("%+v, %+v", kernels, pings)
	}
}

// TestPerfRatios: each time is divided by that of the first case in its round.
func TestPerfRatios(t *testing.T) {
	var samples []perf.Sample
	for round, times := range [][2]time.Duration{{100, 150}, {200, 100}} {
		for i, name := range []string{"none", "hydee"} {
			samples = append(samples, perf.Sample{Kernel: "bt", Protocol: name, Round: round,
				Time: times[i]})
		}
	}
	list := perfRatios(samples, "none")
	if len(list) != 1 || len(list[0].Ratios) != 2 || list[0].Ratios[0] != 1.5 ||
		list[0].Ratios[1] != .5 {
		t.Errorf("%+v", list)
	}
}

// TestPaperMeasureInterrupted: who interrupts a measurement waits until all processes are gone, and
// reads what was made before.
func TestPaperMeasureInterrupted(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1") // of the children
	ctx, stop := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer stop()
	code, out, errs := domino(ctx, "paper", "hydee", "fig-1", "fig-6", "--measure")
	if code == 0 || !strings.Contains(out, "fig-1") || strings.Contains(out, "fig-6") ||
		!strings.Contains(errs, "1 of 2 claims were not made") {
		t.Errorf("exit %d, %s, %s", code, out, errs)
	}
}
