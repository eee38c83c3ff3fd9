package fuzz

import (
	"math/rand/v2"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
)

// feedback repeats runs that showed a shape that was new then, with a small change: one event
// earlier or later, one fault at another place of its victim's history, or another end. What of the
// old run is not possible any more is left out.
type feedback struct {
	r      *rand.Rand
	kept   []record
	next   int            // where the next kept run goes when there is no room
	guide  []uint64       // steps to take, as far as they are enabled
	faults []sample.Fault // of the run at hand
	guided bool
}

// The bounds: how many runs are kept, how far ahead a step of the guide may be taken, how far an
// event is moved.
const (
	keptRuns  = 64
	lookahead = 6
	farthest  = 12
)

// keep takes a run into the pool.
func (f *feedback) keep(run *record) {
	if len(f.kept) < keptRuns {
		f.kept = append(f.kept, *run)
		return
	}
	f.kept[f.next] = *run
	f.next = (f.next + 1) % keptRuns
}

func (f *feedback) Begin(r *rand.Rand, _ *sample.Lengths) {
	f.r, f.guide, f.faults, f.guided = r, nil, nil, false
	if len(f.kept) == 0 {
		return
	}
	run := f.kept[r.IntN(len(f.kept))]
	if len(run.codes) == 0 {
		return
	}
	f.guided = true
	f.guide, f.faults = slices.Clone(run.codes), slices.Clone(run.faults)
	for range 1 + r.IntN(3) {
		f.mutate()
	}
}

// mutate makes one change.
func (f *feedback) mutate() {
	n := len(f.guide)
	if n == 0 {
		return
	}
	at := f.r.IntN(n)
	switch k := f.r.IntN(6); {
	case k < 2: // an event comes later
		code := f.guide[at]
		to := min(n-1, at+1+f.r.IntN(farthest))
		f.guide = slices.Insert(slices.Delete(f.guide, at, at+1), to, code)
	case k < 4: // an event comes earlier
		code := f.guide[at]
		to := max(0, at-1-f.r.IntN(farthest))
		f.guide = slices.Insert(slices.Delete(f.guide, at, at+1), to, code)
	case k == 4 && len(f.faults) > 0: // a fault strikes elsewhere
		i := f.r.IntN(len(f.faults))
		f.faults[i].At = max(0, f.faults[i].At-farthest/2+f.r.IntN(farthest))
	default: // another end
		f.guide = f.guide[:at]
	}
}

func (f *feedback) Plan() ([]sample.Fault, bool) { return f.faults, f.guided && len(f.faults) > 0 }

func (f *feedback) Pick(c *sample.Choice) int {
	for i, code := range f.guide[:min(lookahead, len(f.guide))] {
		if j := slices.IndexFunc(c.Steps, func(s checker.Step) bool {
			return s.Code == code
		}); j >= 0 {
			f.guide = slices.Delete(f.guide, i, i+1)
			return j
		}
	}
	if len(f.guide) > 0 {
		f.guide = f.guide[1:] // it has become impossible, or the run has gone another way
	}
	return f.r.IntN(len(c.Steps))
}
