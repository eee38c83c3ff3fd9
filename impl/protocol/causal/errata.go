package causal

import "github.com/domino-check/domino/impl/core"

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata.
const (
	S1 Erratum = iota
	S2
	S3
	S4
	S5
	S6
	S8
	S9
	S10
	S11
	S12
	S13
	S14
	S15
	S21
	S22
	erratumCount
)

// Count is the number of errata of this package; a protocol built on it numbers its own from here.
const Count = erratumCount

// table describes every erratum. Printed tells whether the paper itself has it; the others are
// readings that its text allows, or shortcuts that it suggests.
var table = core.Errata{
	S1: {ID: "S1", Place: "[CAMEL] Alg. 1 l. 37, 49",
		Printed: "healthy processes wait in a barrier for the recovering one, which may " +
			"fail again",
		Repaired: "the recovering process asks for the replay, nobody waits", Published: true},
	S2: {ID: "S2", Place: "[CAMEL] Alg. 1 l. 10-18",
		Printed: "a new incarnation delivers whatever arrives before its determinants are " +
			"complete",
		Repaired: "the program waits for all answers, and messages name the life that they " +
			"address",
		Published: true},
	S3: {ID: "S3", Place: "[CAMEL] Alg. 1 l. 11",
		Printed:  "a message without determinant takes the number of a recorded one",
		Repaired: "it waits until all recorded receptions are repeated", Published: true},
	S4: {ID: "S4", Place: "[CAMEL] Fig. 2(b)",
		Printed: "a message does not name the incarnation that it addresses, so late ones mix " +
			"with the replay",
		Repaired: "the header names it, others are dropped", Published: true},
	S5: {ID: "S5", Place: "[CAMEL] Alg. 1 l. 38", Printed: "iterates over a set, so in any order",
		Repaired: "in the order of the sends"},
	S6: {ID: "S6", Place: "[CAMEL] Table 1, Alg. 1 l. 26, 30",
		Printed:  "the incarnation number is restored from the checkpoint, so it repeats",
		Repaired: "it comes from the environment", Published: true},
	S8: {ID: "S8", Place: "[CAMEL] Alg. 1 l. 22-27",
		Printed:  "each process empties its logs and stores its image on its own",
		Repaired: "logs are kept until the checkpoint is committed everywhere", Published: true},
	S9: {ID: "S9", Place: "[CAMEL] Alg. 1 l. 36, 48",
		Printed:  "an answer to the request of a former life counts for the present one",
		Repaired: "an answer names the life and the round", Published: true},
	S10: {ID: "S10", Place: "[CAMEL] Alg. 1 l. 11",
		Printed:  "a recorded message that arrives before its turn is dropped",
		Repaired: "it waits"},
	S11: {ID: "S11", Place: "[CAMEL] section 2.3.1",
		Printed:  "recovery ends when the determinants are complete",
		Repaired: "it ends when the recorded receptions are repeated and the replays have arrived"},
	S12: {ID: "S12", Place: "[CAMEL] Alg. 1 l. 6-7",
		Printed: "the logged copy of a message lacks its determinants", Repaired: "it has them"},
	S13: {ID: "S13", Place: "[CAMEL] section 2.3.1",
		Printed:  "two failures at a time, with the protocol for one",
		Repaired: "determinants travel until f+1 processes hold them"},
	S14: {ID: "S14", Place: "[CAMEL] Alg. 1 l. 31-36",
		Printed: "answers of before another failure count, although a determinant was on its way " +
			"then",
		Repaired: "a failure during the collection starts it again"},
	S15: {ID: "S15", Place: "[CAMEL] Alg. 1 l. 11-16",
		Printed:  "a duplicate is dropped before its determinants are stored",
		Repaired: "they are stored and acknowledged", Published: true,
		Shown: "by TestDuplicateIsAcknowledged of impl/protocol/causal: it costs and breaks " +
			"nothing"},
	S21: {ID: "S21", Place: "[CAMEL] Table 1 incMap",
		Printed:  "a new incarnation does not know the incarnations of others",
		Repaired: "the answers tell them", Published: true},
	S22: {ID: "S22", Place: "[CAMEL] Alg. 1 l. 31-36",
		Printed: "the collection starts again for a failure during it, not for one of before it " +
			"that somebody had not heard of",
		Repaired: "it starts again whenever an answer tells of a failure that the request did " +
			"not name",
		Shown: "by TestForgottenFailure of impl/protocol/causal: at the scope of its smallest " +
			"run the repaired protocol has too many states"},
}

// Of the numbers that are missing, S7 (a process acknowledges its own determinant) needs a message
// to oneself, which programs can not send, and sets of holders make it harmless; S16 is about a map
// that high-water marks of channels replace; S17 to S20 are about definitions and proofs.

// Errata are all of them.
func Errata() core.Errata { return table }
