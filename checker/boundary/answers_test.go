package boundary_test

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// answers are the mutants of what a proc does about itself: roll back, give up, break down.
func answers() []Mutant {
	return []Mutant{
		breaks("contained", "rolls-back",
			"rolls back when it joins a round, also when its cluster has not failed",
			habit{effects: rollBack}),
		nearly("contained", "reports-twice",
			"says everything about a round two times, but loses nothing", sends(reportTwice)),
		breaks("gives-not-up", "gives-up", "gives up at its first delivery",
			after(trace.Delivered, giveUp)),
		nearly("gives-not-up", "declares-drops",
			"declares at each delivery that it ignored something",
			after(trace.Delivered, declareDrop)),
		breaks("no-panic", "panics", "panics at its first delivery",
			after(trace.Delivered, breakDown)),
		nearly("no-panic", "panics-inside",
			"panics at each delivery and recovers before anybody notices",
			after(trace.Delivered, breakDownInside)),
		nearly("deterministic", "counts", "keeps count of its inputs and makes no use of it",
			habit{input: countToThree}),
	}
}

// rollBack asks for a rollback behind the first message of a newer round.
func rollBack(b *machine, list []core.Effect) []core.Effect {
	newest := memoryOf(b).Round
	for _, e := range list {
		if m, ok := e.Message.(*envelope); ok {
			newest = max(newest, m.Wire.Stamp.Round)
		}
	}
	if newest > memoryOf(b).Round && int(b.Proc) < b.Setup.Layout.Ranks {
		list = append(list, core.Effect{Kind: core.Rollback})
	}
	memoryOf(b).Round = newest
	return list
}

// reportTwice repeats control messages of a round. A replayed orphan is none of them: it counts.
func reportTwice(b *machine, e core.Effect, m *envelope) []core.Effect {
	if m.carriesPayload() || m.Wire.Stamp.Round == 0 || meaning(b, m) == trace.Replay {
		return []core.Effect{e}
	}
	return []core.Effect{e, e}
}

func giveUp(*machine, core.Effect) []core.Effect {
	return []core.Effect{core.Halted("mutant")}
}

func declareDrop(_ *machine, e core.Effect) []core.Effect {
	return []core.Effect{core.DropInput(e.From, core.MsgID{}, "mutant")}
}

func breakDown(b *machine, e core.Effect) []core.Effect {
	panic(fmt.Sprintf("mutant: proc %d delivers from %d", b.Proc, e.From))
}

func breakDownInside(b *machine, e core.Effect) []core.Effect {
	defer func() {
		if recover() == nil {
			panic("invariant: the mutant has panicked")
		}
	}()
	return breakDown(b, e)
}

// countToThree keeps the state space finite and small.
func countToThree(b *machine, in core.Input) core.Input {
	memoryOf(b).Inputs = min(memoryOf(b).Inputs+1, 3)
	return in
}
