package verify

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// Beside is what another variant of a protocol does under the schedule of a run.
type Beside struct {
	Scenario *scenarios.Scenario // in the other variant
	World    *world.World
	Run      *world.Run
	// Same is how many steps at the beginning are the same in both: their names, their evidence,
	// and what they leave in every local state. Names alone tell little: a schedule may be enabled
	// to its end in both, and do something else.
	Same int
	// Blind: the two keep different local states from the start, as machines that are written apart
	// do, so only names and evidence are compared.
	Blind bool
	// Outside is why the run is outside the model of the variant, which would not begin it unless
	// forced to, as here; "" where it is not.
	Outside string
}

// Repaired is what the repaired protocol does under the schedule of a run of the scenario: what it
// can of it, then on without failures.
func Repaired(ctx context.Context, list protocol.List, s *scenarios.Scenario, w *world.World,
	run *world.Run) (*Beside, error) {
	r, err := Another(list, s, "repaired", run.Schedule)
	if err != nil {
		return nil, err
	}
	b := &Beside{Scenario: r.Scenario}
	var reason string
	if b.World, reason, err = world.Open(ctx, r.Case, checker.Options{}); err != nil {
		return nil, err
	}
	b.Outside = cmp.Or(world.Beyond(r.Case.Setup, &r.Case.Model), reason)
	b.Run = b.World.Attempt(run.Lines(), "")
	if err := b.World.Err(); err != nil {
		return nil, err
	}
	b.Same, b.Blind = Agree(w, run, b.World, b.Run)
	return b, nil
}

// Another is the scenario in another variant, where what the schedule names may happen.
func Another(list protocol.List, s *scenarios.Scenario, variant string, schedule []string) (
	*Resolved, error) {
	c := *s
	c.Variant, c.Expect, c.Breaks, c.Erratum, c.Schedule, c.States = variant, "holds", "", "", nil,
		0
	c.MustSee, c.Force = nil, true
	r, err := Resolve(list, &c)
	if err != nil {
		return nil, err
	}
	r.Cuts = slices.ContainsFunc(schedule, trace.IsCutShort)
	return r, nil
}

// Agree counts the steps in which two runs agree from the start: the same name, the same evidence,
// the same local states behind it. It is blind if their local states differ before the first step,
// and then looks at names and evidence only.
func Agree(w *world.World, a *world.Run, v *world.World, b *world.Run) (same int, blind bool) {
	states := func(k int) bool {
		for p := range core.Proc(len(a.Trace.Layout.Names)) {
			if !bytes.Equal(w.LocalJSON(a.States[k], p), v.LocalJSON(b.States[k], p)) {
				return false
			}
		}
		return true
	}
	blind = !states(0)
	for k := range min(len(a.Schedule), len(b.Schedule)) {
		if a.Schedule[k] != b.Schedule[k] || !slices.Equal(eventsAt(a, k+1), eventsAt(b, k+1)) ||
			!blind && !states(k+1) {
			return k, blind
		}
	}
	return min(len(a.Schedule), len(b.Schedule)), blind
}

// eventsAt are the events of a step, which stand together.
func eventsAt(r *world.Run, step int) []trace.Event {
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
