package pessimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata. Ids that are not here: M6 needs message tags and does not show apart from M5, M22 is
// inherent (see doc.go), M26 to M34 belong to impl/protocol/radic.
const (
	M1 Erratum = iota
	M2
	M3
	M4
	M5
	M7
	M8
	M9
	M10
	M11a
	M11b
	M12
	M13
	M14
	M15
	M16
	M17
	M18
	M19
	M20
	M21
	M23
	M24
	M25
	M37
	M49
	M50
	M60
	M61
	M62
	M63
	M64
)

// table describes every erratum: whose it is, where the thesis has it, what it says, what the
// repaired protocol does. Printed tells whether its text says so; the others are readings that it
// admits, or it is silent.
var table = [...]struct {
	core.Erratum
	of []Protocol
}{
	M1: {core.Erratum{ID: "M1", Place: "[RADIC] section 4.2.3",
		Printed:  "after a failure no temporary buffer is asked for a wildcard receive",
		Repaired: "every possible sender is asked", Published: true}, []Protocol{HMPL}},
	M2: {core.Erratum{ID: "M2", Place: "[RADIC] section 4.2.2, Fig. 4.5",
		Printed:  "one message of each temporary buffer is fetched",
		Repaired: "everything that is not stable"}, []Protocol{HMPL}},
	M3: {core.Erratum{ID: "M3", Place: "[RADIC] section 4.2.3",
		Printed: "only a wildcard is nondeterministic; completing one of several posted receives " +
			"is not",
		Repaired:  "every completion that may come at another point is held until it is logged",
		Published: true}, []Protocol{HMPL}},
	M4: {core.Erratum{ID: "M4", Place: "[RADIC] Fig. 4.6",
		Printed:  "the control case: no wildcard rule",
		Repaired: "the rule of section 4.2.3"}, []Protocol{HMPL}},
	M5: {core.Erratum{ID: "M5", Place: "[RADIC] sections 4.1.1 and 4.2.2, t4-t6",
		Printed:  "a table of highest SSNs drops a copy that is sent again behind a later message",
		Repaired: "deliveries in the order of SSNs, duplicates by number"}, []Protocol{RBML, HMPL}},
	M7: {core.Erratum{ID: "M7", Place: "[RADIC] section 4.2.3, end",
		Printed: "what others have sent to the same wildcard is erased when one message is " +
			"confirmed",
		Repaired: "exactly the confirmed message is erased", Published: true}, []Protocol{HMPL}},
	M8: {core.Erratum{ID: "M8", Place: "[RADIC] section 4.2.2, t4-t6",
		Printed: "the logger erases a message when it can not know that its acknowledgement " +
			"arrived",
		Repaired: "it keeps it; numbers remove the second copy"}, []Protocol{HMPL}},
	M9: {core.Erratum{ID: "M9", Place: "[RADIC] section 4.2.4",
		Printed:  "an image does not hold the temporary buffer of the sender",
		Repaired: "it does"}, []Protocol{RBML, HMPL}},
	M10: {core.Erratum{ID: "M10", Place: "[RADIC] section 4.2.2",
		Printed:  "a restarted sender skips what the receiver has received",
		Repaired: "what is stable at the receiver", Published: true}, []Protocol{RBML, HMPL}},
	M11a: {core.Erratum{ID: "M11a", Place: "[RADIC] section 4.2.4",
		Printed:  "the circular buffer overwrites its oldest message when it is full",
		Repaired: "what does not fit goes to the local disk"}, []Protocol{HMPL}},
	M11b: {core.Erratum{ID: "M11b", Place: "[RADIC] section 4.2.4",
		Printed:  "a send blocks while the circular buffer is full",
		Repaired: "what does not fit goes to the local disk"}, []Protocol{HMPL}},
	M12: {core.Erratum{ID: "M12", Place: "[RADIC] section 4.2.4",
		Printed:  "a log put may overtake an earlier one, and each is acknowledged alone",
		Repaired: "an acknowledgement says that nothing before is missing"},
		[]Protocol{RBML, HMPL}},
	M13: {core.Erratum{ID: "M13", Place: "[RADIC] sections 2.3.4 and 4.1.2",
		Printed:  "a log put that lands behind the image stays in the log",
		Repaired: "what the image holds is refused and not replayed"}, []Protocol{RBML, HMPL}},
	M14: {core.Erratum{ID: "M14", Place: "[RADIC] section 4.2.2",
		Printed:  "messages are delivered in the order of arrival",
		Repaired: "in the order of SSNs"}, []Protocol{RBML, HMPL}},
	M15: {core.Erratum{ID: "M15", Place: "[RADIC] sections 2.3.3 and 4",
		Printed:  "a new logger gets no new image",
		Repaired: "its rank sends one at once"}, []Protocol{RBML, HMPL}},
	M16: {core.Erratum{ID: "M16", Place: "[RADIC] section 4.1.2, Fig. 4.2",
		Printed:  "nobody has a copy of a message between its reception and its log entry",
		Repaired: "the sender keeps it until the receiver confirms", Published: true},
		[]Protocol{RBML}},
	M17: {core.Erratum{ID: "M17", Place: "[RADIC] section 4.1.1 against Eq. 4.3",
		Printed:  "the receiver may send as soon as it has sent the RSN",
		Repaired: "when the sender has recorded it"}, []Protocol{SBML}},
	M18: {core.Erratum{ID: "M18", Place: "[RADIC] section 4.1.1",
		Printed:  "partially logged messages are sent in any order",
		Repaired: "in the order of each channel", Published: true}, []Protocol{SBML}},
	M19: {core.Erratum{ID: "M19", Place: "[RADIC] section 4.1.1",
		Printed:  "a sender that restarts behind its send never learns the RSN",
		Repaired: "it sends partially logged messages again"}, []Protocol{SBML}},
	M20: {core.Erratum{ID: "M20", Place: "[RADIC] section 4.1.1",
		Printed:  "a duplicate is answered only if its acknowledgement is missing",
		Repaired: "always: its sender has lost what it knew", Published: true}, []Protocol{SBML}},
	M21: {core.Erratum{ID: "M21", Place: "[RADIC] section 4.1.1",
		Printed:  "after a checkpoint everything sent to that rank is deleted",
		Repaired: "what its image holds", Published: true}, []Protocol{SBML}},
	M23: {core.Erratum{ID: "M23", Place: "[RADIC] section 6.3.1",
		Printed:  "semi-coordinated: nothing of a message inside a node is logged",
		Repaired: "its place in the order is", Published: true}, []Protocol{RBML, HMPL}},
	M24: {core.Erratum{ID: "M24", Place: "[RADIC] section 6.3.1",
		Printed:  "semi-coordinated: one rank of a node can fail and restart alone",
		Repaired: "the node is the unit of rollback"}, []Protocol{RBML, HMPL}},
	M25: {core.Erratum{ID: "M25", Place: "[RADIC] section 4.1.1",
		Printed:  "the RSN that a former life of the receiver gave is recorded",
		Repaired: "answers carry the life, older ones are refused"}, []Protocol{SBML}},
	M37: {core.Erratum{ID: "M37", Place: "[RADIC] sections 2.2.2 and 2.3.4",
		Printed:  "coordination removes what is on its way between the ranks that save together",
		Repaired: "the images hold it"}, []Protocol{RBML, HMPL}},
	M49: {core.Erratum{ID: "M49", Place: "[RADIC] section 4.1.2, Fig. 4.5",
		Printed: "a log put of a former life is stored after the log was handed to the " +
			"present one",
		Repaired: "refused: the present life may deliver in another order"},
		[]Protocol{RBML, HMPL}},
	M50: {core.Erratum{ID: "M50", Place: "[RADIC] section 4.1.1",
		Printed: "an acknowledgement of a recorded RSN that is lost with its sender never comes, " +
			"when the image holds the RSN",
		Repaired: "the receiver names the RSN again to a sender that is back"}, []Protocol{SBML}},
	M60: {core.Erratum{ID: "M60", Place: "[RADIC] sections 2.3.3 and 4",
		Printed: "a new logger takes the image that was on its way to the one that failed",
		Repaired: "only one that was taken when the loss was known: others do not hold what was " +
			"confirmed since"}, []Protocol{RBML, HMPL}},
	M62: {core.Erratum{ID: "M62", Place: "[RADIC] section 4.1.1",
		Printed: "fully logged messages are replayed first, also behind a partially logged one",
		Repaired: "as far as each follows the one before; behind a gap nobody depends on " +
			"the order",
		Published: true}, []Protocol{SBML}},
	M63: {core.Erratum{ID: "M63", Place: "[RADIC] section 4.1.1",
		Printed:  "a receiver says once, after its checkpoint, what is not needed any more",
		Repaired: "again to a sender that is back: its image may be older than that"},
		[]Protocol{SBML}},
	M64: {core.Erratum{ID: "M64", Place: "[RADIC] sections 4.1.2 and 4.2.4",
		Printed: "a log put of a former life stays in the log behind one that was lost",
		Repaired: "what is behind a gap goes when the log is handed to the next life, which " +
			"delivers something else there"}, []Protocol{RBML, HMPL}},
	M61: {core.Erratum{ID: "M61", Place: "[RADIC] sections 3.3.1 and 6.3.1",
		Printed: "semi-coordinated: each logger replaces the image of its rank when the new one " +
			"is there",
		Repaired: "when those of all ranks of the node are"}, []Protocol{RBML, HMPL}},
}

// Errata are those of a protocol.
func Errata(p Protocol) core.Errata {
	list := make(core.Errata, len(table))
	for i := range table {
		if slices.Contains(table[i].of, p) {
			list[i] = table[i].Erratum
		}
	}
	return list
}
