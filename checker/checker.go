// Package checker is the vocabulary of searches: what is explored, what directs and bounds a
// search, and what comes out.
//
// A System is a transition system over short vectors of integers: what the integers stand for is
// its own business (checker/world interns protocol states, messages and channels). It answers with
// Expansions: the steps out of a state, each as the words that it changes. A state is known by a
// 128-bit Fingerprint. Footprints say which steps commute, Fair which endless runs are to be
// expected. Options ask, a Result answers: with the smallest run found that breaks something, with
// a verdict that stands for all runs, or with how far exactly the search has looked.
//
// The searches are in checker/search, the drawing of single runs in checker/sample.
package checker

import (
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

// Sizer is a System that keeps tables of its own, which count for the memory bound.
type Sizer interface{ Bytes() int64 }
