// Package replicated puts one service of a protocol on several procs that agree by Raft, so that it
// outlives the crash of a minority of them: the head of the job, which its paper assumes not to
// fail and leaves as an extension [ErrMgr]. The consensus is that of a library that many rely on
// (go.etcd.io/raft), driven here as a pure machine.
//
// Setup takes any setup, and one proc of it, the service, and gives the same setup with that proc
// replicated. The service and the other procs do not know: what they see is one service that never
// fails and whose channels keep order. Three things make it so:
//
//   - Replicas (replica.go): every input of the service is an entry of a replicated log. When it is
//     committed, each replica steps its own copy of the service with it. Only the leader lets what
//     the copy does to the outside happen. A record of the service is stable when the entry is that
//     made it write, because whoever has the log can step through it again.
//   - Sessions (session.go): between a life of a proc and the service, messages of both directions
//     are numbered and kept until they are known to have arrived. A new leader introduces itself to
//     everybody, sends every order again that is not known to have arrived, and is sent every
//     request again. What comes twice is known by its number. This is what the replication relies
//     on: a message of the service is emitted at least once, and taken exactly once, in order.
//   - Consensus (consensus.go): a member of the group is plain data between two steps, and each
//     step rebuilds the library's node from it.
//
// What is declared (Declare, Decide) every replica declares when it steps the entry, so that the
// evidence does not end with a leader. It comes up to as many times as there are replicas, and from
// some of them late: the promise Replicated says so.
//
// Model: the channels between two lives lose nothing, crashes aside, and each replica is told in
// the end of every proc whose life has ended, also falsely. Nothing runs by the clock: a replica
// that hears that the leader's life has ended stands for election, and of two that can not both win
// the one with the longer log, or the smaller number, stands again. Raft's safety needs none of it.
//
// Not here: a group that changes, snapshots of the log (it is as long as the run has inputs of the
// service), reads without the log, and disks that lose what was stable, which Raft does not survive
// by itself.
package replicated
