package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// runFlags direct the runs as goroutines.
type runFlags struct {
	soak    soak.Options
	show    bool
	save    string
	control bool
	json    bool
	workers int
	out     *outputs
	record  recorder
}

func (rf *runFlags) register(f *pflag.FlagSet, std streams) {
	f.Uint64Var(&rf.soak.Seed, "seed", 1,
		"same seed, same runs and output but for times, unless --parallel, --real or --for")
	f.IntVar(&rf.soak.Runs, "runs", soak.DefaultRuns,
		"runs, each with failures of its own within the budgets of the scenario; the first is "+
			"without")
	f.DurationVar(&rf.soak.MaxTime, "for", 0,
		"make runs for so long, not --runs unless that is given, too")
	f.IntVar(&rf.soak.MaxSteps, "max-steps", local.DefaultSteps,
		"cut a run off after so many steps")
	f.BoolVar(&rf.soak.Parallel, "parallel", false,
		"let goroutines run at the same time, not one after the other: what happens depends on "+
			"the machine, too")
	f.BoolVar(&rf.soak.Real, "real", false, "in real time; implies --parallel")
	f.BoolVar(&rf.soak.Retrace, "retrace", false,
		"repeat every run in the world of check, step by step, and compare")
	f.IntVar(&rf.workers, "workers", runtime.GOMAXPROCS(0), "scenarios at the same time")
	f.StringVar(&rf.save, "save", ".domino",
		"folder for replay files of violations; \"\" saves none")
	f.StringVar(&rf.record.dir, "dir", "",
		"new or empty folder for the run of each scenario that breaks something, else the last, "+
			"for domino report: as run.json or, of several scenarios, in a folder of each")
	f.BoolVar(&rf.show, "show", false, "show the last run, too, when no run breaks anything")
	f.BoolVar(&rf.control, "control", false, "show control messages in diagrams, too")
	f.BoolVar(&rf.json, "json", false, "print JSON, one object a line")
	rf.out = registerOutputs(f, std)
}

