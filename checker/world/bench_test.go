package world_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/catalog"
	"github.com/domino-check/domino/scenarios"
)

// BenchmarkExplore measures whole searches, properties judged, failures included, on one core.
//
//	go test ./checker/world -run '^$' -bench Explore -benchtime 3x -count 5
func BenchmarkExplore(b *testing.B) {
	cases := []struct {
		name, scenario string
		options        checker.Options
	}{
		{"search=dfs/reduce=off", "s1-two", checker.Options{}},
		{"search=dfs/reduce=on", "s1-two", checker.Options{Reduce: true}},
		{"search=dfs/reduce=off/exact=on", "s1-two", checker.Options{Exact: true}},
		{"search=bfs/reduce=off", "s1-two", checker.Options{Order: checker.BreadthFirst}},
		{"search=dfs/reduce=on", "s0", checker.Options{Reduce: true}},
	}
	for _, c := range cases {
		b.Run("scenario="+c.scenario+"/"+c.name, func(b *testing.B) {
			s, err := scenarios.Load("../../scenarios/" + c.scenario + ".txtar")
			if err != nil {
				b.Fatal(err)
			}
			r, err := catalog.Resolve(s)
			if err != nil {
				b.Fatal(err)
			}
			var transitions, states, bytes float64
			for b.Loop() {
				out, err := world.Check(b.Context(), world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}, c.options)
				if err != nil {
					b.Fatal(err)
				}
				transitions += float64(out.Transitions)
				states += float64(out.States)
				bytes = float64(out.Peak) / float64(out.States)
			}
			b.ReportMetric(transitions/b.Elapsed().Seconds(), "transitions/s")
			b.ReportMetric(states/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(bytes, "B/state")
		})
	}
}
