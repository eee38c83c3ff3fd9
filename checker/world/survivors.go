package world

import (
	"context"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/survivors"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
)

// mostSurvivors bounds the exploration of the runs in which ranks are gone: beyond it properties
// that need it are not judged, and say so.
const mostSurvivors = 1 << 16

// oracle is what the programs of the case do by themselves: without failures and, where a policy
// lets the job go on without failed ranks, when some of them stop.
func (c *Case) oracle(ctx context.Context, bounds checker.Options) (*spec.Oracle, error) {
	o, err := OracleOf(ctx, c.Baseline, checker.Options{MaxStates: bounds.MaxStates,
		MaxBytes: bounds.MaxBytes, MaxTime: bounds.MaxTime})
	if o == nil || err != nil || !c.Setup.Has(promise.RunsThrough) {
		return o, err
	}
	for _, p := range c.Setup.Programs {
		if len(p) > 0 && p[0].Kind == core.OpBegin {
			return o, nil // what a kernel does it knows itself
		}
	}
	states := mostSurvivors
	if bounds.MaxStates > 0 {
		states = int(min(int64(states), int64(bounds.MaxStates)))
	}
	// an error is a bound: then nothing is known of them
	o.Survivors, _ = survivors.Explore(ctx, survivors.Job{Layout: &c.Setup.Layout,
		Programs: c.Setup.Programs, PostsWait: c.Setup.PostsWait, Deaths: c.deaths(),
		States: states})
	return o, nil
}

// deaths is how many ranks may stop: with a node, all that run there, and where ranks move that may
// be any number.
func (c *Case) deaths() int {
	ranks, most := map[core.Proc]int{}, 1
	for _, node := range c.Setup.Layout.Nodes {
		ranks[node]++
		most = max(most, ranks[node])
	}
	for _, a := range []promise.Answer{promise.RestoresAll, promise.RestoresFailed, promise.Moves} {
		if c.Setup.Has(a) {
			most = c.Setup.Layout.Ranks
		}
	}
	return min(c.Setup.Layout.Ranks, (c.Model.Failures+c.Model.Suspicions)*most)
}
