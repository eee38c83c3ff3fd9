package sample

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/domino-check/domino/checker"
)

// System is one from which Draw can draw runs.
type System interface {
	checker.Independence
	// Owner is the proc, from 0, to whose history a step belongs, and for a fault the index of its
	// kind in Budgets.
	Owner(code uint64) (proc, fault int)
	// Budgets says how many faults of each kind a run may have.
	Budgets() []int
}

// Strategy chooses the steps of runs. Draw decides beforehand which faults strike and where; a
// strategy orders the rest. It draws all its randomness from the source that Begin hands over, so a
// seed repeats its choices.
type Strategy interface {
	// Begin starts a run.
	Begin(r *rand.Rand, e *Lengths)
	// Pick is the index of the step to take among those of the choice.
	Pick(c *Choice) int
}

// Planner is a Strategy that may decide itself which faults strike in a run, as one that repeats an
// earlier run with small changes does.
type Planner interface {
	Strategy
	// Plan is asked after Begin. ok is false when the strategy leaves the faults to Draw.
	Plan() (faults []Fault, ok bool)
}

// Fault is a fault at a place: at a proc, when its history without faults has the length, or as
// soon after that as it is possible.
type Fault struct{ Kind, Proc, At int }

// Choice is what a strategy chooses from. It is valid until Pick returns.
type Choice struct {
	System System
	State  []uint32
	// candidates, at least one: the steps that are no faults, and the faults that are due; codes
	// differ
	Steps  []checker.Step
	Taken  []int // length of each proc's history so far, without faults
	Struck int   // faults so far in this run
}

// Strategies are the names that ParseStrategy knows.
func Strategies() []string { return []string{"random", "pos", "pctcp", "urw"} }

// maxDepth is more than any run has events that matter.
const maxDepth = 10000

// ParseStrategy makes the strategy with the name. The depth is that of the bugs that PCTCP looks
// for, in [1, 10000]; the others ignore it.
func ParseStrategy(name string, depth int) (Strategy, error) {
	switch name {
	case "random":
		return new(RandomWalk), nil
	case "pos":
		return new(POS), nil
	case "pctcp":
		if depth < 1 || depth > maxDepth { // a draw for each before every run
			return nil, fmt.Errorf("depth is %d, want 1 to %d", depth, maxDepth)
		}
		return &PCTCP{Depth: depth}, nil
	case "urw":
		return new(URW), nil
	}
	return nil, fmt.Errorf("unknown strategy %q, want %s", name, strings.Join(Strategies(), ", "))
}
