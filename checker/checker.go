// Package checker explores the states of a System and reports what breaks, the smallest run that does so, or exactly how
// far it looked.
//
// A System is a transition system over short vectors of integers: what the integers stand for is its own business
// (checker/world interns protocol states, messages and channels). The model is explicit-state and stateful: a state is visited
// once, known by a 128-bit fingerprint or, in exact mode, by its vector. Any number of workers share one search.
//
// What a search does not see: with Reduce, some interleavings of events that commute are left out. That keeps terminal
// states, deadlocks and every property stated on single procs or on visible events; it does not keep arbitrary
// predicates on intermediate global states, and no such property exists in spec (see spec.Property.Global). A run that goes on for
// ever breaks nothing, unless Lasso is on.
package checker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/spec"
)

// System is what a search explores. Its methods are safe for concurrent use when the search has several workers.
type System interface {
	// Words is the length of a state vector.
	Words() int
	// Initial writes the initial state into a vector of Words length; it returns the number of a violation that the
	// start itself shows, or 0.
	Initial(state []uint32) int
	// Expand puts the successors of a state into x (Begin, Add, Set), always the same ones in the same order. With reductions it
	// may put fewer, as long as they represent all (see Expansion.Reduced and Expansion.LeftOut).
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
)

// String is the name that ParseOrder reads.
func (o Order) String() string { return [...]string{"dfs", "bfs"}[o] }

// ParseOrder reads "dfs" or "bfs".
func ParseOrder(s string) (Order, error) {
	switch s {
	case "dfs":
		return DepthFirst, nil
	case "bfs":
		return BreadthFirst, nil
	}
	return 0, fmt.Errorf("unknown search %q, want dfs or bfs", s)
}

// Sizer is a System that keeps tables of its own, which count for the memory bound.
type Sizer interface{ Bytes() int64 }

// Options bound and direct a search. The zero value explores everything depth first and stops at the first violation.
type Options struct {
	Order     Order
	Workers   int           // goroutines that explore, 0 = 1
	Reduce    Reduction     // what may be left out
	Exact     bool          // store whole vectors instead of fingerprints
	MaxStates int           // 0 = no bound
	MaxBytes  int64         // bound on the memory of the tables, 0 = no bound
	MaxTime   time.Duration // 0 = no bound
	All       bool          // go on after a violation; keep the first run of each property
	Lasso     bool          // look for endless fair runs, too; the System is Fair, Order, Workers, Reduce and Exact are ignored (lasso.go)
	Only      string        // look for violations of this property alone, "" = of all; nothing is explored beyond the others either way
	Progress  func(Stats)   // called now and then from the search, may be nil
}

// Stats is how far a search has come.
type Stats struct {
	States      int           `json:"states"`
	Transitions int           `json:"transitions"`
	Terminals   int           `json:"terminals"` // states without progress
	Depth       int           `json:"depth"`     // longest path followed
	Frontier    int           `json:"frontier"`  // states waiting
	Bytes       int64         `json:"bytes"`     // of the tables of search and system
	Saved       Savings       `json:"saved"`     // by reductions
	Elapsed     time.Duration `json:"elapsed"`
}

// Found is one violation and the run that shows it.
type Found struct {
	spec.Violation
	Path []uint64 // step codes from the initial state
	Loop int      // how many steps at the end of the path are repeated for ever, 0 for a run that ends
}

// Result is the outcome of a search.
type Result struct {
	Stats
	Verdict spec.Verdict
	Found   []Found
	Bound   string // what ended the search early, "" when it is complete
}

// Add makes the result that of two searches, one after the other: each property keeps its first run.
func (r *Result) Add(t Result) {
	for _, f := range t.Found {
		if !slices.ContainsFunc(r.Found, func(g Found) bool { return g.Property == f.Property }) {
			r.Found = append(r.Found, f)
		}
	}
	r.States += t.States
	r.Transitions += t.Transitions
	r.Terminals += t.Terminals
	r.Depth, r.Bytes, r.Frontier = max(r.Depth, t.Depth), max(r.Bytes, t.Bytes), t.Frontier
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

// Search explores the system. It ends early, with the bound named in the result, when a limit is hit or ctx is cancelled.
func Search(ctx context.Context, sys System, o Options) Result {
	if o.Lasso {
		return searchLasso(ctx, sys.(Fair), o)
	}
	s := &search{sys: sys, options: o, began: time.Now(), ctx: ctx, visited: newVisited(o.Exact, sys.Words())}
	if i, ok := sys.(Independence); ok && o.Reduce.Has(Sleep) {
		s.sleepers = newSleepers(i)
	}
	for range max(1, o.Workers) {
		s.workers = append(s.workers, s.newWorker())
	}
	s.run()
	r := Result{Stats: s.stats(), Bound: s.bound, Found: s.paths()}
	switch {
	case len(r.Found) > 0:
		r.Verdict = spec.Violated
	case r.Bound != "":
		r.Verdict = spec.Unknown
	}
	return r
}
