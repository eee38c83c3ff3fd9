package page

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// Agree counts the steps in which two runs agree from the start: the same event, the same evidence,
// the same local states behind it. It is blind, and then looks at events and evidence only, where
// states are not recorded, or differ before the first step.
func Agree(a, b *report.Run) (same int, blind bool) {
	blind = a.Start.Locals == nil || !equalStates(&a.Start, &b.Start)
	n := min(LastStep(a), LastStep(b))
	for k := range n {
		switch {
		case !slices.Equal(eventsAt(a, k+1), eventsAt(b, k+1)):
			return k, blind
		case k >= len(a.Steps) || k >= len(b.Steps): // recorded without a schedule
		case a.Steps[k].Event != b.Steps[k].Event,
			!blind && !equalStates(&a.Steps[k], &b.Steps[k]):
			return k, blind
		}
	}
	return n, blind
}

// SameProcs reports whether two runs are of the same procs, so that they can be drawn alike.
func SameProcs(a, b *report.Run) bool {
	x, y := &a.Trace.Layout, &b.Trace.Layout
	return x.Ranks == y.Ranks && slices.Equal(x.Names, y.Names) &&
		slices.Equal(x.Clusters, y.Clusters)
}

func equalStates(a, b *report.Step) bool {
	if len(a.Locals) != len(b.Locals) {
		return false
	}
	for p := range a.Locals {
		if !bytes.Equal(a.Locals[p], b.Locals[p]) {
			return false
		}
	}
	return true
}

// LastStep is the number of the last step of a run, 0 for none.
func LastStep(r *report.Run) int {
	if n := len(r.Trace.Events); r.Steps == nil && n > 0 {
		return r.Trace.Events[n-1].Step
	}
	return len(r.Steps)
}

// eventsAt are the events of a step, which stand together.
func eventsAt(r *report.Run, step int) []trace.Event {
	list := r.Trace.Events
	from, _ := slices.BinarySearchFunc(list, step, func(e trace.Event, step int) int {
		return e.Step - step
	})
	to := from
	for to < len(list) && list[to].Step == step {
		to++
	}
	return list[from:to]
}

// mostTail is how many steps are listed of the run beside the run.
const mostTail = 200

// Tail are the steps of the run from the first difference on.
func (b *Beside) Tail() (list []string) {
	steps := b.Model.Run.Steps
	steps = steps[min(max(b.Same, 0), len(steps)):]
	for _, s := range steps[:min(len(steps), mostTail)] {
		list = append(list, s.Event)
	}
	if n := len(steps) - mostTail; n > 0 {
		list = append(list, fmt.Sprintf("and %d more", n))
	}
	return list
}

// From is the number of the first of them.
func (b *Beside) From() int { return max(b.Same, 0) + 1 }
