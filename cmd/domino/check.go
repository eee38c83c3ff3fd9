package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/catalog"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// searchFlags direct the search of check and errata.
type searchFlags struct {
	order     string
	noReduce  bool
	exact     bool
	maxStates int
	maxMemory int64
	timeout   time.Duration
	workers   int
	json      bool
	save      string
	control   bool
}

func (s *searchFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&s.exact, "exact", false, "store whole states instead of 128-bit fingerprints")
	f.IntVar(&s.maxStates, "max-states", 0, "stop after so many states; 0 = no limit")
	f.Int64Var(&s.maxMemory, "max-memory", 8192, "stop when the tables of one search take so many MiB; 0 = no limit")
	f.DurationVar(&s.timeout, "timeout", 0, "stop one search after this time; 0 = no limit")
	f.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "scenarios explored at the same time")
	f.StringVar(&s.save, "save", ".domino", "folder for replay files of violations; \"\" saves none")
	f.BoolVar(&s.control, "control", false, "show control messages in diagrams, too")
	f.BoolVar(&s.json, "json", false, "print JSON, one object a line")
}

func (s *searchFlags) options() (checker.Options, error) {
	order, err := checker.ParseOrder(s.order)
	if err != nil {
		return checker.Options{}, err
	}
	if s.maxStates < 0 || s.maxMemory < 0 || s.timeout < 0 || s.workers < 1 {
		return checker.Options{}, fmt.Errorf("limits must not be negative, and workers at least 1")
	}
	return checker.Options{Order: order, Reduce: order == checker.DepthFirst && !s.noReduce, Exact: s.exact, MaxStates: s.maxStates,
		MaxBytes: s.maxMemory << 20, MaxTime: s.timeout}, nil
}

// row is the result of one scenario.
type row struct {
	Name        string          `json:"scenario"`
	Variant     string          `json:"variant"`
	Verdict     spec.Verdict    `json:"verdict"`
	Expect      string          `json:"expect"`
	AsExpected  bool            `json:"asExpected"`
	Why         string          `json:"why,omitempty"` // what is not as expected, or why there is no verdict
	Bounds      string          `json:"bounds"`
	States      int             `json:"states"`
	Transitions int             `json:"transitions"`
	Terminals   int             `json:"terminals"`
	Depth       int             `json:"depth"`
	LocalSteps  int             `json:"localSteps"`
	Bytes       int64           `json:"bytes"`
	Seconds     float64         `json:"seconds"`
	Seen        []string        `json:"seen,omitempty"`
	Unseen      []string        `json:"unseen,omitempty"` // what no run showed although it could be expected
	Violation   *spec.Violation `json:"violation,omitempty"`
	Length      int             `json:"length,omitempty"` // steps of the run that breaks it
	Replay      string          `json:"replay,omitempty"` // file with that run

	outcome  *world.Outcome
	scenario *scenarios.Scenario
	err      error
}

func runCheck(ctx context.Context, args []string, io streams) (int, error) {
	f := flags("check", "[SCENARIO | FILE ...]", io, "check", "check s1 's0*'", "check s1 --failures 2 --timeout 1m",
		"check s1 --variant published --search bfs", "check my.txtar --json")
	var sf searchFlags
	var variant string
	var failures, checkpoints int
	f.StringVar(&sf.order, "search", "dfs", "dfs (reduced) or bfs (shortest counterexample)")
	f.BoolVar(&sf.noReduce, "no-reduce", false, "explore every interleaving")
	f.StringVar(&variant, "variant", "", "repaired, published, or repaired+ERRATUM, instead of the scenario's")
	f.IntVar(&failures, "failures", -1, "failures, instead of the scenario's")
	f.IntVar(&checkpoints, "checkpoints", -1, "spontaneous checkpoints, instead of the scenario's")
	sf.register(f)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	o, err := sf.options()
	if err != nil {
		return 0, err
	}
	list, err := selectScenarios(f.Args())
	if err != nil {
		return 0, err
	}
	for _, name := range []string{"failures", "checkpoints"} {
		if n, _ := f.GetInt(name); f.Changed(name) && (n < 0 || n > fault.Max) {
			return 0, fmt.Errorf("budget %s is %d, want [0, %d]", name, n, fault.Max)
		}
	}
	changed := variant != "" || failures >= 0 || checkpoints >= 0 || sf.order != "dfs" || sf.noReduce
	for _, s := range list {
		if variant != "" {
			s.Variant = variant
		}
		if failures >= 0 {
			s.Model.Failures = failures
		}
		if checkpoints >= 0 {
			s.Model.Checkpoints = checkpoints
		}
		if changed {
			s.States = 0
			if variant != "" || failures >= 0 || checkpoints >= 0 {
				s.Expect, s.Breaks, s.MustSee = "holds", "", nil
			}
		}
	}
	return checkAll(ctx, list, o, &sf, io)
}

