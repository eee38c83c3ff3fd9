package mutate

import (
	"context"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/minimise"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

// Question is how mutants are hunted.
type Question struct {
	Methods []Method
	Budget  Budget
	Resolve Resolve
	// Scenarios are all there are, by name.
	Scenarios []*scenarios.Scenario
	// Shrink is how many states may be looked at for each smaller scenario, when a run that a
	// method has drawn is made smaller; 0 = not at all.
	Shrink int
	// Progress is told about the method at work, may be nil; calls for different mutants come at
	// the same time.
	Progress func(mutant string, h Hunt)
}

// Row is what came of one mutant.
type Row struct {
	Mutant   string `json:"mutant"`
	Protocol string `json:"protocol"`
	Doc      string `json:"doc"`
	Scenario string `json:"scenario"`
	Expect   Status `json:"expect"`
	Why      string `json:"why,omitempty"`
	Erratum  string `json:"erratum,omitempty"`
	Hunts    []Hunt `json:"hunts"` // in the order of the methods
	// local steps in which it made a difference; 0 for a switch of the protocol
	Fired int64 `json:"fired"`
	// with the original, of one that the exhaustive search does not kill
	Comparison *Comparison `json:"comparison,omitempty"`
	Shrunk     *Shrunk     `json:"shrunk,omitempty"`
	Undecided  bool        `json:"undecided,omitempty"`  // a bound or an interruption came first
	Unexpected string      `json:"unexpected,omitempty"` // what is not as the catalogue says
}

// Shrunk is a run that a method has drawn, made smaller.
type Shrunk struct {
	Method   string `json:"method"`
	Property string `json:"property"`
	Drawn    int    `json:"drawn"` // steps
	Steps    int    `json:"steps"`
	// steps of a shortest run that breaks the property at the scope of the mutant
	Least int `json:"least"`
}

// Ratio is how much longer the shrunk run is than the shortest.
func (s *Shrunk) Ratio() float64 { return float64(s.Steps) / float64(max(1, s.Least)) }

// Ask hunts one mutant with every method. When ctx ends, the row has what is known by then and is
// undecided.
func (q *Question) Ask(ctx context.Context, m Mutant) (*Row, error) {
	r := &Row{Mutant: m.Name, Protocol: m.Protocol, Doc: m.Doc, Scenario: m.Scenario,
		Expect: m.Expect, Why: m.Why, Erratum: m.Erratum}
	t, err := q.Target(m)
	if err != nil {
		return nil, err
	}
	for _, method := range q.Methods {
		b := q.Budget
		if q.Progress != nil {
			b.Progress = func(h Hunt) { q.Progress(m.Name, h) }
			b.Progress(Hunt{Method: method.Name()})
		}
		if e := r.Hunt("exhaustive"); e != nil && e.Complete && atScope(method) {
			r.Hunts = append(r.Hunts, Hunt{Method: method.Name(),
				Bound: "there is nothing to find at this scope"})
			continue
		}
		if m.Expect != Broken {
			b.Time /= survivorShare
		}
		h, err := method.Hunt(ctx, t, b)
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("mutant %s: %s: %w", m.Name, method.Name(), err)
		}
		if h.Method = method.Name(); ctx.Err() != nil && !h.Killed {
			h.Bound, h.Complete = interrupted, false
		}
		r.Hunts = append(r.Hunts, h)
	}
	if err := q.compare(ctx, t, r); err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	if q.Shrink > 0 {
		q.shrink(ctx, t, r)
	}
	if err := t.Tally.Err(); err != nil {
		return nil, fmt.Errorf("%s: mutant %s: %w", m.Source, m.Name, err)
	}
	r.Fired = t.Tally.Fired()
	r.judge(ctx.Err() != nil)
	return r, nil
}

// Target is the mutant at the scope of its scenario: where its runs can be repeated.
func (q *Question) Target(m Mutant) (*Target, error) {
	i := slices.IndexFunc(q.Scenarios, func(s *scenarios.Scenario) bool {
		return s.Name == m.Scenario
	})
	if i < 0 {
		return nil, fmt.Errorf("%s: mutant %s: there is no scenario %q", m.Source, m.Name,
			m.Scenario)
	}
	return aim(m, q.Scenarios[i], q.Resolve)
}

// interrupted is the bound of a hunt that was told to stop.
const interrupted = "interrupted"

