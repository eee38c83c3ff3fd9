// Package monnet is a hierarchical protocol without determinism: coordinated checkpoints in each
// group, forced by messages between groups, and a log of those messages at their senders.
//
// Model: reliable FIFO channels, fail-stop of whole groups (the failure of a member stops all), any
// number of failures, that of the recovery process included. Nothing is assumed of the program. The
// recovery is package recovery, whose rules V1 to V7 hold; the checkpoints of a group are package
// snapshot, with markers.
//
// State: beside that of uncoordinated, which each member has, the last round in which the group has
// gone back. Checkpoints of a group have one number, and their intervals are those of the group. A
// message to another group carries the number of the interval. The first message of an interval of
// another group is held until a checkpoint of the receiver's group is committed. Inside a group
// nothing is logged and nothing is piggybacked.
//
//   - What a group has on its way inside when another one fails is not lost: it is told apart by
//     the last round in which the group has gone back, and a group that stays has none since.
//   - The recovery process has the turns of groups on stable storage before it tells them: who goes
//     back does not start again before all members have stopped, so nobody else could tell.
//   - Only what all members have is an image of the group. The first member writes down that the
//     group goes back, the recovery process tells the others of it, and all restart by that record.
//     So they restart together whatever fails meanwhile.
//   - With every rank alone it is induced with rule=vector, state by state; with one group it makes
//     the checkpoints of coordinated, and what is added is the recovery process.
//
// Promises: the line is the latest one that holds groups together. None is made that it is not the
// beginning: whether members that act at the same time can make an image useless is not settled.
// What it costs: a checkpoint of the whole group for the first message of each interval, so two
// groups that answer each other take one for each message.
//
// Source: [Monnet] Monnet, Morin and Badrinath 2004, not quoted here. What differs, or was open:
//
//   - Acknowledgements of logged messages with the number of the receiver's checkpoint tell a
//     sender there what to send again, and what to forget. Here the recovery process says the first
//     with the line, and receivers the second when the line with everybody failed moves, so there
//     are none.
//   - There, a group that must go back alerts others in turn; here the recovery process finds the
//     same line from the dependencies that all report.
//   - A restored checkpoint s undoes the messages of intervals behind s, so a group goes back to
//     its last checkpoint that has received from intervals up to s only.
//   - Intervals count from 1, so the first message between two groups forces a checkpoint, too.
package monnet
