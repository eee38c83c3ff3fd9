package checker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// search is the state common to all workers.
type search struct {
	sys      System
	options  Options
	ctx      context.Context
	began    time.Time
	visited  *visited
	links    links
	workers  []*worker
	pool     *pool
	sleepers *sleepers // nil without sleep sets

	ended      atomic.Bool  // everybody stops
	begun      atomic.Int64 // states that were begun, counted only under a limit
	levelBytes atomic.Int64 // of the level that is explored breadth first

	mu       sync.Mutex
	bound    string // what ended the search early
	findings []finding
}

// finding is a violation and where it was seen.
type finding struct {
	violation int
	property  string
	number    uint32 // of the state
	depth     uint32
	step      int // index of the step out of it, noStep when the state itself is it
}

const noStep = -1

// length is the number of steps of the run that shows it.
func (f finding) length() int {
	if f.step == noStep {
		return int(f.depth)
	}
	return int(f.depth) + 1
}

func (s *search) run() {
	first := make([]uint32, entryWords+s.sys.Words()) // number 0, depth 0, nothing sleeps
	state := first[entryWords:]
	w := s.workers[0]
	w.number.number(0, 0)
	if v := s.sys.Initial(state); v != 0 {
		s.found(v, finding{step: noStep})
	}
	if s.ended.Load() || s.limits() {
		return
	}
	f := fingerprintOf(w.x.mixers, state)
	s.visited.insert(f, state)
	if s.sleepers != nil {
		s.sleepers.visited[f.hi>>(64-shardBits)].marks[f] = mark{}
	}
	if s.options.Order == BreadthFirst {
		s.runBreadthFirst(first)
	} else {
		s.runDepthFirst(first)
	}
}

// found notes a violation. The search ends with it unless all are wanted or the shortest is: of each property one run is kept,
// the shortest among those that were seen.
func (s *search) found(number int, f finding) {
	v := s.sys.Violation(number)
	if s.options.Only != "" && v.Property != s.options.Only {
		return
	}
	f.violation, f.property = number, v.Property
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.options.All && s.options.Order == DepthFirst {
		s.ended.Store(true)
	}
	for i, g := range s.findings {
		if g.property == f.property {
			if f.before(g) {
				s.findings[i] = f
			}
			return
		}
	}
	s.findings = append(s.findings, f)
}

// before prefers the shorter run, then the one that a single worker meets first.
func (f finding) before(g finding) bool {
	return cmp.Or(cmp.Compare(f.length(), g.length()), cmp.Compare(f.number, g.number), cmp.Compare(f.step, g.step)) < 0
}

// paths turns the findings into runs.
func (s *search) paths() []Found {
	slices.SortFunc(s.findings, func(f, g finding) int {
		if f.before(g) {
			return -1
		}
		return 1
	})
	if !s.options.All && len(s.findings) > 1 {
		s.findings = s.findings[:1]
	}
	var list []Found
	for _, f := range s.findings {
		steps := s.links.steps(f.number)
		if f.step != noStep {
			steps = append(steps, f.step)
		}
		list = append(list, Found{Violation: s.sys.Violation(f.violation), Path: s.codes(steps)})
	}
	return list
}

// codes repeats the steps from the initial state and returns their codes.
func (s *search) codes(steps []int) (path []uint64) {
	x := NewExpansion(s.sys.Words())
	state := make([]uint32, s.sys.Words())
	s.sys.Initial(state)
	for _, i := range steps {
		s.sys.Expand(state, s.options.Reduce, x)
		path = append(path, x.Steps[i].Code)
		state = x.State(i, state[:0])
	}
	return path
}

// end notes what ends the search early; the first reason counts.
func (s *search) end(bound string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound == "" && !s.ended.Load() {
		s.bound = bound
	}
	s.ended.Store(true)
}

// limits looks at the clock, the memory and the caller, and shows progress; it reports whether the search must end.
func (s *search) limits() bool {
	stats := s.stats()
	if s.options.Progress != nil {
		s.mu.Lock()
		s.options.Progress(stats)
		s.mu.Unlock()
	}
	switch {
	case s.ctx.Err() != nil:
		s.end("interrupted")
	case s.options.MaxTime > 0 && stats.Elapsed > s.options.MaxTime:
		s.end(fmt.Sprintf("time limit %v", s.options.MaxTime))
	case s.options.MaxBytes > 0 && stats.Bytes > s.options.MaxBytes:
		s.end(fmt.Sprintf("memory limit %d MiB", s.options.MaxBytes>>20))
	}
	return s.ended.Load()
}

func boundOfStates(n int) string { return fmt.Sprintf("limit of %d states", n) }

// stats adds up what the workers have shown.
func (s *search) stats() Stats {
	t := Stats{Elapsed: time.Since(s.began), Bytes: s.visited.bytes() + s.sleepers.bytes() + s.links.bytes() + s.levelBytes.Load()}
	for _, w := range s.workers {
		p := &w.shown
		t.States += int(p.states.Load())
		t.Transitions += int(p.transitions.Load())
		t.Terminals += int(p.terminals.Load())
		t.Depth = max(t.Depth, int(p.depth.Load()))
		t.Frontier += int(p.waiting.Load())
		t.Bytes += p.bytes.Load()
		p.mu.Lock()
		t.Saved.Add(p.saved)
		p.mu.Unlock()
	}
	if sized, ok := s.sys.(Sizer); ok {
		t.Bytes += sized.Bytes()
	}
	return t
}
