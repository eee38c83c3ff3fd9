package plan

import (
	"fmt"
	"math/rand/v2"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Damage is what the environment does to the disk of a proc.
type Damage string

// The damages, named as the budgets of the model.
const (
	Lose    Damage = "lose"
	Corrupt Damage = "corrupt"
	Full    Damage = "full" // the next put is refused
)

// Spoil is damage to the disk of a proc.
type Spoil struct {
	Proc  core.Proc
	After int // effects that it has performed, as in Failure
	What  Damage
}

// budget is how much of a damage the model allows.
func (d Damage) budget(m *fault.Model) int {
	switch d {
	case Lose:
		return m.Lose
	case Corrupt:
		return m.Corrupt
	case Full:
		return m.Full
	}
	return 0
}

// validateSpoils reports damage that the model does not allow: nothing waits until it may happen.
func (p *Plan) validateSpoils(procs int, m *fault.Model) error {
	counts := map[Damage]int{}
	for i, s := range p.Spoils {
		counts[s.What]++
		switch {
		case int(s.Proc) >= procs:
			return fmt.Errorf("plan: damage %d: there are %d procs", i+1, procs)
		case !m.Spoils(s.Proc):
			return fmt.Errorf("plan: damage %d: the model does not spoil the disk of proc %d", i+1,
				s.Proc)
		case counts[s.What] > s.What.budget(m):
			return fmt.Errorf("plan: damage %d: %q more often than the model allows: %d", i+1,
				s.What, s.What.budget(m))
		}
	}
	return nil
}

// DrawSpoils draws damage within the budgets of the model, anywhere in histories of the given
// lengths. Of disks on which nothing happens none is damaged.
func DrawSpoils(rng *rand.Rand, setup *core.Setup, m *fault.Model, l Lengths) (list []Spoil) {
	if len(l) == 0 || l[0] == nil {
		return nil
	}
	d := drawing{rng: rng, setup: setup, model: m, lengths: l[0]}
	var procs []core.Proc
	for p, n := range d.lengths {
		if n > 0 && m.Spoils(core.Proc(p)) {
			procs = append(procs, core.Proc(p))
		}
	}
	if len(procs) == 0 {
		return nil
	}
	for _, what := range []Damage{Lose, Corrupt, Full} {
		for range d.upTo(what.budget(m)) {
			p := procs[rng.IntN(len(procs))]
			list = append(list, Spoil{Proc: p, After: d.moment(p), What: what})
		}
	}
	return list
}
