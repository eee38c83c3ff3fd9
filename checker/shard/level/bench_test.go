package level_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/shard/level"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// BenchmarkLevels compares the search in one process with that by levels, of one worker in the same
// process: what digests, questions and objects cost.
//
//	GOMAXPROCS=1 go test -run xxx -bench Levels -count 5 ./checker/shard/level
func BenchmarkLevels(b *testing.B) {
	for _, name := range []string{"s1", "hmpl-checkpoint"} {
		list, err := scenarios.Embedded()
		if err != nil {
			b.Fatal(err)
		}
		i := slices.IndexFunc(list, func(s *scenarios.Scenario) bool { return s.Name == name })
		s := list[i]
		s.Model.Failures = 2
		q, err := verify.Resolve(all.Protocols(), s)
		if err != nil {
			b.Fatal(err)
		}
		o := checker.Options{Order: checker.BreadthFirst, MaxStates: 2_000_000,
			Reduce: checker.Singletons | checker.Crashes}
		made := func() (checker.Portable, error) {
			w, _, err := world.Open(b.Context(), q.Case, o)
			return w, err
		}
		states := 0
		run := func(kind string, search func(w *world.World) (int, error)) {
			b.Run(name+"/"+kind, func(b *testing.B) {
				for b.Loop() {
					w, err := made()
					if err != nil {
						b.Fatal(err)
					}
					if states, err = search(w.(*world.World)); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*states), "ns/state")
			})
		}
		run("levels", func(w *world.World) (int, error) {
			out, _, err := explore(b.Context(), w, level.Config{Options: o, Make: made}, 1)
			return out.States, err
		})
		o.MaxStates = states // whole levels
		run("one", func(w *world.World) (int, error) {
			return search.Explore(b.Context(), w, o).States, nil
		})
	}
}