func runRun(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("run", "[SCENARIO | FILE ...]", std, "run s1", "run s1 --variant published --seed 7",
		"run 'causal-*' --runs 5000 --parallel", "run ping --runs 1 --show",
		"run s0 --for 30s --real", "run s1 --dir s1-run",
		"run .domino/s1-published.txtar --enforce")
	var rf runFlags
	var changed overrides
	rf.register(f, std)
	enforce := f.Bool("enforce", false,
		"enforce the schedule of a replay file on the goroutines instead of drawing runs")
	changed.register(f)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if err := errors.Join(within(f, positive("runs max-steps"), notNegative("for"), ofWorkers()),
		rf.out.open()); err != nil {
		return 0, err
	}
	if rf.soak.MaxTime > 0 && !f.Changed("runs") {
		rf.soak.Runs = math.MaxInt
	}
	if *enforce {
		if err := enforceAlone(f); err != nil {
			return 0, err
		}
		return enforceFile(ctx, f.Arg(0), &rf, std)
	}
	list, err := std.chosen(ctx, f.Args())
	if err != nil {
		return 0, err
	}
	for _, s := range list {
		s.States = 0
		if err := changed.apply(s); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(std.resolvable(ctx, list), rf.record.open(len(list))); err != nil {
		return 0, err
	}
	return runAll(ctx, list, &rf, std)
}

// enforceAlone says what contradicts --enforce.
func enforceAlone(f *pflag.FlagSet) error {
	for _, n := range []string{"seed", "runs", "for", "parallel", "real", "retrace", "variant",
		"failures", "checkpoints", "set", "show", "max-steps"} {
		if f.Changed(n) {
			return fmt.Errorf("--enforce does what the schedule says: it contradicts --%s", n)
		}
	}
	if f.NArg() != 1 {
		return fmt.Errorf("--enforce wants one replay file, got %d arguments", f.NArg())
	}
	return nil
}

// ran is one scenario that was run.
type ran struct {
	*row
	soaked *soak.Outcome
}

// runAll runs the scenarios, prints what they show in order, and returns the exit code.
func runAll(ctx context.Context, list []*scenarios.Scenario, rf *runFlags, std streams) (int,
	error) {
	began := time.Now()
	p := newProgress(std.err, len(list), rf.json)
	t := newTable(std.out, list)
	var failed error
	code, left := 0, 0
	pool(ctx, rf.workers, len(list), func(ctx context.Context, job int) ran {
		if ctx.Err() != nil {
			return ran{}
		}
		r := runOne(ctx, list[job], rf, std, p)
		p.finished(list[job].Name)
		return r
	}, func(job int, r ran) {
		if r.row == nil {
			left++
			rf.out.left(list[job])
			return
		}
		if r.err != nil {
			rf.out.failed(list[job], r.err)
			failed = errors.Join(failed, r.err)
			return
		}
		r.save(rf.save, std.err)
		rf.out.row(r.row, "")
		if rf.json {
			// a closed pipe shows on the next write of the shell
			_ = printJSON(std.out, r.row)
		} else {
			t.row(r.row)
		}
		code = worse(code, r.code())
		switch {
		case rf.json:
		case r.Story() != nil && (len(list) == 1 || !r.AsExpected):
			r.show(std.out, rf.control)
		case rf.show && r.soaked != nil && r.soaked.Last != nil:
			r.showLast(std.out, rf.control)
		}
		failed = errors.Join(failed, rf.record.take(&r))
	})
	if failed != nil {
		return 0, failed
	}
	if !rf.json {
		t.summary(time.Since(began))
	}
	return leftOver(std, left, len(list), "scenarios", code), nil
}

// hangsAfter is how long a step of a machine may take, which does nothing but compute.
const hangsAfter = 30 * time.Second

// runOne runs one scenario.
func runOne(ctx context.Context, s *scenarios.Scenario, rf *runFlags, std streams,
	p *progress) ran {
	var soaked *soak.Outcome
	o := rf.soak
	o.MaxStep = hangsAfter
	show := p.sampled(s.Name)
	o.Progress = func(st soak.Stats) { show(samplesOfRuns(st, nil)) }
	r := ask(std, s, func(q world.Case) (*world.Outcome, error) {
		out, err := soak.Soak(ctx, q, o)
		if err != nil {
			return nil, err
		}
		soaked = out
		if f := out.Found; f != nil && f.Stale != nil {
			return nil,
				fmt.Errorf("run %d with seed %d breaks %s (%s), but it is no run of the world: %w",
					f.Number, o.Seed, f.Violation.Property,
					f.Violation.Message, f.Stale)
		}
		return outcomeOfRuns(out), nil
	})
	if r.err == nil && r.Samples != nil {
		r.Samples.Strategy, r.Samples.Seed = "goroutines", o.Seed
		r.drawn(ctx.Err() == nil)
	}
	if r.err == nil && soaked != nil && soaked.Found != nil && len(soaked.Found.Local.Waits) > 0 {
		r.Why += "\n" + strings.Join(soaked.Found.Local.Waits, "\n")
	}
	return ran{r, soaked}
}

// outcomeOfRuns is what runs have shown, in the shape of what a search finds.
func outcomeOfRuns(out *soak.Outcome) *world.Outcome {
	samples := samplesOfRuns(out.Stats, out.Found)
	w := &world.Outcome{Reason: out.Reason, Seen: out.Seen, World: out.World, Samples: &samples}
	w.Result = checker.Result{Verdict: out.Verdict,
		Stats: checker.Stats{Transitions: out.Steps, Depth: out.Longest, Elapsed: out.Elapsed}}
	if out.World == nil {
		w.Samples = nil
	}
	if f := out.Found; f != nil {
		w.Found = []checker.Found{{Violation: f.Violation,
			Path: make([]uint64, len(f.Run.Schedule))}}
		// otherwise it takes two runs that differ, and one of them replays as fine
		if f.Run.Violation != nil {
			w.Runs = []*world.Run{f.Run}
		}
	}
	return w
}

// samplesOfRuns are the figures of runs in those of a sample.
func samplesOfRuns(st soak.Stats, f *soak.Finding) sample.Result {
	s := sample.Result{Runs: st.Runs, Steps: st.Steps, Longest: st.Longest, Faults: st.Failures,
		Cut: st.Cut, Elapsed: st.Elapsed}
	if f != nil {
		s.First = f.Number
	}
	return s
}

// showLast prints the last run.
func (r *ran) showLast(w io.Writer, control bool) {
	run, err := r.last()
	if err != nil {
		fmt.Fprintln(w, err)
		return
	}
	printStory(w, run, control)
}

// enforceFile enforces the schedule of a replay file, and judges what the goroutines do.
func enforceFile(ctx context.Context, file string, rf *runFlags, std streams) (int, error) {
	s, err := loadReplay(ctx, file)
	if err = errors.Join(err, rf.record.open(1)); err != nil {
		return 0, err
	}
	resolved, err := std.Resolve(s)
	if err != nil {
		return 0, err
	}
	w, _, err := world.Open(ctx, cutting(resolved.Case), checker.Options{})
	if err != nil {
		return 0, err
	}
	r, stale := local.Run(ctx, resolved.Setup,
		local.Config{Model: resolved.Model, Schedule: s.Schedule, MaxStep: hangsAfter})
	if stale != nil && !errors.Is(stale, local.ErrStale) {
		return 0, stale
	}
	judge, err := soak.NewJudge(w.Facts)
	if err != nil {
		return 0, err
	}
	v, err := judge.Run(r)
	if err != nil {
		return 0, err
	}
	run, err := soak.Retrace(w, r, v)
	if err != nil {
		return 0, fmt.Errorf("what the goroutines did is no run of the world: %w", err)
	}
	story := told(verify.Story(s, w, run, v), "domino run "+word(file)+" --enforce")
	if rf.json {
		err = report.JSON(std.out, story)
	} else {
		printStory(std.out, story, rf.control)
	}
	if err != nil {
		return 0, err
	}
	run.Violation, run.Complete = v, r.Complete
	code, why := verdictOf(s, w, run, stale)
	if v == nil && stale == nil && !r.Complete { // also where the property compares runs
		code, why = exitCode(spec.Unknown),
			"unknown: the run breaks nothing, but the schedule ends before the run does"
	}
	fmt.Fprintln(std.err, why)
	rf.out.replayed(s, code, why, story)
	return code, rf.record.write(s.Name, story)
}
