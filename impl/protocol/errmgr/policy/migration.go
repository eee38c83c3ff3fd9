package policy

import (
	"errors"

	"github.com/domino-check/domino/impl/core"
)

// migration is crmig, migration by checkpoint and restart: ranks move before the failure that is
// predicted, if there is time [ErrMgr].
type migration struct {
	theta int // percent of assurance, at least
}

// Migration is the name of the policy, which the head has to know: a prediction has no episode.
const Migration = "crmig"

// margin is by how much the estimated time is stretched, in percent: the source says that too
// little time goes to the next policy, not how it is estimated.
const margin = 150

func makeMigration(numbers []int) (Policy, error) {
	switch {
	case len(numbers) > 1:
		return nil, errors.New("want one number, of percent")
	case len(numbers) == 1 && (numbers[0] < 0 || numbers[0] > 100):
		return nil, errors.New("assurance: want percent in [0, 100]")
	case len(numbers) == 1:
		return migration{theta: numbers[0]}, nil
	}
	return migration{theta: 50}, nil
}

// Name implements Policy.
func (migration) Name() string { return Migration }

// Reach implements Policy: it claims no fault. A surprise ends the migration, and only an
// established snapshot serves then: those that do not move have no image.
func (migration) Reach() Reach { return Reach{None: true} }

// Fault implements Policy.
func (migration) Fault(*View, *Status) Decision {
	return Decision{Verdict: Deferred, Reason: "it was not predicted in time"}
}

// Predicted implements Policy. Where there is too little time for a migration, and enough for a
// snapshot, it asks for one: the rollback that comes is shorter.
func (p migration) Predicted(v *View, f *Prediction) Decision {
	movers := f.Movers(v)
	for _, r := range movers {
		if v.Ranks[r].Moving {
			return Decision{Verdict: Deferred, Reason: "busy"}
		}
	}
	switch {
	case len(movers) == 0:
		return Decision{Verdict: Observed, Reason: "nobody runs there"}
	case there(v, f, movers):
		return Decision{Verdict: Observed, Reason: "already there"}
	case !(f.Assurance >= float64(p.theta)):
		return Decision{Verdict: Deferred, Reason: "assurance"}
	case !fits(v.Costs.Coordinate, f.NotBefore):
		return Decision{Verdict: Deferred, Reason: "time"}
	case !fits(v.Costs.Coordinate+int64(len(movers))*v.Costs.Carry+v.Costs.Start, f.NotBefore):
		return Decision{Verdict: Deferred, Reason: "time", Order: Order{Kind: Snapshot}}
	}
	return Decision{Verdict: Claimed, Order: Order{Kind: Migrate, Ranks: movers, Nodes: f.Nodes,
		Hints: f.Suggest}}
}

// fits reports whether what takes so long is over, with a margin, before the failure may strike.
func fits(cost, notBefore int64) bool { return cost*margin <= notBefore*100 }

// there reports whether all who are to move run where they are to go: an operator's command that is
// carried out already.
func there(v *View, f *Prediction, movers []core.Rank) bool {
	if len(f.Nodes) > 0 || len(f.Suggest) == 0 {
		return false
	}
	for _, r := range movers {
		if v.Ranks[r].Node != f.Suggest[0] {
			return false
		}
	}
	return true
}

// Targets implements Policy.
func (migration) Targets(*View, core.Rank) []core.Proc { return nil }

// Step implements Policy.
func (migration) Step(_ *View, _ *Status, e Event) Decision { return outcome(e) }
