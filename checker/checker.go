// Package checker explores the states of a System and reports what breaks, the smallest run that
// does so, or exactly how far it looked.
//
// A System is a transition system over short vectors of integers: what the integers stand for is
// its own business (checker/world interns protocol states, messages and channels). The model is
// explicit-state and stateful: a state is visited once, known by a 128-bit fingerprint or, in exact
// mode, by its vector. Any number of workers share one search.
//
// What a search does not see: with Reduce, some interleavings of events that commute are left out.
// That keeps terminal states, deadlocks and every property stated on single procs or on visible
// events; it does not keep arbitrary predicates on intermediate global states, and no such property
// exists in spec (see spec.Property.Global). A run that goes on for ever breaks nothing, unless
// Lasso is on.
//
// # Traces
//
// The order StatelessOptimal remembers no states. It takes one run of each Mazurkiewicz trace and
// counts them. Two runs are of one trace when one becomes the other by swapping neighbours that are
// independent (Footprint) where both are enabled. A run is complete where no step but faults is
// enabled. Faults may happen and need not, so a complete run may be the beginning of another one:
// the end of a run counts as a step, which depends on all others. A step that shows a violation
// depends on all others, too, and cuts the run. Stats.Traces is the number of traces of complete
// runs, Stats.Violating of runs that are cut. Where a run comes back to a state there is no such
// number: the run is not followed further, and the answer is unknown unless a violation is found.
//
// # Pitfalls
//
// What searches of this kind get wrong, by the numbers of the design, and the test that would
// notice: P1, visited states cut a stateless search: it keeps none, and says so (TestTracesLimits);
// P2, sleep sets and visited states (TestWoken, TestSleepSets); P3, bounds lose traces: a bound
// makes the answer unknown (TestTracesLimits), budgets of faults are the same for equivalent runs
// (TestTracesOfToys); P4, reductions and what is judged on the way (TestReductionOfToys, its
// probe); P5, endless runs (TestLassoAgainstBruteForce); P6, hidden nondeterminism (TestGuards, in
// world); P7, collisions (TestSpread); P8, a resumed search (TestResume, TestRefused, in world).
package checker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/spec"
)

// System is what a search explores. Its methods are safe for concurrent use when the search has
// several workers.
type System interface {
	// Words is the length of a state vector.
	Words() int
	// Initial writes the initial state into a vector of Words length; it returns the number of a
	// violation that the start itself shows, or 0.
	Initial(state []uint32) int
	// Expand puts the successors of a state into x (Begin, Add, Set), always the same ones in the
	// same order. With reductions it may put fewer, as long as they represent all (see
	// Expansion.Reduced and Expansion.LeftOut).
	Expand(state []uint32, reduce Reduction, x *Expansion)
	// Terminal judges a state without progress: it returns the number of a violation, or 0.
	Terminal(state []uint32) int
	// Violation is the violation with the number, from 1.
	Violation(number int) spec.Violation
}

// Order is the order of exploration.
type Order uint8

// The orders.
const (
	DepthFirst   Order = iota // least memory; the default
	BreadthFirst              // first counterexample is a shortest one
	// one run of each Mazurkiewicz trace, see traces; the system must be an Independence
	StatelessOptimal
)

// String is the name that ParseOrder reads.
func (o Order) String() string { return [...]string{"dfs", "bfs", "odpor"}[o] }

// ParseOrder reads "dfs", "bfs" or "odpor".
func ParseOrder(s string) (Order, error) {
	switch s {
	case "dfs":
		return DepthFirst, nil
	case "bfs":
		return BreadthFirst, nil
	case "odpor":
		return StatelessOptimal, nil
	}
	return 0, fmt.Errorf("unknown search %q, want dfs, bfs or odpor", s)
}

// Sizer is a System that keeps tables of its own, which count for the memory bound.
type Sizer interface{ Bytes() int64 }

// Options bound and direct a search. The zero value explores everything depth first and stops at
// the first violation.
type Options struct {
	Order   Order
	Workers int       // goroutines that explore, 0 = 1; the stateless search has one
	Reduce  Reduction // what may be left out; not with the stateless search
	// store whole vectors instead of fingerprints; not with the stateless search
	Exact     bool
	MaxStates int           // 0 = no bound
	MaxBytes  int64         // bound on the memory of the tables, 0 = no bound
	MaxTime   time.Duration // 0 = no bound
	All       bool          // go on after a violation; keep the first run of each property
	// look for endless fair runs, too; the System is Fair, Order, Workers, Reduce and Exact are
	// ignored (lasso.go)
	Lasso bool
	// look for violations of this property alone, "" = of all; nothing is explored beyond the
	// others either way
	Only   string
	Saving Saving // for Run: where the search is saved and goes on from
	// for Run: folder for what MaxBytes has no room for, breadth first; "" = none
	Disk     string
	Progress func(Stats) // called some times a second, one call at a time; may be nil
}

