// Package soak runs a case many times as goroutines (impl/runtime/local), with faults drawn within
// the budgets of the model, and has each run judged by the properties that the protocol promises.
// It finds violations and proves nothing: the verdict is never that something holds.
//
// A run is judged by its own trace, as the trace of any driver; the world is asked only to repeat
// the run that breaks something, so that it can be shown, saved and replayed, or, with
// Options.Retrace, every run: then a run that is not one of the world is an error.
package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec"
)

// Options bound and direct a soak. The zero value makes DefaultRuns runs, one goroutine at a time,
// and stops at the first violation.
type Options struct {
	Runs     int           // 0 = DefaultRuns
	Seed     uint64        // same seed, same runs, but with Parallel or Real
	MaxTime  time.Duration // 0 = no bound
	MaxSteps int           // of one run, 0 = local.DefaultSteps
	// of one step, 0 = no bound; a longer one is an error, see local.ErrHangs
	MaxStep  time.Duration
	Parallel bool        // let goroutines run at the same time, see local.Config
	Real     bool        // real time
	Retrace  bool        // repeat every run in the world, step by step, and compare
	Only     string      // look for violations of this property alone, "" = of all
	Progress func(Stats) // called after each run, may be nil
}

// DefaultRuns is the bound of the zero value.
const DefaultRuns = 1000

// Stats is what was done.
type Stats struct {
	Runs     int           `json:"runs"`
	Steps    int           `json:"steps"`
	Longest  int           `json:"longest"` // steps of the longest run
	Failures int           `json:"failures"`
	Cut      int           `json:"cut"`    // runs that a bound ended
	Undone   int           `json:"undone"` // steps in progress that a crash made impossible
	Elapsed  time.Duration `json:"-"`
}

// Outcome is the answer.
type Outcome struct {
	Stats
	Verdict spec.Verdict
	Reason  string        // why there is no violation, and what that means
	Found   *Finding      // the first violation
	Last    *local.Result // the last run
	Seen    []string      // Sometimes properties that some run showed
	World   *world.World  // of the case, for reports; nil when nothing was run
}

// Finding is one run that breaks a property.
type Finding struct {
	Violation spec.Violation
	Number    int // of the run, from 1
	Plan      plan.Plan
	Local     *local.Result
	Run       *world.Run // the same in the world, as far as it goes there
	// why it goes no further, or breaks something else there; nil if all is the same
	Stale error
}

// Soak answers the question of the case.
func Soak(ctx context.Context, c world.Case, o Options) (*Outcome, error) {
	c.Cuts = true // a crash may fall between any two effects
	w, reason, err := world.Open(ctx, c, checker.Options{MaxTime: o.MaxTime})
	if ctx.Err() != nil {
		return &Outcome{Verdict: spec.Unknown, Reason: "interrupted"}, nil
	}
	if errors.Is(err, checker.ErrBound) {
		return &Outcome{Verdict: spec.Unknown, Reason: err.Error()}, nil
	}
	if reason != "" && !c.Force {
		return &Outcome{Verdict: spec.OutOfModel, Reason: reason}, nil
	}
	if err != nil {
		return nil, err
	}
	judge, err := NewJudge(w.Facts)
	if err != nil {
		return nil, err
	}
	s := &soak{options: o, kase: c, judge: judge, began: time.Now(),
		out: Outcome{Verdict: spec.Unknown, World: w}}
	if s.options.Runs == 0 {
		s.options.Runs = DefaultRuns
	}
	for s.goOn(ctx) {
		if err := s.run(ctx); err != nil {
			return nil, err
		}
	}
	s.out.Elapsed, s.out.Seen = time.Since(s.began), s.judge.Seen()
	if s.out.Found == nil {
		s.out.Reason = fmt.Sprintf("run as goroutines until %s: no violation, which proves nothing",
			s.out.Reason)
	}
	return &s.out, nil
}

// soak is the state of Soak.
type soak struct {
	options Options
	kase    world.Case
	judge   *Judge
	began   time.Time
	lengths plan.Lengths
	out     Outcome
}

