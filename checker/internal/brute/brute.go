// Package brute counts Mazurkiewicz traces by brute force, in two ways that share nothing with the
// stateless search of checker and next to nothing with each other: references for its tests. Runs,
// their ends and independence are those that package odpor counts.
package brute

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
)

// Count is a number of traces: of complete runs, and of runs that a violation cuts.
type Count struct{ Complete, Violating int }

// system remembers the steps out of each state.
type system struct {
	checker.Independence
	x     *checker.Expansion
	known map[string][]step
}

type step struct {
	code      uint64
	next      string // state
	violation bool
	touches   checker.Footprint
}

// end is the code of the end of a run, a step where no other but faults is enabled; it depends on
// all.
const end = ^uint64(0)

func newSystem(sys checker.Independence) *system {
	return &system{Independence: sys, x: checker.NewExpansion(sys.Words()),
		known: map[string][]step{}}
}

func (s *system) initial() string {
	state := make([]uint32, s.Words())
	s.Initial(state)
	return pack(state)
}

func pack(state []uint32) string {
	var b []byte
	for _, v := range state {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return string(b)
}

func (s *system) steps(at string) []step {
	if list, ok := s.known[at]; ok {
		return list
	}
	var state []uint32
	for i := 0; i < len(at); i += 4 {
		state = append(state, binary.BigEndian.Uint32([]byte(at[i:])))
	}
	s.Expand(state, checker.Unreduced, s.x)
	var list []step
	progress := false
	for i, c := range s.x.Steps {
		f := step{code: c.Code, next: pack(s.x.State(i, nil)), violation: c.Violation != 0,
			touches: s.Footprint(state, c.Code)}
		if f.violation {
			f.touches = checker.Everything()
		}
		progress = progress || !c.Fault
		list = append(list, f)
	}
	if !progress {
		list = append(list, step{code: end, touches: checker.Everything()})
	}
	s.known[at] = list
	return list
}

// Sleeping counts with sleep sets alone: P. Godefroid's theorem is that exactly one run of each
// trace is not blocked by a sleeping step, whatever is put to sleep in which order, as long as all
// that is enabled is tried. What follows depends on the state and the sleep set only, so each such
// pair is looked at once. It returns false when there are more pairs than most, or runs without
// end.
func Sleeping(sys checker.Independence, most int) (Count, bool) {
	c := &sleeping{system: newSystem(sys), most: most, counts: map[string]*Count{}}
	return c.count(c.initial(), nil)
}

type sleeping struct {
	*system
	most   int
	counts map[string]*Count // nil while it is counted
}

func (c *sleeping) count(at string, asleep []uint64) (total Count, ok bool) {
	slices.Sort(asleep)
	key := at
	for _, code := range asleep {
		key += fmt.Sprint(" ", code)
	}
	if known, ok := c.counts[key]; ok {
		if known == nil {
			return Count{}, false
		}
		return *known, true
	}
	if len(c.counts) == c.most {
		return Count{}, false
	}
	c.counts[key] = nil
	steps := c.steps(at)
	for i := range steps {
		s := &steps[i]
		switch {
		case slices.Contains(asleep, s.code):
			continue
		case s.violation:
			total.Violating++
		case s.code == end:
			total.Complete++
		default:
			var still []uint64
			for j := range steps {
				if slices.Contains(asleep, steps[j].code) &&
					steps[j].touches.Independent(&s.touches) {
					still = append(still, steps[j].code)
				}
			}
			n, ok := c.count(s.next, still)
			if !ok {
				return Count{}, false
			}
			total.Complete += n.Complete
			total.Violating += n.Violating
		}
		asleep = append(asleep, s.code)
	}
	c.counts[key] = &total
	return total, true
}

// Classes counts by the definition: it lists all runs and joins those that differ in the order of
// two neighbours which are independent where both are enabled. It returns false when there are more
// runs than most.
func Classes(sys checker.Independence, most int) (Count, bool) {
	c := &classes{system: newSystem(sys), most: most, number: map[string]int{}}
	if !c.list(c.initial(), nil, nil) {
		return Count{}, false
	}
	for n, r := range c.runs {
		c.swap(n, r)
	}
	var total Count
	for n, r := range c.runs {
		if c.root(n) != n {
			continue
		}
		if r.violating {
			total.Violating++
		} else {
			total.Complete++
		}
	}
	return total, true
}

type classes struct {
	*system
	most   int
	runs   []run
	number map[string]int // of a run by its codes
	parent []int
}

type run struct {
	codes     []uint64
	states    []string // before each step
	violating bool
}

func (c *classes) list(at string, codes []uint64, states []string) bool {
	if len(codes) > 100 {
		return false
	}
	states = append(states, at)
	for _, s := range c.steps(at) {
		now := append(codes[:len(codes):len(codes)], s.code)
		if s.code != end && !s.violation {
			if !c.list(s.next, now, states) {
				return false
			}
			continue
		}
		if len(c.runs) == c.most {
			return false
		}
		c.number[fmt.Sprint(now)] = len(c.runs)
		c.parent = append(c.parent, len(c.runs))
		c.runs = append(c.runs, run{codes: now, states: slices.Clone(states),
			violating: s.violation})
	}
	return true
}

// swap joins a run with its neighbours.
func (c *classes) swap(n int, r run) {
	for i := 0; i+1 < len(r.codes); i++ {
		steps := c.steps(r.states[i])
		find := func(code uint64) int {
			return slices.IndexFunc(steps, func(s step) bool { return s.code == code })
		}
		first, second := find(r.codes[i]), find(r.codes[i+1])
		if second < 0 || first == second || !steps[first].touches.Independent(
			&steps[second].touches) {
			continue
		}
		other := slices.Clone(r.codes)
		other[i], other[i+1] = other[i+1], other[i]
		m, ok := c.number[fmt.Sprint(other)]
		if !ok {
			panic(fmt.Sprintf("invariant: steps %#x and %#x, which are independent, can be swapped",
				other[i], other[i+1]))
		}
		c.parent[c.root(n)] = c.root(m)
	}
}

func (c *classes) root(n int) int {
	for c.parent[n] != n {
		n = c.parent[n]
	}
	return n
}
