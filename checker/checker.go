// Package checker is the vocabulary of searches: what is explored, what directs and bounds a
// search, and what comes out.
//
// A System is a transition system over short vectors of integers: what the integers stand for is
// its own business (checker/world interns protocol states, messages and channels). It answers with
// Expansions: the steps out of a state, each as the words that it changes. A state is known by its
// Code, which is the vector itself in few bits (Packing). Footprints say which steps commute, Fair
// which endless runs are to be expected. Options ask, a Result answers: with the smallest run found
// that breaks something, with a verdict that stands for all runs, or with how far exactly the
// search has looked.
//
// The searches are in checker/search, the drawing of single runs in checker/sample.
//
// # What is argued where
//
// A verdict stands on these arguments; each is made at its place, and compared there with something
// that shares nothing with it:
//
//   - steps that are taken first, before all others (Singletons): checker/world/eager.go; each
//     hypothesis at each pair of steps, TestAllClaimsCommute, TestAuditNeedsRules; against the
//     unreduced search and a brute-force twin, TestReductionOfToys, TestAgainstReference
//   - steps that are taken alone because the search shows that they commute (Alone):
//     checker/world/alone.go, a theorem and its proof; against the unreduced search, and with each
//     condition left out in turn, TestAloneOfToys, TestAloneNeedsEveryClause
//   - crashes that need not fall inside a step: checker/world/crash.go; TestCrashInsideSteps
//   - crashes that come later anyway (Crashes), sets of victims (Sets), renamed ranks (Symmetry):
//     checker/world/crashset.go and symmetry.go; TestCrashSets, TestSymmetry
//   - states that differ by the names of procs that are alike (Ranks):
//     checker/world/automorphism.go, a theorem of which each search checks the conditions;
//     TestAutomorphism, TestCrews, and TestOrbits of impl/protocol/example/twophase
//   - which steps commute: checker/world/footprint.go; TestIndependence
//   - one run of each Mazurkiewicz trace, and sleep sets: checker/search/odpor and sleep.go;
//     against two ways to count traces by brute force
//   - endless runs under weak fairness: checker/search/lasso, and fairness.go here
//   - codes stand for states one to one: packing.go and widening.go; TestPacking, TestExtended, and
//     TestTable in search
//   - numbers that nobody here has made: published counts of states, TestPublishedTraces and the
//     tests of impl/protocol/example; other checkers beside it, proofs/peers
package checker

import (
	"github.com/domino-check/domino/spec"
)

// System is what a search explores. Its methods are safe for concurrent use when the search has
// several workers.
type System interface {
	// Words is the length of a state vector. Each word is a dense number: a value is met for the
	// first time after the smaller ones, or at least they are not much fewer than they could be.
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
