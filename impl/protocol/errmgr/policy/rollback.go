package policy

import (
	"errors"

	"github.com/domino-check/domino/impl/core"
)

// autor is automatic recovery: all ranks go back to one established snapshot [ErrMgr].
type autor struct{}

func makeAutor(numbers []int) (Policy, error) { return autor{}, none(numbers) }

// Name implements Policy.
func (autor) Name() string { return "autor" }

// Reach implements Policy: without a snapshot it fails.
func (autor) Reach() Reach { return Reach{All: true, Fails: true} }

// Fault implements Policy. A snapshot from which too many episodes have started is passed over, or
// a program that fails always would be restarted for ever.
func (autor) Fault(v *View, _ *Status) Decision {
	back := 0
	for back < len(v.Snapshots) && v.Snapshots[back].Tries >= v.MostTries {
		back++
	}
	switch {
	case back == len(v.Snapshots) && !v.FromStart && back > 0:
		return Decision{Verdict: Failed, Reason: "every snapshot has been tried too often"}
	case back == len(v.Snapshots) && !v.FromStart:
		return Decision{Verdict: Failed, Reason: "no established snapshot"}
	}
	return Decision{Verdict: Claimed, Order: Order{Kind: RestoreAll, Back: back}}
}

// Predicted implements Policy.
func (autor) Predicted(*View, *Prediction) Decision { return Decision{Verdict: Observed} }

// Targets implements Policy.
func (autor) Targets(*View, core.Rank) []core.Proc { return nil }

// Step implements Policy.
func (autor) Step(_ *View, _ *Status, e Event) Decision { return outcome(e) }

// light restarts the failed ranks alone, if they are few, from the newest snapshot: the others send
// again. It is the light policy that the framework is for and that the source does not have.
type light struct {
	ranks int // at most
	nodes int // at most; 0 = any number
}

func makeLight(numbers []int) (Policy, error) {
	p := light{ranks: 1}
	if len(numbers) > 2 {
		return nil, errors.New("want at most two numbers: of ranks, and of nodes")
	}
	if len(numbers) > 0 {
		p.ranks = numbers[0]
	}
	if len(numbers) > 1 {
		if p.nodes = numbers[1]; p.nodes < 1 {
			return nil, errors.New("nodes: want at least 1")
		}
	}
	if p.ranks < 1 {
		return nil, errors.New("ranks: want at least 1: with none it would claim nothing")
	}
	return p, nil
}

// Name implements Policy.
func (light) Name() string { return "light" }

// Reach implements Policy: larger groups are for those below.
func (light) Reach() Reach { return Reach{Fails: true} }

// Fault implements Policy.
func (p light) Fault(v *View, s *Status) Decision {
	switch {
	case len(s.Group.Lost) > p.ranks || p.nodes > 0 && len(s.Group.Nodes) > p.nodes:
		return Decision{Verdict: Deferred, Reason: "size"}
	case !v.Resends:
		return Decision{Verdict: Deferred, Reason: "messages can not be sent again"}
	case len(s.Group.Lost) == 0:
		return Decision{Verdict: Claimed, Order: Order{Kind: RestoreSome}}
	case len(v.Snapshots) == 0 && !v.FromStart:
		return Decision{Verdict: Failed, Reason: "no established snapshot"}
	case len(v.Snapshots) > 0 && v.Snapshots[0].Tries >= v.MostTries:
		return Decision{Verdict: Deferred, Reason: "the newest snapshot has been tried too often"}
	}
	return Decision{Verdict: Claimed, Order: Order{Kind: RestoreSome, Ranks: s.Group.Ranks()}}
}

// Predicted implements Policy.
func (light) Predicted(*View, *Prediction) Decision { return Decision{Verdict: Observed} }

// Targets implements Policy.
func (light) Targets(*View, core.Rank) []core.Proc { return nil }

// Step implements Policy.
func (light) Step(_ *View, _ *Status, e Event) Decision { return outcome(e) }

// outcome is the answer of an owner that has one order.
func outcome(e Event) Decision {
	if e.Kind == Done {
		return Decision{Verdict: Completed}
	}
	return Decision{Verdict: Failed, Reason: e.Reason}
}
