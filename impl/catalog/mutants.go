package catalog

import (
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
)

// Mutants are ways to break the protocol with the name, as package checker/mutate reads them; ""
// means none but its errata. Protocols of one family have one text.
func Mutants(protocol string) string {
	return map[string]string{
		"camel":      camel.Mutants,
		"causal":     causal.Mutants,
		"hmpl":       pessimistic.Mutants,
		"hydee":      hydee.Mutants,
		"paxos":      paxos.Mutants,
		"radic-rbml": radic.Mutants,
		"rbml":       pessimistic.Mutants,
		"sbml":       pessimistic.Mutants,
		"two-phase":  twophase.Mutants,
	}[protocol]
}
