package twophase_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
)

// BenchmarkExplore measures whole searches on one core, the property judged.
//
//	go test ./impl/protocol/example/twophase -run '^$' -bench Explore -benchtime 5x -count 5
func BenchmarkExplore(b *testing.B) {
	for _, bb := range []struct {
		name    string
		options checker.Options
	}{{"mode=fingerprints", checker.Options{}}, {"mode=exact", checker.Options{Exact: true}}} {
		b.Run("resources=7/"+bb.name, func(b *testing.B) {
			var states, transitions, bytes float64
			for b.Loop() {
				r := search.Explore(b.Context(), newWorld(b, twophase.Options{Resources: 7}),
					bb.options)
				states, transitions = states+float64(r.States), transitions+float64(r.Transitions)
				bytes = float64(r.Bytes) / float64(r.States)
			}
			b.ReportMetric(states/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(transitions/b.Elapsed().Seconds(), "transitions/s")
			b.ReportMetric(bytes, "B/state")
		})
	}
}
