// Package pessimistic is pessimistic message logging on stable storage: who fails restarts alone
// and repeats what it has received in the order in which it had; nobody else goes back, and any
// number of ranks may fail at any time. Its two modes differ in where payloads are.
//
// mode=sender ([JZ], with the determinants on stable storage): a payload is in the volatile log of
// its sender, which is part of the sender's image. A reception writes its determinant (place,
// sender, number), and no send or output leaves before the determinants of all receptions are
// stable. It is package replay with groups of one rank: state and messages are said there.
//
// mode=receiver ([Borg]): a message is written at its receiver before it may be received; its place
// is the one of the write. A receive takes, of the messages that are stable and that it could take,
// the one that was written first (core.Queued). So what is received is a function of the receipts
// alone: there are no determinants, and nothing ever waits but a receive for the message that has
// just arrived. A sender keeps a copy until it is told that the message is stable, and asks again
// when it has restarted; that is no log, and none is declared.
//
//   - State of a receiver: channels with numbers and copies, receipts that are being written, the
//     queue of those that are stable, per rank the last number that is written and that is stable.
//   - Messages: of programs (number); Hello and Answer of a restart (up to where messages are
//     stable here, whether there are copies), Covered (up to where they are stable).
//   - Records: receipt/N a message, image/N and commit/N as package snapshot has them. The receipts
//     that an image makes superfluous are deleted when it is the line.
//
// Promises: FailedOnly, any number of failures, piecewise deterministic programs with receives that
// complete where the program waits; channels need not keep order. Outputs leave when what they
// depend on is stable (sender), at once (receiver).
//
// What the sources leave open, as far as it is known here, and how it is settled: a message that a
// failed sender sent before its image and that was lost on its way is in no re-execution: the log
// of the image has it, and the restarted rank is told what is missing (PE6 is the other answer).
// Where receivers log, the order of receipts says nothing about which of several messages a receive
// takes, unless it always takes the first one (PE9). In both modes copies go to whoever asks,
// without agreement: numbers tell what is here.
//
// The image and commit record of one rank could be one record; they are two, so that this is the
// protocol over groups with groups of one rank, to the message.
package pessimistic
