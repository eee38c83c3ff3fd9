package mutation

import (
	"math/rand/v2"

	"github.com/domino-check/domino/checker"
)

// portfolio lets strategies take turns, one run each. No strategy is best for all bugs; in turns,
// none that is bad for a bug costs more than a constant factor.
type portfolio struct {
	list []checker.Strategy
	turn int // of the next run
}

func newPortfolio(list ...checker.Strategy) *portfolio { return &portfolio{list: list} }

// Begin implements checker.Strategy.
func (p *portfolio) Begin(r *rand.Rand, e *checker.Lengths) {
	p.turn++
	p.now().Begin(r, e)
}

// Pick implements checker.Strategy.
func (p *portfolio) Pick(c *checker.Choice) int { return p.now().Pick(c) }

func (p *portfolio) now() checker.Strategy { return p.list[p.turn%len(p.list)] }
