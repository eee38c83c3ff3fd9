package boundary_test

import "github.com/domino-check/domino/impl/core"

// logs are the mutants of the message log.
func logs() []Mutant {
	return []Mutant{
		breaks("prune-safe", "prunes-at-once",
			"removes each message from its log as soon as it is there", after(core.Log, prune)),
		nearly("prune-safe", "prunes-twice",
			"removes each message that may be removed from its log two times", twice(core.Prune)),
		breaks("log-scope", "logs-inside", "also logs messages to its own cluster",
			after(core.ProgramSent, logInside)),
		nearly("log-scope", "logs-twice", "logs each message to another cluster two times",
			twice(core.Log)),
	}
}

func prune(_ *machine, e core.Effect) []core.Effect {
	return []core.Effect{{Kind: core.Prune, ID: e.ID, To: e.To}}
}

func logInside(b *machine, e core.Effect) []core.Effect {
	if !sameCluster(b, b.Proc, e.To) {
		return nil
	}
	return []core.Effect{{Kind: core.Log, ID: e.Payload.ID, To: e.To}}
}
