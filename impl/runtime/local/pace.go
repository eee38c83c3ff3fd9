package local

import (
	"math/rand/v2"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// pace says how long things take in one run. Every channel and every proc has a speed of its own,
// from none at all to many times the spread: if all were alike, a late notice or a very slow
// channel would never be seen.
type pace struct {
	spread   time.Duration
	procs    int
	channels []int // factor, by sender and receiver
	steps    []int // by proc, and so on
	writes   []int
	notices  []int
	restarts []int
}

// factors are drawn from, so that half of all things are ordinary.
var factors = [...]int{0, 1, 1, 1, 1, 3, 10, 40}

func (c *pace) draw(rng *rand.Rand, procs int, spread time.Duration) {
	c.procs, c.spread = procs, max(0, spread)
	if spread == 0 {
		c.spread = DefaultSpread
	}
	for _, list := range []*[]int{&c.steps, &c.writes, &c.notices, &c.restarts} {
		for range procs {
			*list = append(*list, factors[rng.IntN(len(factors))])
		}
	}
	for range procs * procs {
		c.channels = append(c.channels, factors[rng.IntN(len(factors))])
	}
}

func (c *pace) channel(from, to core.Proc) int { return c.channels[int(from)*c.procs+int(to)] }

// delay is a time with the factor.
func (c *pace) delay(rng *rand.Rand, factor int) time.Duration {
	return time.Duration(rng.Int64N(int64(c.spread)*int64(factor) + 1))
}
