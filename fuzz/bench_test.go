package fuzz_test

import (
	"testing"

	"github.com/domino-check/domino/fuzz"
)

// BenchmarkSchedules draws runs of random scenarios for HydEE with one strategy at a time, all
// costs of making scenarios included:
//
//	go test ./fuzz -run '^$' -bench Schedules
func BenchmarkSchedules(b *testing.B) {
	for _, strategy := range append(fuzz.Strategies(), "mix") {
		b.Run("strategy="+strategy, func(b *testing.B) {
			mix := []fuzz.Share{{Strategy: strategy, Weight: 1}}
			if strategy == "mix" {
				mix = nil
			}
			target := targetOf(b, "hydee", "repaired")
			runs, steps := 0, 0
			for b.Loop() {
				r, err := fuzz.Run(b.Context(), target, fuzz.Options{Seed: 1, Runs: 1000, Mix: mix})
				if err != nil || len(r.Failures) > 0 {
					b.Fatalf("%v %+v", err, r)
				}
				runs, steps = runs+r.Runs, steps+r.Steps
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}
