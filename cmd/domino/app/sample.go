package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// sampleFlags direct the drawing of runs.
type sampleFlags struct {
	runs     int
	maxSteps int
	seed     uint64
	depth    int
}

// pctcpDepth is the depth of bugs that PCTCP looks for unless told: most known bugs need no more
// ordered events.
const pctcpDepth = 3

func registerSamples(f *pflag.FlagSet) *sampleFlags {
	var s sampleFlags
	f.IntVar(&s.runs, "runs", sample.DefaultRuns, "runs to draw")
	f.IntVar(&s.maxSteps, "max-steps", sample.DefaultSteps,
		"cut a run that is drawn off after so many steps")
	f.Uint64Var(&s.seed, "seed", 1, "same seed, same runs")
	f.IntVar(&s.depth, "depth", pctcpDepth,
		"with pctcp: how many events a bug needs in one certain order")
	return &s
}

// sampling reports whether runs are drawn instead of searched for.
func (s *searchFlags) sampling() bool {
	return s.samples != nil && slices.Contains(sample.Strategies(), s.order)
}

// contradictions reports flags that mean nothing with the chosen search.
//
// A search for endless runs is depth first: a cycle is seen from inside.
func (s *searchFlags) contradictions(f *pflag.FlagSet) error {
	refuse := func(why string, names ...string) error {
		for _, n := range names {
			if f.Changed(n) {
				return fmt.Errorf("--%s contradicts --search %s: %s", n, s.order, why)
			}
		}
		return nil
	}
	if s.estimate && s.order != "dfs" && s.order != "bfs" {
		return fmt.Errorf("--estimate is about the states of a search: it contradicts --search %s",
			s.order)
	}
	for _, n := range []string{"lasso", "save-run", "resume", "disk", "max-states",
		"certificate"} {
		if s.estimate && f.Changed(n) {
			return fmt.Errorf("--estimate explores only the beginning: it contradicts --%s", n)
		}
	}
	if s.proof != "" && s.order != "dfs" && s.order != "bfs" {
		return fmt.Errorf("--certificate is of all states: it contradicts --search %s", s.order)
	}
	if s.lasso && s.order != "dfs" {
		return fmt.Errorf("--lasso is a depth-first search: it contradicts --search %s", s.order)
	}
	if s.lasso && s.proof != "" {
		return errors.New("--certificate says nothing of endless runs: it contradicts --lasso")
	}
	if s.lasso && s.reduce != "" && s.reduce != "none" {
		return fmt.Errorf("--lasso needs every step: it contradicts --reduce %s", s.reduce)
	}
	if !s.sampling() {
		return refuse("only "+strings.Join(sample.Strategies(), ", ")+" draw runs", "runs",
			"max-steps", "seed", "depth")
	}
	if err := refuse("a run that is drawn is not reduced, and no states are stored", "reduce",
		"max-states"); err != nil {
		return err
	}
	if err := within(f, positive("runs max-steps")); err != nil {
		return err
	}
	if s.order != "pctcp" {
		return refuse("only pctcp has a depth", "depth")
	}
	_, err := sample.ParseStrategy(s.order, s.samples.depth)
	return err
}

// unknown adds to the error about a search what else there is.
func (s *searchFlags) unknown(err error) error {
	if s.samples == nil {
		return err
	}
	return fmt.Errorf("%w, or %s", err, strings.Join(sample.Strategies(), ", "))
}

// sampleOne answers one scenario by drawing runs.
func sampleOne(ctx context.Context, s *scenarios.Scenario, sf *searchFlags, std streams,
	p *progress) *row {
	strategy, err := sample.ParseStrategy(sf.order, sf.samples.depth)
	if err != nil {
		return &row{err: err}
	}
	o := sample.Options{Runs: sf.samples.runs, MaxSteps: sf.samples.maxSteps,
		Seed: sf.samples.seed, MaxTime: sf.timeout, MaxBytes: sf.maxMemory << 20,
		Progress: p.sampled(s.Name)}
	r := ask(std, s, func(q world.Case) (*world.Outcome, error) {
		return world.Sample(ctx, q, strategy, o)
	})
	if r.err == nil && r.Samples != nil {
		r.Samples.Strategy, r.Samples.Seed = sf.order, sf.samples.seed
		r.drawn(r.Samples.Runs >= o.Runs)
	}
	return r
}

// drawn says of runs that break nothing that they prove nothing, if all that were asked for were
// drawn: that is no failure of anything, and no answer.
func (r *row) drawn(all bool) {
	if r.Sampled = all && r.Verdict == spec.Unknown; r.Sampled {
		r.Why = r.Outcome.Reason
		if r.Expect != spec.Holds.String() {
			r.Why += "; expected " + r.Expect
		}
	}
}

// code is the exit code for one scenario.
func (r *row) code() int {
	switch {
	case r.AsExpected:
		return 0
	case r.Sampled:
		return exitSampled
	}
	return max(1, exitCode(r.Verdict))
}
