// Package checker explores the states of a System and reports what breaks, the smallest run that does so, or exactly how
// far it looked.
//
// A System is a transition system over short vectors of integers: what the integers stand for is its own business
// (checker/world interns protocol states, messages and channels). Each search strategy is one file. The model is
// explicit-state and stateful: a state is visited once, known by a 128-bit fingerprint or, in exact mode, by its vector.
//
// What a search does not see: with Reduce, some interleavings of events that commute are left out. That keeps terminal
// states, deadlocks and every property stated on single procs or on visible events; it does not keep arbitrary
// predicates on intermediate global states, and no such property exists in spec (see spec.Property.Global).
package checker

import (
	"context"
	"fmt"
	"time"

	"github.com/domino-check/domino/spec"
)

// System is what a search explores.
type System interface {
	// Words is the length of a state vector.
	Words() int
	// Initial writes the initial state into a vector of Words length; it returns the number of a violation that the
	// start itself shows, or 0.
	Initial(state []uint32) int
	// Expand puts the successors of a state into out, always the same ones in the same order. With reduce it may put
	// fewer, as long as they represent all (see Expansion.Reduced).
	Expand(state []uint32, reduce bool, out *Expansion)
	// Terminal judges a state without progress: it returns the number of a violation, or 0.
	Terminal(state []uint32) int
	// Violation is the violation with the number, from 1.
	Violation(number int) spec.Violation
}

// Step is one transition out of a state.
type Step struct {
	Code      uint64 // names the transition among all of the state, reduced or not
	Violation int    // number of a violation that the transition shows, 0 for none
	Fault     bool   // made by the environment and not required to happen: it is no progress
}

// Expansion holds the successors of one state.
type Expansion struct {
	Words   int
	Steps   []Step
	Next    []uint32 // successor i is Next[i*Words:(i+1)*Words]
	Reduced bool     // other steps are enabled but left out: they stay enabled in the successors
}

// Reset empties the expansion.
func (x *Expansion) Reset() { x.Steps, x.Next, x.Reduced = x.Steps[:0], x.Next[:0], false }

// Add appends a successor that is a copy of the state, to be changed by the caller until the next Add.
func (x *Expansion) Add(state []uint32, s Step) []uint32 {
	x.Steps = append(x.Steps, s)
	x.Next = append(x.Next, state...)
	return x.Next[len(x.Next)-len(state):]
}

// State is successor i.
func (x *Expansion) State(i int) []uint32 { return x.Next[i*x.Words : (i+1)*x.Words] }

// Order is the order of exploration.
type Order uint8

// The orders.
const (
	DepthFirst   Order = iota // least memory; the default
	BreadthFirst              // first counterexample is a shortest one
)

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
	Reduce    bool          // leave out interleavings of commuting events; depth first only
	Exact     bool          // store whole vectors instead of fingerprints
	MaxStates int           // 0 = no bound
	MaxBytes  int64         // bound on the memory of the tables, 0 = no bound
	MaxTime   time.Duration // 0 = no bound
	All       bool          // go on after a violation; keep the first run of each property
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
	Elapsed     time.Duration `json:"elapsed"`
}

// Found is one violation and the run that shows it.
type Found struct {
	spec.Violation
	Path []uint64 // step codes from the initial state
}

// Result is the outcome of a search.
type Result struct {
	Stats
	Verdict spec.Verdict
	Found   []Found
	Bound   string // what ended the search early, "" when it is complete
}

// Search explores the system. It ends early, with the bound named in the result, when a limit is hit or ctx is cancelled.
func Search(ctx context.Context, sys System, o Options) Result {
	s := &search{sys: sys, options: o, began: time.Now(), ctx: ctx}
	s.expansion.Words = sys.Words()
	if o.Exact {
		s.visited = newExactSet(sys.Words())
	} else {
		s.visited = newFingerprintSet()
	}
	if o.Order == BreadthFirst {
		s.breadthFirst()
	} else {
		s.depthFirst()
	}
	s.result.Elapsed = time.Since(s.began)
	s.result.Bytes = s.bytes()
	switch {
	case len(s.result.Found) > 0:
		s.result.Verdict = spec.Violated
	case s.result.Bound != "":
		s.result.Verdict = spec.Unknown
	}
	return s.result
}

// search is the state common to all strategies.
type search struct {
	sys       System
	options   Options
	ctx       context.Context
	began     time.Time
	visited   set
	expansion Expansion
	result    Result
	waiting   func() (states int, bytes int64) // size of the frontier
}

// stop reports whether the search must end now, and notes why. It is cheap; the clock is read only now and then.
func (s *search) stop() bool {
	n := s.result.States
	if n&0xfff == 0 {
		s.result.Elapsed = time.Since(s.began)
		s.result.Bytes = s.bytes()
		s.result.Frontier, _ = s.waiting()
		if s.options.Progress != nil {
			s.options.Progress(s.result.Stats)
		}
		switch {
		case s.ctx.Err() != nil:
			s.result.Bound = "interrupted"
		case s.options.MaxTime > 0 && s.result.Elapsed > s.options.MaxTime:
			s.result.Bound = fmt.Sprintf("time limit %v", s.options.MaxTime)
		case s.options.MaxBytes > 0 && s.result.Bytes > s.options.MaxBytes:
			s.result.Bound = fmt.Sprintf("memory limit %d MiB", s.options.MaxBytes>>20)
		}
	}
	if s.options.MaxStates > 0 && n >= s.options.MaxStates {
		s.result.Bound = fmt.Sprintf("limit of %d states", s.options.MaxStates)
	}
	return s.result.Bound != ""
}

func (s *search) bytes() int64 {
	_, waiting := s.waiting()
	total := s.visited.bytes() + waiting
	if sized, ok := s.sys.(Sizer); ok {
		total += sized.Bytes()
	}
	return total
}

// found notes a violation and reports whether the search is over.
func (s *search) found(number int, path []uint64) bool {
	v := s.sys.Violation(number)
	if s.options.Only != "" && v.Property != s.options.Only {
		return false
	}
	for _, f := range s.result.Found {
		if f.Property == v.Property {
			return false
		}
	}
	s.result.Found = append(s.result.Found, Found{Violation: v, Path: path})
	return !s.options.All
}

// progress reports whether some step of the expansion is not a fault.
func progress(x *Expansion) bool {
	for i := range x.Steps {
		if !x.Steps[i].Fault {
			return true
		}
	}
	return false
}
