package app

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
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// searchFlags direct the search of check and errata.
type searchFlags struct {
	order     string
	samples   *sampleFlags // nil when the command only searches
	reduce    string
	exact     bool
	lasso     bool
	estimate  bool
	maxStates int
	maxMemory int64
	timeout   time.Duration
	workers   int
	json      bool
	save      string
	control   bool
	saveRun   string
	saveEvery time.Duration
	resume    string
	disk      string
}

func (s *searchFlags) register(f *pflag.FlagSet) {
	f.BoolVar(&s.exact, "exact", false, "store whole states instead of 128-bit fingerprints")
	f.IntVar(&s.maxStates, "max-states", 0, "stop after so many states; 0 = no limit")
	f.Int64Var(&s.maxMemory, "max-memory", 8192,
		"stop when the tables of one search take so many MiB; 0 = no limit")
	f.DurationVar(&s.timeout, "timeout", 0, "stop one search after this time; 0 = no limit")
	f.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0),
		"goroutines that explore: one a scenario, or more where there are fewer scenarios")
	f.StringVar(&s.save, "save", ".domino",
		"folder for replay files of violations; \"\" saves none")
	f.BoolVar(&s.control, "control", false, "show control messages in diagrams, too")
	f.BoolVar(&s.json, "json", false,
		"print JSON, one object a line; progress goes to standard error, in JSON, too")
}

func (s *searchFlags) options() (checker.Options, error) {
	order, err := checker.DepthFirst, error(nil)
	if !s.sampling() {
		if order, err = checker.ParseOrder(s.order); err != nil {
			return checker.Options{}, s.unknown(err)
		}
	}
	if s.maxStates < 0 || s.maxMemory < 0 || s.timeout < 0 || s.workers < 1 {
		return checker.Options{}, fmt.Errorf("limits must not be negative, and workers at least 1")
	}
	o := checker.Options{Order: order, Lasso: s.lasso, Exact: s.exact, MaxStates: s.maxStates,
		MaxBytes: s.maxMemory << 20, MaxTime: s.timeout}
	switch {
	case order == checker.StatelessOptimal && s.exact:
		return checker.Options{}, fmt.Errorf(
			"--exact has no meaning with --search odpor, which remembers no states")
	case order == checker.StatelessOptimal && s.reduce != "":
		return checker.Options{}, fmt.Errorf(
			"--reduce contradicts --search odpor, which takes one run of each trace; want " +
				"--search dfs")
	case s.reduce != "":
		if o.Reduce, err = checker.ParseReduction(s.reduce); err != nil {
			return checker.Options{}, err
		}
	case order == checker.DepthFirst && !s.lasso:
		o.Reduce = defaultReduction
	}
	if o.Exact && o.Reduce.Has(checker.Sleep) {
		return checker.Options{}, fmt.Errorf(
			"sleep sets are kept with fingerprints: --exact contradicts --reduce %s", s.reduce)
	}
	return o, nil
}

// defaultReduction is that of a depth-first search. Sleep sets cost more than the steps that they
// save.
const defaultReduction = checker.Singletons | checker.Crashes | checker.Symmetry

// row is the result of one scenario.
type row struct {
	Name       string       `json:"scenario"`
	Variant    string       `json:"variant"`
	Verdict    spec.Verdict `json:"verdict"`
	Expect     string       `json:"expect"`
	AsExpected bool         `json:"asExpected"`
	// what is not as expected, or why there is no verdict
	Why         string `json:"why,omitempty"`
	Bounds      string `json:"bounds"`
	States      int    `json:"states"`
	Transitions int    `json:"transitions"`
	Terminals   int    `json:"terminals"`
	// of the longest path, 0 when several workers follow paths
	Depth int `json:"depth"`
	// of odpor: complete runs, one of each Mazurkiewicz trace
	Traces     int             `json:"traces,omitempty"`
	Violating  int             `json:"violating,omitempty"` // of odpor: runs that a violation cuts
	LocalSteps int             `json:"localSteps"`
	Saved      checker.Savings `json:"saved"` // by reductions
	// bound on the chance that a collision of fingerprints hid a state
	Collision float64 `json:"collision,omitempty"`
	// of memory at the peak, frontier included
	Bytes   int64    `json:"bytes"`
	Seconds float64  `json:"seconds"`
	Seen    []string `json:"seen,omitempty"`
	// what no run showed although it could be expected
	Unseen    []string        `json:"unseen,omitempty"`
	Violation *spec.Violation `json:"violation,omitempty"`
	Length    int             `json:"length,omitempty"` // steps of the run that breaks it
	Replay    string          `json:"replay,omitempty"` // file with that run
	Run       string          `json:"run,omitempty"`    // file with a search that was ended early
	Samples   *samples        `json:"samples,omitempty"`

	outcome  *world.Outcome
	scenario *scenarios.Scenario
	err      error
}

