package camel

import (
	"github.com/domino-check/domino/impl/causal"
	"github.com/domino-check/domino/impl/core"
)

// The errata of CAMEL itself, after those of SCMEL. The number is that of the design notes; letters tell several switches of one apart.
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
	end
)

// table describes every erratum.
var table = [end - causal.Count]struct {
	core.Erratum
	printed bool
}{
	C1 - causal.Count: {core.Erratum{ID: "C1", Place: "[CAMEL] Alg. 2 l. 7, Alg. 1 l. 39", Printed: "a logged multicast has no receiver, so the replay never finds it",
		Repaired: "the replay looks for membership"}, true},
	C2 - causal.Count: {core.Erratum{ID: "C2", Place: "[CAMEL] section 3.1", Printed: "a multicast is not dropped even if its root has died since",
		Repaired: "what the dead root sent is dropped, what others passed on is not"}, true},
	C3 - causal.Count: {core.Erratum{ID: "C3", Place: "[CAMEL] Alg. 2 l. 4", Printed: "multicasts of one group are received in any order after a failure",
		Repaired: "they are numbered in their group, and a gap waits"}, true},
	C4 - causal.Count: {core.Erratum{ID: "C4", Place: "[CAMEL] Alg. 2 l. 31-34", Printed: "only the root notes which contributions it has had, so an inner node begins a round again",
		Repaired: "every node notes the last round of each child"}, true},
	C5 - causal.Count: {core.Erratum{ID: "C5", Place: "[CAMEL] Alg. 3 l. 8, 22", Printed: "accumulates contributions whatever their round", Repaired: "each round on its own"}, true},
	C6 - causal.Count: {core.Erratum{ID: "C6", Place: "[CAMEL] Alg. 1 l. 46", Printed: "determinants of messages and of contributions share one map",
		Repaired: "the group tells them apart"}, true},
	C7 - causal.Count: {core.Erratum{ID: "C7", Place: "[CAMEL] Lemma 1", Printed: "a recovering process advances its counter of contributions to the latest",
		Repaired: "the counter stays, and complete rounds are skipped"}, true},
	C8 - causal.Count: {core.Erratum{ID: "C8", Place: "[CAMEL] section 3.1", Printed: "the root provides a reduction number, read as that of the round it is in",
		Repaired: "the last complete round"}, false},
	C9a - causal.Count: {core.Erratum{ID: "C9a", Place: "[CAMEL] Alg. 3 l. 13, 34", Printed: "the acknowledgement names the root's message, which nobody stores: nothing is released",
		Repaired: "it names group and round"}, true},
	C9b - causal.Count: {core.Erratum{ID: "C9b", Place: "[CAMEL] Alg. 3 l. 33", Printed: "with the child's own identity the test lets the root's children release, too",
		Repaired: "who sends to the root keeps"}, false},
	C10 - causal.Count: {core.Erratum{ID: "C10", Place: "[CAMEL] Alg. 3 l. 36-38", Printed: "an acknowledgement that a node had not passed on when it failed is lost",
		Repaired: "acknowledgements are cumulative and repeated after a recovery"}, true},
	C11 - causal.Count: {core.Erratum{ID: "C11", Place: "[CAMEL] Lemma 1", Printed: "a root's child that failed can not make its released contribution again, and the root fails next",
		Repaired: "the root keeps it and gives it back"}, true},
	C12 - causal.Count: {core.Erratum{ID: "C12", Place: "[CAMEL] section 6", Printed: "agglomerates in the order of arrival, and again after a failure",
		Repaired: "in the order of the tree, and not again when the root has had it"}, true},
	C14 - causal.Count: {core.Erratum{ID: "C14", Place: "[CAMEL] Alg. 1 l. 22-26", Printed: "a checkpoint saves no half accumulated reduction", Repaired: "it does"}, true},
	C18 - causal.Count: {core.Erratum{ID: "C18", Place: "[CAMEL] Alg. 2 l. 11", Printed: "a multicast that the root sends again stops at the first process that has it",
		Repaired: "it goes down the whole tree once for each life of the root, as section 6 says"}, true},
	C19 - causal.Count: {core.Erratum{ID: "C19", Place: "[CAMEL] Alg. 3 l. 34", Printed: "a released contribution takes the determinants with it that its receiver would need after a failure",
		Repaired: "they stay in the log, without the payload"}, true},
}

// Errata lists the errata of CAMEL itself, in order; those of SCMEL apply, too.
func Errata() []core.Erratum {
	list := make([]core.Erratum, len(table))
	for i := range table {
		list[i] = table[i].Erratum
	}
	return list
}

// ByID finds the switch with the name, also of SCMEL.
func ByID(id string) (causal.Erratum, bool) {
	for i := range table {
		if table[i].ID == id {
			return causal.Count + causal.Erratum(i), true
		}
	}
	return causal.ByID(id)
}

// Published is the algorithm as [CAMEL] prints it.
func Published() causal.Set {
	s := causal.Published()
	for i := range table {
		if table[i].printed {
			s = s.With(causal.Count + causal.Erratum(i))
		}
	}
	return s
}
