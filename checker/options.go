package checker

import (
	"fmt"
	"iter"
	"time"
)

// Options bound and direct a search. The zero value explores everything depth first and stops at
// the first violation.
type Options struct {
	Order     Order
	Workers   int           // goroutines that explore, 0 = 1; the stateless search has one
	Reduce    Reduction     // what may be left out; not with the stateless search
	MaxStates int           // 0 = no bound
	MaxBytes  int64         // bound on the memory of the tables, 0 = no bound
	MaxTime   time.Duration // 0 = no bound
	All       bool          // go on after a violation; keep the first run of each property
	// look for endless fair runs, too; the System is Fair, Order, Workers and Reduce are ignored
	// (search/lasso)
	Lasso bool
	// look for violations of this property alone, "" = of all; nothing is explored beyond the
	// others either way
	Only   string
	Saving Saving // for Run: where the search is saved and goes on from
	// for Run: folder for what MaxBytes has no room for, breadth first; "" = none
	Disk string
	// is given all states when a search is complete and has found nothing, each once; it may ask
	// for them several times. A vector is valid until the next one. It may be nil
	Visited  func(states iter.Seq[[]uint32])
	Progress func(Stats) // called some times a second, one call at a time; may be nil
}

// Saving says where the state of a search is kept. What is saved is everything that the further
// course depends on, so that a search with one worker that goes on does the same as one that was
// never interrupted; with several workers it has the same counts and verdict. Bounds, and the
// number of workers, may be others when it goes on.
type Saving struct {
	File   string        // written when the search ends early; "" = nowhere
	Every  time.Duration // also written so often; 0 = never
	Resume string        // file to go on from; "" = from the start
	// Build names the program, Subject is the text of what is explored: a file with another one is
	// refused.
	Build, Subject string
	// Warn is told when a file can not be written in between; the search goes on. It may be nil.
	Warn func(error)
}

// Order is the order of exploration.
type Order uint8

// The orders.
const (
	DepthFirst   Order = iota // least memory; the default
	BreadthFirst              // first counterexample is a shortest one
	// one run of each Mazurkiewicz trace (search/odpor); the system must be an Independence
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