// CutOff reports whether the hunt was told to stop before it had its budget: it has not missed the
// mutant.
func (h *Hunt) CutOff() bool { return !h.Killed && h.Bound == interrupted }

// survivorShare is the part of its time that a method may spend on a mutant that is not expected to
// break anything.
const survivorShare = 6

// atScope reports whether a method hunts at the scope of the scenario alone: what the exhaustive
// search has not found there, it can not find.
func atScope(m Method) bool {
	_, beyond := m.(Beyond)
	return !beyond
}

// Hunt is what came of the method with the name, nil when it was not asked.
func (r *Row) Hunt(method string) *Hunt {
	for i := range r.Hunts {
		if r.Hunts[i].Method == method {
			return &r.Hunts[i]
		}
	}
	return nil
}

// compare proves a survivor of the exhaustive search equivalent, or shows what is different.
func (q *Question) compare(ctx context.Context, t *Target, r *Row) error {
	if h := r.Hunt("exhaustive"); h == nil || h.Killed || !h.Complete {
		return nil
	}
	c, err := Compare(ctx, t, q.Budget)
	if err == nil {
		r.Comparison = &c
	}
	return err
}

// judge compares the row with the catalogue.
func (r *Row) judge(ended bool) {
	killed := slices.ContainsFunc(r.Hunts, func(h Hunt) bool { return h.Killed })
	h := r.Hunt("exhaustive")
	switch {
	case r.Fired == 0 && r.Erratum == "" && h != nil && h.Complete:
		r.Unexpected = "it never makes a difference at this scope"
	case h != nil && h.Killed && h.Vacuous != (r.Expect == Vacuous):
		r.Unexpected = "it is killed by " + h.Property + ", expected " + string(r.Expect)
	case killed && (r.Expect == Equivalent || r.Expect == Within):
		r.Unexpected = "it is killed, expected " + string(r.Expect)
	case killed:
	case r.Comparison != nil && r.Comparison.Bound == "" &&
		r.Comparison.Equal == (r.Expect == Equivalent) &&
		(r.Expect == Equivalent || r.Expect == Within):
	case ended, h == nil, !h.Complete, r.Comparison != nil && r.Comparison.Bound != "":
		r.Undecided = true
	case r.Expect == Broken, r.Expect == Vacuous:
		r.Unexpected = "it survives, expected " + string(r.Expect)
	case r.Expect == Within:
		r.Unexpected = "it is equivalent, expected other ends"
	default:
		r.Unexpected = "it is not equivalent: " + r.Comparison.difference()
	}
}

// shrink makes the run smaller that the last of the methods that have drawn one has found: the
// methods that are to be best come last.
func (q *Question) shrink(ctx context.Context, t *Target, r *Row) {
	least := r.Hunt("exhaustive")
	if least == nil || least.Steps == 0 {
		return
	}
	for _, h := range slices.Backward(r.Hunts) {
		if h.Method == "exhaustive" || len(h.Run) == 0 {
			continue
		}
		s := &Shrunk{Method: h.Method, Property: h.Property, Drawn: h.Steps, Least: least.Steps}
		if least.Property != h.Property {
			if s.Least = q.least(ctx, t, h.Property); s.Least == 0 {
				return
			}
		}
		from := *t.Scenario
		from.Schedule = h.Run
		a, err := minimise.Minimise(ctx, minimise.Question{Scenario: &from,
			Resolve: func(s *scenarios.Scenario) (world.Case, error) {
				return t.Resolve(s)
			},
			Property: h.Property, States: q.Shrink})
		if err != nil || ctx.Err() != nil {
			return // the run alone does not show it again, or there is no time
		}
		s.Steps = a.After.Steps
		r.Shrunk = s
		return
	}
}

// least is the length of a shortest run that breaks the property, 0 when none is found within the
// bounds.
func (q *Question) least(ctx context.Context, t *Target, property string) int {
	w, err := open(ctx, t.Case, q.Budget)
	if err != nil {
		return 0
	}
	r := search.Explore(ctx, w, checker.Options{Order: checker.BreadthFirst, Only: property,
		MaxStates: q.Budget.States, MaxBytes: q.Budget.Bytes})
	if len(r.Found) == 0 {
		return 0
	}
	return len(r.Found[0].Path)
}
