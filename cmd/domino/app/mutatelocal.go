package app

import (
	"context"
	"math"
	"time"

	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/checker/soak"
)

// soaking hunts mutants as goroutines, at the scope of their scenario, with failures drawn within
// its budgets; one goroutine at a time goes on, so that a seed gives the same runs.
type soaking struct{}

func (soaking) Name() string { return "local" }

// Hunt implements mutate.Method. What a machine does wrong outside of what is judged, such as a
// panic, is an error of the runtime and counts, too, as it names the step.
func (soaking) Hunt(ctx context.Context, t *mutate.Target, b mutate.Budget) (mutate.Hunt,
	error) {
	h := mutate.Hunt{Method: "local"}
	o := soak.Options{Runs: b.Schedules, Seed: b.Seed, MaxTime: b.Time}
	if o.Runs == 0 {
		o.Runs = math.MaxInt
	}
	began := time.Now()
	if b.Progress != nil {
		o.Progress = func(s soak.Stats) {
			if s.Runs%16 == 0 {
				b.Progress(mutate.Hunt{Method: "local", Schedules: s.Runs,
					Seconds: time.Since(began).Seconds()})
			}
		}
	}
	out, err := soak.Soak(ctx, t.Case, o)
	h.Seconds = time.Since(began).Seconds()
	if err != nil {
		return h, err
	}
	h.Schedules, h.Bound = out.Runs, out.Reason
	if f := out.Found; f != nil {
		h.Killed, h.Property, h.Schedules = true, f.Violation.Property, f.Number
		if f.Run != nil && f.Stale == nil {
			h.Steps, h.Run = len(f.Run.Schedule), f.Run.Schedule
		}
	}
	return h, nil
}