// Stats is how far a search has come.
type Stats struct {
	States      int `json:"states"`
	Transitions int `json:"transitions"`
	Terminals   int `json:"terminals"` // states without progress
	// longest path followed; 0 at the end of a depth-first search with several workers: another one
	// each time
	Depth    int `json:"depth"`
	Frontier int `json:"frontier"` // states waiting
	// breadth first: every run of at most so many steps was looked at
	Covered int `json:"covered"`
	// of the tables of search and system, with what waits
	Bytes int64 `json:"bytes"`
	Peak  int64 `json:"peak"` // most of Bytes so far
	Disk  int64 `json:"disk"` // bytes on disk
	// sorted runs of visited states that were written there
	Spills   int           `json:"spills"`
	Saved    Savings       `json:"saved"`    // by reductions
	Estimate Estimate      `json:"estimate"` // of the states at the end
	Elapsed  time.Duration `json:"elapsed"`

	// Of the stateless search, where States and Transitions count what was run.
	Traces    int `json:"traces,omitempty"`    // complete runs, one of each trace
	Violating int `json:"violating,omitempty"` // runs cut by a violation, one of each trace
	// runs given up because they repeat others: none, the search is optimal
	Blocked int `json:"blocked,omitempty"`
}

// Found is one violation and the run that shows it.
type Found struct {
	spec.Violation
	Path []uint64 // step codes from the initial state
	// how many steps at the end of the path are repeated for ever, 0 for a run that ends
	Loop int
}

// Result is the outcome of a search.
type Result struct {
	Stats
	Verdict spec.Verdict
	Found   []Found
	Bound   string // what ended the search early, "" when it is complete
	File    string // where it is saved, to go on, "" when it is not
	Unsaved error  // why it could not be saved
	// Fingerprints says that states were told apart by these: Collision bounds the chance that one
	// was taken for another.
	Fingerprints bool
}

// Add makes the result that of two searches, one after the other: each property keeps its first
// run.
func (r *Result) Add(t Result) {
	for _, f := range t.Found {
		if !slices.ContainsFunc(r.Found, func(g Found) bool { return g.Property == f.Property }) {
			r.Found = append(r.Found, f)
		}
	}
	r.States += t.States
	r.Transitions += t.Transitions
	r.Terminals += t.Terminals
	r.Depth, r.Frontier, r.Covered = max(r.Depth, t.Depth), t.Frontier, t.Covered
	r.Bytes, r.Peak = max(r.Bytes, t.Bytes), max(r.Peak, t.Peak)
	r.Fingerprints = r.Fingerprints || t.Fingerprints
	r.Saved.Add(t.Saved)
	r.Elapsed += t.Elapsed
	if r.Bound == "" {
		r.Bound = t.Bound
	}
	r.Verdict = max(r.Verdict, t.Verdict)
	if len(r.Found) > 0 {
		r.Verdict = spec.Violated
	}
}

// Search explores the system. It ends early, with the bound named in the result, when a limit is
// hit or ctx is cancelled. Files are the business of Run: Options.Saving and Options.Disk have no
// effect.
func Search(ctx context.Context, sys System, o Options) Result {
	o.Saving, o.Disk = Saving{}, ""
	switch {
	case o.Lasso:
		return searchLasso(ctx, sys.(Fair), o)
	case o.Order == StatelessOptimal:
		return searchTraces(ctx, sys, o)
	}
	return newSearch(ctx, sys, o).result()
}

func newSearch(ctx context.Context, sys System, o Options) *search {
	s := &search{sys: sys, options: o, began: time.Now(), ctx: ctx,
		visited: newVisited(o.Exact, sys.Words()),
		pool:    newPool(max(1, o.Workers))}
	if i, ok := sys.(Independence); ok && o.Reduce.Has(Sleep) {
		s.sleepers = newSleepers(i)
	}
	for range max(1, o.Workers) {
		s.workers = append(s.workers, s.newWorker())
	}
	return s
}

// result runs the search and says what came out.
func (s *search) result() Result {
	unwatch := s.watch()
	s.run()
	unwatch()
	if !s.over && !s.waiting() {
		s.bound = "" // it was complete when something would have ended it
	}
	found := s.paths()
	r := Result{Bound: s.bound, Fingerprints: !s.options.Exact}
	if s.bound != "" && !s.over && s.options.Saving.File != "" {
		if r.Unsaved = s.save(); r.Unsaved == nil {
			r.File = s.options.Saving.File
		}
	}
	r.Stats, r.Found = s.stats(), found
	if len(s.workers) > 1 && s.options.Order == DepthFirst {
		r.Depth = 0
	}
	switch {
	case len(r.Found) > 0:
		r.Verdict = spec.Violated
	case r.Bound != "":
		r.Verdict = spec.Unknown
	}
	return r
}
