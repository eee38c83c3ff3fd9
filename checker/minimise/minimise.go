package minimise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
)

// Question is what to make smaller.
type Question struct {
	// with a schedule, the run to begin with; without one, a run is searched for
	Scenario *scenarios.Scenario
	Resolve  func(*scenarios.Scenario) (world.Case, error)
	Property string // that must stay broken; "" is that of the first run
	// States bounds the search of each smaller scenario and the failure-free exploration of its
	// program; 0 is DefaultStates.
	States int
	// Search bounds the search for the first run, when there is none yet.
	Search checker.Options
	// Kept is told about each change that is kept, Tried about each that is tried; nil tells
	// nobody.
	Kept  func(Step)
	Tried func(Progress)
}

// DefaultStates is the bound of one search: about a quarter of a second.
const DefaultStates = 200_000

// Step is one change that was kept.
type Step struct {
	Phase  string `json:"phase"`
	Words  string `json:"words"`
	Counts Counts `json:"counts"` // after the change
}

// Counts is how large a counterexample is.
type Counts struct {
	Ranks       int `json:"ranks"`
	Clusters    int `json:"clusters"`
	Failures    int `json:"failures"`
	Checkpoints int `json:"checkpoints"` // anywhere or by the program
	Messages    int `json:"messages"`
	Steps       int `json:"steps"` // of the run
}

// Progress is how far minimisation has come.
type Progress struct {
	Phase  string
	Trying string
	Tried  int
	Kept   int
	Counts Counts // so far
}

// Answer is a smaller counterexample.
type Answer struct {
	Scenario  *scenarios.Scenario // it has the run as its schedule, and expects the violation
	World     *world.World
	Run       *world.Run
	Before    Counts
	After     Counts
	Steps     []Step // in the order in which they were kept
	Tried     int
	Undecided int  // searches that the bound ended; such a change counts as one that fails
	Minimal   bool // every single change was tried in vain; false when ctx ended before that
	Shortest  bool // no run of the scenario that breaks the property is shorter
	// every change of the answer that was tried in vain, each once: why it is not smaller
	Trials []Trial
}

// Trial is a change that was tried, and was not kept.
type Trial struct {
	Phase   string `json:"phase"`
	Words   string `json:"words"`
	Outcome string `json:"outcome"` // one of the words below, or "breaks PROPERTY instead"
}

// What became of a Trial.
const (
	NothingBroken = "holds"
	NoScenario    = "no scenario any more" // parts of it do not fit together
	NoPromise     = "out of model"         // the protocol does not promise to handle it
	NotDecided    = "unknown"              // a bound of the search came first
)

// fails remembers a trial; what was tried of a larger scenario is forgotten when one is kept.
func (a *Answer) fails(t Trial) {
	a.Trials = append(slices.DeleteFunc(a.Trials, func(old Trial) bool {
		return old.Phase == t.Phase && old.Words == t.Words
	}), t)
}

// phases are the kinds of changes, in the order of their weight.
func phases() []Phase[*draft] {
	return []Phase[*draft]{{"ranks", fewerRanks}, {"clusters", fewerClusters},
		{"crashes", fewerCrashes}, {"checkpoints", fewerCheckpoints},
		{"faults", fewerFaults}, {"messages", fewerMessages}, {"words", fewerWords},
		{"settings", defaults}}
}

// Minimise makes the counterexample smaller. The error says why there is nothing to make smaller:
// the scenario breaks nothing, or nothing was found, or the schedule does not fit. When ctx ends,
// the answer is the smallest counterexample so far.
func Minimise(ctx context.Context, q Question) (*Answer, error) {
	o := &oracle{resolve: q.Resolve, property: cmp.Or(q.Property, q.Scenario.Breaks),
		states: cmp.Or(q.States, DefaultStates)}
	c, err := q.Resolve(q.Scenario)
	if err != nil {
		return nil, err
	}
	first, err := o.first(ctx, q, c)
	if err != nil {
		return nil, err
	}
	m := &minimisation{question: q, oracle: o, witness: first, answer: &Answer{}}
	d := open(q.Scenario, c.Setup, c.Baseline)
	m.answer.Before = m.counts(d)
	d = m.shrink(ctx, d)
	return m.finish(ctx, d)
}

