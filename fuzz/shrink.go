package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker/minimise"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
)

// shrink makes a failure small: first element by element, procs first and the order of
// events last; then change by change (checker/minimise), where every smaller scenario is searched
// for a run, too.
func (t *Target) shrink(ctx context.Context, f *finding, effort int) Failure {
	if effort == 0 {
		effort = DefaultShrink
	}
	answer := Failure{Property: f.property, Message: f.message, Strategy: f.strategy,
		Case: f.number, Run: f.run, Runs: f.runs}
	s := shrinker{target: t, property: f.property, left: effort, cache: map[string]outcome{}}
	now, run := s.first(ctx, f)
	answer.Drawn = now.size()
	if run == nil {
		answer.Scenario, answer.Shrunk, answer.Least = f.scenario(now.draft.scenario()),
			answer.Drawn, answer.Drawn
		return answer
	}
	now = s.rounds(ctx, now)
	answer.Shrunk, answer.Least = now.size(), now.size()
	answer.Scenario = f.scenario(now.draft.scenario())
	answer.Scenario.Schedule, answer.Message = now.schedule, now.message
	answer.Tried = s.tried
	if effort > 0 {
		t.minimise(ctx, &answer, effort)
	}
	return answer
}

// scenario is a scenario of the finding as a file.
func (f *finding) scenario(s *scenarios.Scenario) *scenarios.Scenario {
	s.Expect, s.Breaks, s.Schedule = "violated", f.property, f.schedule
	if f.property == Drawn {
		s.Expect, s.Breaks = "holds", "" // as a check of it should say
	}
	s.Name = fmt.Sprintf("fuzz-%s-%s-%d", s.Protocol, f.property, f.number)
	s.Title = cmp.Or(s.Title, fmt.Sprintf("%s breaks %s", s.Protocol, f.property))
	return s
}

// minimise goes on where undo ends.
func (t *Target) minimise(ctx context.Context, f *Failure, effort int) {
	tried := 0
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	plain, whole := t.expanded(f.Scenario)
	a, err := minimise.Minimise(ctx, minimise.Question{Scenario: plain,
		Resolve: t.guarding(f.Property), States: 10 * effort, Tried: func(minimise.Progress) {
			if tried++; tried > effort {
				cancel()
			}
		}})
	f.Tried += tried
	if err != nil {
		return // it compares runs, or what is left by now is good enough
	}
	name, prose := f.Scenario.Name, f.Scenario.Prose
	f.Scenario, f.Message = a.Scenario, a.Run.Violation.Message
	f.Scenario.Name, f.Scenario.Prose = name, prose
	f.Least = Size{Ranks: a.After.Ranks, Messages: a.After.Messages, Failures: a.After.Failures,
		Steps: a.After.Steps}
	if whole {
		f.Least.Messages = f.Shrunk.Messages
	}
}

// guarding is Resolve with guards, where the property is one of theirs.
func (t *Target) guarding(property string) func(*scenarios.Scenario) (world.Case, error) {
	if !slices.Contains(GuardProperties(), property) {
		return t.Resolve
	}
	return func(s *scenarios.Scenario) (world.Case, error) {
		c, err := t.Resolve(s)
		if err == nil {
			c = Guard(c)
		}
		return c, err
	}
}

// expanded is the scenario with the sends and receives that a protocol without collectives makes of
// them, so that each can be taken out. whole says that there are collectives which stay.
func (t *Target) expanded(s *scenarios.Scenario) (plain *scenarios.Scenario, whole bool) {
	c, err := t.Resolve(s)
	if err != nil || !strings.Contains(s.Program, "group ") {
		return s, false
	}
	l := &c.Setup.Layout
	if len(l.Trees) > 0 {
		return s, true
	}
	p := *s
	p.Program = script.Format(l.Names[:l.Ranks], c.Setup.Programs)
	if t.replays(context.Background(), &p) != nil {
		return s, true
	}
	return &p, false
}

// failing is a scenario with a run that breaks the property.
type failing struct {
	draft    *draft
	schedule []string
	message  string
}

func (f *failing) size() Size {
	s := Size{Failures: f.draft.model.Failures, Steps: len(f.schedule)}
	for r := range f.draft.ranks {
		if !f.draft.gone[r] {
			s.Ranks++
		}
	}
	for _, i := range f.draft.items {
		if i.kind != checkpoint && i.kind != output && i.kind != chance {
			s.Messages++
		}
	}
	return s
}

// shrinker looks for smaller failures.
type shrinker struct {
	target   *Target
	property string
	left     int // trials
	tried    int
	cache    map[string]outcome
	world    opened // of the scenario tried last
	text     string
	fitted   fault.Model // of that scenario
}

// outcome is what came of a trial.
type outcome struct {
	failing *failing // nil: the property is not broken
}

