package sample

import "math/rand/v2"

// RandomWalk takes each enabled step with the same probability: the baseline. It favours short
// histories over long ones and seldom holds one event back while many others happen.
type RandomWalk struct{ r *rand.Rand }

// Begin implements Strategy.
func (s *RandomWalk) Begin(r *rand.Rand, _ *Lengths) { s.r = r }

// Pick implements Strategy.
func (s *RandomWalk) Pick(c *Choice) int { return s.r.IntN(len(c.Steps)) }
