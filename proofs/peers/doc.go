// Package peers compares the checker with others: SPIN [1], and Rumur [2], the youngest of the
// Murphi family. All explore the same systems, state by state and step by step: two-phase commit,
// single-decree Paxos, and a ring of nodes that crash and start again from stable storage.
//
// Model: the specification of [Commit] that impl/protocol/example/twophase implements. twophase.pml
// has it twice. By default it is one process over bit sets, which is the fastest that SPIN can be
// given: a state vector of 20 bytes and no program counters. With -DPROCESSES every resource
// manager is a process, as one would write it down. twophase.murphi has an array for each variable
// of the specification and a rule for each of its actions. The correspondences:
//
//   - sent, heard, committed and aborted have a bit each resource manager: its message is in the
//     network, the transaction manager has received it, its decision. It is working when none of
//     sent, committed and aborted is set, and prepared when only sent is. In twophase.murphi which
//     of the four it is has a variable of its own.
//   - tm is the decision of the transaction manager; the order to everybody is in the network as
//     long as there is one, for ever.
//
// paxos.pml and paxos.murphi are the protocol of impl/protocol/example/paxos [Paxos], over arrays;
// in the former everything is one process:
//
//   - a server leads once at most, so there is at most one message of a kind between two procs,
//     and the network is an array a kind.
//   - the history of the operations is part of the state on both sides: of each read its answer
//     and how many operations of each other client had ended when it began.
//   - all judge that servers agree. The checker judges that the history is linearizable, too, at
//     each answer; the model leaves that out.
//
// ring.pml and ring.murphi are the nodes of ring_test.go, which write to stable storage, tell the
// next one when that is done, and fail: at any time, whatever becomes of a write in progress.
//
//   - nothing in flight is lost, to nobody's node and from nobody's (fault.Model.KeepToDead,
//     fault.Every), so a failure changes one node. It is not found out by others.
//   - what a node sends in different lives is different to the checker, although it says the same:
//     channels do not outlive their sender's life. So the network has a bit each node, life and
//     round.
//   - how many lives a node has had is part of a state in the checker, and here, too: SPIN leaves
//     variables out that nobody reads, but this one is read.
//
// No scenario of a recovery protocol is here, s1-two for one. What is in one of its states is what
// the machines of HydEE hold, thousands of lines that are the subject of the check: dates, phases,
// logs with the text of messages, histories by which they are judged, all in a canonical form in
// which what has no consequence any more is forgotten. A model with as many states would have to
// forget the same at the same moments, which is the checker's work and not the protocol's; one
// that is written from the paper has other numbers, and a comparison of rates would be one of
// different systems.
//
// Every option of a loop is one d_step, and every rule one step, so there are no states inside a
// step, and each changes something: what has no consequence is no step there either. So states
// correspond one to one, and so do steps: tests compare both numbers with those of the checker and
// with the published ones. SPIN counts the initial state as one more transition.
//
// Nobody hashes states or reduces anything. SPIN stores whole states, with -DCOLLAPSE in parts
// that are stored once each, and explores without partial-order reduction; -DSAFETY leaves out what
// only cycles need. Rumur stores states packed to bits, explores breadth first, and needs neither
// symmetry nor a search for deadlocks here. The tests are skipped where a peer is missing (Debian:
// apt-get install spin rumur gcc libc6-dev).
//
// [1] https://spinroot.com, G. J. Holzmann.
// [2] https://github.com/Smattr/rumur, M. Fernandez.
package peers
