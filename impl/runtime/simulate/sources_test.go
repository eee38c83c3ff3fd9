package simulate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// asked is a rank whose layer is asked after every step for its sources, all at once and one by
// one.
type asked struct {
	core.Machine
	t     *testing.T
	ranks int
	seen  *int
}

func (a *asked) Step(in core.Input, out []core.Effect) []core.Effect {
	out = a.Machine.Step(in, out)
	host, ok := a.Machine.(interface{ Layer() core.Layer })
	if !ok {
		return out
	}
	layer := host.Layer().(core.Sourced)
	list := layer.Sources(nil)
	sources := []core.Rank{core.Group(1).Source(), core.Group(core.MaxGroups).Source()}
	for r := range core.Rank(a.ranks + 1) {
		sources = append(sources, r)
	}
	for _, r := range sources {
		if has := slices.Contains(list, r); layer.Has(r) != has {
			a.t.Errorf("Has(%d) is not %v, with sources %v", r, has, list)
		} else if has {
			*a.seen++
		}
	}
	return out
}

func (a *asked) Below() core.Machine { return a.Machine }

// Aim: layers that can be asked for one source say of each what the list of all sources says, also
// of ranks and groups that do not exist, in runs with posts, with groups, and with a failure.
func TestHas(t *testing.T) {
	for _, name := range []string{"none", "hydee", "causal", "camel", "sbml", "hmpl"} {
		for _, k := range []string{"heat ranks=6 iterations=4", "leanmd ranks=8", "bt ranks=4",
			"matmul-dynamic ranks=5", "openatom ranks=16"} {
			s, seen := setup(t, name, k, 2), 0
			own := *s
			own.New = func(p core.Proc) core.Machine {
				return &asked{s.New(p), t, s.Layout.Ranks, &seen}
			}
			j := simulate.Job{Machine: machine(t, "myrinet"), Setup: &own}
			out := play(t, j)
			if name == "hydee" {
				j.Failures = []simulate.Failure{{At: time.Duration(out.Completion / 2000),
					Rank: 1}}
				play(t, j)
			}
			if seen == 0 {
				t.Errorf("%s under %s: nothing ever waits", k, name)
			}
		}
	}
}