// first is the run to begin with.
func (o *oracle) first(ctx context.Context, q Question, c world.Case) (*witness, error) {
	w, reason, err := world.Open(ctx, c, checker.Options{MaxStates: q.Search.MaxStates,
		MaxBytes: q.Search.MaxBytes, MaxTime: q.Search.MaxTime})
	if err != nil {
		return nil, err
	}
	if reason != "" && !c.Force {
		return nil, fmt.Errorf("%s is out of model, so it breaks nothing: %s", q.Scenario.Name,
			reason)
	}
	o.reason = reason
	if w.Relates(o.property) {
		return nil,
			fmt.Errorf(
				"property %s compares runs, so no single run shows that it is broken, and "+
					"none can "+
					"be made smaller", o.property)
	}
	if q.Scenario.Schedule != nil {
		return o.given(q, w)
	}
	options := q.Search
	options.Only = o.property
	for _, order := range []checker.Order{checker.BreadthFirst, checker.DepthFirst} {
		options.Order, options.Reduce = order, checker.Unreduced
		if order == checker.DepthFirst {
			options.Reduce = checker.Singletons | checker.Crashes
		}
		bound := options.MaxStates
		if order == checker.BreadthFirst {
			options.MaxStates = leastOf(bound, 5*o.states)
		}
		r := search.Explore(ctx, w, options)
		options.MaxStates = bound
		switch {
		case len(r.Found) > 0:
			return o.found(ctx, w, r.Found[0], order)
		case r.Bound == "":
			return nil, fmt.Errorf("%s breaks %s, so there is nothing to make smaller (%d states)",
				q.Scenario.Name, cmp.Or(not(o.property), "nothing"), r.States)
		case order == checker.DepthFirst || ctx.Err() != nil:
			return nil, fmt.Errorf("no run of %s that breaks %s was found in %d states: %s",
				q.Scenario.Name, cmp.Or(o.property, "a property"), r.States, r.Bound)
		}
	}
	panic("invariant: the last search returns")
}

func not(property string) string {
	if property == "" {
		return ""
	}
	return "property " + property + " in no run"
}

// leastOf is the smaller of two bounds, of which 0 is none.
func leastOf(a, b int) int {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// found turns what a search has found into a run.
func (o *oracle) found(ctx context.Context, w *world.World, f checker.Found,
	order checker.Order) (*witness, error) {
	if o.property = f.Property; o.property == world.Returns {
		return nil, errHangs
	}
	run, err := w.Follow(f.Path)
	if err != nil {
		return nil, fmt.Errorf("the run that breaks %s can not be repeated: %w", f.Property, err)
	}
	if w.Relates(o.property) || !o.breaks(run) {
		return nil,
			fmt.Errorf(
				"property %s compares runs, so no single run shows that it is broken, and "+
					"none can "+
					"be made smaller", f.Property)
	}
	first := &witness{world: w, run: run, shortest: order == checker.BreadthFirst}
	if !first.shortest {
		first = o.trim(ctx, first)
	}
	return first, nil
}

// given is the run of a replay file.
func (o *oracle) given(q Question, w *world.World) (*witness, error) {
	run, err := w.Replay(q.Scenario.Schedule)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the schedule of %s does not fit: %w; check the scenario again",
			q.Scenario.Name, err)
	case run.Violation == nil:
		return nil, fmt.Errorf("the run in %s breaks nothing, so there is nothing to make smaller",
			q.Scenario.Name)
	case o.property != "" && run.Violation.Property != o.property:
		return nil, fmt.Errorf("the run in %s breaks %s, not %s", q.Scenario.Name,
			run.Violation.Property, o.property)
	}
	if o.property = run.Violation.Property; o.property == world.Returns {
		return nil, errHangs
	}
	return &witness{world: w, run: run}, nil
}

// errHangs is why a step that does not return is not made smaller.
var errHangs = errors.New("a step does not return: every smaller scenario that shows it would " +
	"leave one more behind that nobody can stop, so take the run as it is")

// minimisation is one question on its way to the answer.
type minimisation struct {
	question Question
	*oracle
	witness *witness
	answer  *Answer
}

// shrink makes the scenario smaller until nothing helps.
func (m *minimisation) shrink(ctx context.Context, d *draft) *draft {
	if fit := d.fit(m.witness.world.Spent(m.witness.run)); fit.smaller(d) {
		if kept, ok := m.keeps(ctx, d, "budgets",
			Change[*draft]{Words: "budgets as the run uses them", To: fit}); ok {
			d = kept
		}
	}
	loops := []Phase[*draft]{{"loops", shorterLoops}}
	d, m.answer.Minimal = Greedy(ctx, d, loops, m.keeper(ctx, d))
	if plain := d.unroll(); plain != d {
		if w, _ := m.ask(ctx, plain.write(), m.witness.run.Lines()); w != nil {
			d, m.witness = plain, w
		}
	}
	all := phases()
	if count(d.programs, core.OpLoop) > 0 {
		all = append(loops, all...)
	}
	d, m.answer.Minimal = Greedy(ctx, d, all, m.keeper(ctx, d))
	return d
}

