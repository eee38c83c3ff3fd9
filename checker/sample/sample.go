// Package sample draws single runs of a system with a strategy: uniform walks, partial order
// sampling, concurrency testing with guarantees. It decides beforehand which faults strike and
// where, and the strategy orders the rest. Samples find violations and prove nothing.
package sample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// Options bound and direct the drawing of runs. The zero value draws DefaultRuns runs and
// stops at the first violation.
type Options struct {
	Runs     int           // 0 = DefaultRuns
	MaxSteps int           // a run is cut off after so many steps, 0 = DefaultSteps
	Seed     uint64        // same seed, same runs
	MaxTime  time.Duration // 0 = no bound
	MaxBytes int64         // bound on the memory of the tables, 0 = no bound
	All      bool          // go on after a violation; keep the shortest run of each property
	// look for violations of this property alone, "" = of all; a run ends at the others either way
	Only     string
	Progress func(Result) // called now and then, may be nil
}

// The bounds of the zero value.
const (
	DefaultRuns  = 10_000
	DefaultSteps = 10_000
)

// Result is what a number of runs have shown.
type Result struct {
	Runs      int `json:"runs"`
	Steps     int `json:"steps"`
	Longest   int `json:"longest"`   // steps of the longest run
	Terminals int `json:"terminals"` // distinct states without progress
	Faults    int `json:"faults"`    // that struck, in all runs
	Cut       int `json:"cut"`       // runs that were cut off
	// number of the first run that shows a violation, from 1
	First   int           `json:"first,omitempty"`
	Bytes   int64         `json:"bytes"`
	Elapsed time.Duration `json:"elapsed"`
	// Violated or Unknown: samples never prove that something holds
	Verdict spec.Verdict    `json:"-"`
	Found   []checker.Found `json:"-"`
	Bound   string          `json:"-"` // what ended the sampling
}

// Draw draws runs of the system with a strategy. The first run is without faults; from it and the
// later ones the plans for faults know how long histories get.
func Draw(ctx context.Context, sys System, st Strategy, o Options) Result {
	s := &sampler{sys: sys, strategy: st, options: o,
		finds: checker.Finds[checker.Found]{Only: o.Only},
		bounds: checker.Bounds{Context: ctx, Began: time.Now(), MaxTime: o.MaxTime,
			MaxBytes: o.MaxBytes},
		x:       checker.NewExpansion(sys.Words()),
		initial: make([]uint32, sys.Words()), ends: map[string]bool{}}
	s.estimate.codes = map[uint64]int{}
	s.plan = plan{sys: sys, estimate: &s.estimate, budgets: sys.Budgets()}
	if s.options.Runs == 0 {
		s.options.Runs = DefaultRuns
	}
	if s.options.MaxSteps == 0 {
		s.options.MaxSteps = DefaultSteps
	}
	s.result.Verdict = spec.Unknown
	if v := sys.Initial(s.initial); v != 0 {
		s.found(v)
	}
	for !s.over && !s.limits() && s.result.Runs < s.options.Runs {
		s.run()
	}
	s.limits()
	if s.result.Bound == "" && !s.over {
		s.result.Bound = fmt.Sprintf("%d runs", s.result.Runs)
	}
	return s.result
}

// sampler is the state of Draw.
type sampler struct {
	sys      System
	strategy Strategy
	options  Options
	bounds   checker.Bounds
	finds    checker.Finds[checker.Found]
	x        *checker.Expansion
	estimate Lengths
	plan     plan
	initial  []uint32
	state    []uint32
	path     []uint64
	ends     map[string]bool // keys of terminal states
	key      []byte
	result   Result
	over     bool // no more runs
}

// run draws one run.
func (s *sampler) run() {
	number := uint64(s.result.Runs)
	s.result.Runs++
	s.strategy.Begin(rand.New(rand.NewPCG(s.options.Seed, 2*number+1)), &s.estimate)
	s.plan.begin(rand.New(rand.NewPCG(s.options.Seed, 2*number)), s.strategy, number > 0)
	s.state, s.path = append(s.state[:0], s.initial...), s.path[:0]
	complete := s.steps(number == 0)
	s.result.Longest = max(s.result.Longest, len(s.path))
	s.result.Faults += s.plan.struck
	// A run that was cut off would stretch the plans of all later ones to where hardly any fault
	// strikes.
	if complete || number == 0 {
		s.estimate.note(s.plan.struck, s.plan.taken)
	}
}

// steps takes the steps of a run; it reports whether the run came to its end.
func (s *sampler) steps(first bool) bool {
	c := Choice{System: s.sys, State: s.state}
	for {
		s.sys.Expand(s.state, checker.Unreduced, s.x)
		if !s.x.Progress() && !s.end() {
			return true
		}
		index := s.plan.candidates(s.x, &c)
		if len(c.Steps) == 0 {
			return true
		}
		if len(s.path) == s.options.MaxSteps {
			s.result.Cut++
			return false
		}
		if s.result.Steps%checker.LookEvery == 0 && s.limits() {
			return false
		}
		i := s.strategy.Pick(&c)
		step := c.Steps[i]
		s.path = append(s.path, step.Code)
		s.result.Steps++
		if first {
			s.estimate.codes[step.Code]++
		}
		if step.Violation != 0 {
			s.found(step.Violation)
			return true
		}
		s.plan.took(step)
		s.state = s.x.State(index[i], s.state[:0])
		c.State = s.state
	}
}

// end judges the state at hand, which has no progress; it reports whether the run may go on with a
// fault.
func (s *sampler) end() bool {
	if end := checker.Key(s.state, &s.key); !s.ends[string(end)] {
		s.ends[string(end)] = true
		s.result.Terminals++
	}
	if v := s.sys.Terminal(s.state); v != 0 {
		s.found(v)
		return false
	}
	return true
}

// found keeps the shortest run of each property.
func (s *sampler) found(number int) {
	v := s.sys.Violation(number)
	if !s.finds.Keep(v, len(s.path), func() checker.Found {
		return checker.Found{Violation: v, Path: slices.Clone(s.path)}
	}) {
		return
	}
	s.result.Found = s.finds.Runs()
	if s.result.Verdict = spec.Violated; s.result.First == 0 {
		s.result.First = max(1, s.result.Runs)
	}
	s.over = s.over || !s.options.All
}

// limits looks at the clock, the memory and the caller, and shows progress; it reports whether to
// stop now.
func (s *sampler) limits() bool {
	r := &s.result
	r.Elapsed = time.Since(s.bounds.Began)
	r.Bytes = int64(len(s.ends))*48 + checker.TableBytes(s.sys)
	if s.options.Progress != nil {
		s.options.Progress(*r)
	}
	if !s.over && r.Bound == "" {
		r.Bound = s.bounds.Over(r.Bytes)
	}
	return s.over || r.Bound != ""
}
