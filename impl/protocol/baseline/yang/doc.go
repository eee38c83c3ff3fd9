// Package yang is logging over groups that is causal inside and pessimistic at the border ([Yang]):
// coordinated checkpoints inside a group, payloads of what leaves it in the volatile logs of
// senders. A reception has its determinant written, and nothing inside the group waits for that:
// determinants that are not known to be stable go along with the messages of the group. What leaves
// the group, and an output, waits until all that they depend on are stable. A failure rolls back
// the group of the failed rank and nobody else. State, messages and the argument are in package
// replay.
//
// What the source leaves open, as far as it is known here, and how it is settled:
//
//   - Who writes what goes along: whoever receives it, in the record of the reception that it came
//     with. A rank that flushes only its own determinants at the border leaves an orphan (YA1); one
//     that writes its own before the others can be left with a reception to repeat that its sender
//     does not cause this time, and the group waits for ever (YA4).
//   - Where a restarted rank finds its determinants: in the records of all members of its group.
//     What was stable at the failure is there, and what those that are back already have added says
//     nothing about a rank that is still down.
//   - When they go: with the line of the group. The record of a reception before the cut has
//     nothing of behind it, since what goes along with a message is before its send.
//   - In which order they are repeated at different ranks: in none; each repeats its own, and what
//     is stable is closed, so every message that is waited for is sent again.
//
// The write at the border makes it wait once for what was written on the way, not once for each
// reception; with groups of one rank every send is at the border, and the protocol is pessimistic
// with mode=sender. With one group it is coordinated (teams.TestComposition counts both).
//
// Promises: as package teams.
package yang
