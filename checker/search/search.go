// Package search explores the states of a System and reports what breaks, the smallest run that
// does so, or exactly how far it looked.
//
// The model is explicit-state and stateful: a state is visited once, known by its code, which is
// the state itself in few bits. Any number of workers share one search, depth first or breadth
// first; it can be saved and go on, and a search breadth first can live on disk. Endless runs are
// looked for in lasso, one run of each Mazurkiewicz trace is taken in odpor.
//
// What a search does not see: with Reduce, some interleavings of events that commute are left out.
// That keeps terminal states, deadlocks and every property stated on single procs or on visible
// events; it does not keep arbitrary predicates on intermediate global states, and no such property
// exists in spec (see spec.Property.Global). A run that goes on for ever breaks nothing, unless
// Lasso is on.
//
// # Pitfalls
//
// What searches of this kind get wrong, and the test that would notice: visited states cut a
// stateless search: it keeps none, and says so (TestTracesLimits); sleep sets and visited states
// (TestWoken, TestSleepSets); bounds lose traces: a bound makes the answer unknown
// (TestTracesLimits), budgets of faults are the same for equivalent runs (TestTracesOfToys);
// reductions and what is judged on the way (TestReductionOfToys, its probe); endless runs
// (TestLassoAgainstBruteForce); hidden nondeterminism (TestGuards, in world); states
// taken for others (TestTable, TestWidening); a resumed search (TestResume, TestRefused, in world).
package search

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search/lasso"
	"github.com/domino-check/domino/checker/search/odpor"
)

// Explore explores the system. It ends early, with the bound named in the result, when a limit is
// hit or ctx is cancelled. Files are the business of Run: Options.Saving and Options.Disk have no
// effect.
func Explore(ctx context.Context, sys checker.System, o checker.Options) checker.Result {
	o.Saving, o.Disk = checker.Saving{}, ""
	switch {
	case o.Lasso:
		return lasso.Explore(ctx, sys.(checker.Fair), o)
	case o.Order == checker.StatelessOptimal:
		return odpor.Explore(ctx, sys, o)
	}
	return newSearch(ctx, sys, o).result()
}

// Run is Explore with files: a search that can be saved, and can go on from a saved one. The error
// says why it can not begin; then nothing was explored and no file was changed.
func Run(ctx context.Context, sys checker.System, o checker.Options) (checker.Result, error) {
	if o.Saving.File == "" && o.Saving.Resume == "" && o.Disk == "" {
		return Explore(ctx, sys, o), nil
	}
	if why := unkept(&o); why != "" {
		return checker.Result{}, errors.New(why)
	}
	s := newSearch(ctx, sys, o)
	if file := o.Saving.Resume; file != "" {
		if err := readRun(file, s.restore); err != nil {
			return checker.Result{}, err
		}
	}
	if o.Disk != "" {
		var err error
		if s.disk, err = newDisk(s); err != nil {
			return checker.Result{}, err
		}
		defer s.disk.remove()
	}
	return s.result(), nil
}

// unkept says why a search can not be kept in files, or "".
func unkept(o *checker.Options) string {
	switch {
	case o.Lasso:
		return "a search for endless runs is not kept in files"
	case o.Order == checker.StatelessOptimal:
		return "a search that remembers no states is not kept in files"
	case o.Reduce.Has(checker.Sleep):
		return "sleep sets are not kept in files: use other reductions"
	}
	return ""
}

func newSearch(ctx context.Context, sys checker.System, o checker.Options) *search {
	s := &search{sys: sys, options: o, bounds: o.Bounds(ctx),
		finds:   checker.Finds[finding]{Only: o.Only, Prefer: finding.before},
		packing: checker.NewPacking(sys.Words()),
		compact: compactStates, pool: newPool(max(1, o.Workers))}
	s.visited = newTable(s.packing.Bits() > checker.NarrowBits)
	s.states.limited = o.MaxStates > 0
	s.states.left.Store(int64(o.MaxStates))
	_, revises := sys.(checker.Reviser)
	s.unrevised = revises && o.Reduce != checker.Unreduced
	s.layout = layout{wide: s.visited.wide, breadth: o.Order == checker.BreadthFirst}
	if i, ok := sys.(checker.Independence); ok && o.Reduce.Has(checker.Sleep) {
		s.sleepers = newSleepers(i)
		s.layout.sleeps = true
	}
	for range max(1, o.Workers) {
		s.workers = append(s.workers, s.newWorker())
	}
	return s
}

