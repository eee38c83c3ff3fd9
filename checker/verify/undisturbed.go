package verify

import (
	"slices"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// Undisturbed is a run of the programs of a scenario without protocol and without failures, for
// comparing: of several that are possible one that receives, at each rank, what the given run has
// received there, as long as that can be. It goes by what can be done next, so another run might
// follow longer. There is none for a protocol without programs, or where the programs do not end
// within the bound: the result is nil then.
func Undisturbed(list protocol.List, s *scenarios.Scenario, w *world.World,
	run *world.Run) (*Beside, error) {
	c := *s
	r, err := Resolve(list, &c)
	if err != nil || r.Baseline == nil {
		return nil, err
	}
	calm, err := world.New(world.Config{Setup: r.Baseline})
	if err != nil {
		return nil, err
	}
	last := run.States[len(run.States)-1]
	var wanted [][]trace.Delivery
	for p := range core.Proc(r.Baseline.Layout.Ranks) {
		wanted = append(wanted, delivered(w, last, p))
	}
	state := make([]uint32, calm.Words())
	calm.Initial(state)
	var schedule []string
	for range mostUndisturbed {
		texts, x := calm.Enabled(state)
		if len(texts) == 0 {
			break
		}
		best, worst := 0, 3
		for i := range texts {
			if d := deviates(calm, state, x.State(i, nil), wanted); d < worst {
				best, worst = i, d
			}
		}
		schedule = append(schedule, texts[best])
		state = slices.Clone(x.State(best, nil))
	}
	b := &Beside{Scenario: &c, World: calm, Same: -1}
	if b.Run, err = calm.Replay(schedule); err != nil || !b.Run.Complete {
		return nil, err
	}
	return b, nil
}

// mostUndisturbed bounds a run that is drawn for comparing.
const mostUndisturbed = 4000

// deviates says how far a step leads away from what is wanted: 0 if it receives what is wanted
// next, or nothing; 1 if it receives where all that is wanted is there, 2 if it receives something
// else.
func deviates(w *world.World, before, after []uint32, wanted [][]trace.Delivery) int {
	for p := range wanted {
		had := len(delivered(w, before, core.Proc(p)))
		has := delivered(w, after, core.Proc(p))
		switch {
		case len(has) == had:
		case had >= len(wanted[p]):
			return 1
		case has[had].ID != wanted[p][had].ID:
			return 2
		}
	}
	return 0
}

// delivered is what the program of a proc has received, nothing for one that is down.
func delivered(w *world.World, state []uint32, p core.Proc) []trace.Delivery {
	if h := w.Observed(state, p).History; h != nil {
		return h.Delivered
	}
	return nil
}
