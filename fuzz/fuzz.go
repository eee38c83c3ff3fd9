package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// Target is what is fuzzed.
type Target struct {
	// Template is what every scenario has: protocol, variant, options, title.
	Template scenarios.Scenario
	Shapes   protocol.Shapes
	// Resolve turns the names of a scenario into code. An error means that the protocol does not
	// take the scenario, which is no bug; a panic is one.
	Resolve func(*scenarios.Scenario) (world.Case, error)
	// Plain leaves out the guards that look for bytes and messages which are changed or kept, and
	// for what the codec does not keep.
	Plain bool

	stepTime time.Duration // how long a step may take, 0 = world.DefaultMaxStep
}

// Options bound and direct a run. The zero value draws DefaultRuns runs and stops at the first
// failure.
type Options struct {
	Seed    uint64        // same seed, same scenarios, same runs
	First   uint64        // number of the first scenario, to go on where another run ended
	Runs    int           // of all scenarios together, 0 = DefaultRuns
	Time    time.Duration // 0 = no limit; a failure is made small for two seconds more at most
	PerCase int           // runs of one scenario, 0 = DefaultPerCase
	Mix     []Share       // nil = DefaultMix
	Workers int           // 0 = 1; the answer is the same for any number, unless time runs out
	All     bool          // go on after a failure, until each property was broken once
	// Ignore lists properties that may be broken: what is known of a protocol should not hide what
	// is not.
	Ignore []string
	// are run before any is drawn; what they say of protocol and variant is that of the target
	Corpus []*scenarios.Scenario
	// Shrink says how much effort goes into making a failure small: scenarios tried by each of the
	// two methods, 0 = DefaultShrink, negative = none.
	Shrink   int
	StepTime time.Duration // how long a step may take, 0 = world.DefaultMaxStep
	// Elsewhere, unless nil, draws the scenarios in the place of Workers. Failures are tried again,
	// and made small, here.
	Elsewhere Elsewhere
	Progress  func(Result) // called after each scenario, one call at a time; may be nil
}

// The bounds of the zero value.
const (
	DefaultRuns    = 20_000
	DefaultPerCase = 40
	DefaultShrink  = 2000
)

// The bounds of one scenario.
const (
	oracleStates = 20_000 // of the failure-free exploration of its program
	mostSteps    = 2_000  // of one run
)

// Failure is one property broken, as small as it got.
type Failure struct {
	Property string `json:"property"`
	Message  string `json:"message"`
	// with the run as its schedule; domino replay takes the file
	Scenario *scenarios.Scenario `json:"-"`
	Strategy string              `json:"strategy"` // or the stage, where no run was drawn yet
	Case     uint64              `json:"case"`     // number of the scenario that was drawn
	Run      int                 `json:"run"`      // of that scenario, from 1
	Runs     int                 `json:"runs"`     // of all scenarios, up to and with that one
	Drawn    Size                `json:"drawn"`
	Shrunk   Size                `json:"shrunk"` // element by element
	Least    Size                `json:"least"`  // by minimise, what Scenario has
	Tried    int                 `json:"tried"`  // smaller ones that were tried
}

// Size is how large a counterexample is.
type Size struct {
	Ranks    int `json:"ranks"`
	Messages int `json:"messages"` // items of the program
	Failures int `json:"failures"`
	Steps    int `json:"steps"`
}

// Result is what a run has shown.
type Result struct {
	Corpus     int `json:"corpus"`     // scenarios that were run again
	Stale      int `json:"stale"`      // whose schedule is not possible any more
	Cases      int `json:"cases"`      // scenarios of which runs were drawn
	Refused    int `json:"refused"`    // scenarios that the protocol does not take
	OutOfModel int `json:"outOfModel"` // scenarios outside its promises
	// scenarios whose failure-free behaviour is too large to explore
	TooLarge   int           `json:"tooLarge"`
	Runs       int           `json:"runs"`
	Steps      int           `json:"steps"`
	Faults     int           `json:"faults"`
	Cut        int           `json:"cut"` // runs that did not end
	Strategies []Yield       `json:"strategies"`
	Failures   []Failure     `json:"failures"`
	Next       uint64        `json:"next"` // number of the scenario to go on with
	Elapsed    time.Duration `json:"elapsed"`
	Shrinking  time.Duration `json:"shrinking"` // part of it
	Bound      string        `json:"bound"`     // what ended it
	// why the scenario Next has no answer, and so the result has none, "" for others
	Gap string `json:"gap,omitempty"`
	// the last reason for which a scenario was refused or out of model
	Why string `json:"why"`
}

