package checker

import (
	"cmp"
	"context"
	"fmt"
	"io"
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
	sleepers *sleepers // nil without sleep sets
	pool     *pool     // depth first
	level    level     // breadth first
	disk     *disk     // nil in memory

	ended      atomic.Bool  // everybody stops
	started    atomic.Bool  // the first state is known
	begun      atomic.Int64 // states that were begun, counted only under a limit
	levelBytes atomic.Int64 // of the level that is explored breadth first
	levelLeft  atomic.Int64 // states of it that nobody has taken yet
	covered    atomic.Int64 // depth up to which all levels are explored
	peak       atomic.Int64
	expected   atomic.Int64 // states in all, from the levels; 0 = unknown

	wrap   func(io.Writer) io.Writer // around files of a search on disk, nil for none
	before time.Duration             // time that went by before the search was resumed

	mu       sync.Mutex
	bound    string // what ended the search early
	over     bool   // a violation ended it, or a search on disk is complete
	paused   bool   // everybody stops only for a moment
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
	if !s.started.Load() {
		s.begin()
	}
	if s.ended.Load() || s.limits() {
		return
	}
	s.started.Store(true)
	if s.disk != nil {
		s.disk.run(s.level.parts[0])
		return
	}
	for {
		if s.options.Order == BreadthFirst {
			s.runBreadthFirst()
		} else {
			s.runDepthFirst()
		}
		if s.over || !s.waiting() || !s.goOn() {
			return
		}
	}
}

// waiting reports whether any state waits to be explored. No worker may be at work.
func (s *search) waiting() bool {
	return len(s.level.parts) > 0 || len(s.pool.shared) > 0 ||
		slices.ContainsFunc(s.workers, func(w *worker) bool {
			return len(w.stack) > 0
		})
}

// begin makes the initial state the only one that waits.
func (s *search) begin() {
	first := make([]uint32, entryWords+s.sys.Words()) // number 0, depth 0, nothing sleeps
	state := first[entryWords:]
	w := s.workers[0]
	w.number.number(0, 0)
	if v := s.sys.Initial(state); v != 0 {
		s.found(v, finding{step: noStep})
	}
	f := fingerprintOf(w.x.mixers, state)
	s.visited.insert(f, state)
	if s.sleepers != nil {
		s.sleepers.visited[f.hi>>(64-shardBits)].marks[f] = mark{}
	}
	if s.options.Order == BreadthFirst {
		s.addParts(first)
	} else {
		w.stack = first
	}
}

// found notes a violation. The search ends with it unless all are wanted or the shortest is: of
// each property one run is kept, the shortest among those that were seen.
func (s *search) found(number int, f finding) {
	v := s.sys.Violation(number)
	if s.options.Only != "" && v.Property != s.options.Only {
		return
	}
	f.violation, f.property = number, v.Property
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.options.All && s.options.Order == DepthFirst {
		s.over = true
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
	return cmp.Or(cmp.Compare(f.length(), g.length()), cmp.Compare(f.number, g.number),
		cmp.Compare(f.step, g.step)) < 0
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
		steps, err := s.stepsTo(f.number)
		if err != nil {
			s.bound = f.property + " is violated, but the run is lost: " + err.Error()
			continue
		}
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
	if s.bound == "" && !s.over {
		s.bound = bound
	}
	s.ended.Store(true)
}

// limits looks at the memory, the clock and the caller; it reports whether the search must end.
func (s *search) limits() bool {
	stats := s.stats()
	switch {
	case s.ctx.Err() != nil:
		s.end("interrupted")
	case s.options.MaxTime > 0 && time.Since(s.began) > s.options.MaxTime:
		s.end(fmt.Sprintf("time limit %v", s.options.MaxTime))
	case s.disk != nil && s.options.MaxBytes > 0:
		if bound := s.disk.limit(s.systemBytes()); bound != "" {
			s.end(bound)
		}
	case s.options.MaxBytes > 0 && stats.Bytes > s.options.MaxBytes:
		bound := "memory limit " + memory(s.options.MaxBytes)
		if !s.started.Load() {
			bound += ", too little for the first state: its tables take " + memory(stats.Bytes)
		}
		s.end(bound)
	}
	return s.ended.Load()
}

func boundOfStates(n int) string { return fmt.Sprintf("limit of %d states", n) }

// stats adds up what the workers have shown.
func (s *search) stats() Stats {
	t := Stats{Elapsed: s.before + time.Since(s.began), Bytes: s.visited.bytes() +
		s.sleepers.bytes() + s.links.bytes() + s.levelBytes.Load(),
		Frontier: int(s.levelLeft.Load()), Covered: int(s.covered.Load())}
	entries, bytes := s.pool.size(entryWords + s.sys.Words())
	t.Frontier, t.Bytes = t.Frontier+entries, t.Bytes+bytes
	for _, w := range s.workers {
		p := &w.shown
		t.States += int(p.states.Load())
		t.Transitions += int(p.transitions.Load())
		t.Terminals += int(p.terminals.Load())
		t.Depth = max(t.Depth, int(p.depth.Load()))
		t.Frontier += int(p.waiting.Load())
		t.Bytes += p.bytes.Load()
		t.Estimate.States += float64(p.remaining.Load())
		p.mu.Lock()
		t.Saved.Add(p.saved)
		p.mu.Unlock()
	}
	t.Bytes += s.systemBytes()
	if s.disk != nil {
		t.Disk, t.Spills = s.disk.size.Load(), int(s.disk.spills.Load())
	}
	t.Peak = s.top(t.Bytes)
	t.Estimate = s.estimate(t)
	return t
}

// systemBytes is the memory of the system's own tables.
func (s *search) systemBytes() int64 {
	if sized, ok := s.sys.(Sizer); ok {
		return sized.Bytes()
	}
	return 0
}

// stepsTo are the indices of the steps from the initial state to a state.
func (s *search) stepsTo(number uint32) ([]int, error) {
	if s.disk == nil {
		return s.links.steps(number), nil
	}
	steps, err := s.disk.steps(number)
	slices.Reverse(steps)
	return steps, err
}
