package sample

import "math/rand/v2"

// POS is partial order sampling (Yuan, Yang, Gu, CAV 2018). Each event draws a priority when it
// becomes enabled; the highest is taken, and the events that race with it, which are those that
// depend on it, draw again. So an order of independent events costs nothing: what is sampled is,
// nearly, the partial order.
type POS struct {
	r     *rand.Rand
	known []pending
	next  []pending // of the following state; kept to save allocations
}

// pending is an enabled event.
type pending struct {
	code     uint64
	priority float64
}

// Begin implements Strategy.
func (s *POS) Begin(r *rand.Rand, _ *Lengths) { s.r, s.known = r, s.known[:0] }

// Pick implements Strategy.
func (s *POS) Pick(c *Choice) int {
	s.next = s.next[:0]
	best := 0
	for i := range c.Steps {
		s.next = append(s.next, s.pending(c.Steps[i].Code))
		if s.next[i].priority > s.next[best].priority {
			best = i
		}
	}
	// Those that race with the chosen step, among them itself, forget their priorities.
	taken := c.System.Footprint(c.State, c.Steps[best].Code)
	s.known = s.known[:0]
	for i, e := range s.next {
		if i == best {
			continue
		}
		if f := c.System.Footprint(c.State, e.code); f.Independent(&taken) {
			s.known = append(s.known, e)
		}
	}
	return best
}

// pending is the event with the code, as it was or newly drawn.
func (s *POS) pending(code uint64) pending {
	for _, e := range s.known {
		if e.code == code {
			return e
		}
	}
	return pending{code, s.r.Float64()}
}
