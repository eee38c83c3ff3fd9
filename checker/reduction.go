package checker

import (
	"fmt"
	"strings"
)

// Reduction is a set of ways to explore less and still find every terminal state and every
// violation.
type Reduction uint8

// The reductions. Singletons, Crashes and Alone are up to the system, Sleep needs one that
// implements Independence, Sets and Symmetry are an outer loop around Search.
const (
	Singletons Reduction = 1 << iota // take one step first where it stands for all
	Crashes                          // put a crash off to after a step that it undoes
	// do not take a step again that an independent one was taken before
	Sleep
	Sets     // one search for each set of crashes
	Symmetry // of crash sets that a renaming turns into each other only one
	// take one step first where the search itself shows that it stands for all
	Alone
	// of states that differ only by the names of procs that are alike, only one
	Ranks
)

// Unreduced explores every step.
const Unreduced = Reduction(0)

var reductionNames = [...]string{"singletons", "crashes", "sleep", "sets", "symmetry", "alone",
	"ranks"}

// Has reports whether all of the given reductions are on.
func (r Reduction) Has(what Reduction) bool { return r&what == what }

// String lists the reductions that are on, in the form that ParseReduction reads.
func (r Reduction) String() string {
	var list []string
	for i, name := range reductionNames {
		if r.Has(1 << i) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ",")
}

// ParseReduction reads "none", "all", or a list such as "singletons,sleep". Ranks is not among all:
// it is refused where the setup has no procs that are alike.
func ParseReduction(s string) (r Reduction, err error) {
	switch s {
	case "none":
		return 0, nil
	case "all":
		return (1<<len(reductionNames) - 1) &^ Ranks, nil
	}
next:
	for _, word := range strings.Split(s, ",") {
		for i, name := range reductionNames {
			if word == name {
				r |= 1 << i
				continue next
			}
		}
		return 0, fmt.Errorf("unknown reduction %q, want none, all, or a list of %s", word,
			strings.Join(reductionNames[:], ","))
	}
	return r, nil
}

// Savings count what the reductions have left out.
type Savings struct {
	Singletons int `json:"singletons,omitempty"` // states of which one step stands for all
	// crashes put off to after a step that the crash undoes
	Crashes int `json:"crashes,omitempty"`
	// steps not taken because an independent one was taken before
	Sleeping int `json:"sleeping,omitempty"`
	// crash sets that are another one with ranks renamed
	Symmetric int `json:"symmetric,omitempty"`
	// states that are another one with procs renamed: with those that were explored, all
	Renamed int `json:"renamed,omitempty"`
}

// Add adds up two counts.
func (s *Savings) Add(t Savings) {
	s.Singletons += t.Singletons
	s.Crashes += t.Crashes
	s.Sleeping += t.Sleeping
	s.Symmetric += t.Symmetric
	s.Renamed += t.Renamed
}
