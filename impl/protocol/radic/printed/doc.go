// Package printed is the control plane of RADIC as the thesis prints it in sections 2.3 and 6.2.1,
// in the most charitable reading, over RBML and HMPL as it prints them (package
// impl/protocol/pessimistic/printed). The form to compare with is impl/protocol/radic. The files:
// protector.go and observer.go (the tasks of Table 2.1), section621.go (spares, and how tables are
// updated on demand), masking.go (delayed communication, and how a process that has moved is
// found), carry.go (a logger thread).
//
// Model: that of section 2.2.1. A failed process stops, nobody who lives is taken for dead, so the
// failure diagnosis of Table 2.1 has nothing to do; "the fault tolerant system can sustain multiple
// failures of non-related components", and none of those that take part in a recovery. So a node
// may not fail together with its protector: its processes then run nowhere (scenario
// radic-printed-related). Insertion of spares and maintenance (2.3.3) are not here: the text
// does not say who tells whom.
//
// Readings that make it work:
//
//   - FIFO answers of a spare: the second protector is answered when the first one has what it
//     asked for. The status changes after the restart, so that otherwise both would be told "free"
//     (M26).
//   - An observer that finds a protector dead knows the next one by "the same deterministic
//     algorithm" (2.3.4), and whom that one names after it (M28).
//   - "Find and set a new protector" is a task of the observer: when its protector has failed, and
//     when its process was restarted in the node of the protector (T5 in Fig. 6.1b, so M31 is
//     closed). It takes a checkpoint there. The protector that moved a process to a spare remains.
//   - The order at the end of a recovery: the log is consumed where it is, then there is a new
//     protector, then a checkpoint. What is transferred to a spare, the process fetches.
//   - A connection keeps order, ends with the process, and gives what it could not deliver back to
//     its sender in order. So nothing of a former life arrives behind the next one, which the
//     logging protocol alone does not see to (M49).
//
// What differs in the repaired form, why, and what it costs:
//
//	printed here                           repaired, and why                        erratum
//	observer sets its new protector: 4     the next node of the ring takes over, by -
//	messages a process                     Link and Linked: 2 a failure, and
//	                                       NewLogger a process
//	no spare: processes restart in the     on the next node of the ring, so that no M31
//	node of their log, which moves away,   failure takes all: Transfer and Adopted
//	4 messages a process
//	a spare waits for whom it has told     the promise is a lease: a protector that M27
//	"free"                                 dies frees it
//	restarted observer asks for its entry  finds out on demand                      -
//	who is silent is dead                  is asked first: 1 Probe a failure        -
//	heir believes its table                asks everybody what they host, where the M34
//	                                       protector has died, too
//	old protector, then whom that names    then everybody, each once: a search      M28
//	                                       ends, whoever has failed
//	who has moved is asked for             also tells by each message where it is   -
//	Learn has row and SpareTable           row alone                                -
//	one node is left: silence              says that its ranks are unprotected      -
//
// TestMessages counts what a failure costs the control plane. Of one failure: RBML breaks as it
// does without nodes (M16, which section 2.3.4 contradicts). HMPL holds in the scenarios where
// receives name their sources and no program takes a checkpoint. Where one does, it breaks as
// without nodes: an image has copies that nobody erases (radic-printed-copies), and a process that
// waits for the flush of its channels waits for one that fails (radic-printed-flush).
package printed
