// Package paxos is single-decree Paxos behind a register: servers agree on one value, clients write
// and read it [Paxos]. It is an example of a protocol outside recovery, and a measure of the
// checker: the numbers of states are published.
//
// A server that a client asks to write becomes a leader: with a ballot of its own it asks all
// servers to promise that they accept nothing of an older ballot (phase 1), proposes what the
// newest acceptance among a quorum of promises says, or else what its client wants (phase 2), and
// has decided when a quorum has accepted. It knows its own promise and its own acceptance without a
// message. Only a server that knows the decision answers a read. Each client writes a value of its
// own, and reads when that is confirmed; a client whose value is not chosen gets no answer.
//
// Model: no failures; the network does not keep order, and a message that a server has no use for
// now stays in flight (fault.Model.Selective), as in the published model: a read waits for the
// decision there.
//
// Not here: retries, other ballots of the same leader, stable storage of promises.
package paxos
