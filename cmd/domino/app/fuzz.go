package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/fuzz"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
)

// fuzzFlags are what the command line says.
type fuzzFlags struct {
	time    time.Duration
	runs    int
	seed    uint64
	variant string
	mix     string
	ignore  []string
	corpus  string
	fresh   bool
	all     bool
	shrink  int
	workers int
	json    bool
	control bool
	flags   *pflag.FlagSet
	out     *outputs
	far     *farmFlags
	farm    *farm // nil: runs are drawn here
}

// fuzzed is the result for one protocol as JSON.
type fuzzed struct {
	versioned
	Protocol string       `json:"protocol"`
	Variant  string       `json:"variant"`
	Seed     uint64       `json:"seed"`
	Verdict  spec.Verdict `json:"verdict"`
	Seconds  float64      `json:"seconds"`
	Rate     int          `json:"rate"`               // runs a second
	Unjudged []string     `json:"unjudged,omitempty"` // properties that the runs were not judged by
	fuzz.Result
	Files []string `json:"files,omitempty"` // of the failures; "": not saved
}

func runFuzz(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("fuzz", "[PROTOCOL ...]", std, "fuzz", "fuzz hydee --for 1m",
		"fuzz hydee --variant repaired+H12a --seed 7",
		"fuzz camel --mix pos=2,feedback=1 --all --ignore log-pruned",
		"fuzz rbml --runs 100000 --corpus '' --json",
		"replay .domino/fuzz/hydee/fuzz-hydee-terminates-5.txtar")
	ff := fuzzFlags{flags: f}
	f.DurationVar(&ff.time, "for", 30*time.Second,
		"time to draw runs, shared by the protocols; 0 = no limit")
	f.IntVar(&ff.runs, "runs", 0, "runs to draw for each protocol; 0 = no limit")
	f.Uint64Var(&ff.seed, "seed", 1, "same seed, same scenarios and runs")
	f.StringVar(&ff.variant, "variant", "repaired", "repaired, published, or repaired+ERRATUM")
	f.StringVar(&ff.mix, "mix", "", "strategies with their shares, of "+strings.Join(
		fuzz.Strategies(), ", ")+" (default pos=25,pctcp=25,urw=20,random=15,feedback=15)")
	f.BoolVar(&ff.all, "all", false, "go on after a failure, until each property was broken once")
	f.StringSliceVar(&ff.ignore, "ignore", nil, "properties that may be broken")
	f.StringVar(&ff.corpus, "corpus", filepath.Join(".domino", "fuzz"),
		"folder for failures, which are run again first, and for how far drawing has come; \"\" "+
			"keeps nothing")
	f.BoolVar(&ff.fresh, "fresh", false,
		"draw from the first scenario of the seed again, instead of going on")
	f.IntVar(&ff.shrink, "shrink", fuzz.DefaultShrink,
		"smaller scenarios to try for each failure; -1 = none")
	f.IntVar(&ff.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that draw runs")
	f.BoolVar(&ff.control, "control", false, "show control messages in diagrams, too")
	f.BoolVar(&ff.json, "json", false,
		"print JSON, one object a protocol; progress goes to standard error, in JSON, too")
	ff.far = registerFarm(f, std)
	ff.out = registerOutputs(f, std)
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	names, options, err := ff.options(std, f.Args())
	if err = errors.Join(err, ff.out.open()); err != nil {
		return 0, err
	}
	return ff.far.campaign(ctx, std, ff.workers, func(f *farm) (int, error) {
		ff.farm = f
		return ff.drawAll(ctx, names, options, std)
	})
}

// drawAll draws runs of one protocol after the other, and returns the exit code. An error in one
// keeps nobody from the others.
func (ff *fuzzFlags) drawAll(ctx context.Context, names []string, options fuzz.Options,
	std streams) (code int, failed error) {
	for i, name := range names {
		if ctx.Err() != nil {
			for _, n := range names[i:] {
				ff.out.fuzzed(&fuzzed{Protocol: n, Variant: ff.variant, Seed: ff.seed,
					Verdict: spec.Unknown}, false, "interrupted before it began")
			}
			return leftOver(std, len(names)-i, len(names), "protocols", code), failed
		}
		if options.Time > 0 {
			options.Time = ff.time / time.Duration(len(names))
		}
		r, err := ff.one(ctx, name, options, std, i)
		if err != nil {
			ff.out.unfuzzed(name, ff.variant, err)
			failed = errors.Join(failed, err)
		}
		if r == nil {
			continue
		}
		c := exitCode(r.Verdict())
		if drawnWhole(ctx, r) {
			c = exitSampled
		}
		code = worse(code, c)
	}
	return code, failed
}

// drawnWhole reports whether the runs that were asked for were drawn and break nothing.
func drawnWhole(ctx context.Context, r *fuzz.Result) bool {
	return r.Verdict() == spec.Unknown && r.Runs > 0 && r.Gap == "" && ctx.Err() == nil
}

// options turns what the command line says into what fuzz takes.
func (ff *fuzzFlags) options(std streams, names []string) ([]string, fuzz.Options, error) {
	protocols := std.Protocols()
	mix, err := fuzz.ParseMix(ff.mix)
	if err != nil {
		return nil, fuzz.Options{}, err
	}
	if err := within(ff.flags, notNegative("for runs"), ofWorkers(),
		span{"shrink", -1, math.MaxInt64}); err != nil {
		return nil, fuzz.Options{}, err
	}
	for _, p := range ff.ignore {
		if err := std.knownProperty(p); err != nil {
			return nil, fuzz.Options{}, err
		}
	}
	if len(names) == 0 {
		names = fuzz.Names(protocols)
	}
	if len(names) == 0 {
		return nil, fuzz.Options{}, errors.New("no protocol of this command says which random " +
			"scenarios fit it (Shapes), so none are drawn")
	}
	for _, name := range names {
		if _, err := fuzz.TargetOf(protocols, name, ff.variant); err != nil {
			return nil, fuzz.Options{}, err
		}
	}
	o := fuzz.Options{Seed: ff.seed, Runs: ff.runs, Time: ff.time, Mix: mix, Workers: ff.workers,
		All: ff.all, Shrink: ff.shrink, Ignore: ff.ignore}
	if o.Runs == 0 {
		o.Runs = 1 << 62
	}
	return names, o, nil
}

// one fuzzes one protocol.
func (ff *fuzzFlags) one(ctx context.Context, name string, o fuzz.Options, std streams,
	index int) (*fuzz.Result, error) {
	target, err := fuzz.TargetOf(std.Protocols(), name, ff.variant)
	if err != nil {
		return nil, err
	}
	var unjudged []string
	if ff.variant == "repaired" { // an erratum may break them rightly
		unjudged = target.Shapes.Unjudged
	}
	o.Ignore = slices.Concat(o.Ignore, unjudged)
	corpus := fuzz.Corpus{Folder: filepath.Join(ff.corpus, name)}
	var state fuzz.State
	if ff.corpus != "" {
		if o.Corpus, state, err = corpus.Load(); err != nil {
			return nil, err
		}
	}
	if ff.fresh || state.Seed != ff.seed || state.Variant != ff.variant {
		state = fuzz.State{Variant: ff.variant, Seed: ff.seed}
	}
	o.First = state.Next
	line := term.NewLine(std.err, ff.json)
	o.Progress = fuzzProgress(line, name)
	o.Elsewhere = ff.farm.elsewhere(name, ff.variant, o)
	r, err := fuzz.Run(ctx, target, o)
	line.Clear()
	if err != nil {
		return nil, err
	}
	out := fuzzed{versioned: as("fuzz"),
		Protocol: name, Variant: ff.variant, Seed: ff.seed, Verdict: r.Verdict(),
		Seconds: r.Elapsed.Seconds(), Rate: fuzzRate(r), Unjudged: unjudged, Result: *r}
	if ff.corpus != "" {
		state.Next, state.Runs = r.Next, state.Runs+r.Runs
		out.Files, err = keepFailures(corpus, r, state)
	}
	if err != nil { // what was found is more than the files
		fmt.Fprintf(std.err, "domino fuzz: not saved: %v\n", err)
	}
	var unprinted error
	if ff.json {
		unprinted = printJSON(std.out, out)
	} else {
		if index > 0 {
			fmt.Fprintln(std.out)
		}
		ff.print(std.out, &out, &state, o.First)
	}
	if len(r.Failures) == 0 {
		ff.out.fuzzed(&out, drawnWhole(ctx, r), "ended by "+r.Bound+"; nothing found, which "+
			"proves nothing")
	}
	for i, g := range r.Failures {
		if !ff.json || ff.out.wanted() {
			ff.failure(ctx, std, &out, &g, i)
		}
	}
	return r, unprinted
}

// keepFailures writes a file for each failure, and how far drawing has come. The name of a file
// that could not be written is "".
func keepFailures(c fuzz.Corpus, r *fuzz.Result, state fuzz.State) (files []string, err error) {
	for _, g := range r.Failures {
		file, failed := c.Add(g.Scenario)
		if failed != nil {
			file, err = "", errors.Join(err, failed)
		}
		files = append(files, file)
	}
	return files, errors.Join(err, c.SaveState(state))
}

func fuzzRate(r *fuzz.Result) int {
	return int(float64(r.Runs) / max((r.Elapsed-r.Shrinking).Seconds(), 1e-3))
}

// print says what was drawn and what each strategy has brought.
func (ff *fuzzFlags) print(w io.Writer, r *fuzzed, state *fuzz.State, first uint64) {
	fmt.Fprintf(w,
		"%s (%s), seed %d: %s; %s runs of %s scenarios, %s steps, %s faults, %s, %s runs/s; "+
			"ended by %s\n", r.Protocol, r.Variant, r.Seed, r.Verdict,
		count(r.Runs), count(r.Cases), count(r.Steps), count(r.Faults), seconds(r.Seconds),
		count(r.Rate), r.Bound)
	if first > 0 {
		fmt.Fprintf(w,
			"  went on at scenario %d; %s runs with this seed so far (--fresh begins again)\n",
			first, count(state.Runs))
	}
	if r.Corpus > 0 {
		fmt.Fprintf(w,
			"  %d scenarios of the corpus first, %d with a schedule that is not possible any "+
				"more\n",
			r.Corpus, r.Stale)
	}
	if len(r.Unjudged) > 0 {
		fmt.Fprintf(w, "  not judged by %s, which say more of random programs than %s promises\n",
			strings.Join(r.Unjudged, ", "), r.Protocol)
	}
	if r.Refused+r.OutOfModel+r.TooLarge > 0 {
		fmt.Fprintf(w,
			"  not run: %d refused by the protocol, %d out of model, %d too large; last reason: "+
				"%s\n", r.Refused, r.OutOfModel, r.TooLarge,
			strings.SplitN(r.Why, "\n", 2)[0])
	}
	if r.Cut > 0 {
		fmt.Fprintf(w, "  %d runs were cut off at the limit of steps\n", r.Cut)
	}
	t := term.NewTable(w, 2, term.Column{Title: "strategy", Width: 10, Left: true},
		term.Column{Title: "runs", Width: 10}, term.Column{Title: "steps", Width: 12},
		term.Column{Title: "new shapes", Width: 12}, term.Column{Title: "found", Width: 8})
	for _, y := range r.Strategies {
		t.Row(y.Strategy, count(y.Runs), count(y.Steps), count(y.New), fmt.Sprint(y.Found))
	}
}

// failure takes a failure for the outputs, and shows it, unless in JSON: how it was found, how
// small it got, and its run.
func (ff *fuzzFlags) failure(ctx context.Context, std streams, r *fuzzed, f *fuzz.Failure,
	i int) {
	command := fmt.Sprintf("domino fuzz %s --variant %s --seed %d --fresh", r.Protocol, r.Variant,
		r.Seed)
	if i < len(r.Files) && r.Files[i] != "" {
		command = "domino replay " + word(r.Files[i])
	}
	var story *report.Run
	run, world, err := std.replayed(ctx, f.Scenario)
	if err == nil && run.Violation != nil {
		story = told(verify.Story(f.Scenario, world, run, run.Violation), command)
	}
	ff.out.fuzzFailure(r, f, story, called(command))
	if ff.json {
		return
	}
	w := std.out
	fmt.Fprintf(w,
		"\nfailure %d: %s, found by %s after %s runs\n  drawn: %s; by rapid: %s; in the end: %s "+
			"(%s tried)\n", i+1, f.Property, f.Strategy, count(f.Runs),
		sizeWords(f.Drawn), sizeWords(f.Shrunk), sizeWords(f.Least), count(f.Tried))
	fmt.Fprintf(w, "\n%s", scenarioText(f.Scenario))
	if story == nil {
		fmt.Fprintf(w, "\n%s: %s\n%s\n", f.Property, f.Message, called(command))
		return
	}
	printStory(w, story, ff.control)
}

// scenarioText is the scenario as a file, without the schedule, which the diagram shows.
func scenarioText(s *scenarios.Scenario) string {
	c := *s
	c.Schedule = nil
	return string(scenarios.Format(&c))
}

// replayed repeats the run of a scenario.
func (std streams) replayed(ctx context.Context, s *scenarios.Scenario) (*world.Run, *world.World,
	error) {
	c, err := std.guarded(s)
	if err != nil {
		return nil, nil, err
	}
	w, _, err := world.Open(ctx, c, checker.Options{})
	if err != nil {
		return nil, nil, err
	}
	prime(w, s)
	run, err := w.Replay(s.Schedule)
	return run, w, err
}

// prime draws the failure-free run in a world when the scenario breaks a property that compares
// runs.
func prime(w *world.World, s *scenarios.Scenario) {
	if w.Relates(s.Breaks) {
		w.Attempt(nil, "")
	}
}

func sizeWords(s fuzz.Size) string {
	return fmt.Sprintf("%d ranks, %d messages, %d failures, %d steps", s.Ranks, s.Messages,
		s.Failures, s.Steps)
}

// fuzzEvent is how far drawing has come.
type fuzzEvent struct {
	happening
	Protocol string  `json:"protocol"`
	Runs     int     `json:"runs"`
	Cases    int     `json:"cases"`
	Steps    int     `json:"steps"`
	Failures int     `json:"failures"`
	Seconds  float64 `json:"seconds"`
	Rate     int     `json:"rate"` // runs a second
}

// fuzzProgress shows how far drawing has come.
func fuzzProgress(line *term.Line, name string) func(fuzz.Result) {
	return func(r fuzz.Result) {
		line.Show("", func() string {
			return fmt.Sprintf("%s: %s runs of %s scenarios, %s runs/s, %d failures", name,
				count(r.Runs), count(r.Cases), count(fuzzRate(&r)), len(r.Failures))
		}, func() any {
			return fuzzEvent{underWay, name, r.Runs, r.Cases, r.Steps, len(r.Failures),
				r.Elapsed.Seconds(), fuzzRate(&r)}
		})
	}
}
