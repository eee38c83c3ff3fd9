// Package manetho is causal message logging with images of each rank alone: Manetho with its stable
// storage ([EZ]) and family-based logging without one ([AHM], [AM]), and the same between teams
// that checkpoint and restart together ([CAMEL] section 6). Family-based logging with coordinated
// checkpoints is impl/protocol/causal, for any f (tolerates).
//
// Idea: a message is logged in the memory of its sender, and where a reception took its place, its
// determinant, in the memories of those who depend on it: it travels on messages, to each rank once
// (incremental), until stable storage has it (keep=store, any number of failures at a time) or f+1
// ranks do (keep=family). A restarted rank asks everybody, receives in the recorded order, and
// nobody else rolls back.
//
// Model: fail-stop, reliable FIFO channels, piecewise deterministic programs; a posted receive
// completes where the program waits, as for impl/protocol/causal. With keep=family at most f ranks
// (teams) are down or recovering at one time. Ranks and teams checkpoint when they like.
//
// State: by rank a channel (part/link) with the log, determinants with those who are known to hold
// them, which receptions of each rank are stable, and which its recovery line holds. An image has
// the program, the channels and all determinants.
//
// Messages: of the program, with determinants, receptions before the send (evidence), and one
// number: how many messages of the receiver are here (family), how many own receptions are stable
// (store). Request and Answer of a recovery, two for each other rank and round. Covered: the
// recovery line of the sender holds so much, which nobody needs to keep. Without a checkpoint
// nothing is sent beside the messages of the program.
//
// What the primary papers say of the following is not known here; how it was settled:
//
//   - Who counts as a holder. Known at first hand alone: the receiver, who told it to us, who has
//     confirmed the message that told it. Sets of holders do not travel.
//   - Holders that fail. They hold again what they held when they are back, because every answer
//     has all that is known and not only what its asker received (MN5). So what is known of holders
//     stays true: while one of them lives, who restarts gets it. Images have it for the same reason
//     (MN9), and a message of the log is sent again with what its receiver does not have now.
//   - Overlapping failures. Who collects and hears of another failure begins again: everybody
//     answers knowing of that failure (MN3). Who is recovering answers as well, with what its image
//     and its records have. The payloads that two failed ranks need of each other are regenerated,
//     in the order in which they were sent; what is in the log of an image and was on its way is
//     sent again by its sender, who can not know (MN12).
//   - Messages to a former life are dropped, and sent again to the next one when that has asked:
//     they bring what is new since the one before, which may have been lost (MN13).
//   - What becomes stable. Whatever a rank knows, not only its own receptions: one that is stable
//     and depends on one that is lost can not be repeated (MN14). Others hear only of a rank's own
//     ones, so that who is told that something is stable finds it at the rank that needs it.
//   - Outputs wait, with the store, until what is known here is stable. Without, nothing is
//     promised: f+1 ranks would have to be asked.
//
// Teams (Teams; all that [CAMEL] section 6 says is that they can be integrated). A team is a group
// of ranks that fail and restart together, and checkpoint together (part/snapshot). What mates send
// to each other is not logged: its sender fails with its receiver and sends it again. The order is
// not regenerated with it, so receptions from mates have determinants, which travel inside the team
// as well (MN11); a team counts as one holder (MN8). With one team nobody is outside, so nothing is
// logged, recorded or asked.
//
// Not here: multicasts and reductions of CAMEL with teams, networks without order.
package manetho
