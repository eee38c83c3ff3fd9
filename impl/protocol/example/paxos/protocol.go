package paxos

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
)

// Protocol is single-decree Paxos.
var Protocol = protocol.Protocol{
	Name:     "paxos",
	Doc:      "an example outside recovery: single-decree Paxos behind a register [Paxos]",
	Roles:    []string{"servers", "clients"},
	Variants: []string{"deaf", "stale"},
	Mutants:  mutants,
	Build: func(counts []int, variant string) (*core.Setup, error) {
		return NewSetup(Options{Servers: counts[0], Clients: counts[1],
			Deaf: variant == "deaf", Stale: variant == "stale"})
	},
}
