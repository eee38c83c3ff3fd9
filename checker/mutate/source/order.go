package source

import (
	"cmp"
	"slices"
	"sync"
)

// odds remember which trials have killed, so that the likely killer of the next mutant goes first.
type odds struct {
	mu     sync.Mutex
	asked  map[string]float64 // by package and trial, and by function and trial
	killed map[string]float64
}

func newOdds() *odds {
	return &odds{asked: map[string]float64{}, killed: map[string]float64{}}
}

// near is how much more the mutants of the same function tell than others of the package.
const near = 4

// note takes what has come of a trial.
func (o *odds) note(m *Mutant, trial string, killed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range []string{m.Package + " " + trial, m.Package + " " + m.Function + " " +
		trial} {
		o.asked[key]++
		if killed {
			o.killed[key]++
		}
	}
}

// chance is how likely a trial is to kill a mutant.
func (o *odds) chance(m *Mutant, trial string) float64 {
	all, here := m.Package+" "+trial, m.Package+" "+m.Function+" "+trial
	return (o.killed[all] + near*o.killed[here] + 0.3) / (o.asked[all] + near*o.asked[here] + 1)
}

// start is what a trial costs beside its search, in states.
const start = 500

// sort puts the trials first that kill most for their time.
func (o *odds) sort(m *Mutant, trials []Trial, cost func(string) float64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.SortStableFunc(trials, func(a, b Trial) int {
		price := func(t *Trial) float64 {
			return (cost(t.Scenario) + start) / o.chance(m, t.Scenario)
		}
		return cmp.Compare(price(&a), price(&b))
	})
}
