// Package replay is recovery by message logs over groups of ranks that restart together: a group
// goes back to its coordinated checkpoint, is sent again what came from outside, receives in the
// order in which it had received, and nobody else goes back.
//
// Definitions: a group is the unit of failure; where each rank is one, this is classic pessimistic
// logging. The determinant of a reception says which message it was: its place among the receptions
// of its rank, the sender, and its number in the channel. It is stable when it survives the group.
// A payload that leaves a group is kept in the volatile log of its sender; the log is part of the
// sender's image, and what it had behind the image comes back when the sender is executed again.
// Messages inside a group are regenerated, or were on their way in the image.
//
// What protocols choose (Rules) is which sends wait for which determinants (Gate): every send for
// those of its rank, as in pessimistic logging and its form over teams; only what leaves the group,
// for all that it depends on; or there are none, and programs must be deterministic. Where all
// ranks are one group nobody outside can have seen what is lost, so there are no determinants and
// no logs: what is left is the coordinated checkpoint.
//
// Why no rank outside is an orphan: 1. A message leaves its group when the determinants of all
// receptions that it depends on are stable; inside the group nothing else counts, for all members
// go back. 2. What is stable is closed (DetKey): with a reception also those that its message
// depends on. 3. So what was sent to the outside is executed again, with the same numbers, and its
// receivers know it by these.
//
// Why everything that is needed is somewhere: a failed receiver tells each rank outside the number
// of the last message that its image has; what the other one's log has behind it is sent again at
// once, and what it does not have, since that rank has restarted itself, will be sent when it is
// executed again. A message that a failed sender sent before its image is lost if it was on its
// way; the receiver answers with the number of what is here, and the log of the image has the rest.
// Logs are pruned up to what the line of the receiver holds, and a line never goes back.
//
// Model: fail-stop, any number of failures at any time, own stable storage whose writes keep their
// order, piecewise determinism with receives that complete where the program waits. Channels inside
// a group keep their order (package snapshot); of the others nothing is assumed but that what is
// not lost by a failure arrives.
package replay
