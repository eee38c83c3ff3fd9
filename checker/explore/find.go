package explore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

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
}

// Find looks for the shortest way from the end of a path to where a condition holds, breadth first.
// Nothing is looked for beyond a violation.
func (s *Session) Find(path []string, c Condition, bounds checker.Options) (*Found, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	if run.Violation != nil {
		return nil, fmt.Errorf("%w: it ends with a violation, nothing is explored beyond", ErrPath)
	}
	h := &hunt{world: w, from: run.States[len(run.States)-1], goal: c}
	bounds.Order, bounds.Reduce, bounds.Workers = checker.BreadthFirst, checker.Unreduced, 1
	bounds.Only, bounds.All = goal, false
	r, err := search.Run(s.ctx, h, bounds)
	if err != nil {
		return nil, err
	}
	f := &Found{Covered: r.Covered, Complete: r.Bound == "", States: r.States, Bound: r.Bound}
	if len(r.Found) == 0 {
		return f, w.Err()
	}
	f.Complete = false
	f.Path = slices.Clone(path)
	state := h.from
	for _, code := range r.Found[0].Path {
		names, x := w.Enabled(state)
		i := slices.IndexFunc(x.Steps, func(t checker.Step) bool { return t.Code == code })
		if i < 0 {
			return nil, errors.New("the run that was found can not be repeated")
		}
		f.Path, state = append(f.Path, names[i]), x.State(i, nil)
	}
	return f, w.Err()
}

// goal names what a hunt looks for, as if it were a property.
const goal = "condition"

// hunt is a world that begins in a state, and in which a state with the condition is a violation.
type hunt struct {
	world *world.World
	from  []uint32
	goal  Condition
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
		m := moment{world: h.world, breaks: h.breaks(x.Steps[i].Violation)}
		if names != nil {
			m.event = names[i]
		}
		next = x.State(i, next[:0])
		if m.state = next; h.goal.holds(m) {
			x.Steps[i].Violation = reached
		}
	}
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
// nothing can happen any more, a property is broken, or so many steps are taken. Faults are drawn
// only if they are allowed, and then as often as anything else.
func (s *Session) Walk(path []string, seed uint64, steps int, faults bool, until Condition) (
	[]string, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	path = slices.Clone(path)
	state := run.States[len(run.States)-1]
	draw := rand.New(rand.NewPCG(seed, uint64(len(path))))
	for broken := run.Violation != nil; !broken && steps > 0; steps-- {
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
		path, state = append(path, names[i]), x.State(i, nil)
		m := moment{world: w, event: names[i], state: state}
		if v := x.Steps[i].Violation; v != 0 {
			m.breaks, broken = w.Violation(v).Property, true
		}
		if until.holds(m) {
			break
		}
	}
	return path, w.Err()
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

// Around looks at what can follow, up to so many states.
func (s *Session) Around(path []string, most int) (*Around, error) {
	w, run, err := s.follow(path)
	if err != nil {
		return nil, err
	}
	if run.Violation != nil {
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
	r, err := search.Run(s.ctx, &hunt{world: w, from: at}, checker.Options{All: true,
		Order: checker.BreadthFirst, MaxStates: most})
	if err != nil {
		return nil, err
	}
	a.Within, a.Steps, a.Complete = r.States, r.Covered, r.Bound == ""
	return a, w.Err()
}