// result runs the search and says what came out. The table is given back then: it is no memory
// that a collector knows of, and a program may search again and again.
func (s *search) result() checker.Result {
	unwatch := s.watch()
	s.run()
	unwatch()
	if !s.over && !s.waiting() && !s.unrevised {
		s.bound = "" // it was complete when something would have ended it
	}
	if s.options.Visited != nil && s.bound == "" && !s.unrevised && !s.finds.Any() {
		s.options.Visited(s.met(s.packing))
	}
	found := s.paths()
	r := checker.Result{Bound: s.bound}
	if s.bound != "" && !s.over && s.options.Saving.File != "" {
		if r.Unsaved = s.save(); r.Unsaved == nil {
			r.File = s.options.Saving.File
		}
	}
	r.Stats, r.Found = s.stats(), found
	if len(s.workers) > 1 && s.options.Order == checker.DepthFirst {
		r.Depth = 0
	}
	if s.unrevised {
		r.Covered = 0
	}
	s.visited.close()
	return r.Judged()
}

// search is the state common to all workers.
type search struct {
	sys      checker.System
	options  checker.Options
	bounds   checker.Bounds
	packing  *checker.Packing
	compact  int // compactStates, but in tests
	visited  *table
	layout   layout
	links    links // breadth first
	workers  []*worker
	sleepers *sleepers // nil without sleep sets
	pool     *pool     // depth first
	// what was left out is to be judged again
	unrevised bool
	level     level // breadth first
	disk      *disk // nil in memory

	ended      atomic.Bool // everybody stops
	started    atomic.Bool // the first state is known
	states     allowance
	levelBytes atomic.Int64 // of the level that is explored breadth first
	levelLeft  atomic.Int64 // states of it that nobody has taken yet
	covered    atomic.Int64 // depth up to which all levels are explored
	peak       atomic.Int64
	expected   atomic.Int64 // states in all, from the levels; 0 = unknown

	wrap   func(io.Writer) io.Writer // around files of a search on disk, nil for none
	before time.Duration             // time that went by before the search was resumed

	repacking sync.RWMutex // held by who looks at the sizes of tables and stacks

	mu    sync.Mutex
	bound string // what ended the search early
	over  bool   // a violation ended it, or a search on disk is complete
	finds checker.Finds[finding]
	// what everybody stops for, only for a moment
	paused   bool                 // to save the search
	dry      bool                 // a worker may not begin another state
	crowded  bool                 // on disk: the table is full
	outgrown []*checker.Expansion // the packing is too narrow for these
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
		s.disk.run(s.layout.at(s.level.parts[0]).code)
		return
	}
	for {
		if s.options.Order == checker.BreadthFirst {
			s.runBreadthFirst()
		} else {
			s.runDepthFirst()
		}
		switch {
		case s.over:
			return
		case s.waiting():
			if !s.goOn() {
				return
			}
		case s.bound != "" || !s.revise():
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
	state := make([]uint32, s.sys.Words())
	w := s.workers[0]
	if v := s.sys.Initial(state); v != 0 {
		s.found(v, finding{step: noStep, state: state})
	}
	c, ok := s.packing.Encode(state)
	if !ok {
		w.x.Begin(state)
		s.widen(w)
		s.repack()
		s.ended.Store(false)
		c, _ = s.packing.Encode(state)
	}
	s.visited.insert(s.visited.place(c))
	if s.sleepers != nil {
		s.sleepers.visited[widePlace(c).shard].marks[c] = mark{}
	}
	if s.layout.breadth {
		w.number.number(0, 0)
	}
	first := s.layout.push(nil, entry{code: c})
	if s.options.Order == checker.BreadthFirst {
		s.addParts(first)
	} else {
		w.stack = first
	}
}