// checkAll runs the scenarios, prints them in order and returns the exit code.
func checkAll(ctx context.Context, list []*scenarios.Scenario, o checker.Options, sf *searchFlags, io streams) (int, error) {
	began := time.Now()
	p := newProgress(io.err, len(list))
	t := newTable(io.out, list)
	var failed error
	code := 0
	pool(ctx, sf.workers, len(list), func(ctx context.Context, job int) *row {
		r := checkOne(ctx, list[job], list[job].Variant, o, p)
		p.finished(list[job].Name)
		return r
	}, func(_ int, r *row) {
		if r.err != nil && failed == nil {
			failed = r.err
		}
		if r.err != nil {
			return
		}
		r.save(sf.save, io.err)
		if sf.json {
			_ = json.NewEncoder(io.out).Encode(r) // a closed pipe shows on the next write of the shell
		} else {
			t.row(r)
		}
		if !r.AsExpected && (code == 0 || exitCode(r.Verdict) < code) {
			code = max(1, exitCode(r.Verdict))
		}
		if !sf.json && len(r.outcomeRuns()) > 0 && (len(list) == 1 || !r.AsExpected) {
			r.show(io.out, sf.control)
		}
	})
	if failed != nil {
		return 0, failed
	}
	if !sf.json {
		t.summary(time.Since(began))
	}
	return code, nil
}

// checkOne answers one scenario in one variant.
func checkOne(ctx context.Context, s *scenarios.Scenario, variant string, o checker.Options, p *progress) *row {
	c := *s
	c.Variant = variant
	r := &row{Name: s.Name, Variant: variant, Expect: s.Expect, scenario: &c, Bounds: bounds(&s.Model)}
	if variant != "repaired" {
		r.Bounds += "; " + variant
	}
	resolved, err := catalog.Resolve(&c)
	if err != nil {
		r.err = err
		return r
	}
	o.Progress = p.report(s.Name)
	q := world.Case{Setup: resolved.Setup, Baseline: resolved.Baseline, Model: resolved.Model, MustSee: s.MustSee, Force: s.Force}
	out, err := world.Check(ctx, q, o)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", s.Name, err)
		return r
	}
	r.outcome, r.Verdict, r.Why, r.Seen = out, out.Verdict, out.Reason, out.Seen
	r.Unseen = out.Unseen
	r.States, r.Transitions, r.Terminals, r.Depth = out.States, out.Transitions, out.Terminals, out.Depth
	r.LocalSteps, r.Bytes, r.Seconds = out.LocalSteps, out.Bytes, out.Elapsed.Seconds()
	if len(out.Found) > 0 {
		r.Violation, r.Length = &out.Found[0].Violation, len(out.Found[0].Path)
		r.Why = out.Found[0].Property + ": " + out.Found[0].Message
	}
	r.compare(s)
	return r
}

// compare says whether the result is what the scenario expects.
func (r *row) compare(s *scenarios.Scenario) {
	r.AsExpected = true
	not := func(format string, args ...any) {
		r.AsExpected = false
		r.Why = strings.TrimSuffix(fmt.Sprintf(format, args...)+"; "+r.Why, "; ")
	}
	switch {
	case r.Verdict.String() != s.Expect:
		not("%s, expected %s", r.Verdict, s.Expect)
	case s.Breaks != "" && r.Violation != nil && r.Violation.Property != s.Breaks:
		not("breaks %s, expected %s", r.Violation.Property, s.Breaks)
	case s.States != 0 && r.States != s.States:
		not("%d states, expected %d", r.States, s.States)
	}
}

func (r *row) outcomeRuns() []*world.Run {
	if r.outcome == nil {
		return nil
	}
	return r.outcome.Runs
}

// bounds says within what a verdict holds.
func bounds(m *fault.Model) string {
	var words []string
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			words = append(words, "1 "+one)
		case n > 1:
			words = append(words, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(m.Failures, "failure", "failures")
	if m.OneInstant {
		words = append(words, "all at once")
	} else if m.AtOnce > 1 {
		words = append(words, fmt.Sprintf("%d at once", m.AtOnce))
	}
	if m.Settled && m.Failures > 1 {
		words[0] += " one after the other"
	}
	add(m.Checkpoints, "checkpoint", "checkpoints")
	add(m.Loss, "loss", "losses")
	add(m.Duplicates, "duplicate", "duplicates")
	add(m.Suspicions, "suspicion", "suspicions")
	add(m.Torn, "torn write", "torn writes")
	if len(words) == 0 {
		return "no failures"
	}
	return strings.Join(words, ", ")
}
