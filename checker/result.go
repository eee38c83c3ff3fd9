package checker

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/domino-check/domino/spec"
)

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
}

// Judged is the result of one search with its verdict, which follows from what was found and from
// the bound.
func (r Result) Judged() Result {
	switch {
	case len(r.Found) > 0:
		r.Verdict = spec.Violated
	case r.Bound != "":
		r.Verdict = spec.Unknown
	}
	return r
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

// Coverage says in words how far a search that ended early has looked.
func (t *Stats) Coverage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s states explored, %s waiting", thousands(t.States), thousands(t.Frontier))
	switch {
	case t.Covered > 0:
		fmt.Fprintf(&b, "; every run of at most %d steps looked at", t.Covered)
	case t.Depth > 0:
		fmt.Fprintf(&b, "; runs of up to %d steps, but not all of any length", t.Depth)
	}
	if t.Estimate.States > 0 {
		fmt.Fprintf(&b, "; in all an estimated %s",
			strings.TrimPrefix(t.Estimate.String(), "about "))
	}
	return b.String()
}

// thousands writes a number with separators.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
