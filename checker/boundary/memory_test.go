package boundary_test

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// memories are the mutants of what is kept in memory for the recovery of others. What a rank keeps
// is part of what it says about itself, so some of them change its history.
func memories() []Mutant {
	repeated := twice(trace.Kept)
	return []Mutant{
		breaks("no-orphan-process", "keeps-no-determinant", "says that it keeps no determinant",
			habit{history: drops(trace.Determinant)}),
		nearly("no-orphan-process", "keeps-twice", "says two times what it keeps", repeated),
		breaks("replay-order", "misremembers", "says that other messages were received than were",
			habit{history: misremember}),
		breaks("determinant-stable", "keeps-two-stories",
			"also keeps another determinant of each reception", after(trace.Kept, secondStory)),
		breaks("log-minimal", "never-releases", "does not hear that a reduction is complete",
			habit{input: ignores("Completed")}),
		nearly("log-minimal", "completes-twice", "sends two times how far reductions are complete",
			sends(repeats("Completed"))),
		breaks("log-pruned", "never-prunes", "does not hear that everybody is at the recovery line",
			habit{input: ignores("Prune")}),
		nearly("log-pruned", "prunes-again",
			"says two times that everybody is at the recovery line", sends(repeats("Prune"))),
		breaks("waits-sent", "waits-for-nothing",
			"says of each line that a message which nobody has sent waits in it",
			habit{effects: each(waitForNothing)}),
		breaks("recovery-ends", "never-recovers", "says that its recovery is not over",
			habit{history: func(h *trace.History) {
				h.Recovering = true
			}}),
		nearly("recovery-ends", "recovers-twice", "says two times that its recovery is over",
			twice(trace.Recovered)),
		breaks("repeated", "recovers-early",
			"says that its recovery is over as soon as it restarts", recoverEarly()),
		breaks("log-available", "keeps-no-part", "says that it keeps no contribution",
			habit{history: drops(trace.Part)}),
		breaks("root-determinants", "numbers-inside",
			"also keeps determinants of contributions that are not the root's",
			after(trace.Kept, inside)),
	}
}

// recoverEarly declares the end of a recovery in the step of the restart.
func recoverEarly() habit {
	return habit{
		input: func(b *machine, in core.Input) core.Input {
			memoryOf(b).Spent = in.Kind == core.Restore
			return in
		},
		effects: func(b *machine, list []core.Effect) []core.Effect {
			if memoryOf(b).Spent && int(b.Proc) < b.Setup.Layout.Ranks {
				list = append(list, core.Effect{Kind: core.Declare, What: trace.Recovered})
			}
			memoryOf(b).Spent = false
			return list
		},
	}
}

// drops takes a sort of items out of a memory.
func drops(sort string) func(*trace.History) {
	return func(h *trace.History) {
		h.Memory = slices.DeleteFunc(slices.Clone(h.Memory), func(i trace.Item) bool {
			return i.Sort == sort
		})
	}
}

func misremember(h *trace.History) {
	h.Memory = slices.Clone(h.Memory)
	for i := range h.Memory {
		if h.Memory[i].Sort == trace.Determinant {
			h.Memory[i].ID.Number += 100
		}
	}
}

func secondStory(_ *machine, e core.Effect) []core.Effect {
	if e.Key != trace.Determinant {
		return nil
	}
	e.ID.Number += 100
	return []core.Effect{e}
}

func waitForNothing(b *machine, e core.Effect) []core.Effect {
	if e.Event() != trace.Committed {
		return []core.Effect{e}
	}
	nothing := trace.Item{Sort: trace.Waiting, Peer: b.Proc, ID: trace.MsgID{Number: 100}}
	return []core.Effect{core.Kept(nothing), e, core.Forgotten(nothing)}
}

func inside(b *machine, e core.Effect) []core.Effect {
	c, collective := b.Setup.Layout.Collectives[e.ID]
	if e.Key != trace.Determinant || !collective || c.Round == 0 {
		return nil
	}
	members := b.Setup.Layout.Trees[c.Tree].Members
	e.To = members[len(members)-1].Proc()
	return []core.Effect{e}
}

// ignores hides the messages with that name.
func ignores(kind string) func(*machine, core.Input) core.Input {
	return func(_ *machine, in core.Input) core.Input {
		if m, ok := in.Message.(*envelope); ok && m.Wire.Kind == kind {
			return core.Input{Kind: core.Tick}
		}
		return in
	}
}

// repeats sends the messages with that name twice.
func repeats(kind string) func(*machine, core.Effect, *envelope) []core.Effect {
	return func(_ *machine, e core.Effect, m *envelope) []core.Effect {
		if m.Wire.Kind == kind {
			return []core.Effect{e, e}
		}
		return []core.Effect{e}
	}
}
