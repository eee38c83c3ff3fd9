// Package spin compares the checker with SPIN: two-phase commit in Promela, the same system as
// impl/protocol/example/twophase, state by state and step by step.
//
// Model: the specification of [Commit] that impl/protocol/example/twophase implements. twophase.pml
// has it twice. By default it is one process over bit sets, which is the fastest that SPIN can be
// given: a state vector of 20 bytes and no program counters. With -DPROCESSES every resource
// manager is a process, as one would write it down. The system that both describe is that of
// impl/protocol/example/twophase under these correspondences:
//
//   - sent, heard, committed and aborted have a bit each resource manager: its message is in the
//     network, the transaction manager has received it, its decision. It is working when none of
//     sent, committed and aborted is set, and prepared when only sent is.
//   - tm is the decision of the transaction manager; the order to everybody is in the network as
//     long as there is one, for ever.
//   - every option of a loop is one d_step, so there are no states inside a step, and each changes
//     something: what has no consequence is no step there either.
//
// So states correspond one to one, and so do steps: tests compare both numbers with those of the
// checker and with the published ones. SPIN counts the initial state as one more transition. Both
// sides judge that nobody contradicts anybody, at every decision.
//
// SPIN stores whole states (no hashing, no compression) and explores without partial-order
// reduction; -DSAFETY leaves out what only cycles need. The tests are skipped where spin or gcc is
// missing (Debian: apt-get install spin gcc libc6-dev).
package spin
