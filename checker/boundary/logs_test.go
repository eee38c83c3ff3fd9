package boundary_test

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// logs are the mutants of the message log.
func logs() []Mutant {
	return []Mutant{
		breaks("prune-safe", "prunes-at-once",
			"removes each message from its log as soon as it is there", after(trace.Logged, prune)),
		nearly("prune-safe", "prunes-twice",
			"removes each message that may be removed from its log two times", twice(trace.Pruned)),
		breaks("log-scope", "logs-inside", "also logs messages to its own cluster",
			after(trace.Sent, logInside)),
		nearly("log-scope", "logs-twice", "logs each message to another cluster two times",
			twice(trace.Logged)),
	}
}

func prune(_ *machine, e core.Effect) []core.Effect {
	return []core.Effect{core.Pruned(e.ID, e.To)}
}

func logInside(b *machine, e core.Effect) []core.Effect {
	if !sameCluster(b, b.Proc, e.To) {
		return nil
	}
	return []core.Effect{core.Logged(e.Payload.ID, e.To, 0)}
}
