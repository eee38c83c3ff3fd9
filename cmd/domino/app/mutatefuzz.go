package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/scenarios"
)

// fuzzing hunts mutants in random scenarios, with all that package fuzz draws.
type fuzzing struct{ streams }

var _ mutate.Beyond = fuzzing{}

// fuzzShrink is how many smaller scenarios are tried when a failure is made small.
const fuzzShrink = 300

func (fuzzing) Name() string { return "fuzz" }

// Beyond implements mutate.Beyond: the scenarios are drawn.
func (fuzzing) Beyond() {}

// Hunt implements mutate.Method. Runs are counted over all scenarios.
func (f fuzzing) Hunt(ctx context.Context, t *mutate.Target, b mutate.Budget) (h mutate.Hunt,
	err error) {
	h.Method = "fuzz"
	if !slices.Contains(fuzz.Names(f.Protocols()), t.Mutant.Protocol) {
		h.Unfit, h.Bound = true, fmt.Sprintf("there are no random scenarios for %s",
			t.Mutant.Protocol)
		return h, nil
	}
	target, err := f.randomOf(t)
	if err != nil {
		return h, err
	}
	o := fuzz.Options{Seed: b.Seed, Runs: b.Schedules, Shrink: fuzzShrink}
	if o.Runs == 0 {
		o.Runs = 1 << 40
	}
	began := time.Now()
	defer func() { h.Seconds = time.Since(began).Seconds() }()
	for over := false; !over; {
		drawn := h.Schedules
		if b.Progress != nil {
			o.Progress = func(r fuzz.Result) {
				b.Progress(mutate.Hunt{Method: "fuzz", Schedules: drawn + r.Runs,
					Seconds: time.Since(began).Seconds()})
			}
		}
		if b.Time > 0 {
			o.Time = max(b.Time-time.Since(began), time.Nanosecond)
		}
		r, err := fuzz.Run(ctx, target, o)
		if err != nil {
			return h, err
		}
		if over, err = f.judgeDrawn(ctx, &h, r); err != nil {
			return h, err
		}
		o.First, o.Runs = r.Next, o.Runs-r.Runs
		if !over && (o.Runs <= 0 || b.Time > 0 && time.Since(began) >= b.Time) {
			h.Bound, over = "what it found the original breaks, too", true
		}
	}
	return h, nil
}

// randomOf is what draws scenarios for a mutant.
func (f fuzzing) randomOf(t *mutate.Target) (fuzz.Target, error) {
	target, err := fuzz.TargetOf(f.Protocols(), t.Mutant.Protocol, t.Scenario.Variant)
	target.Resolve = func(s *scenarios.Scenario) (world.Case, error) {
		c, err := f.guarded(s)
		if err == nil {
			c.Setup = t.Mutant.Wrap(c.Setup, t.Tally)
		}
		return c, err
	}
	// A send while a posted receive is open breaks no-orphan in the original, too: when the receive
	// completes is not logged.
	target.Shapes.Overlapping = false
	return target, err
}

// judgeDrawn notes what came of drawing, and reports whether that is all: nothing was found, or
// something that is the mutant's. What the original breaks, too, is not: it is to go on behind it.
func (f fuzzing) judgeDrawn(ctx context.Context, h *mutate.Hunt, r *fuzz.Result) (over bool,
	err error) {
	drawn := h.Schedules
	h.Schedules, h.Bound = drawn+r.Runs, r.Bound
	if len(r.Failures) == 0 {
		return true, nil
	}
	found := &r.Failures[0]
	if breaks, err := f.originalBreaks(ctx, found); err != nil || breaks {
		return false, err
	}
	h.Killed, h.Property, h.Schedules, h.Steps, h.Small = true, found.Property,
		drawn+found.Runs, found.Drawn.Steps, found.Least.Steps
	return true, nil
}

// originalBreaks reports whether the repaired protocol breaks something at the scope of a failure,
// too: then the failure is not that of the mutant. The run itself is tried first, without what the
// mutant adds to it.
func (std streams) originalBreaks(ctx context.Context, f *fuzz.Failure) (bool, error) {
	s := *f.Scenario
	s.Variant, s.Schedule = "repaired", nil
	c, err := std.guarded(&s)
	if err != nil {
		return false, nil // the variant alone takes it
	}
	w, _, err := world.Open(ctx, c, checker.Options{MaxStates: originalStates})
	if err != nil {
		return false, err
	}
	if r := w.Attempt(f.Scenario.Schedule, f.Property); r.Violation != nil {
		return true, nil
	}
	r := search.Explore(ctx, w, checker.Options{Reduce: checker.Crashes, MaxStates: originalStates})
	return len(r.Found) > 0, nil
}

// originalStates bounds the search for what the original breaks.
const originalStates = 200_000
