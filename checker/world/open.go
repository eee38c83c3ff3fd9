package world

import (
	"context"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// Open makes the judged world of a case, as Check explores it. The reason says in what the case is
// beyond the promises of the protocol, "" if in nothing; it is up to the caller to obey it. The
// bounds are those of the failure-free exploration.
func Open(ctx context.Context, c Case, bounds checker.Options) (w *World, reason string,
	err error) {
	oracle, err := c.oracle(ctx, bounds)
	if err != nil {
		return nil, "", err
	}
	return c.world(ctx, oracle)
}

// world is the judged world of the case, and in what it is beyond the promises of the protocol.
func (c *Case) world(ctx context.Context, oracle *spec.Oracle) (w *World, reason string,
	err error) {
	w, err = New(Config{Setup: c.Setup, Model: c.Model,
		Facts: FactsOf(c.Setup, &c.Model, oracle, c.Properties...),
		Twice: !c.Once, Cuts: c.Cuts, Forget: c.Forget, MaxStep: c.MaxStep, Until: ctx.Done()})
	return w, outside(ctx, *c, oracle), err
}

// Attempt runs what it can of a schedule that was written for a similar world: an event that is not
// enabled when its turn comes is left out, and so is one that breaks another property. Then the run
// goes on without faults as far as it goes, in fair order where the schedule has a line ForEver or
// Fairly: what repeats for ever there may do so here, too. It ends with the first violation of the
// property.
func (w *World) Attempt(schedule []string, property string) *Run {
	r := w.begin()
	schedule, fairly := unending(schedule)
	allowed := func(s checker.Step) bool {
		return s.Violation == 0 || w.Violation(s.Violation).Property == property
	}
	for _, text := range schedule {
		if r.Violation != nil {
			return r
		}
		texts, x := w.Enabled(r.last())
		for j := range texts {
			if texts[j] == text && allowed(x.Steps[j]) {
				w.take(r, text, x.Steps[j].Code, x.Steps[j].Violation, x.State(j, nil))
				break
			}
		}
	}
	if fairly {
		w.goOn(r, allowed)
		return r
	}
	for most := 2*len(schedule) + 100; r.Violation == nil && most > 0; most-- {
		texts, x := w.Enabled(r.last())
		j := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return !s.Fault && allowed(s) })
		if j < 0 {
			break
		}
		w.take(r, texts[j], x.Steps[j].Code, x.Steps[j].Violation, x.State(j, nil))
	}
	w.end(r)
	return r
}

// Spent is what a run uses of the budgets of the failure model; everything else in the answer is
// zero.
func (w *World) Spent(r *Run) fault.Model {
	used := func(b budget) int { return w.left(r.States[0], b) - w.left(r.last(), b) }
	harm := func(b budget) int { return w.harmLeft(r.States[0], b) - w.harmLeft(r.last(), b) }
	return fault.Model{Failures: used(failures), Checkpoints: used(checkpoints), Loss: used(losses),
		Duplicates: used(duplicates),
		Suspicions: used(suspicions), Torn: used(torn), Lose: harm(vanishing),
		Corrupt: harm(spoiling), Full: harm(refusing)}
}