// first repeats the run that was found, in a world of its own.
func (s *shrinker) first(ctx context.Context, f *finding) (now failing, run *failing) {
	now = failing{draft: f.draft, schedule: f.schedule, message: f.message}
	if f.property == world.Returns || f.property == Drawn {
		return now, nil // it would do so again, or has no run
	}
	run = s.attempt(ctx, f.draft, f.schedule)
	if run != nil {
		now = *run
	}
	return now, run
}

// The bounds of the rounds.
const (
	mostRounds  = 10
	sharedRound = 4 // a round may use this part of the trials that are left
)

// rounds takes out what it can until a round finds no more.
func (s *shrinker) rounds(ctx context.Context, now failing) failing {
	for round := 0; round < mostRounds && s.left > 0 && ctx.Err() == nil; round++ {
		elements := now.elements()
		best := now
		budget := max(s.left/sharedRound, min(s.left, 100))
		undo(len(elements), func(out []bool) bool {
			d, schedule := now.without(elements, out)
			key := string(scenarios.Format(d.scenario())) + strings.Join(schedule, "\n")
			o, known := s.cache[key]
			if !known {
				if budget <= 0 || ctx.Err() != nil {
					return false
				}
				budget--
				o = outcome{s.attempt(ctx, d, schedule)}
				s.cache[key] = o
			}
			if o.failing != nil && smaller(o.failing, &best) {
				best = *o.failing
			}
			return o.failing != nil
		})
		if !smaller(&best, &now) {
			break
		}
		now = best
	}
	return now
}

// undo looks for what can be taken out of a failure of n elements: all, then the halves, the
// quarters, down to one at a time. try is given the elements to take out, and reports whether the
// failure is still there; it is there when nothing is taken out. The answer is the largest set that
// was found.
func undo(n int, try func(out []bool) bool) []bool {
	out := make([]bool, n)
	for size := n; size > 0; size /= 2 {
		for from := 0; from < n; from += size {
			more := slices.Clone(out)
			for i := from; i < min(from+size, n); i++ {
				more[i] = true
			}
			if !slices.Equal(more, out) && try(more) {
				out = more
			}
		}
	}
	return out
}

// smaller compares two failures: procs, failures, messages, whatever else was drawn, steps.
func smaller(a, b *failing) bool {
	x, y := a.size(), b.size()
	return cmp.Or(cmp.Compare(x.Ranks, y.Ranks), cmp.Compare(x.Failures, y.Failures),
		cmp.Compare(x.Messages, y.Messages),
		cmp.Compare(len(a.elements())-len(a.schedule), len(b.elements())-len(b.schedule)),
		cmp.Compare(x.Steps, y.Steps)) < 0
}

// attempt tries a scenario with what is left of a schedule; nil says that it does not break the
// property.
func (s *shrinker) attempt(ctx context.Context, d *draft, schedule []string) (f *failing) {
	s.tried++
	s.left--
	defer func() {
		if recover() != nil {
			f = nil // another failure than the one that is looked for, which has a schedule
		}
	}()
	if text := string(scenarios.Format(d.scenario())); text != s.text {
		s.world = s.target.open(ctx, d, s.property != "deterministic" &&
			!slices.Contains(GuardProperties(), s.property))
		s.text, s.fitted = text, d.model
	}
	d.model = s.fitted // within the promises of the protocol, as its world is
	o := &s.world
	if o.world == nil || o.refused != nil || o.reason != "" {
		return nil
	}
	run := o.world.Attempt(schedule, s.property)
	if run.Violation == nil || run.Violation.Property != s.property {
		return nil
	}
	d = d.copy()
	d.spend(o.world.Spent(run))
	return &failing{draft: d, schedule: run.Lines(), message: run.Violation.Message}
}

// spend lowers the budgets to what a run has used, which must not change what the run can do.
func (d *draft) spend(spent fault.Model) {
	m := &d.model
	if !m.OneInstant && !(m.Settled && spent.Failures < m.AtOnce) {
		m.Failures = spent.Failures
	}
	m.Spend(&spent)
}

// replays reports whether a scenario's schedule shows the violation in a new world, with its last
// event.
func (t *Target) replays(ctx context.Context, s *scenarios.Scenario) error {
	c, err := t.guarding(s.Breaks)(s)
	if err != nil {
		return err
	}
	w, _, err := world.Open(ctx, c, openBounds())
	if err != nil {
		return err
	}
	if w.Relates(s.Breaks) {
		w.Attempt(nil, "")
	}
	run, err := w.Replay(s.Schedule)
	switch {
	case err != nil:
		return err
	case run.Violation == nil:
		return fmt.Errorf("the run of %s breaks nothing when it is repeated", s.Name)
	case run.Violation.Property != s.Breaks:
		return fmt.Errorf("the run of %s breaks %s when it is repeated, not %s", s.Name,
			run.Violation.Property, s.Breaks)
	}
	return nil
}
