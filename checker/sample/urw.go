package sample

import "math/rand/v2"

// URW is the uniform random walk of "Selectively Uniform Concurrency Testing" (ASPLOS 2025): a proc
// is chosen with a weight of the number of events that it has still to take. When the procs do not
// wait for each other and the numbers are exact, every interleaving has the same probability. Here
// they are estimates from earlier runs with as many faults, and a proc that waits is not chosen, so
// it is an approximation. Among the events of one proc the weights are what is left of each code,
// counted in the first run.
//
// The selective part, uniformity over the events of one place alone, is left out.
type URW struct {
	r        *rand.Rand
	estimate *Lengths
	taken    map[uint64]int // by code
	weights  []int          // by candidate
	owners   []int
}

// Begin implements Strategy.
func (s *URW) Begin(r *rand.Rand, e *Lengths) {
	s.r, s.estimate = r, e
	if s.taken == nil {
		s.taken = map[uint64]int{}
	}
	clear(s.taken)
}

// Pick implements Strategy.
func (s *URW) Pick(c *Choice) int {
	s.owners = s.owners[:0]
	for i := range c.Steps {
		proc, _ := c.System.Owner(c.Steps[i].Code)
		s.owners = append(s.owners, proc)
	}
	proc := s.owners[s.draw(len(c.Steps), func(i int) int {
		for _, before := range s.owners[:i] {
			if before == s.owners[i] {
				return 0 // a proc counts once
			}
		}
		return max(1, s.estimate.Length(c.Struck, s.owners[i])-taken(c, s.owners[i]))
	})]
	i := s.draw(len(c.Steps), func(i int) int {
		if s.owners[i] != proc {
			return 0
		}
		return max(1, s.estimate.Code(c.Steps[i].Code)-s.taken[c.Steps[i].Code])
	})
	s.taken[c.Steps[i].Code]++
	return i
}

func taken(c *Choice, proc int) int {
	if proc < len(c.Taken) {
		return c.Taken[proc]
	}
	return 0
}

// draw chooses one of n by weight; some weight is positive.
func (s *URW) draw(n int, weight func(i int) int) int {
	s.weights = s.weights[:0]
	total := 0
	for i := range n {
		s.weights = append(s.weights, weight(i))
		total += s.weights[i]
	}
	at := s.r.IntN(total)
	for i, w := range s.weights {
		if at < w {
			return i
		}
		at -= w
	}
	panic("invariant: a number below the sum of the weights falls into one of them")
}
