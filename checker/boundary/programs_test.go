package boundary_test

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// programs are the mutants of what crosses between a program and its protocol: sends, deliveries,
// the end.
func programs() []Mutant {
	return []Mutant{
		breaks("exactly-once", "delivers-twice", "hands each message to the program two times",
			twice(trace.Delivered)),
		breaks("genuine", "corrupts-payload", "flips one bit of each payload that it delivers",
			habit{effects: each(corrupt)}),
		breaks("genuine", "invents-message",
			"names each message that it delivers as one that was never sent",
			habit{effects: each(invent)}),
		breaks("send-determinism", "counts-into-payload",
			"puts the number of inputs so far into each payload that it sends",
			habit{input: count, effects: each(countIntoPayload)}),
		nearly("send-determinism", "shifts-payload",
			"changes each payload that it sends, in all runs alike",
			habit{effects: each(shiftPayload)}),
		breaks("final-state", "wrong-end", "ends in another state than that of its program",
			wrongEnd()),
	}
}

func corrupt(_ *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Deliver {
		e.Payload.Data = slices.Clone(e.Payload.Data)
		e.Payload.Data[0] ^= 1
	}
	return []core.Effect{e}
}

func invent(_ *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Deliver {
		e.Payload.ID.Number += 100
	}
	return []core.Effect{e}
}

// count is the input habit of mutants whose misbehaviour depends on how much has happened.
func count(b *machine, in core.Input) core.Input {
	memoryOf(b).Inputs++
	return in
}

func countIntoPayload(b *machine, e core.Effect) []core.Effect {
	if e.Kind == core.ProgramSent {
		e.Payload.Data = append(slices.Clone(e.Payload.Data), byte(memoryOf(b).Inputs))
	}
	return []core.Effect{e}
}

func shiftPayload(_ *machine, e core.Effect) []core.Effect {
	if e.Kind == core.ProgramSent {
		e.Payload.Data = append(slices.Clone(e.Payload.Data), 1)
	}
	return []core.Effect{e}
}

func wrongEnd() habit {
	return habit{
		effects: each(func(_ *machine, e core.Effect) []core.Effect {
			if e.Kind == core.ProgramDone {
				e.Digest ^= 2
			}
			return []core.Effect{e}
		}),
		history: func(h *trace.History) {
			if h.Done {
				h.Digest ^= 2
			}
		},
	}
}
