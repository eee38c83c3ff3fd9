package local_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
)

// ofRuns is a number of runs: as given in a long test.
func ofRuns(n int) int {
	if underRace && !effort.Huge() {
		return n / 5
	}
	return effort.Cases(n/5, n)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	cutInside = regexp.MustCompile(`, stands still after effect \d+$`)
	ambiguous = regexp.MustCompile(` #\d+$`)
	// what only failures lead to
	ofFailures = regexp.MustCompile(
		`^(stop|killed|restart|written|erased|told) |, stands still `)
	// who has rolled back can be killed, too
	ofCrashes = regexp.MustCompile(`^(crash|stop) `)
	// runs that alone have caught a mutant: a kill forgets that who is killed had rolled back; a
	// node leaves alone who has rolled back on it. Another noise needs others
	rareRuns = []int{467, 5778}
)

// TestRunsRepeatInTheWorld checks that whatever goroutines do, the world can do: machines that do
// anything, under random failure models and plans, one proc at a time and in parallel. Each step
// must be possible in the world, leave the same evidence, and the machines must end in the same
// states; the world must agree whether it is the end. Every kind of event must have come up.
func TestRunsRepeatInTheWorld(t *testing.T) {
	counts := map[string]int{}
	complete := 0
	for i := range ofRuns(1000) {
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		setup := noiseSetup(rng)
		c := local.Config{Model: noiseModel(rng, len(setup.Layout.Names)), Seed: rng.Uint64(),
			Parallel: i%2 == 1, MaxSteps: 100}
		if c.Spread = 0; i%3 == 0 {
			c.Spread = -1
		}
		lengths := make([]int, len(setup.Layout.Names))
		for p := range lengths {
			lengths[p] = 12
		}
		c.Plan = plan.Draw(rng, setup, &c.Model, plan.Lengths{lengths})
		r, err := local.Run(t.Context(), setup, c)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		w, err := world.New(world.Config{Setup: setup, Model: c.Model, Cuts: true})
		if err != nil {
			t.Fatal(err)
		}
		if run, err := soak.Retrace(w, r, nil); err != nil {
			t.Fatalf("run %d of %+v, plan %+v: %v\nschedule %q\nin the world %q", i, c.Model,
				c.Plan, err, r.Schedule, run.Schedule)
		}
		if r.Complete {
			complete++
		}
		kinds(counts, r.Schedule)
	}
	t.Logf("%d complete, events %v", complete, counts)
	for _, kind := range []string{"deliver", "step", "persisted", "told", "tick", "expire",
		"restart", "cut", "stop", "checkpoint", "suspect", "lose", "duplicate", "crash", "inside",
		"killed", "loaded", "refused", "lost", "corrupted"} {
		if counts[kind] == 0 {
			t.Errorf("no event %s in any run", kind)
		}
	}
	if complete == 0 {
		t.Error("no run is complete")
	}
}

// TestSchedulesAreEnforced checks the other way round: random runs of the world, faults included,
// are enforced on the goroutines, which must do just that, with the same evidence, and end in the
// same states. Half of the runs prefer what only failures lead to, or crashes.
func TestSchedulesAreEnforced(t *testing.T) {
	counts := map[string]int{}
	skipped := 0
	runs := make([]int, ofRuns(800))
	for i := range runs {
		runs[i] = i
	}
	for _, i := range append(runs, rareRuns...) {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		setup := noiseSetup(rng)
		model := noiseModel(rng, len(setup.Layout.Names))
		w, err := world.New(world.Config{Setup: setup, Model: model, Cuts: true})
		if err != nil {
			t.Fatal(err)
		}
		var often *regexp.Regexp
		switch i % 4 {
		case 1:
			often = ofFailures
		case 3:
			often = ofCrashes
		}
		walk := walkOf(t, w, rng, often)
		if walk == nil {
			skipped++
			continue
		}
		r, err := local.Run(t.Context(), setup, local.Config{Model: model, Schedule: walk.Schedule})
		if err != nil {
			t.Fatalf("run %d of %+v: %v\nschedule %q", i, model, err, walk.Schedule)
		}
		if diff := cmp.Diff(walk.Trace.Events, r.Trace.Events,
			cmp.AllowUnexported(core.MsgID{}, core.Stamp{})); diff != "" {
			t.Fatalf("run %d of %+v: events (-world +goroutines):\n%s\nschedule %q\nenforced %q", i,
				model, diff, walk.Schedule, r.Schedule)
		}
		if r.Complete != walk.Complete {
			t.Errorf("run %d of %+v: complete %t, in the world %t\nschedule %q", i, model,
				r.Complete, walk.Complete, walk.Schedule)
		}
		if _, err := w.Retrace(walk.Schedule, &walk.Trace, r.Finals); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		kinds(counts, r.Schedule)
	}
	t.Logf("%d skipped, events %v", skipped, counts)
	for _, kind := range []string{"deliver", "step", "persisted", "told", "tick", "expire",
		"restart", "cut", "stop", "checkpoint", "suspect", "lose", "duplicate", "crash", "inside",
		"killed", "loaded", "refused", "lost", "corrupted"} {
		if counts[kind] == 0 {
			t.Errorf("no event %s in any run", kind)
		}
	}
}

// walkOf is a random run of the world, nil when two events of one state have one name, which
// goroutines do not order as the world does. Half of the time it takes what is to come often, if
// there is such.
func walkOf(t *testing.T, w *world.World, rng *rand.Rand, often *regexp.Regexp) *world.Run {
	state := make([]uint32, w.Words())
	w.Initial(state)
	var codes []uint64
	for range 60 {
		texts, x := w.Enabled(state)
		if len(texts) == 0 {
			break
		}
		j := rng.IntN(len(texts))
		if often != nil && rng.IntN(2) == 0 && !often.MatchString(texts[j]) {
			from := j
			for j = (from + 1) % len(texts); j != from && !often.MatchString(texts[j]); {
				j = (j + 1) % len(texts)
			}
		}
		if x.Steps[j].Fault && rng.IntN(3) > 0 {
			continue
		}
		if ambiguous.MatchString(texts[j]) || slices.Contains(texts, texts[j]+" #2") {
			return nil
		}
		codes = append(codes, x.Steps[j].Code)
		state = x.State(j, nil)
	}
	run, err := w.Follow(codes)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestStaleSchedule checks that an event that is not possible is named, with its place, and that
// the run up to there is returned.
func TestStaleSchedule(t *testing.T) {
	setup := noiseSetup(rand.New(rand.NewPCG(1, 1)))
	for _, schedule := range [][]string{{"deliver p9->p0 k1"}, {"crash p0"}, {""},
		{"then for ever:"}, {"restart p0 incarnation 1"}} {
		r, err := local.Run(t.Context(), setup, local.Config{Schedule: schedule})
		if !errors.Is(err, local.ErrStale) || r == nil || r.Complete || len(r.Schedule) != 0 {
			t.Errorf("%q: error %v, result %+v", schedule, err, r)
		}
	}
}
