package simulate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/spec/fault"
)

// acting counts the effects of the first life of a proc.
type acting struct {
	core.Machine
	acts *int
	back *bool // another life has begun
}

func (a *acting) Step(in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	*a.back = *a.back || in.Kind == core.Restore
	out = a.Machine.Step(in, out)
	for i := range out[first:] {
		if !*a.back && out[first+i].Acts() {
			*a.acts++
		}
	}
	return out
}

func (a *acting) Below() core.Machine { return a.Machine }

// struckAt plays a job in which rank 1 fails at a moment, and says how many effects it had
// performed by then.
func struckAt(t *testing.T, j simulate.Job, at time.Duration) (out *simulate.Outcome, acts int) {
	t.Helper()
	setup, own, back := j.Setup, *j.Setup, false
	own.New = func(p core.Proc) core.Machine {
		m := setup.New(p)
		if p == 1 {
			return &acting{m, &acts, &back}
		}
		return m
	}
	j.Setup, j.Failures = &own, []simulate.Failure{{At: at, Rank: 1}}
	return play(t, j), acts
}

// Aim: with a failure behind the same effect of the same rank, all ranks end in modelled time as
// they do on goroutines, and as without a failure: in each third of the run. Method: the moment is
// searched that lies behind so many effects, and these are counted in the machines, apart from both
// runtimes.
func TestSameEffect(t *testing.T) {
	kernels := effort.Of([]string{"heat ranks=4 n=16 iterations=6"}, []string{
		"heat ranks=4 n=16 iterations=6", "ring ranks=4 iterations=9", "lu ranks=4", "bt ranks=4",
		"leanmd ranks=4", "bt ranks=9", "heat ranks=16 n=16 iterations=6"})
	for _, name := range []string{"hydee", "causal", "pessimistic", "sbml", "coordinated"} {
		for _, k := range kernels {
			s := setup(t, name, k, 2)
			if s == nil {
				t.Fatalf("%s does not take %s", name, k)
			}
			j := simulate.Job{Machine: machine(t, "myrinet"), Setup: s}
			calm := play(t, j)
			_, all := struckAt(t, j, time.Duration(calm.Completion/1000-1))
			for _, third := range effort.Of([]int{2}, []int{1, 2, 3}) {
				want, low, high := max(1, all*third/4), int64(0), calm.Completion/1000-1
				for low < high { // the first moment behind so many effects
					middle := (low + high) / 2
					if _, acts := struckAt(t, j, time.Duration(middle)); acts >= want {
						high = middle
					} else {
						low = middle + 1
					}
				}
				out, acts := struckAt(t, j, time.Duration(high))
				own, _ := counted(s)
				result, err := local.Run(t.Context(), own, local.Config{Seed: 3,
					Model: fault.Model{Failures: 1}, MaxSteps: 1 << 20, MaxInFlight: 1 << 20,
					Plan: plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{1}, By: 1,
						After: acts}}}})
				if err != nil || !result.Complete || result.Failures != 1 {
					t.Fatalf("%s under %s, %d effects: %v %s %s, %d failures", k, name, acts, err,
						result.Bound, result.Panic, result.Failures)
				}
				if diff := cmp.Diff(finals(&result.Trace), out.Finals); diff != "" {
					t.Errorf("%s under %s, failure behind %d effects (-local +simulated):\n%s", k,
						name, acts, diff)
				}
				if len(out.Recoveries) != 1 || acts < want ||
					!slices.Equal(out.Finals, calm.Finals) {
					t.Errorf("%s under %s: %d effects, want %d; %+v, %x, without a failure %x", k,
						name, acts, want, out.Recoveries, out.Finals, calm.Finals)
				}
			}
		}
	}
}