func runCheck(ctx context.Context, args []string, io streams) (int, error) {
	f := flags("check", "[SCENARIO | FILE ...]", io, "check", "check --long", "check s1 's0*'",
		"check s1 --failures 2 --timeout 1m",
		"check s1 --set to-dead=kept --set victims=x",
		"check s1 --variant published --search bfs",
		"check ring3 --search pos --runs 100000 --seed 7", "check my.txtar --json",
		"check s0 --save-run s0.run", "check s0 --resume s0.run")
	var sf searchFlags
	var changed overrides
	var long bool
	f.StringVar(&sf.order, "search", "dfs",
		"dfs (reduced), bfs (shortest counterexample), odpor (stateless, one run of each trace), "+
			"or draw runs: random, pos, pctcp, urw")
	f.StringVar(&sf.reduce, "reduce", "",
		"none, all, or a list of singletons,crashes,sleep,sets,symmetry (default "+
			"singletons,crashes,symmetry; none for bfs)")
	sf.samples = registerSamples(f)
	f.BoolVar(&sf.lasso, "lasso", false,
		"look for runs that go on for ever, too: depth first, not reduced")
	changed.register(f)
	f.BoolVar(&long, "long", false, "without names: the scenarios that take long, too")
	f.BoolVar(&sf.estimate, "estimate", false,
		"explore only the beginning and guess how large the whole is")
	sf.register(f)
	sf.registerRun(f)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := sf.contradictions(f); err != nil {
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
	if f.NArg() == 0 && !long {
		list = quick(list, io.err)
	}
	if err := sf.addRun(&o, f, len(list), io.err); err != nil {
		return 0, err
	}
	for _, s := range list {
		if sf.order != "dfs" || sf.reduce != "" || sf.lasso {
			s.States = 0
		}
		if err := changed.apply(s); err != nil {
			return 0, err
		}
	}
	if sf.estimate {
		return estimateAll(ctx, list, o, &sf, io)
	}
	return checkAll(ctx, list, o, &sf, io)
}

// checkAll runs the scenarios, prints them in order and returns the exit code.
func checkAll(ctx context.Context, list []*scenarios.Scenario, o checker.Options, sf *searchFlags,
	io streams) (int, error) {
	began := time.Now()
	p := newProgress(io.err, len(list), sf.json)
	o.Workers = max(1, sf.workers/max(1, len(list)))
	t := newTable(io.out, list)
	t.traces = o.Order == checker.StatelessOptimal
	var failed error
	code := 0
	pool(ctx, sf.workers, len(list), func(ctx context.Context, job int) *row {
		var r *row
		if sf.sampling() {
			r = sampleOne(ctx, list[job], sf, p)
		} else {
			r = checkOne(ctx, list[job], list[job].Variant, o, p)
		}
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
			// a closed pipe shows on the next write of the shell
			_ = json.NewEncoder(io.out).Encode(r)
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

// checkOne answers one scenario in one variant by a search.
func checkOne(ctx context.Context, s *scenarios.Scenario, variant string, o checker.Options,
	p *progress) *row {
	o.Progress = p.report(s.Name)
	return answer(s, variant, func(q world.Case) (*world.Outcome, error) {
		return world.Check(ctx, q, o)
	})
}

// answer asks about one scenario in one variant and compares.
func answer(s *scenarios.Scenario, variant string,
	ask func(world.Case) (*world.Outcome, error)) *row {
	c := *s
	c.Variant = variant
	r := &row{Name: s.Name, Variant: variant, Expect: s.Expect, scenario: &c,
		Bounds: s.Within()}
	if variant != "repaired" {
		r.Bounds += "; " + variant
	}
	resolved, err := catalog.Resolve(&c)
	if err != nil {
		r.err = err
		return r
	}
	q := world.Case{Setup: resolved.Setup, Baseline: resolved.Baseline, Model: resolved.Model,
		MustSee: s.MustSee, Force: s.Force,
		Interchangeable: resolved.Interchangeable, Subject: string(scenarios.Format(&c))}
	out, err := ask(q)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", s.Name, err)
		return r
	}
	r.outcome, r.Verdict, r.Why, r.Seen = out, out.Verdict, out.Reason, out.Seen
	r.Unseen = out.Unseen
	r.Traces, r.Violating = out.Traces, out.Violating
	r.States, r.Transitions, r.Terminals, r.Depth = out.States, out.Transitions, out.Terminals,
		out.Depth
	if out.Fingerprints {
		r.Collision = checker.Collision(out.States)
	}
	r.LocalSteps, r.Saved, r.Bytes, r.Seconds = out.LocalSteps, out.Saved, out.Peak,
		out.Elapsed.Seconds()
	if len(out.Found) > 0 {
		r.Violation, r.Length = &out.Found[0].Violation, len(out.Found[0].Path)
		r.Why = out.Found[0].Property + ": " + out.Found[0].Message
	}
	r.Samples = samplesOf(out)
	if out.File != "" {
		r.Run = out.File
		r.Why += "; saved, goes on with: domino check --resume " + out.File +
			" and the same arguments"
	}
	if out.Unsaved != nil {
		r.Why += "; not saved: " + out.Unsaved.Error()
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
