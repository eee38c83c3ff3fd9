// Package printed is SBML, RBML and HMPL as the thesis prints them, one file a section, in the most
// charitable reading: a sentence that has two readings has the one that works, and where the text
// is silent nothing is added but what a run needs at all. The form to compare with is
// impl/protocol/pessimistic, which has an erratum for each thing that must differ.
//
// Model: as the thesis has it, with channels that keep order; each rank fails alone, and its logger
// is on a node of its own. How a failure is detected, and who restarts a process where, is the
// driver's.
//
// Readings that make it work: the SSN is looked at when a message arrives and when it is received;
// what is sent to a process that recovers is behind what it recovers (2.3.2: communications are
// delayed), so the table of highest SSN drops no message that comes again (M5); fully logged
// messages are sent again, so a receive takes them by source (M62); partially logged ones in the
// order of their SSN (M18); a checkpoint deletes from a sender's log what it holds (M21), and holds
// the temporary buffers (M9); all of a buffer is given (M2); the sender that need not send again
// keeps its copy (M10); a later confirmation erases the older messages of the same sender (M7a); a
// logger erases what it has not acknowledged, which is nothing (M8).
//
// What differs in the repaired form, why, and what it costs:
//
//	printed here                            repaired, and why                        erratum
//	one SSN a process                       one a channel: a gap is a lost message   M5
//	no life in any message                  lives: what is late of a former one       M25 M49
//	                                        is refused
//	SBML answers what it thinks is missing  names all places to a sender that is     M19 M20
//	                                        back, which sends what has none          M50 M63
//	RBML: no copy between reception and     sender keeps it until a Confirm: one      M16
//	log                                     message more for each send (4, not 3)
//	RBML of 4.3: receive returns when       returns at once, sends wait               M65
//	logged
//	HMPL: after a wildcard nothing          receives on, sends and outputs wait: one  4.2.1
//	before the acknowledgement              round trip before a send, not one for
//	                                        each wildcard
//	HMPL: wildcards ask no buffer           every possible sender is asked: one Pull  M1 M3
//	                                        a peer and recovery
//	checkpoint: flush and freeze, 3(n-1)    2 messages, and nobody stops              M32
//	messages more, all channels unused
//	new logger: what it gets from now on    its rank saves at once                    M15 M60
//
// TestMessages counts what the table says of messages.
package printed