// goOn reports whether there is to be one more run.
func (s *soak) goOn(ctx context.Context) bool {
	switch {
	case s.out.Found != nil:
		return false
	case ctx.Err() != nil:
		s.out.Reason = "interrupted"
	case s.out.Runs == s.options.Runs:
		s.out.Reason = fmt.Sprintf("%d runs", s.out.Runs)
	case s.options.MaxTime > 0 && time.Since(s.began) > s.options.MaxTime:
		s.out.Reason = fmt.Sprintf("time limit %v", s.options.MaxTime)
	default:
		return true
	}
	return false
}

// spreads are the paces of runs in turn: things take different times, or many happen at one
// instant, or take no time at all.
var spreads = []time.Duration{local.DefaultSpread, 3, -1}

// run makes and judges one run. The first is without faults; from it and the later ones is known
// how long histories get.
func (s *soak) run(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(s.options.Seed, uint64(s.out.Runs)))
	c := local.Config{Model: s.kase.Model, Seed: rng.Uint64(), Parallel: s.options.Parallel,
		Real: s.options.Real, MaxSteps: s.options.MaxSteps, MaxStep: s.options.MaxStep}
	if s.options.Parallel {
		c.Spread = spreads[s.out.Runs%len(spreads)]
	} else if rng.IntN(2) == 0 {
		c.Spread = spreads[1]
	}
	c.Plan = plan.Draw(rng, s.kase.Setup, &c.Model, s.lengths)
	r, err := local.Run(ctx, s.kase.Setup, c)
	if err != nil || r.Bound == "interrupted" {
		return err
	}
	s.out.Runs++
	s.out.Last = r
	s.note(r)
	v, err := s.judge.Run(r)
	if err != nil {
		return fmt.Errorf("run %d with seed %d: %w", s.out.Runs, s.options.Seed, err)
	}
	if v != nil && (s.options.Only == "" || v.Property == s.options.Only) {
		s.found(r, v, c.Plan)
	} else if s.options.Retrace && v == nil {
		if _, err := Retrace(s.out.World, r, nil); err != nil {
			return fmt.Errorf("run %d with seed %d: %w", s.out.Runs, s.options.Seed, err)
		}
	}
	if s.options.Progress != nil {
		s.out.Elapsed = time.Since(s.began)
		s.options.Progress(s.out.Stats)
	}
	return nil
}

func (s *soak) note(r *local.Result) {
	s.out.Steps += len(r.Schedule)
	s.out.Longest = max(s.out.Longest, len(r.Schedule))
	s.out.Failures += r.Failures
	s.out.Undone += r.Undone
	// it would stretch the plans of all later ones to where hardly any fault strikes
	if r.Bound != "" {
		s.out.Cut++
	} else {
		s.lengths.Note(r.Failures, r.Performed)
	}
}

func (s *soak) found(r *local.Result, v *spec.Violation, p plan.Plan) {
	f := &Finding{Violation: *v, Number: s.out.Runs, Plan: p, Local: r}
	f.Run, f.Stale = Retrace(s.out.World, r, v)
	s.out.Found, s.out.Verdict = f, spec.Violated
}

// Retrace repeats a run in the world and compares: every step is possible and leaves the same
// evidence, the machines end in the same states, and the world, too, thinks that the run breaks the
// property, or nothing when the violation is nil. The run is returned as far as it goes.
func Retrace(w *world.World, r *local.Result, broken *spec.Violation) (*world.Run, error) {
	run, err := w.Retrace(r.Schedule, &r.Trace, r.Finals)
	switch {
	case err != nil:
		return run, err
	case broken == nil && run.Violation != nil:
		return run, fmt.Errorf("the trace breaks nothing, in the world it breaks %s: %s",
			run.Violation.Property, run.Violation.Message)
	case broken != nil && run.Violation == nil && w.Relates(broken.Property):
		return run, nil // one run alone does not break it
	case broken != nil && run.Violation == nil:
		return run, fmt.Errorf("the trace breaks %s (%s), in the world it breaks nothing",
			broken.Property, broken.Message)
	case broken != nil && run.Violation.Property != broken.Property:
		return run, fmt.Errorf("the trace breaks %s (%s), in the world it breaks %s first: %s",
			broken.Property, broken.Message,
			run.Violation.Property, run.Violation.Message)
	case broken != nil:
		return run, nil // the world has stopped there
	case run.Complete != r.Complete:
		return run, fmt.Errorf("the run is complete: %t, in the world: %t", r.Complete,
			run.Complete)
	}
	return run, nil
}
