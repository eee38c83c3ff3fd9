package search

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/checker"
)

// finding is a violation and where it was seen.
type finding struct {
	violation int
	property  string
	number    uint32   // breadth first: of the state
	way       []uint16 // depth first: the steps to the state
	depth     uint32
	step      int    // index of the step out of it, noStep when the state itself is it
	code      uint64 // of that step
	state     []uint32
}

const noStep = -1

// length is the number of steps of the run that shows it.
func (f finding) length() int {
	if f.step == noStep {
		return int(f.depth)
	}
	return int(f.depth) + 1
}

// found notes a violation. The search ends with it unless all are wanted or the shortest is: of
// each property one run is kept, the shortest among those that were seen.
func (s *search) found(number int, f finding) {
	f.violation = number
	v := s.sys.Violation(number)
	f.property = v.Property
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := s.finds.Keep(v, f.length(), func() finding {
		f.way, f.state = slices.Clone(f.way), slices.Clone(f.state)
		return f
	})
	if wanted && !s.options.All && s.options.Order == checker.DepthFirst {
		s.over = true
		s.ended.Store(true)
	}
}

// before prefers, of two runs of one length, the one that a single worker meets first.
func (f finding) before(g finding) bool {
	return cmp.Or(cmp.Compare(f.number, g.number), cmp.Compare(f.step, g.step)) < 0
}

// paths turns the findings into runs.
func (s *search) paths() []checker.Found {
	findings := s.finds.Sorted()
	if !s.options.All && len(findings) > 1 {
		findings = findings[:1]
	}
	var list []checker.Found
	for _, f := range findings {
		path, err := s.path(f)
		if err != nil {
			s.bound = f.property + " is violated, but the run is lost: " + err.Error()
			continue
		}
		list = append(list, checker.Found{Violation: s.sys.Violation(f.violation), Path: path})
	}
	return list
}

// path is a run that shows a finding, as codes of steps. Steps of reduced states may be others by
// now (see checker.Reviser): then it is another run to the same state.
func (s *search) path(f finding) ([]uint64, error) {
	steps, err := s.stepsTo(f)
	if err != nil {
		return nil, err
	}
	path, state := s.follow(steps)
	if !slices.Equal(state, f.state) {
		if path, err = s.trace(f.state); err != nil {
			return nil, err
		}
	}
	if f.step != noStep {
		path = append(path, f.code)
	}
	return path, nil
}

// follow repeats the steps from the initial state and returns their codes and where they lead, nil
// when they are not there.
func (s *search) follow(steps []int) (path []uint64, state []uint32) {
	x := checker.NewExpansion(s.sys.Words())
	state = make([]uint32, s.sys.Words())
	s.sys.Initial(state)
	for _, i := range steps {
		if s.sys.Expand(state, s.options.Reduce, x); i >= len(x.Steps) {
			return nil, nil
		}
		path = append(path, x.Steps[i].Code)
		state = x.State(i, state[:0])
	}
	return path, state
}

// stepsTo are the indices of the steps from the initial state to that of a finding.
func (s *search) stepsTo(f finding) (steps []int, err error) {
	if !s.layout.breadth {
		for _, step := range f.way {
			steps = append(steps, int(step))
		}
		return steps, nil
	}
	if s.disk == nil {
		return s.links.steps(f.number), nil
	}
	steps, err = s.disk.steps(f.number)
	slices.Reverse(steps)
	return steps, err
}
