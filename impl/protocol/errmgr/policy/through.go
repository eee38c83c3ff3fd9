package policy

import (
	"errors"

	"github.com/domino-check/domino/impl/core"
)

// sustain is run-through stabilisation: the job goes on without the failed ranks [ErrMgr].
type sustain struct {
	most int // ranks that the job may do without; 0 = any number
}

func makeSustain(numbers []int) (Policy, error) {
	switch {
	case len(numbers) > 1:
		return nil, errors.New("want one number, of ranks")
	case len(numbers) == 1 && numbers[0] < 1:
		return nil, errors.New("ranks: want at least 1: with none it would claim nothing")
	case len(numbers) == 1:
		return sustain{most: numbers[0]}, nil
	}
	return sustain{}, nil
}

// Name implements Policy.
func (sustain) Name() string { return "sustain" }

// Reach implements Policy.
func (p sustain) Reach() Reach { return Reach{All: p.most == 0} }

// Fault implements Policy. That nobody is left is no way to run on.
func (p sustain) Fault(v *View, s *Status) Decision {
	gone, left := len(s.Group.Lost), 0
	for i := range v.Ranks {
		switch {
		case v.Ranks[i].Gone:
			gone++
		case v.Ranks[i].Alive:
			left++
		}
	}
	if p.most > 0 && gone > p.most {
		return Decision{Verdict: Deferred, Reason: "size"}
	}
	if left == 0 {
		return Decision{Verdict: Failed, Reason: "no rank is left"}
	}
	return Decision{Verdict: Claimed, Order: Order{Kind: RunThrough, Ranks: s.Group.Ranks()}}
}

// Predicted implements Policy.
func (sustain) Predicted(*View, *Prediction) Decision { return Decision{Verdict: Observed} }

// Targets implements Policy.
func (sustain) Targets(*View, core.Rank) []core.Proc { return nil }

// Step implements Policy.
func (sustain) Step(_ *View, _ *Status, e Event) Decision { return outcome(e) }

// abort gives the job up: what happens without a policy [ErrMgr].
type abort struct{}

func makeAbort(numbers []int) (Policy, error) { return abort{}, none(numbers) }

// Name implements Policy.
func (abort) Name() string { return "abort" }

// Reach implements Policy.
func (abort) Reach() Reach { return Reach{All: true} }

// Fault implements Policy.
func (abort) Fault(*View, *Status) Decision {
	return Decision{Verdict: Claimed, Order: Order{Kind: Abort}}
}

// Predicted implements Policy.
func (abort) Predicted(*View, *Prediction) Decision { return Decision{Verdict: Observed} }

// Targets implements Policy.
func (abort) Targets(*View, core.Rank) []core.Proc { return nil }

// Step implements Policy.
func (abort) Step(_ *View, _ *Status, e Event) Decision { return outcome(e) }
