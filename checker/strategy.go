package checker

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sampled is a System from which Sample can draw runs.
type Sampled interface {
	Independence
	// Owner is the proc, from 0, to whose history a step belongs, and for a fault the index of its
	// kind in Budgets.
	Owner(code uint64) (proc, fault int)
	// Budgets says how many faults of each kind a run may have.
	Budgets() []int
}

// Strategy chooses the steps of runs. Sample decides beforehand which faults strike and where; a
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
	// Plan is asked after Begin. ok is false when the strategy leaves the faults to Sample.
	Plan() (faults []Fault, ok bool)
}

// Fault is a fault at a place: at a proc, when its history without faults has the length, or as
// soon after that as it is possible.
type Fault struct{ Kind, Proc, At int }

// Choice is what a strategy chooses from. It is valid until Pick returns.
type Choice struct {
	System Sampled
	State  []uint32
	// candidates, at least one: the steps that are no faults, and the faults that are due; codes
	// differ
	Steps  []Step
	Taken  []int // length of each proc's history so far, without faults
	Struck int   // faults so far in this run
}

// Lengths is what earlier runs tell of the length of the next one.
type Lengths struct {
	lengths [][]int        // by faults that struck, by proc: the longest history
	codes   map[uint64]int // how often the first run, which has no faults, took each code
}

// Length is how long the history of a proc gets in a run in which so many faults strike, 0 when
// nothing is known yet. Where only runs with fewer faults are known, each further one is taken to
// double it: at worst a recovery repeats everything.
func (e *Lengths) Length(struck, proc int) int {
	for n := min(struck, len(e.lengths)-1); n >= 0; n-- {
		if l := e.lengths[n]; proc < len(l) && l[proc] > 0 {
			return l[proc] << min(struck-n, 8)
		}
	}
	return 0
}

// Code is how often the first run took steps with the code.
func (e *Lengths) Code(code uint64) int { return e.codes[code] }

// note learns from a run that came to its end.
func (e *Lengths) note(struck int, taken []int) {
	for len(e.lengths) <= struck {
		e.lengths = append(e.lengths, nil)
	}
	l := &e.lengths[struck]
	for p, n := range taken {
		if p == len(*l) {
			*l = append(*l, 0)
		}
		(*l)[p] = max((*l)[p], n)
	}
}

// Strategies are the names that ParseStrategy knows.
func Strategies() []string { return []string{"random", "pos", "pctcp", "urw"} }

// ParseStrategy makes the strategy with the name. The depth is that of the bugs that PCTCP looks
// for, at least 1; the others ignore it.
func ParseStrategy(name string, depth int) (Strategy, error) {
	switch name {
	case "random":
		return new(RandomWalk), nil
	case "pos":
		return new(POS), nil
	case "pctcp":
		if depth < 1 {
			return nil, fmt.Errorf("depth is %d, want at least 1", depth)
		}
		return &PCTCP{Depth: depth}, nil
	case "urw":
		return new(URW), nil
	}
	return nil, fmt.Errorf("unknown strategy %q, want %s", name, strings.Join(Strategies(), ", "))
}
