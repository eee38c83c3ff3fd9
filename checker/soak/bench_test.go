package soak_test

import (
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"

	"github.com/domino-check/domino/scenarios"
)

// BenchmarkSoak measures how fast runs are made and judged: go test ./checker/soak -run '^$' -bench
// .
func BenchmarkSoak(b *testing.B) {
	list, err := scenarios.Embedded()
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range list {
		for _, parallel := range map[string][]bool{"s1": {false, true},
			"rbml-nodes": {false}}[s.Name] {
			name := "scenario=" + s.Name
			if parallel {
				name += "/parallel"
			}
			b.Run(name, func(b *testing.B) {
				r, err := verify.Resolve(all.Protocols(), s)
				if err != nil {
					b.Fatal(err)
				}
				out, err := soak.Soak(b.Context(),
					world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model},
					soak.Options{Runs: b.N, Parallel: parallel})
				if err != nil || out.Found != nil {
					b.Fatal(err, out.Found)
				}
				b.ReportMetric(float64(out.Steps)/b.Elapsed().Seconds(), "steps/s")
			})
		}
	}
}
