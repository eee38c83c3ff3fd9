package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/spec"
)

// Found is what a search from a state has found.
type Found struct {
	Path []string `json:"path"` // from the start; empty when nothing was found
	// all runs were looked at that go on from there for so many steps; all runs, if Complete
	Covered  int    `json:"covered"`
	Complete bool   `json:"complete"`
	States   int    `json:"states"`
	Bound    string `json:"bound,omitempty"` // what ended the search before it was complete
	// some of these runs break a property before, and nothing is looked for beyond that
	Broken bool `json:"broken"`
	// properties that the condition asks for, and of which nobody can say from here that nothing
	// breaks them: they are about whole runs, or about several
	Undecided []string `json:"undecided,omitempty"`
}

// Scope says how far a search has looked that has found nothing.
func (f *Found) Scope() string {
	var b strings.Builder
	if f.Complete {
		b.WriteString("there is no such run from here, within the bounds of the scenario")
	} else {
		fmt.Fprintf(&b, "no run of at most %d steps from here; %s", f.Covered, f.Bound)
	}
	if f.Broken {
		b.WriteString("; but some runs break a property before, and nothing was looked for " +
			"beyond that")
	}
	if len(f.Undecided) > 0 {
		fmt.Fprintf(&b, "; not judged here, but by domino check: %s",
			strings.Join(f.Undecided, ", "))
	}
	return b.String()
}

// Find looks for the shortest way from the end of a path to where a condition holds, breadth first,
// until the context is done. Nothing is looked for beyond a violation.
func (s *Session) Find(ctx context.Context, path []string, c Condition, bounds checker.Options) (
	*Found, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	if stopped(run) {
		return nil, fmt.Errorf("%w: it ends with a violation, nothing is explored beyond", ErrPath)
	}
	h := &hunt{world: w, from: run.States[len(run.States)-1], goal: c}
	bounds.Order, bounds.Reduce, bounds.Workers = checker.BreadthFirst, checker.Unreduced, 1
	bounds.Only, bounds.All = goal, false
	r, err := search.Run(ctx, h, bounds)
	if err != nil {
		return nil, err
	}
	f := &Found{Covered: r.Covered, Complete: r.Bound == "", States: r.States, Bound: r.Bound,
		Broken: h.broken, Undecided: c.undecided(w)}
	if s.alone && c.needs("breaks") {
		f.Undecided = append(f.Undecided, "what compares with runs without failures")
	}
	if len(r.Found) > 0 {
		f.Complete = false
		if f.Path, err = h.path(path, r.Found[0].Path); err != nil {
			return nil, err
		}
	}
	return f, errors.Join(w.Err(), s.forget(w))
}

// path is a path with the events behind it that a search has found.
func (h *hunt) path(before []string, codes []uint64) ([]string, error) {
	path, state := slices.Clone(before), h.from
	for _, code := range codes {
		names, x := h.world.Enabled(state)
		i := slices.IndexFunc(x.Steps, func(t checker.Step) bool { return t.Code == code })
		if i < 0 {
			return nil, errors.New("the run that was found can not be repeated")
		}
		path, state = append(path, names[i]), x.State(i, nil)
	}
	return path, nil
}

// goal names what a hunt looks for, as if it were a property.
const goal = "condition"

// hunt is a world that begins in a state, and in which a state with the condition is a violation.
type hunt struct {
	world  *world.World
	from   []uint32
	goal   Condition
	broken bool // some step breaks a property and is not what is looked for
}

// reached is the number of the violation that the condition is.
const reached = 1 << 30

// Words implements checker.System.
func (h *hunt) Words() int { return h.world.Words() }

// Initial implements checker.System. The condition is looked for behind the first state.
func (h *hunt) Initial(state []uint32) int {
	copy(state, h.from)
	return 0
}

// Expand implements checker.System.
func (h *hunt) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	h.world.Expand(state, reduce, x)
	var names []string
	if h.goal.needs("event") {
		names, _ = h.world.Enabled(state)
	}
	var next []uint32
	for i := range x.Steps {
		event := ""
		if names != nil {
			event = names[i]
		}
		next = x.State(i, next[:0])
		if h.holds(event, x.Steps[i].Violation, next) {
			x.Steps[i].Violation = reached
		} else if x.Steps[i].Violation != 0 {
			h.broken = true
		}
	}
}