// Verdict is violated or unknown: that random runs break nothing proves nothing.
func (r *Result) Verdict() spec.Verdict {
	switch {
	case len(r.Failures) > 0:
		return spec.Violated
	case r.Cases == 0 && r.OutOfModel > 0:
		return spec.OutOfModel
	}
	return spec.Unknown
}

// Run draws scenarios and runs of them. The error says that nothing could be drawn at all, or which
// property panics.
func Run(ctx context.Context, t Target, o Options) (*Result, error) {
	if err := t.Shapes.Validate(); err != nil {
		return nil, err
	}
	f := newFuzzer(ctx, t, &o)
	if o.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Time)
		defer cancel()
	}
	if f.rerun(ctx); f.over {
		o.Workers = 0
	}
	if o.Elsewhere != nil {
		if err := f.gather(ctx); err != nil {
			return nil, err
		}
		o.Workers = 0
	}
	var group sync.WaitGroup
	for range o.Workers {
		group.Go(func() { f.work(ctx) })
	}
	group.Wait()
	f.result.Elapsed = time.Since(f.began)
	if f.result.Bound == "" {
		f.result.Bound = f.bound(ctx)
	}
	if f.broken != nil {
		return &f.result, f.broken
	}
	if r := &f.result; r.Cases == 0 && len(r.Failures) == 0 && r.OutOfModel == 0 && r.Refused > 0 &&
		r.Gap == "" && ctx.Err() == nil {
		return r, fmt.Errorf("fuzz: the protocol takes none of %d scenarios: %s", r.Refused, r.Why)
	}
	return &f.result, nil
}

// newFuzzer is the beginning of Run. It puts the defaults into the options.
func newFuzzer(ctx context.Context, t Target, o *Options) *fuzzer {
	o.Runs, o.PerCase = cmp.Or(o.Runs, DefaultRuns), cmp.Or(o.PerCase, DefaultPerCase)
	t.stepTime = o.StepTime
	o.Workers = max(1, o.Workers)
	if o.Mix == nil {
		o.Mix = DefaultMix()
	}
	f := &fuzzer{target: t, options: *o, whole: ctx, began: time.Now(),
		waiting: map[uint64]*trial{}, properties: map[string]bool{}}
	f.result.Next, f.next = o.First, o.First
	for _, s := range o.Mix {
		f.result.Strategies = append(f.result.Strategies, Yield{Strategy: s.Strategy})
	}
	return f
}

// fuzzer is the state of Run.
type fuzzer struct {
	target  Target
	options Options
	whole   context.Context // without the time limit, which is for drawing alone
	began   time.Time

	mu         sync.Mutex // held by who touches anything below
	next       uint64     // number of the next scenario
	over       bool
	waiting    map[uint64]*trial // done, but some with lower numbers are not
	properties map[string]bool   // broken
	result     Result
	broken     error // a property panics
}

// work takes scenarios one after another. Results are added in the order of the numbers, so that
// workers do not show.
func (f *fuzzer) work(ctx context.Context) {
	for {
		f.mu.Lock()
		if f.over || ctx.Err() != nil {
			f.mu.Unlock()
			return
		}
		number := f.next
		f.next++
		f.mu.Unlock()
		t := f.try(ctx, number)
		f.mu.Lock()
		f.waiting[number] = t
		for t := f.waiting[f.result.Next]; t != nil && !f.over; t = f.waiting[f.result.Next] {
			delete(f.waiting, f.result.Next)
			f.add(ctx, t)
		}
		f.mu.Unlock()
	}
}

