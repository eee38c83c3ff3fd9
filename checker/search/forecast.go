package search

import (
	"math"

	"github.com/domino-check/domino/checker"
)

// guessFactor is how far estimates may be off: over the embedded scenarios, at a tenth, a quarter
// and half of the search, about nine of ten are within it, and most within a factor of three
// (TestEstimate prints them).
const guessFactor = 10

// spread makes an estimate with an interval of a factor to each side, never below what is there
// already.
func spread(states, factor float64, explored int) checker.Estimate {
	n := max(states, float64(explored))
	return checker.Estimate{States: n, Low: max(n/factor, float64(explored)), High: n * factor}
}

// subtrees is what one depth-first worker knows of the sizes of the subtrees of its search tree. Of
// the children of a state that wait together, the first one reaches nearly all that the others
// could, so their subtrees become smaller and smaller: in which ratio is measured where subtrees
// are complete, and what is open on the way from the root to the present state is filled in with
// it.
type subtrees struct {
	open   []open
	top    int // depth of the present state
	counts []int

	guesses int
	smooth  float64 // logarithm
}

// open is the subtree at one depth that is being explored, and the sums over neighbouring siblings
// that are complete.
type open struct {
	start  int // states explored before it
	former int // size of the sibling explored before it, 0 = none
	elder  float64
	later  float64
}

// enter notes that a state at a depth is explored next, after so many others.
func (s *subtrees) enter(depth, states int) {
	for len(s.open) <= depth {
		s.open = append(s.open, open{start: states})
	}
	for d := s.top; d >= depth; d-- {
		o := &s.open[d]
		size := states - o.start
		if o.former > 0 {
			o.elder += float64(o.former)
			o.later += float64(size)
		}
		if o.former = size; d > depth {
			o.former = 0
		}
	}
	s.open[depth].start = states
	s.top = depth
}

// remaining is how many states a worker will still find, from the stack of what waits.
func (s *subtrees) remaining(stack []uint64, layout layout, states int) (rest float64) {
	if len(stack) == 0 || states == 0 {
		return 0
	}
	s.counts = append(s.counts[:0], make([]int, len(s.open)+1)...)
	for rest := stack; len(rest) > 0; rest = rest[layout.size():] {
		if d := int(layout.at(rest).depth); d < len(s.counts) {
			s.counts[d]++
		}
	}
	elder, later := 1.0, 0.5 // a half where nothing is known
	for d := min(s.top, len(s.open)-1); d > 0; d-- {
		o := &s.open[d]
		// What deeper levels know fades as this one learns.
		elder, later = elder/2+o.elder, later/2+o.later
		ratio := min(later/elder, 0.8)
		sibling := float64(states-o.start) + rest
		for range s.counts[d] {
			sibling *= ratio
			rest += sibling
		}
	}
	// One moment says little: the guesses are averaged over a while, as logarithms.
	now := math.Log(float64(states) + min(rest, 100*float64(states)) + 1)
	s.guesses++
	s.smooth += (now - s.smooth) / float64(min(s.guesses, 16))
	return max(0, math.Exp(s.smooth)-float64(states))
}

// levels estimates from the sizes of the levels of a breadth-first search: the logarithm of their
// growth falls about linearly, as it does for the levels of a product of chains, of which the sizes
// are close to a bell curve.
func levels(sizes []int) (rest float64, ok bool) {
	n := len(sizes)
	window := max(8, n/3)
	if n < window+1 {
		return 0, false
	}
	var sx, sy, sxx, sxy float64
	for i := range window {
		x := float64(i - window + 1) // the last ratio is at 0
		y := math.Log(float64(sizes[n-window+i]) / float64(sizes[n-window+i-1]))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	k := float64(window)
	slope := (k*sxy - sx*sy) / (k*sxx - sx*sx)
	at := (sy - slope*sx) / k
	size := float64(sizes[n-1])
	for x := 1.0; size >= 1 && x < 1000; x++ {
		at := at + min(slope, -0.01)*x
		size *= math.Exp(at)
		rest += size
	}
	return rest, true
}

// measure notes the size of the level at hand and what the levels so far lead to. That looks at all
// levels, so it is done again when a few per cent more are there.
func (s *search) measure() {
	size := int(s.levelLeft.Load())
	if size == 0 {
		return
	}
	s.level.sizes = append(s.level.sizes, size)
	if n := len(s.level.sizes); n >= s.level.next {
		s.level.next = n + n/32 + 1
		s.foresee()
	}
}

// foresee estimates from the levels so far.
func (s *search) foresee() {
	total := 1 // the first level
	for _, n := range s.level.sizes {
		total += n
	}
	s.expected.Store(0)
	if rest, ok := levels(s.level.sizes); ok {
		s.expected.Store(int64(min(float64(total)+rest, 1e18)))
	}
}

// estimate is what is shown; in t are the states so far and, depth first, those that workers still
// expect.
func (s *search) estimate(t checker.Stats) checker.Estimate {
	switch {
	case s.options.Order == checker.DepthFirst:
		return spread(float64(t.States)+t.Estimate.States, guessFactor, t.States+t.Frontier)
	case s.expected.Load() > 0:
		return spread(float64(s.expected.Load()), guessFactor, t.States+t.Frontier)
	}
	return checker.Estimate{}
}
