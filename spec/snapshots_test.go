package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

// replicated is a snapshot whose files are on the nodes.
func replicated(copyOfQ bool) (events []trace.Event) {
	events = run(ofHead(trace.SnapReserved, 1, 0),
		snap(rankP, trace.SnapTaken, 1, 0, rankP, 10),
		snap(rankQ, trace.SnapTaken, 1, 0, rankQ, 11),
		snap(node1, trace.SnapLocal, 1, 0, rankP, 10),
		snap(node2, trace.SnapLocal, 1, 0, rankQ, 11),
		snap(node2, trace.SnapCopied, 1, 0, rankP, 10))
	if copyOfQ {
		events = append(events, snap(spare1, trace.SnapCopied, 1, 0, rankQ, 11))
	}
	return events
}

var snapshotCases = []judged{
	{
		name: "all files are written, and one is not copied", property: "established-only",
		facts:  jobFacts,
		events: run(saved(1)[:8], ofHead(trace.SnapEstablished, 1, 0)),
		want:   "snapshot 1.0 is established, and of q 0 replicas were read back, want 1",
	},
	{
		name:     "the store holds another file than the node that keeps it, too",
		property: "established-only", facts: peerFacts,
		events: run(replicated(true), snap(spare1, trace.SnapCopied, 1, 0, rankP, 66),
			ofHead(trace.SnapEstablished, 1, 0)),
		want: "snapshot 1.0 is established, and N1 and S1 hold different files of p",
	},
	{
		name: "a file is on one node only", property: "established-only", facts: peerFacts,
		events: run(replicated(false), ofHead(trace.SnapEstablished, 1, 0)),
		want:   "snapshot 1.0 is established, and of q 1 replicas were read back, want 2",
	},
	{
		name: "the node of a copy is gone, and the head knows", property: "established-only",
		facts: peerFacts,
		events: run(replicated(true), crashed(spare1), rules(1, "opened", spare1),
			ofHead(trace.SnapEstablished, 1, 0)),
		want: "snapshot 1.0 is established, and of q 1 replicas were read back, want 2",
	},
	{
		name: "the node of a copy is gone, and nobody has been told", property: "established-only",
		facts:  peerFacts,
		events: run(replicated(true), crashed(spare1), ofHead(trace.SnapEstablished, 1, 0)),
	},
	{
		name:     "the nodes of all copies are gone, and nobody has been told",
		property: "established-only", facts: peerFacts,
		events: run(replicated(true), crashed(node2), crashed(spare1),
			ofHead(trace.SnapEstablished, 1, 0)),
	},
	{
		name: "the node of a copy is drained, and runs on", property: "established-only",
		facts: peerFacts,
		events: run(replicated(true), rules(0, "drained", spare1),
			ofHead(trace.SnapEstablished, 1, 0)),
		want: "snapshot 1.0 is established, and of q 1 replicas were read back, want 2",
	},
	{
		name: "all nodes but one are drained", property: "established-only", facts: peerFacts,
		events: run(replicated(true), snap(node1, trace.SnapCopied, 1, 0, rankQ, 11),
			rules(0, "drained", spare1), rules(0, "drained", node2),
			ofHead(trace.SnapEstablished, 1, 0)),
	},
	{
		name: "the file was deleted meanwhile", property: "established-only", facts: jobFacts,
		events: run(saved(1), snap(store, trace.SnapEvicted, 1, 0, store, 0),
			ofHead(trace.SnapEstablished, 1, 0)),
		want: "snapshot 1.0 is established, and of p 0 replicas were read back, want 1",
	},
	{
		name: "both files in the store, whatever nodes do", property: "established-only",
		facts:  jobFacts,
		events: run(saved(1), crashed(node1), crashed(node2), ofHead(trace.SnapEstablished, 1, 0)),
	},
	{
		name: "one rank is gone, the others are there", property: "established-only",
		facts: sustainFacts,
		events: run(crashed(rankQ), rules(1, "opened", rankQ), rules(1, "sustained", rankQ),
			saved(1)[:6], ofHead(trace.SnapEstablished, 1, 0)),
	},
	{
		name:     "a rank that was gone, was started again, and fails again",
		property: "established-only", facts: sustainFacts,
		events: run(crashed(rankQ), rules(1, "opened", rankQ), rules(1, "sustained", rankQ),
			rules(1, "completed sustain", head), restored(rankQ, 1, 0, 0), in(1, crashed(rankQ)),
			rules(2, "opened", rankQ), saved(1)[:6], ofHead(trace.SnapEstablished, 1, 0)),
		want: "snapshot 1.0 is established, and of q 0 replicas were read back, want 1",
	},
	{
		name: "an older one", property: "newest-snapshot", facts: jobFacts,
		events: run(established(1), established(2), selects(1, 1, 0)),
		want:   "episode 1 goes back to snapshot 1.0, although snapshot 2.0 is established",
	},
	{
		name: "one that is not established", property: "newest-snapshot", facts: jobFacts,
		events: run(established(1), saved(2), selects(1, 2, 0)),
		want:   "episode 1 goes back to snapshot 2.0, which is not established",
	},
	{
		name: "the initial state, although there is a snapshot", property: "newest-snapshot",
		facts:  jobFacts,
		events: run(established(1), selects(1, 0, 0)),
		want:   "episode 1 goes back to the initial state, although snapshot 1.0 is established",
	},
	{
		name: "a snapshot of the past that was given up", property: "newest-snapshot",
		facts: jobFacts,
		events: run(established(1), saved(2), selects(1, 1, 0),
			ofHead(trace.SnapEstablished, 2, 0)),
		want: "snapshot 2.0 is established, and episode 1 has given up the past that it is of",
	},
	{
		name: "a void snapshot", property: "newest-snapshot", facts: jobFacts,
		events: run(saved(1), ofHead(trace.SnapVoid, 1, 0), ofHead(trace.SnapEstablished, 1, 0)),
		want:   "snapshot 1.0 is established, and is void, or was never reserved",
	},
	{
		name:     "the one before a bad one, and a later one of the new episode",
		property: "newest-snapshot", facts: jobFacts,
		events: run(established(1), established(2), ofHead(trace.SnapBad, 2, 0), selects(1, 1, 0),
			ofHead(trace.SnapReserved, 3, 1), ofHead(trace.SnapEstablished, 3, 1),
			selects(2, 3, 1)),
	},
	{
		name: "the one before an exhausted one", property: "newest-snapshot", facts: jobFacts,
		events: run(established(1), established(2), selects(1, 2, 0),
			ofHead(trace.SnapExhausted, 2, 0), selects(2, 1, 0)),
	},
	{
		name: "one that nobody has gone back to is exhausted", property: "newest-snapshot",
		facts:  jobFacts,
		events: run(established(1), ofHead(trace.SnapExhausted, 1, 0)),
		want: "snapshot 1.0 is exhausted, and no episode has gone back to it, the last one to " +
			"the initial state",
	},
	{
		name: "the initial state, as there is no snapshot", property: "newest-snapshot",
		facts: jobFacts, events: run(saved(1), selects(1, 0, 0)),
	},
	{
		name: "what a head finds when it restarts", property: "newest-snapshot", facts: jobFacts,
		events: run(established(1), crashed(head), restored(head, 1, 0, 0),
			in(1, ofHead(trace.SnapRecorded, 1, 0)), in(1, selects(1, 1, 0))),
	},
	{
		name: "an older one, as the newest is lost with its nodes", property: "newest-snapshot",
		facts: peerFacts,
		events: run(replicated(true), ofHead(trace.SnapEstablished, 1, 0), crashed(node2),
			crashed(spare1), selects(1, 0, 0)),
	},
	{
		name: "a head that restarts has forgotten one", property: "established-stays",
		facts: jobFacts,
		events: run(established(1), established(2), crashed(head), restored(head, 1, 0, 0),
			in(1, ofHead(trace.SnapRecorded, 1, 0)), in(1, selects(1, 1, 0))),
		want: "episode 1 goes back to snapshot 1.0, and snapshot 2.0 was established",
	},
	{
		name: "the newest one was bad", property: "established-stays", facts: jobFacts,
		events: run(established(1), established(2), saved(3), ofHead(trace.SnapBad, 2, 0),
			selects(1, 1, 0)),
	},
	{
		name: "a number comes again when the head has failed", property: "snapshot-numbers",
		facts: jobFacts,
		events: run(saved(1), crashed(head), restored(head, 1, 0, 0),
			in(1, ofHead(trace.SnapReserved, 1, 1))),
		want: "number 1 is reserved for a snapshot, after 1",
	},
	{
		name: "an image for a number that is not reserved", property: "snapshot-numbers",
		facts: jobFacts, events: run(snap(rankP, trace.SnapTaken, 1, 0, rankP, 10)),
		want: "p takes snapshot 1.0, and the last number that was reserved is 0",
	},
	{
		name: "numbers are left out", property: "snapshot-numbers", facts: jobFacts,
		events: run(saved(1), ofHead(trace.SnapReserved, 4, 0),
			snap(rankP, trace.SnapTaken, 4, 0, rankP, 10)),
	},
	{
		name: "the only snapshot is retired", property: "never-lose-the-last", facts: jobFacts,
		events: run(established(1), ofHead(trace.SnapRetired, 1, 0)),
		want: `snapshot 1.0 could be read, and when head says "retired" of head, no snapshot is ` +
			"left",
	},
	{
		name: "the newest one is declared bad, and it is not", property: "never-lose-the-last",
		facts:  jobFacts,
		events: run(established(1), established(2), ofHead(trace.SnapBad, 2, 0)),
		want: `snapshot 2.0 could be read, and when head says "bad" of head, snapshot 1.0 is ` +
			"what is left",
	},
	{
		name: "the store deletes a file that is needed", property: "never-lose-the-last",
		facts:  jobFacts,
		events: run(established(1), snap(store, trace.SnapEvicted, 1, 0, rankP, 0)),
		want: `snapshot 1.0 could be read, and when store says "evicted" of p, no snapshot is ` +
			"left",
	},
	{
		name: "a node that has the only replica is drained", property: "never-lose-the-last",
		facts: peerFacts,
		events: run(replicated(true), ofHead(trace.SnapEstablished, 1, 0), crashed(node2),
			rules(1, "opened", node2), rules(1, "drained", spare1)),
		want: `snapshot 1.0 could be read, and when head says "drained" of S1, no snapshot is left`,
	},
	{
		name: "a node is drained, and there is another replica", property: "never-lose-the-last",
		facts: peerFacts,
		events: run(replicated(true), ofHead(trace.SnapEstablished, 1, 0),
			rules(1, "drained", spare1)),
	},
	{
		name: "an older one is retired, and a cached file deleted", property: "never-lose-the-last",
		facts: jobFacts,
		events: run(established(1), established(2), ofHead(trace.SnapRetired, 1, 0),
			snap(store, trace.SnapEvicted, 1, 0, store, 0),
			snap(node1, trace.SnapEvicted, 2, 0, rankP, 0)),
	},
	{
		name: "a file was spoiled", property: "never-lose-the-last", facts: damagedFacts,
		events: run(established(1), ofHead(trace.SnapBad, 1, 0)),
	},
	{
		name: "the cached file of the newest one is deleted", property: "cache-kept",
		facts:  jobFacts,
		events: run(established(1), snap(node1, trace.SnapEvicted, 1, 0, rankP, 0)),
		want:   "N1 deletes the file of p of snapshot 1.0, the newest one",
	},
	{
		name: "two snapshots are in progress beside the one that is kept", property: "cache-kept",
		facts: jobFacts, events: run(established(1), saved(2), saved(3)[:3]),
		want: "N1 has files of p for 2 snapshots in progress, and its cache is for 2, an " +
			"established one among them",
	},
	{
		name: "a snapshot that is read is retired", property: "cache-kept", facts: jobFacts,
		events: run(established(1), established(2), ofHead(trace.SnapPinned, 1, 0),
			ofHead(trace.SnapRetired, 1, 0)),
		want: "snapshot 1.0 is retired, and somebody reads it",
	},
	{
		name: "one in progress, one void, one that the head has released", property: "cache-kept",
		facts: jobFacts,
		events: run(established(1), established(2), saved(3), ofHead(trace.SnapVoid, 3, 0),
			ofHead(trace.SnapPinned, 1, 0), ofHead(trace.SnapUnpinned, 1, 0),
			ofHead(trace.SnapRetired, 1, 0), saved(4),
			snap(node1, trace.SnapEvicted, 1, 0, rankP, 0)),
	},
	{
		name: "a node that its rank has left", property: "cache-kept", facts: jobFacts,
		events: run(established(1), starts(spare1, rankP),
			snap(node1, trace.SnapEvicted, 1, 0, rankP, 0)),
	},
	{
		name: "two tokens of one", property: "flow-limit", facts: jobFacts,
		events: run(saved(1)[:4], snap(head, trace.SnapGranted, 1, 0, rankQ, 0)),
		want:   "2 files are copied at one time, with that of q of snapshot 1.0, want 1",
	},
	{
		name: "a copy without a token", property: "flow-limit", facts: jobFacts,
		events: run(saved(1)[:3], snap(store, trace.SnapCopied, 1, 0, rankP, 10)),
		want:   "store keeps a copy of snapshot 1.0 of p, for which no token is out",
	},
	{
		name: "one after the other, and a late one of a void snapshot", property: "flow-limit",
		facts: jobFacts,
		events: run(saved(1), saved(2)[:4], ofHead(trace.SnapReturned, 2, 0),
			ofHead(trace.SnapVoid, 2, 0), snap(store, trace.SnapCopied, 2, 0, rankP, 20)),
	},
	{
		name: "a snapshot hangs", property: "snapshots-settle", facts: jobFacts, complete: true,
		events: run(established(1), saved(2)),
		want:   "snapshot 2.0 of head is neither established nor void",
	},
	{
		name: "a token is lost", property: "snapshots-settle", facts: jobFacts, complete: true,
		events: run(established(1), saved(2)[:4], ofHead(trace.SnapVoid, 2, 0)),
		want:   "the token of head for the file of p of snapshot 2.0 never comes back",
	},
	{
		name: "each is established or void, whoever has failed", property: "snapshots-settle",
		facts: jobFacts, complete: true,
		events: run(established(1), saved(2)[:4], ofHead(trace.SnapReturned, 2, 0),
			ofHead(trace.SnapVoid, 2, 0), crashed(node1)),
	},
	{
		name: "the job is given up", property: "snapshots-settle", facts: jobFacts, complete: true,
		events: run(saved(1), rules(1, "aborted", head)),
	},
}

// Aim: what is said of snapshots is compared with what those say who hold them. Method:
// hand-written runs, one step away from each other.
func TestSnapshots(t *testing.T) { judge(t, snapshotCases) }
