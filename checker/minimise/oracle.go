package minimise

import (
	"context"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// witness is a run of a scenario that breaks the property.
type witness struct {
	world    *world.World
	run      *world.Run
	shortest bool // no run of the scenario that breaks it is shorter
}

// oracle answers whether a smaller scenario still breaks the property.
type oracle struct {
	resolve  func(*scenarios.Scenario) (world.Case, error)
	property string
	states   int
	// in what the scenario given is beyond the promises of the protocol, "" if in nothing
	reason    string
	tried     int
	undecided int    // by the bound of states
	outcome   string // of the last question without an answer, as in Trial
}

// ask tries a scenario, first with what is left of a known run, then breadth first. It returns nil
// when no run was found that breaks the property: there is none, or the bound was hit first, or the
// scenario is not valid.
func (o *oracle) ask(ctx context.Context, s *scenarios.Scenario, known []string) (*witness,
	world.Case) {
	o.tried++
	c, err := o.resolve(s)
	if err != nil {
		o.outcome = NoScenario
		return nil, c // names or operations do not fit together
	}
	w, reason, err := world.Open(ctx, c, checker.Options{MaxStates: o.states})
	if err != nil || !o.valid(reason, c.Force) {
		o.outcome = NoPromise
		return nil, c
	}
	run := w.Attempt(known, o.property)
	if o.breaks(run) {
		return &witness{world: w, run: run}, c
	}
	if o.outcome = NothingBroken; run.Violation != nil {
		o.outcome = "breaks " + run.Violation.Property + " instead"
	}
	return o.search(ctx, w, o.states), c
}

// valid reports whether a scenario is within the promises of the protocol, or beyond them in the
// same way as the one given.
func (o *oracle) valid(reason string, force bool) bool {
	kind := func(reason string) string { before, _, _ := strings.Cut(reason, ":"); return before }
	return reason == "" || force && kind(reason) == kind(o.reason)
}

func (o *oracle) breaks(run *world.Run) bool {
	return run.Violation != nil && run.Violation.Property == o.property
}

// search looks for a shortest run.
func (o *oracle) search(ctx context.Context, w *world.World, states int) *witness {
	r := search.Explore(ctx, w, checker.Options{Order: checker.BreadthFirst, Only: o.property,
		MaxStates: states})
	if len(r.Found) == 0 {
		if r.Bound != "" {
			o.undecided++
			o.outcome = NotDecided
		}
		return nil
	}
	run, err := w.Follow(r.Found[0].Path)
	if err != nil || !o.breaks(run) {
		return nil // a property of several runs
	}
	return &witness{world: w, run: run, shortest: true}
}

// trim leaves out events of a run as long as what is left, and what must follow, breaks the
// property in fewer steps.
func (o *oracle) trim(ctx context.Context, w *witness) *witness {
	phase := Phase[*witness]{Name: "events", Changes: func(w *witness) (list []Change[*witness]) {
		events := w.run.Lines()
		for size := max(1, len(events)/2); size > 0; size /= 2 {
			for from := 0; from < len(events); from += size {
				rest := append(append([]string(nil), events[:from]...),
					events[min(len(events), from+size):]...)
				list = append(list, Change[*witness]{
					To: &witness{world: w.world, run: &world.Run{Schedule: rest}}})
			}
		}
		return list
	}}
	length := len(w.run.Lines())
	least, _ := Greedy(ctx, w, []Phase[*witness]{phase},
		func(_ string, c Change[*witness]) (*witness, bool) {
			run := c.To.world.Attempt(c.To.run.Schedule, o.property)
			if !o.breaks(run) || len(run.Lines()) >= length {
				return nil, false
			}
			length = len(run.Lines())
			return &witness{world: c.To.world, run: run}, true
		})
	return least
}

// polish brings a run into the order that is easiest to read; of a run that is a shortest one it
// takes the first of all.
func (o *oracle) polish(ctx context.Context, w *witness) *witness {
	length := len(w.run.Schedule)
	if w.run.Loop > 0 || w.run.Fairly {
		return w // of a run that does not end no last step is the violation
	}
	if w.shortest {
		if path, ok := w.world.Canonical(ctx, o.property, length, o.states); ok {
			if run, err := w.world.Follow(path); err == nil && o.breaks(run) {
				return &witness{world: w.world, run: run, shortest: true}
			}
		}
	}
	if run, err := w.world.Reorder(w.run); err == nil && o.breaks(run) {
		return &witness{world: w.world, run: run, shortest: w.shortest}
	}
	return w
}
