package camel

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/causal"
)

// The errata of CAMEL itself, after those of SCMEL; letters tell several switches of one apart.
const (
	C1 causal.Erratum = causal.Count + iota
	C2
	C3
	C4
	C5
	C6
	C7
	C8
	C9a
	C9b
	C10
	C11
	C12
	C14
	C18
	C19
)

// table describes every erratum.
var table = core.Errata{
	C1: {ID: "C1", Place: "[CAMEL] Alg. 2 l. 7, Alg. 1 l. 39",
		Printed:  "a logged multicast has no receiver, so the replay never finds it",
		Repaired: "the replay looks for membership", Published: true},
	C2: {ID: "C2", Place: "[CAMEL] section 3.1",
		Printed:   "a multicast is not dropped even if its root has died since",
		Repaired:  "what the dead root sent is dropped, what others passed on is not",
		Published: true},
	C3: {ID: "C3", Place: "[CAMEL] Alg. 2 l. 4",
		Printed:  "multicasts of one group are received in any order after a failure",
		Repaired: "they are numbered in their group, and a gap waits", Published: true},
	C4: {ID: "C4", Place: "[CAMEL] Alg. 2 l. 31-34",
		Printed: "only the root notes which contributions it has had, so an inner node begins a " +
			"round again",
		Repaired: "every node notes the last round of each child", Published: true},
	C5: {ID: "C5", Place: "[CAMEL] Alg. 3 l. 8, 22",
		Printed:  "accumulates contributions whatever their round",
		Repaired: "each round on its own", Published: true},
	C6: {ID: "C6", Place: "[CAMEL] Alg. 1 l. 46",
		Printed:  "determinants of messages and of contributions share one map",
		Repaired: "the group tells them apart", Published: true},
	C7: {ID: "C7", Place: "[CAMEL] Lemma 1",
		Printed:  "a recovering process advances its counter of contributions to the latest",
		Repaired: "the counter stays, and complete rounds are skipped", Published: true},
	C8: {ID: "C8", Place: "[CAMEL] section 3.1",
		Printed:  "the root provides a reduction number, read as that of the round it is in",
		Repaired: "the last complete round"},
	C9a: {ID: "C9a", Place: "[CAMEL] Alg. 3 l. 13, 34",
		Printed: "the acknowledgement names the root's message, which nobody stores: nothing is " +
			"released",
		Repaired: "it names group and round", Published: true},
	C9b: {ID: "C9b", Place: "[CAMEL] Alg. 3 l. 33",
		Printed:  "with the child's own identity the test lets the root's children release, too",
		Repaired: "who sends to the root keeps"},
	C10: {ID: "C10", Place: "[CAMEL] Alg. 3 l. 36-38",
		Printed:  "an acknowledgement that a node had not passed on when it failed is lost",
		Repaired: "acknowledgements are cumulative and repeated after a recovery", Published: true},
	C11: {ID: "C11", Place: "[CAMEL] Lemma 1",
		Printed: "a root's child that failed can not make its released contribution again, and " +
			"the root fails next",
		Repaired: "the root keeps it and gives it back", Published: true},
	C12: {ID: "C12", Place: "[CAMEL] section 6",
		Printed:   "agglomerates in the order of arrival, and again after a failure",
		Repaired:  "in the order of the tree, and not again when the root has had it",
		Published: true},
	C14: {ID: "C14", Place: "[CAMEL] Alg. 1 l. 22-26",
		Printed: "a checkpoint saves no half accumulated reduction", Repaired: "it does",
		Published: true},
	C18: {ID: "C18", Place: "[CAMEL] Alg. 2 l. 11",
		Printed:   "a multicast that the root sends again stops at the first process that has it",
		Repaired:  "it goes down the whole tree once for each life of the root, as section 6 says",
		Published: true},
	C19: {ID: "C19", Place: "[CAMEL] Alg. 3 l. 34",
		Printed: "a released contribution takes the determinants with it that its receiver would " +
			"need after a failure",
		Repaired: "they stay in the log, without the payload", Published: true},
}

// Errata are those of CAMEL itself; those of SCMEL apply, too (All).
func Errata() core.Errata { return table }

// All are the errata of both.
func All() core.Errata {
	list := slices.Clone(table)
	copy(list, causal.Errata())
	return list
}