// keeper is keeps for Greedy; it remembers the draft that a change is compared with.
func (m *minimisation) keeper(ctx context.Context, now *draft) func(string, Change[*draft]) (*draft,
	bool) {
	return func(phase string, c Change[*draft]) (*draft, bool) {
		kept, ok := m.keeps(ctx, now, phase, c)
		if ok {
			now = kept
		}
		return kept, ok
	}
}

// keeps tries one change.
func (m *minimisation) keeps(ctx context.Context, from *draft, phase string,
	c Change[*draft]) (*draft, bool) {
	if !c.To.smaller(from) {
		panic(fmt.Sprintf("invariant: a change makes a scenario smaller: %s: %v -> %v", c.Words,
			from.size(), c.To.size()))
	}
	if m.question.Tried != nil {
		m.question.Tried(Progress{Phase: phase, Trying: c.Words, Tried: m.tried,
			Kept: len(m.answer.Steps), Counts: m.counts(from)})
	}
	s := c.To.write()
	w, resolved := m.ask(ctx, s, m.witness.run.Lines())
	if w == nil {
		m.answer.fails(Trial{Phase: phase, Words: c.Words, Outcome: m.outcome})
		return nil, false
	}
	m.witness, m.answer.Trials = w, nil
	kept := open(s, resolved.Setup, resolved.Baseline)
	step := Step{Phase: phase, Words: c.Words, Counts: m.counts(kept)}
	m.answer.Steps = append(m.answer.Steps, step)
	if m.question.Kept != nil {
		m.question.Kept(step)
	}
	return kept, true
}

func (m *minimisation) counts(d *draft) Counts {
	return Counts{Ranks: d.ranks(), Clusters: len(d.members()), Failures: d.scenario.Model.Failures,
		Checkpoints: d.scenario.Model.Checkpoints + count(d.programs, core.OpCheckpoint),
		Messages:    d.messages(), Steps: len(m.witness.run.Schedule)}
}

// finish makes the run of the smallest scenario as short and as orderly as it gets, and repeats it
// in a new world.
func (m *minimisation) finish(ctx context.Context, d *draft) (*Answer, error) {
	w := m.witness
	if !w.shortest {
		if s := m.search(ctx, w.world, 5*m.states); s != nil {
			w = s
		} else {
			w = m.trim(ctx, w)
		}
	}
	w = m.polish(ctx, w)
	s := d.write()
	s.Name, s.Schedule, s.Expect, s.Breaks, s.States, s.MustSee,
		s.Erratum = m.question.Scenario.Name+"-min", w.run.Schedule, "violated", m.property, 0, nil,
		""
	again, err := m.replay(context.WithoutCancel(ctx), s)
	if err != nil {
		return nil, err
	}
	m.witness = again
	a := m.answer
	a.Scenario, a.World, a.Run, a.After, a.Shortest = s, again.world, again.run, m.counts(d),
		w.shortest
	a.Tried, a.Undecided = m.tried, m.undecided
	s.Prose = fmt.Sprintf("Made from %s: %s.", m.question.Scenario.Name, a.Summary())
	return a, nil
}

// replay repeats the run in a new world; that it breaks the property there, with its last event, is
// what makes it a counterexample.
func (m *minimisation) replay(ctx context.Context, s *scenarios.Scenario) (*witness, error) {
	c, err := m.resolve(s)
	if err != nil {
		return nil, err
	}
	w, _, err := world.Open(ctx, c, checker.Options{})
	if err != nil {
		return nil, err
	}
	run, err := w.Replay(s.Schedule)
	if err != nil {
		return nil, fmt.Errorf("the smaller run can not be repeated: %w", err)
	}
	if !m.breaks(run) || len(run.Lines()) != len(s.Schedule) {
		return nil, fmt.Errorf("the smaller run does not break %s when it is repeated", m.property)
	}
	return &witness{world: w, run: run}, nil
}

// Summary says what became of each count that changed, e.g. "4 ranks -> 3, 41 steps -> 17".
func (a *Answer) Summary() string {
	words := ""
	for _, c := range []struct {
		name          string
		before, after int
	}{{"ranks", a.Before.Ranks, a.After.Ranks}, {"clusters", a.Before.Clusters, a.After.Clusters},
		{"failures", a.Before.Failures, a.After.Failures},
		{"checkpoints", a.Before.Checkpoints, a.After.Checkpoints},
		{"messages", a.Before.Messages, a.After.Messages},
		{"steps", a.Before.Steps, a.After.Steps}} {
		if c.before == c.after {
			continue
		}
		if words != "" {
			words += ", "
		}
		words += fmt.Sprintf("%d %s -> %d", c.before, c.name, c.after)
	}
	return cmp.Or(words, "nothing could be taken out")
}
