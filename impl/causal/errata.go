package causal

import "github.com/domino-check/domino/impl/core"

// Erratum is one place where the paper prints something that does not work, as a switch.
type Erratum uint8

// The errata. The number is that of the design notes.
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

// Set is a set of errata that are switched on.
type Set uint64

// Has reports whether the erratum is in the set.
func (s Set) Has(e Erratum) bool { return s>>e&1 != 0 }

// With is the set and the erratum.
func (s Set) With(e Erratum) Set { return s | 1<<e }

// table describes every erratum. Printed tells whether the paper itself has it; the others are readings that its text allows, or
// shortcuts that it suggests.
var table = [erratumCount]struct {
	core.Erratum
	printed bool
}{
	S1: {core.Erratum{ID: "S1", Place: "[CAMEL] Alg. 1 l. 37, 49", Printed: "healthy processes wait in a barrier for the recovering one, which may fail again",
		Repaired: "the recovering process asks for the replay, nobody waits"}, true},
	S2: {core.Erratum{ID: "S2", Place: "[CAMEL] Alg. 1 l. 10-18", Printed: "a new incarnation delivers whatever arrives before its determinants are complete",
		Repaired: "the program waits for all answers, and messages name the life that they address"}, true},
	S3: {core.Erratum{ID: "S3", Place: "[CAMEL] Alg. 1 l. 11", Printed: "a message without determinant takes the number of a recorded one",
		Repaired: "it waits until all recorded receptions are repeated"}, true},
	S4: {core.Erratum{ID: "S4", Place: "[CAMEL] Fig. 2(b)", Printed: "a message does not name the incarnation that it addresses, so late ones mix with the replay",
		Repaired: "the header names it, others are dropped"}, true},
	S5: {core.Erratum{ID: "S5", Place: "[CAMEL] Alg. 1 l. 38", Printed: "iterates over a set, so in any order", Repaired: "in the order of the sends"}, false},
	S6: {core.Erratum{ID: "S6", Place: "[CAMEL] Table 1, Alg. 1 l. 26, 30", Printed: "the incarnation number is restored from the checkpoint, so it repeats",
		Repaired: "it comes from the environment"}, true},
	S8: {core.Erratum{ID: "S8", Place: "[CAMEL] Alg. 1 l. 22-27", Printed: "each process empties its logs and stores its image on its own",
		Repaired: "logs are kept until the checkpoint is committed everywhere"}, true},
	S9: {core.Erratum{ID: "S9", Place: "[CAMEL] Alg. 1 l. 36, 48", Printed: "an answer to the request of a former life counts for the present one",
		Repaired: "an answer names the life and the round"}, true},
	S10: {core.Erratum{ID: "S10", Place: "[CAMEL] Alg. 1 l. 11", Printed: "a recorded message that arrives before its turn is dropped", Repaired: "it waits"}, false},
	S11: {core.Erratum{ID: "S11", Place: "[CAMEL] section 2.3.1", Printed: "recovery ends when the determinants are complete",
		Repaired: "it ends when the recorded receptions are repeated and the replays have arrived"}, false},
	S12: {core.Erratum{ID: "S12", Place: "[CAMEL] Alg. 1 l. 6-7", Printed: "the logged copy of a message lacks its determinants", Repaired: "it has them"}, false},
	S13: {core.Erratum{ID: "S13", Place: "[CAMEL] section 2.3.1", Printed: "two failures at a time, with the protocol for one",
		Repaired: "determinants travel until f+1 processes hold them"}, false},
	S14: {core.Erratum{ID: "S14", Place: "[CAMEL] Alg. 1 l. 31-36", Printed: "answers of before another failure count, although a determinant was on its way then",
		Repaired: "a failure during the collection starts it again"}, false},
	S15: {core.Erratum{ID: "S15", Place: "[CAMEL] Alg. 1 l. 11-16", Printed: "a duplicate is dropped before its determinants are stored",
		Repaired: "they are stored and acknowledged"}, true},
	S21: {core.Erratum{ID: "S21", Place: "[CAMEL] Table 1 incMap", Printed: "a new incarnation does not know the incarnations of others", Repaired: "the answers tell them"}, true},
	S22: {core.Erratum{ID: "S22", Place: "[CAMEL] Alg. 1 l. 31-36", Printed: "the collection starts again for a failure during it, not for one of before it that somebody had not heard of",
		Repaired: "it starts again whenever an answer tells of a failure that the request did not name"}, false},
}

// Of the numbers that are missing, S7 (a process acknowledges its own determinant) needs a message to oneself, which programs can not send, and sets of
// holders make it harmless; S16 is about a map that high-water marks of channels replace; S17 to S20 are about definitions and proofs.

// Errata lists the errata that have a scenario, in order. The tests of this package show the others: S15, which costs and breaks nothing,
// and S22, for which the repaired protocol has too many states at the scope of its smallest run.
func Errata() []core.Erratum {
	var list []core.Erratum
	for i := range table {
		if e := Erratum(i); e != S15 && e != S22 {
			list = append(list, table[i].Erratum)
		}
	}
	return list
}

// ByID finds the switch with the name, e.g. "S9".
func ByID(id string) (Erratum, bool) {
	for i := range table {
		if table[i].ID == id {
			return Erratum(i), true
		}
	}
	return 0, false
}

// Published is the algorithm as [CAMEL] prints it: every erratum of its text at once.
func Published() Set {
	var s Set
	for i := range table {
		if table[i].printed {
			s = s.With(Erratum(i))
		}
	}
	return s
}
