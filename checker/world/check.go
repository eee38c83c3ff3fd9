package world

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
)

// Case is one question to the checker.
type Case struct {
	Setup *core.Setup
	// the same programs over the transparent protocol (impl/protocol/none); nil when there are no
	// programs
	Baseline *core.Setup
	Model    fault.Model
	// of the author of the protocol, asked beside those of the house
	Properties []spec.Property
	MustSee    []string // Sometimes properties without which the answer is vacuous
	// Interchangeable ranks: renaming them changes nothing (symmetry.go); checker.Symmetry makes
	// use of it, unless there are Properties, which may name ranks.
	Interchangeable []core.Rank
	Subject         string // text of the question, for saved searches
	// where the program of each rank is written, for messages; nil when nobody knows
	Places  []string
	Forget  bool // run every local step again each time it is taken (Config.Forget)
	Once    bool // do not run local steps twice: hidden nondeterminism is not looked for
	AsFound bool // do not look for a shorter run that breaks the same
	Cuts    bool // put a crash between any two effects (Config.Cuts)
	// explore although program or model are outside the promises of the protocol
	Force   bool
	MaxStep time.Duration // how long a step may take (Config.MaxStep)
	Proving *Proving      // the certificate that is wanted where all holds; nil = none
	// Elsewhere explores the world in the place of a search in this process. It has the world know
	// what runs have shown (World.Learn, World.Account). nil = the search is here
	Elsewhere func(context.Context, *World, checker.Options) (checker.Result, error)
}

// Outcome is the answer.
type Outcome struct {
	checker.Result
	Reason      string   // why the verdict is out of model or unknown
	Seen        []string // Sometimes properties that some run showed
	Unseen      []string
	Runs        []*Run // one for each violation found
	LocalSteps  int    // distinct local transitions
	LocalStates int
	Idle        []string       // knobs of the model that change nothing, and why
	Samples     *sample.Result // when runs were drawn instead of searched for
	World       *World         // for reports; nil when nothing was explored
}

// Check answers the question: first the program alone, without failures; then the protocol under
// the model, unless one of the two is outside what the protocol promises to handle.
func Check(ctx context.Context, c Case, o checker.Options) (*Outcome, error) {
	if c.Proving != nil {
		if why := unprovable(&o); why != "" {
			return nil, errors.New("no certificate: " + why)
		}
	}
	w, out, err := prepare(ctx, c, o)
	if w == nil {
		return out, err
	}
	c.prove(w, &o)
	if out.Result, err = c.explore(ctx, w, o); err != nil {
		return nil, err
	}
	o.Visited = nil
	if out.Verdict == spec.Violated && o.Workers > 1 && c.Elsewhere == nil &&
		!w.unjudged.Load() {
		// alone, in a world of its own, so that the same violation is reported each time
		o.Workers = 1
		if w, err = New(w.Config); err != nil {
			return nil, err
		}
		out.World = w
		if out.Result, err = c.explore(ctx, w, o); err != nil {
			return nil, err
		}
	}
	if err := w.Err(); err != nil {
		return nil, err
	}
	out.note(w)
	for i := range out.Found {
		if o.Order != checker.BreadthFirst && out.Found[i].Loop == 0 && !w.unjudged.Load() &&
			!c.AsFound {
			out.Found[i] = shorten(ctx, w, out.Found[i], o)
		}
	}
	if err := out.follow(w); err != nil {
		return nil, err
	}
	if err := out.conclude(&c, w); err != nil {
		return nil, err
	}
	if c.Proving != nil && c.Proving.err != nil {
		return nil, c.Proving.err
	}
	return out, nil
}

// conclude judges what all runs together have shown.
func (out *Outcome) conclude(c *Case, w *World) error {
	if err := out.rehearse(w); err != nil {
		return err
	}
	if out.Verdict == spec.Holds && w.sights.answer != "" && !c.Force {
		out.Verdict, out.Reason = spec.OutOfModel,
			"everything holds, but some failures take a rank and all that protects it: "+
				w.sights.answer
	}
	if missing := missing(c.MustSee, out.Seen); out.Verdict == spec.Holds && missing != "" {
		out.Verdict, out.Reason = spec.Unknown, "vacuous: no run shows "+missing
	}
	return nil
}

// prepare explores the program alone and makes the world; it returns no world but the answer when
// there is nothing else to explore.
func prepare(ctx context.Context, c Case, o checker.Options) (*World, *Outcome, error) {
	if reason := Beyond(c.Setup, &c.Model); reason != "" && !c.Force {
		return nil, outOfModel(reason), nil // before a single state
	}
	c.hurry(o.MaxTime)
	oracle, err := c.oracle(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, &Outcome{Result: checker.Result{Verdict: spec.Unknown,
				Bound: "interrupted"}, Reason: "interrupted"}, nil
		}
		if errors.Is(err, checker.ErrBound) {
			return nil, &Outcome{Result: checker.Result{Verdict: spec.Unknown,
				Bound: "the failure-free oracle"}, Reason: err.Error()}, nil
		}
		return nil, nil, err
	}
	w, reason, err := c.world(ctx, oracle)
	if reason != "" && !c.Force {
		return nil, outOfModel(reason), nil
	}
	if err != nil {
		return nil, nil, err
	}
	return w, &Outcome{World: w}, nil
}

