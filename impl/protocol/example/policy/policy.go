// Package policy is a recovery policy of a user's own, for the composite of impl/protocol/errmgr:
// the job starts anew from its beginning as long as it has no snapshot, and leaves everything else
// to the policies below it. Its name in a stack is "anew", as in "anew autor".
package policy

import (
	"errors"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/spec/promise"
)

// Protocol is the composite with this policy: check a scenario with it by
//
//	verify.File(ctx, "mine.txtar", verify.Options{}, policy.Protocol())
func Protocol() protocol.Protocol { return errmgr.WithPolicies(Maker()) }

// Maker makes the policy where a stack names it.
func Maker() policy.Maker {
	return policy.Maker{
		Name: "anew", Doc: "starts the job anew as long as it has no snapshot",
		Answer: promise.RestoresAll,
		Make: func(numbers []int) (policy.Policy, error) {
			if len(numbers) > 0 {
				return nil, errors.New("it has nothing in brackets")
			}
			return anew{}, nil
		},
	}
}

// anew is the policy. It has no state: what it needs to know is in what it is asked.
type anew struct{}

// Name implements policy.Policy.
func (anew) Name() string { return "anew" }

// Reach implements policy.Policy: with a snapshot it defers, so others below it are reached.
func (anew) Reach() policy.Reach { return policy.Reach{} }

// Fault implements policy.Policy. A restart from the beginning passes over no snapshot, because
// there is none, and is possible only when nothing that the programs did has left the system.
func (anew) Fault(v *policy.View, _ *policy.Status) policy.Decision {
	if len(v.Snapshots) > 0 || !v.FromStart {
		return policy.Decision{Verdict: policy.Deferred, Reason: "there is a snapshot"}
	}
	return policy.Decision{Verdict: policy.Claimed, Order: policy.Order{Kind: policy.RestoreAll}}
}

// Predicted implements policy.Policy: a failure that is to come changes nothing.
func (anew) Predicted(*policy.View, *policy.Prediction) policy.Decision {
	return policy.Decision{Verdict: policy.Observed}
}

// Targets implements policy.Policy: ranks start where somebody else suggests, on the emptiest node
// that is left when nobody does. The last node first: spares come last.
func (anew) Targets(v *policy.View, _ core.Rank) (list []core.Proc) {
	for i := len(v.Nodes) - 1; i >= 0; i-- {
		list = append(list, v.Nodes[i].Node)
	}
	return list
}

// Step implements policy.Policy.
func (anew) Step(_ *policy.View, _ *policy.Status, e policy.Event) policy.Decision {
	if e.Kind == policy.Done {
		return policy.Decision{Verdict: policy.Completed}
	}
	return policy.Decision{Verdict: policy.Failed, Reason: e.Reason}
}
