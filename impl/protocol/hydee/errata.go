package hydee

import "github.com/domino-check/domino/impl/core"

// Erratum and Set are the numbers of errata, and sets of them.
type (
	Erratum = core.Switch
	Set     = core.Switches
)

// The errata; letters tell several switches of one apart.
const (
	H1 Erratum = iota
	H2
	H3
	H4
	H5
	H6
	H7
	H7b
	H8
	H9a
	H9b
	H9c
	H10
	H11a
	H11b
	H12a
	H12b
	H13a
	H13b
	H13c
	H13d
	H14
	H15
	H16
	H17
	H18
	H19
	H20a
	H20b
	H23
)

// table describes every erratum: where the papers have it, what they print, what the repaired
// protocol does. Printed tells whether [HydEE] itself has it; the others are readings that its text
// allows or belong to [HydEE-fr].
var table = core.Errata{
	H1: {ID: "H1", Place: "[HydEE] Alg. 2 l. 14",
		Printed:  "compares with OrphanDate of the sender itself, which is never set",
		Repaired: "compares with the entry of the destination", Published: true},
	H2: {ID: "H2", Place: "[HydEE] Alg. 2 l. 14",
		Printed:  "date < OrphanDate, so the last message received is sent again",
		Repaired: "date <= OrphanDate", Published: true},
	H3: {ID: "H3", Place: "[HydEE] Alg. 3 l. 10",
		Printed: "compares the date of a logged message (sender's clock) with the rollback date " +
			"(receiver's clock)",
		Repaired: "compares with the date of the last message received on the channel in the " +
			"restored state", Published: true},
	H4: {ID: "H4", Place: "[HydEE] Alg. 3 l. 5, Alg. 4 l. 1",
		Printed:  "read as a set, two orphans of one phase at one receiver count once",
		Repaired: "every orphan counts"},
	H5: {ID: "H5", Place: "[HydEE] Alg. 4 l. 15",
		Printed: "only the notification of an orphan starts NotifyPhase, and orphans are sent " +
			"only by ranks already notified",
		Repaired: "NotifyPhase also runs when all reports are in", Published: true},
	H6: {ID: "H6", Place: "[HydEE] Alg. 4 l. 16",
		Printed: "nothing says how many reports there are: notifying at each report opens a gate " +
			"before a later orphan is named",
		Repaired: "waits for the report of every rank"},
	H7: {ID: "H7", Place: "[HydEE] Alg. 1 l. 10, Alg. 3",
		Printed:  "messages between clusters in flight at the failure are accepted after it",
		Repaired: "messages carry the round and older ones are dropped", Published: true},
	H7b: {ID: "H7b", Place: "[HydEE] Alg. 1 l. 10, Alg. 3",
		Printed:  "messages in flight are filtered by their date alone",
		Repaired: "messages carry the round and older ones are dropped"},
	H8: {ID: "H8", Place: "[HydEE] Alg. 2",
		Printed:  "a rolled-back rank never sends again from its restored log",
		Repaired: "every rank sends again what the other end lacks", Published: true},
	H9a: {ID: "H9a", Place: "[HydEE] Alg. 3 l. 23-24",
		Printed:  "logged messages stay on the list after they were sent again",
		Repaired: "removed when sent", Published: true},
	H9b: {ID: "H9b", Place: "[HydEE] Alg. 3 l. 23", Printed: "iterates over a set, so in any order",
		Repaired: "in the order of dates"},
	H9c: {ID: "H9c", Place: "[HydEE-fr] Alg. 4 l. 14-19",
		Printed:  "opens the gate before the logged messages are released",
		Repaired: "logged messages leave first"},
	H10: {ID: "H10", Place: "[HydEE] Alg. 2 l. 8, Alg. 3 l. 18",
		Printed:  "only the first send after a failure is held back",
		Repaired: "every send is compared with the frontier", Published: true},
	H11a: {ID: "H11a", Place: "[HydEE] Alg. 2 l. 8",
		Printed: "a rolled-back rank waits for LastDate of another rolled-back rank, which has " +
			"no handler that sends it",
		Repaired: "rolled-back and other ranks exchange the same Status", Published: true},
	H11b: {ID: "H11b", Place: "[HydEE] Alg. 2",
		Printed:  "a rolled-back rank does not report the orphans of its restored state",
		Repaired: "every rank reports", Published: true},
	H12a: {ID: "H12a", Place: "[HydEE] Alg. 3 l. 5",
		Printed:  "OrphPhases is never reset, so a second failure reports old orphans again",
		Repaired: "computed anew in each round", Published: true},
	H12b: {ID: "H12b", Place: "[HydEE] Alg. 3 l. 2, 7",
		Printed: "RollbackDate is never reset, so a second failure is evaluated with dates of " +
			"the first",
		Repaired: "cleared in each round", Published: true},
	H13a: {ID: "H13a", Place: "[HydEE] III-E",
		Printed: "one date of the acknowledging rank prunes a log stamped with the clock of the " +
			"sender",
		Repaired: "the acknowledgement also carries the last date received", Published: true},
	H13b: {ID: "H13b", Place: "[HydEE] III-E",
		Printed:  "the current date prunes receptions of messages sent after the checkpoint",
		Repaired: "the date of the checkpoint", Published: true},
	H13c: {ID: "H13c", Place: "[HydEE] III-E",
		Printed:  "the last date received now prunes messages that the checkpoint does not cover",
		Repaired: "the last date received in the checkpoint"},
	H13d: {ID: "H13d", Place: "[HydEE] III-E",
		Printed:  "acknowledges after its own checkpoint, before the cluster has committed",
		Repaired: "after the commit"},
	H14: {ID: "H14", Place: "[HydEE] Alg. 2 l. 18",
		Printed:  "read inside the else, an orphan is not logged again",
		Repaired: "every send between clusters is logged"},
	H15: {ID: "H15", Place: "[HydEE] III-D",
		Printed:  "a new recovery process is told the dates of the restart again",
		Repaired: "the current dates"},
	H16: {ID: "H16", Place: "[HydEE] Def. 3, Lemma 4",
		Printed: "send-determinism as defined does not fix dates and phases, and nothing notices",
		Repaired: "the set of deliveries before each send is fixed too, and an unknown orphan is " +
			"an error", Published: true},
	H17: {ID: "H17", Place: "[HydEE] Alg. 3 l. 6-7",
		Printed:  "sends are not blocked between the failure and the report",
		Repaired: "the gate closes when the round is joined", Published: true},
	H18: {ID: "H18", Place: "[HydEE] Alg. 2 l. 8, Alg. 3 l. 18",
		Printed: "waits for a notification of exactly its own phase, which deliveries may raise " +
			"meanwhile",
		Repaired: "compares its phase with the frontier"},
	H19: {ID: "H19", Place: "[HydEE] Alg. 1 l. 19-21",
		Printed:  "saves no channel state inside the cluster",
		Repaired: "the coordinated checkpoint records it", Published: true},
	H20a: {ID: "H20a", Place: "[HydEE-fr] Alg. 2 l. 14-16",
		Printed:  "a restarted rank always notifies instead of sending",
		Repaired: "only for orphans"},
	H20b: {ID: "H20b", Place: "[HydEE-fr] Alg. 2 l. 5", Printed: "empties the log at the restart",
		Repaired: "restores it from the checkpoint"},
	H23: {ID: "H23", Place: "[HydEE] Alg. 2 l. 6, Alg. 3 l. 9, 15-17",
		Printed: "Rollback, LastDate and the reports name no incarnation, so one evaluation can " +
			"mix two lives of a rank that fails during it",
		Repaired: "reports carry the incarnations they are about, and a mixed round never opens " +
			"a gate", Published: true},
}

// Errata are all of them.
func Errata() core.Errata { return table }
