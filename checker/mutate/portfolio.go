package mutate

import (
	"math/rand/v2"

	"github.com/domino-check/domino/checker/sample"
)

// portfolio lets strategies take turns, one run each. No strategy is best for all bugs; in turns,
// none that is bad for a bug costs more than a constant factor.
type portfolio struct {
	list []sample.Strategy
	turn int // of the next run
}

func newPortfolio(list ...sample.Strategy) *portfolio { return &portfolio{list: list} }

func (p *portfolio) Begin(r *rand.Rand, e *sample.Lengths) {
	p.turn++
	p.now().Begin(r, e)
}

func (p *portfolio) Pick(c *sample.Choice) int { return p.now().Pick(c) }

func (p *portfolio) now() sample.Strategy { return p.list[p.turn%len(p.list)] }