// holds reports whether the condition holds in a state that an event leads to, and breaks something
// with or not.
func (h *hunt) holds(event string, violation int, state []uint32) bool {
	m := moment{world: h.world, event: event, breaks: h.breaks(violation), state: state}
	if violation == 0 && h.goal.needs("breaks") && h.goal.needs("event") {
		m.breaks = h.atEnd(state) // what asks of a state alone, Terminal answers
	}
	return h.goal.holds(m)
}

// atEnd is the property that a run breaks which ends in a state, "" if none can end there.
func (h *hunt) atEnd(state []uint32) string {
	_, x := h.world.Enabled(state)
	if slices.ContainsFunc(x.Steps, func(t checker.Step) bool { return !t.Fault }) {
		return ""
	}
	return h.breaks(h.world.Terminal(state))
}

func (h *hunt) breaks(violation int) string {
	if violation == 0 {
		return ""
	}
	return h.world.Violation(violation).Property
}

// Terminal implements checker.System.
func (h *hunt) Terminal(state []uint32) int {
	n := h.world.Terminal(state)
	if n != 0 && h.goal.holds(moment{world: h.world, state: state, breaks: h.breaks(n)}) {
		return reached
	}
	return n
}

// Violation implements checker.System.
func (h *hunt) Violation(number int) spec.Violation {
	if number == reached {
		return spec.Violation{Property: goal, Message: h.goal.String()}
	}
	return h.world.Violation(number)
}

// Bytes implements checker.Sizer.
func (h *hunt) Bytes() int64 { return h.world.Bytes() }

// Walk goes on from a path by events that a seed draws, until a condition holds behind one of them,
// nothing can happen any more, a property is broken, or so many steps are taken. It says whether
// the condition holds at the end. Faults are drawn only if they are allowed, and then as often as
// anything else.
func (s *Session) Walk(ctx context.Context, path []string, seed uint64, steps int, faults bool,
	until Condition) (to []string, met bool, err error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, false, err
	}
	h := &hunt{world: w, goal: until}
	to = slices.Clone(path)
	state := run.States[len(run.States)-1]
	draw := rand.New(rand.NewPCG(seed, uint64(len(path))))
	for broken := stopped(run); !broken && !met && steps > 0 && ctx.Err() == nil; steps-- {
		names, x := w.Enabled(state)
		var possible []int
		for i := range names {
			if faults || !x.Steps[i].Fault {
				possible = append(possible, i)
			}
		}
		if len(possible) == 0 {
			break
		}
		i := possible[draw.IntN(len(possible))]
		to, state = append(to, names[i]), x.State(i, nil)
		broken = x.Steps[i].Violation != 0
		met = h.holds(names[i], x.Steps[i].Violation, state)
	}
	if !met && len(to) > len(path) && !until.needs("event") { // the end itself breaks something
		met = until.holds(moment{world: w, breaks: h.atEnd(state), state: state})
	}
	return to, met, errors.Join(w.Err(), ctx.Err())
}

// Around is what lies near the end of a path.
type Around struct {
	Successors int  `json:"successors"` // events that can happen
	Distinct   int  `json:"distinct"`   // states after one of them
	Commuting  int  `json:"commuting"`  // pairs of them of which the order does not matter
	Pairs      int  `json:"pairs"`
	Within     int  `json:"within"`   // states within Steps steps, the state itself included
	Steps      int  `json:"steps"`    // that were looked at in full
	Complete   bool `json:"complete"` // there are no more than these states
}

// Around looks at what can follow, up to so many states or until the context is done.
func (s *Session) Around(ctx context.Context, path []string, most int) (*Around, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	if stopped(run) {
		return &Around{Within: 1, Complete: true}, nil
	}
	at := run.States[len(run.States)-1]
	_, x := w.Enabled(at)
	a := &Around{Successors: len(x.Steps)}
	distinct := map[string]bool{}
	var buffer []byte
	for i := range x.Steps {
		distinct[string(checker.Key(x.State(i, nil), &buffer))] = true
		f := w.Footprint(at, x.Steps[i].Code)
		for j := range i {
			g := w.Footprint(at, x.Steps[j].Code)
			a.Pairs++
			if f.Independent(&g) {
				a.Commuting++
			}
		}
	}
	a.Distinct = len(distinct)
	r, err := search.Run(ctx, &hunt{world: w, from: at}, checker.Options{All: true,
		Order: checker.BreadthFirst, MaxStates: most})
	if err != nil {
		return nil, err
	}
	a.Within, a.Steps, a.Complete = r.States, r.Covered, r.Bound == ""
	return a, errors.Join(w.Err(), s.forget(w))
}
