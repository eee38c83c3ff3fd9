package boundary_test

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// services are the mutants of what a service shows to whoever uses it.
func services() []Mutant {
	return []Mutant{
		breaks("agreement", "contradicts",
			"the last proc declares another decision than the one it made",
			habit{effects: each(contradict)}),
		nearly("agreement", "decides-twice", "declares each decision two times",
			twice(trace.Decided)),
		breaks("decision-learned", "decides-silently", "the last proc never declares its decision",
			habit{effects: each(decideSilently)}),
		nearly("decision-learned", "orders-twice", "sends each message two times",
			twice(trace.Emitted)),
		breaks("linearizable", "answers-nothing",
			"a client is told that nothing was written yet, whatever it reads",
			habit{effects: each(answerNothing)}),
		nearly("linearizable", "reads-again",
			"a client that has read reads again, with the same answer",
			after(trace.Returned, readAgain)),
	}
}

func contradict(b *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Decide && int(b.Proc) == len(b.Setup.Layout.Names)-1 {
		possible := b.Setup.Promises.Decisions
		e.Key = possible[(slices.Index(possible, e.Key)+1)%len(possible)]
	}
	return []core.Effect{e}
}

func decideSilently(b *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Decide && int(b.Proc) == len(b.Setup.Layout.Names)-1 {
		return nil
	}
	return []core.Effect{e}
}

func answerNothing(_ *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Return {
		e.Key = ""
	}
	return []core.Effect{e}
}

// readAgain leaves the confirmation of a write alone: the client goes on to something else in the
// same step.
func readAgain(_ *machine, e core.Effect) []core.Effect {
	if e.Key == "" {
		return nil
	}
	return []core.Effect{{Kind: core.Invoke, Key: "read"}, e}
}
