package mutants

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// services are the mutants of what a service shows to whoever uses it.
func services() []Mutant {
	return []Mutant{
		breaks("agreement", "contradicts", "the last proc declares another decision than the one it made", habit{effects: each(contradict)}),
		nearly("agreement", "decides-twice", "declares each decision two times", twice(core.Decide)),
	}
}

func contradict(b *boundary, e core.Effect) []core.Effect {
	if e.Kind == core.Decide && int(b.proc) == len(b.setup.Layout.Names)-1 {
		possible := b.setup.Promises.Decisions
		e.Key = possible[(slices.Index(possible, e.Key)+1)%len(possible)]
	}
	return []core.Effect{e}
}
