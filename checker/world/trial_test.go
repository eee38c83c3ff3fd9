package world

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// TestTrialsTellTheSame makes the trial of every step that a search has taken by running the
// machine, and by telling its events again; and takes every step of which there is a trial by
// running the machine, and by telling those of the trial. Both must be the same.
func TestTrialsTellTheSame(t *testing.T) {
	t.Parallel()
	told := 0
	same := func(c Config, only, what string) {
		var w *World
		if _, err := exploreWith(c, checker.Options{MaxStates: 2000}, only, func(made *World) {
			w = made
		}); err != nil {
			t.Fatal(err)
		}
		taken := w.transitions.len()
		for n := range uint32(taken) {
			told += w.tellsTheSame(t, n, what)
		}
		if w.transitions.len() != taken {
			t.Errorf("%s: a trial is a step of a search", what)
		}
	}
	for i, tt := range aloneFamilies {
		r := rand.New(rand.NewPCG(uint64(i), 29))
		for n := range 5 {
			toy, m := drawAlone(r, tt.failures, tt.features)
			if toy.endless(m) {
				continue
			}
			same(Config{Setup: toy.setup(), Model: m, Twice: true}, fmt.Sprint(judges, n), tt.name)
		}
	}
	pair := mustPair(t, "a: send b x; recv b\nb: recv a; send a y", []int{0, 1}, 0)
	m := fault.Model{Failures: 1}
	same(Config{Setup: pair.setup, Model: m, Facts: FactsOf(pair.setup, &m, nil)}, "", "hydee")
	if told < 1000 {
		t.Errorf("only %d steps were told again", told)
	}
}

// tellsTheSame compares what is run and what is told of a step that was taken; it returns how many
// steps were told.
func (w *World) tellsTheSame(t *testing.T, number uint32, what string) (told int) {
	met := w.transitions.at(number)
	if !met.tellable(w.inputs.at(met.input).Kind) {
		return 0
	}
	type shape struct {
		Next                                   uint32
		Violation                              int
		Visible, Longer, Watched, Idle, Inside bool
		Acts, Events, Checks, Notes            string
		Failed, Looks, Broken                  bool
	}
	ofStep := func(t *transition) shape {
		return shape{Next: t.next, Violation: t.violation, Visible: t.visible, Longer: t.longer,
			Watched: t.watched, Idle: t.idle, Inside: t.inside, Acts: fmt.Sprint(t.acts),
			Events: fmt.Sprint(t.events), Checks: string(core.Encode(observations(t.checks)))}
	}
	ofTrial := func(t *trial) shape {
		return shape{Next: t.next, Longer: t.longer, Watched: t.watched, Acts: fmt.Sprint(t.acts),
			Events: fmt.Sprint(t.events), Checks: string(core.Encode(observations(t.checks))),
			Notes: fmt.Sprint(t.notes), Failed: t.failed, Looks: t.looks, Broken: t.broken}
	}
	retold := w.rehearsed(met.from, met.input)
	known := w.known.entries.Swap(nil) // as if no search had met the step
	made := w.rehearsed(met.from, met.input)
	w.known.entries.Store(known)
	if d := cmp.Diff(ofTrial(made), ofTrial(retold)); d != "" {
		t.Errorf("%s: trial of a step that was taken (-run +told):\n%s", what, d)
	}
	w.alone.trials = map[uint64]*trial{pair(met.from, met.input): made}
	defer func() { w.alone.trials = nil }()
	if w.tried(met.from, met.input) == nil {
		return 1
	}
	again := w.run(met.from, met.input)
	if d := cmp.Diff(ofStep(met), ofStep(&again)); d != "" {
		t.Errorf("%s: step of which there is a trial (-run +told):\n%s", what, d)
	}
	return 2
}

// observations are what properties are shown of checks.
func observations(checks []check) (list []any) {
	for i := range checks {
		list = append(list, fmt.Sprint(checks[i].event), checks[i].self.History,
			checks[i].self.Holding, checks[i].self.Round, checks[i].self.Evaluated,
			uint32(checks[i].self.Incarnation), checks[i].self.Up)
	}
	return list
}