// outOfModel is the answer where nothing is explored, and why.
func outOfModel(reason string) *Outcome {
	return &Outcome{Result: checker.Result{Verdict: spec.OutOfModel}, Reason: reason}
}

// hurry lets no step take much longer than all of them may.
func (c *Case) hurry(limit time.Duration) {
	if c.MaxStep == 0 {
		c.MaxStep = DefaultMaxStep
	}
	if limit > 0 {
		c.MaxStep = min(c.MaxStep, max(limit, leastMaxStep))
	}
}

// leastMaxStep is what every step may take: less, and a busy machine would look like a step that
// does not return.
const leastMaxStep = 2 * time.Second

// note adds what the world has seen.
func (out *Outcome) note(w *World) {
	out.Seen, out.Unseen = w.Seen()
	out.Idle = Idle(w.Setup, &w.Model)
	out.LocalSteps, out.LocalStates = w.LocalSteps()
	if out.Reason = out.Bound; out.Bound != "" {
		out.Reason += "; " + out.Coverage()
	}
}

// follow repeats the run of each violation.
func (out *Outcome) follow(w *World) error {
	for _, f := range out.Found {
		run, err := w.FollowFound(f)
		if err != nil {
			return fmt.Errorf("the run that breaks %s can not be repeated: %w", f.Property, err)
		}
		out.Runs = append(out.Runs, run)
	}
	return nil
}

// rehearse judges a few runs without failures by what is promised for those, when nothing else is
// broken.
func (out *Outcome) rehearse(w *World) error {
	if out.Verdict == spec.Violated || len(w.calm) == 0 {
		return nil
	}
	w, err := New(w.Config)
	if err != nil {
		return err
	}
	r := w.Rehearse()
	if r == nil || !w.ofQuiet(r.Violation.Property) {
		return w.Err() // what the search looks for, it has not found
	}
	out.World, out.Verdict, out.Reason = w, spec.Violated, ""
	out.Found = []checker.Found{{Violation: *r.Violation, Path: r.codes}}
	out.Runs = []*Run{r}
	return w.Err()
}

// explore explores the world of the case, at once or one crash set after another.
func (c Case) explore(ctx context.Context, w *World, o checker.Options) (checker.Result, error) {
	if c.Elsewhere != nil {
		return c.Elsewhere(ctx, w, o)
	}
	if len(c.Properties) > 0 {
		c.Interchangeable = nil
	}
	if c.Model.Failures > 0 && (o.Reduce.Has(checker.Sets) || o.Reduce.Has(checker.Symmetry) &&
		len(c.Interchangeable) > 0) {
		return searchSets(ctx, w, c, o)
	}
	o.Saving.Subject = c.Subject
	return w.Search(ctx, o)
}

// shortenStates bounds the search for a shorter run.
const shortenStates = 1 << 20

// shorten looks breadth first for a shortest run that breaks the same property; it keeps the given
// run when that takes too long.
func shorten(ctx context.Context, w *World, f checker.Found, o checker.Options) checker.Found {
	o.Order, o.Reduce, o.All, o.Only, o.MaxStates, o.Progress = checker.BreadthFirst,
		checker.Unreduced, false, f.Property, shortenStates, nil
	o.Lasso = false
	r := search.Explore(ctx, w, o)
	if len(r.Found) == 1 && len(r.Found[0].Path) < len(f.Path) {
		return r.Found[0]
	}
	return f
}

func missing(want, seen []string) string {
	var list []string
	have := " " + strings.Join(seen, " ") + " "
	for _, s := range want {
		if !strings.Contains(have, " "+s+" ") {
			list = append(list, s)
		}
	}
	return strings.Join(list, ", ")
}

// picked names the first rank whose program lets the environment choose, and where that is written,
// when that is why the programs are not in the class.
func picked(c *Case, class promise.Determinism) string {
	if class == promise.NoDeterminism {
		return ""
	}
	for r, p := range c.Setup.Programs {
		if !p.Picks() {
			continue
		}
		where := ""
		if c.Places != nil {
			where = c.Places[r] + ": "
		}
		return fmt.Sprintf("\n  %s%s picks, and nothing replays what", where,
			c.Setup.Layout.Name(core.Proc(r)))
	}
	return ""
}

// outside says in what the case is beyond the promises of the protocol, or "".
func outside(ctx context.Context, c Case, o *spec.Oracle) string {
	if o != nil && o.Stuck != "" {
		return "the program fails without any failure: " + o.Stuck
	}
	if o != nil {
		if conflict := conflictOf(ctx, c.Baseline, o, c.Setup.Promises.Needs); conflict != nil {
			return conflict.Text() + picked(&c, conflict.Class) + "\n  the nearest that can " +
				"carry it: a protocol that needs less of programs, domino certify says which"
		}
	}
	return Beyond(c.Setup, &c.Model)
}
