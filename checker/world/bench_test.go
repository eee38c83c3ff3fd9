package world_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// measure explores a scenario as often as the benchmark wants and reports rates and sizes.
func measure(b *testing.B, file string, o checker.Options, forget bool) {
	s, err := scenarios.Load(file)
	if err != nil {
		b.Fatal(err)
	}
	r, err := resolve(s)
	if err != nil {
		b.Fatal(err)
	}
	c := world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model,
		Interchangeable: r.Interchangeable, Forget: forget}
	var transitions, states float64
	var out *world.Outcome
	for b.Loop() {
		if out, err = world.Check(b.Context(), c, o); err != nil {
			b.Fatal(err)
		}
		transitions += float64(out.Transitions)
		states += float64(out.States)
	}
	b.ReportMetric(transitions/b.Elapsed().Seconds(), "transitions/s")
	b.ReportMetric(states/b.Elapsed().Seconds(), "states/s")
	b.ReportMetric(float64(out.States), "states")
	b.ReportMetric(float64(out.Transitions), "transitions")
	b.ReportMetric(float64(out.Peak)/float64(out.States), "B/state")
}

func embedded(scenario string) string { return "../../scenarios/hydee/" + scenario + ".txtar" }

// BenchmarkHundredMillion explores more than a hundred million states, on all cores: minutes, and
// gigabytes of memory.
//
//	DOMINO_TESTS=huge go test ./checker/world -run '^$' -bench HundredMillion -benchtime 1x
func BenchmarkHundredMillion(b *testing.B) {
	if !effort.Huge() {
		b.Skip("minutes and gigabytes: run with DOMINO_TESTS=huge")
	}
	measure(b, "testdata/hundred.txtar", checker.Options{Workers: runtime.GOMAXPROCS(0)}, false)
}

// BenchmarkExplore measures whole searches, properties judged, failures included.
//
//	go test ./checker/world -run '^$' -bench Explore -benchtime 1x -count 5
func BenchmarkExplore(b *testing.B) {
	none := checker.Unreduced
	usual := checker.Singletons | checker.Crashes
	for _, c := range []struct {
		scenario string
		options  checker.Options
	}{
		{"s1-two", checker.Options{Workers: 1, Reduce: none}},
		{"s1-two", checker.Options{Workers: 2, Reduce: none}},
		{"s1-two", checker.Options{Workers: 1, Reduce: none, Order: checker.BreadthFirst}},
		{"s1-two", checker.Options{Workers: 2, Reduce: none, Order: checker.BreadthFirst}},
		{"s1-two", checker.Options{Workers: 1, Reduce: none, Exact: true}},
		{"s0", checker.Options{Workers: 1, Reduce: usual}},
		{"s0", checker.Options{Workers: 2, Reduce: usual}},
	} {
		o := c.options
		name := fmt.Sprintf("scenario=%s/search=%s/reduce=%s/exact=%t/workers=%d", c.scenario,
			o.Order, o.Reduce, o.Exact, o.Workers)
		b.Run(name, func(b *testing.B) { measure(b, embedded(c.scenario), o, false) })
	}
}

// BenchmarkAblation explores one scenario with each part of the engine switched off in turn: the
// memory of local steps, and each reduction.
//
//	go test ./checker/world -run '^$' -bench Ablation -benchtime 1x -count 3
func BenchmarkAblation(b *testing.B) {
	all := checker.Singletons | checker.Crashes | checker.Symmetry
	for _, scenario := range []string{"alike", "s3"} {
		for _, c := range []struct {
			name   string
			reduce checker.Reduction
			forget bool
		}{
			{"as-is", all, false},
			{"memory=off", all, true},
			{"singletons=off", all &^ checker.Singletons, false},
			{"crashes=off", all &^ checker.Crashes, false},
			{"symmetry=off", all &^ checker.Symmetry, false},
			{"sets=on", all&^checker.Symmetry | checker.Sets, false},
			{"sleep=on", all | checker.Sleep, false},
			{"sleep=alone", checker.Sleep, false},
			{"reduce=none", checker.Unreduced, false},
		} {
			b.Run("scenario="+scenario+"/"+c.name, func(b *testing.B) {
				measure(b, embedded(scenario), checker.Options{Reduce: c.reduce}, c.forget)
			})
		}
	}
}