// trial is one scenario and what its runs have shown.
type trial struct {
	number            uint64
	refused, tooLarge bool
	reason            string // out of model, or refused
	runs, steps       int
	faults, cut       int
	yields            []Yield
	found             *finding
	interrupted       bool
	broken            error // a property panics
}

// add takes the result of the next scenario.
func (f *fuzzer) add(ctx context.Context, t *trial) {
	r := &f.result
	if t.interrupted || t.broken != nil {
		f.over, f.broken = true, t.broken
		return
	}
	r.Next++
	switch {
	case t.refused:
		r.Refused++
	case t.tooLarge:
		r.TooLarge++
	case t.reason != "":
		r.OutOfModel++
	default:
		r.Cases++
	}
	if t.reason != "" {
		r.Why = t.reason
	}
	r.Runs, r.Steps, r.Faults, r.Cut = r.Runs+t.runs, r.Steps+t.steps, r.Faults+t.faults,
		r.Cut+t.cut
	f.count(t.yields)
	if t.found != nil && !f.properties[t.found.property] &&
		!slices.Contains(f.options.Ignore, t.found.property) {
		f.properties[t.found.property] = true
		t.found.runs = r.Runs
		began := time.Now()
		shrinking, cancel := f.shrinking()
		r.Failures = append(r.Failures, f.target.shrink(shrinking, t.found, f.options.Shrink))
		cancel()
		r.Shrinking += time.Since(began)
		f.over = f.over || !f.options.All
	}
	r.Elapsed = time.Since(f.began)
	if f.options.Progress != nil {
		f.options.Progress(*r)
	}
	if b := f.bound(ctx); b != "" && !f.over {
		f.over, r.Bound = true, b
	}
}

// leastShrinking is for how long a failure is made smaller although the time is up: one that was
// found in the last moment would be as large as it was drawn.
const leastShrinking = 2 * time.Second

// shrinking is a context for making a failure small.
func (f *fuzzer) shrinking() (context.Context, context.CancelFunc) {
	if f.options.Time <= 0 {
		return context.WithCancel(f.whole)
	}
	return context.WithTimeout(f.whole, max(f.options.Time-time.Since(f.began), leastShrinking))
}

// count adds what the strategies have brought.
func (f *fuzzer) count(yields []Yield) {
	for i, y := range yields {
		s := &f.result.Strategies[i]
		s.Runs, s.Steps, s.New, s.Found = s.Runs+y.Runs, s.Steps+y.Steps, s.New+y.New,
			s.Found+y.Found
	}
}

// bound is the limit that is reached, if one is. Scenarios that are refused count a little, or a
// protocol that takes none would be fuzzed for ever.
func (f *fuzzer) bound(ctx context.Context) string {
	r := &f.result
	switch {
	case ctx.Err() == context.DeadlineExceeded && f.options.Time > 0:
		return fmt.Sprintf("time limit %v", f.options.Time)
	case ctx.Err() != nil:
		return "interrupted"
	case r.Runs+r.Refused+r.OutOfModel+r.TooLarge >= f.options.Runs:
		return fmt.Sprintf("%d runs", r.Runs)
	case len(r.Failures) > 0 && !f.options.All:
		return "a failure"
	}
	return ""
}

// panicked is the finding that the code of the protocol panics outside of any step.
func panicked(d *draft, stage string, value any) *finding {
	if m, ok := value.(world.Misuse); ok {
		return &finding{draft: d, strategy: stage, property: m.Property,
			message: "a machine, before it starts: " + m.Words}
	}
	return &finding{draft: d, strategy: stage, property: "no-panic",
		message: fmt.Sprintf("%s panics: %v\n%s", stage, value, frames())}
}

// frames are the lines of the stack that are neither of the runtime nor of this package.
func frames() string {
	var list []string
	lines := strings.Split(string(debug.Stack()), "\n")
	after := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic(") })
	for _, l := range lines[max(0, after+2):] {
		if strings.HasPrefix(l, "\t") && len(list) < 4 {
			list = append(list, "  "+strings.TrimSpace(l))
		}
	}
	return strings.Join(list, "\n")
}
