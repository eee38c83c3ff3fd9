// Package teams is pessimistic logging over groups of ranks that restart together: coordinated
// checkpoints inside a group, payloads of what leaves it in the volatile logs of senders, and the
// determinants of all receptions on stable storage before any later send leaves its rank. A failure
// rolls back the group of the failed rank and nobody else; any number of groups may fail at any
// time. All of it is package replay, where state, messages and the argument are.
//
// Why the determinants of receptions inside the group as well, though all of it goes back: what an
// outsider has been told may depend on who won a race inside (TE1, four ranks).
//
// style=teams ([Teams]) takes the checkpoint of a group with markers, style=correlated ([Corr]),
// whose groups are nodes, blocks the sends inside the group meanwhile. Which of the two a paper
// has is not known here; the styles serve both, nothing else depends on the choice, and both are
// checked.
//
// With one group there is nobody outside: no determinants, no logs, and the protocol is
// coordinated, to the state and message; with groups of one rank it is pessimistic with
// mode=sender. TestComposition counts both.
//
// Promises: the failed groups alone go back (Cluster); piecewise deterministic programs with
// receives that complete where the program waits; FIFO channels inside groups. Outputs wait for the
// determinants of their rank: what the group has received from others of it is stable since it was
// sent. Over one group, where there are none, nothing is promised of outputs, and they leave at
// once.
package teams
