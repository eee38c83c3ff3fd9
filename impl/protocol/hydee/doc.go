// Package hydee is HydEE: coordinated checkpoints inside clusters, sender-based logging of payloads
// between them, no determinants. A failed cluster rolls back alone; a recovery process replays the
// rest in the order of phases.
//
// Model: ranks in clusters, reliable FIFO channels between any two ranks, fail-stop of whole
// clusters (the failure of a member stops all members), any number of concurrent failures, the
// recovery process included. The program must be send-deterministic in the strong sense: the k-th
// send of a rank has the same destination and payload, and the same set of messages delivered
// before it, in every correct run.
//
// Sources: [HydEE] Guermouche, Ropars, Snir, Cappello, IPDPS 2012; [HydEE-fr] Ropars, Guermouche,
// Cappello, TSI 31, 2012. The files follow the algorithms: failurefree.go (Alg. 1), rolledback.go
// (Alg. 2), survivor.go (Alg. 3), recovery.go (Alg. 4), garbage.go (section III-E), checkpoint.go
// (the coordinated checkpoint that the paper assumes: impl/protocol/part/snapshot), wire.go.
//
// The code is the repaired protocol; packages printed and printedfr are the text of either paper.
// An Erratum is a switch that makes one line do what the text prints, or can be read as; the line
// says "Deviation:". The idea of the repair: each report of the failure detector opens a numbered
// round in which the channels of all clusters that have failed since the last recovery was over are
// evaluated again from the current states of both ends, so two failed clusters and a failure during
// recovery are one case. A new recovery process, which does not know who has failed, has all
// channels evaluated.
//
// What differs from the text beside the errata: the recovery process alone hears of failures and
// tells the others (Begin); Rollback and LastDate are one message, Status, that both ends send;
// Log, Orphan and OwnPhase are one Report, which names orphans one by one; the notifications are
// one Frontier for everybody. Why: with the round in each of them, none is taken for one of another
// recovery, and a process whose phase has changed meanwhile needs no other answer. Application
// messages carry a round and a life beside date and phase, 32 bytes in all with their number.
//
// The rules of the repaired protocol, to which the code refers:
//
//	R1   A send waits until its phase is within the frontier. Between clusters it is logged, also
//	     when the receiver has had it since before the failure: then it does not leave, and the
//	     recovery process is told.
//	R2   An arrival from outside is dropped when its sender had not joined the round in which this
//	     end has evaluated the channel last; one inside a cluster, when it is to or by another life
//	     of it.
//	R3   A delivery is FIFO for each source. It never waits for the frontier, but inside a cluster
//	     that has restarted it waits for its phase there until the recovery is over. The first one
//	     from an outside rank after a checkpoint is acknowledged with what the checkpoint covers.
//	R4   The failure of a member stops its cluster. It restarts from the committed checkpoint with
//	     the gate closed, and takes nothing from outside before it has joined a round that is about
//	     its cluster.
//	R5   Each report of the failure detector opens a round about the clusters reported and those of
//	     the round before, unless that one's recovery is over (R8); a new recovery process opens
//	     one about all clusters.
//	R6   A rank that hears of a newer round closes the gate. For each channel with an end in one of
//	     its clusters it forgets what the last round has found and what is undelivered, and tells
//	     the other end its own date and the date of the last message from there. Ranks that have
//	     rolled back do the same. Channels between other clusters lose nothing and go on.
//	R7   With this from all those ends it knows what they lack, to be sent again from the log, and
//	     which of its receptions are orphans, which it reports.
//	R8   With the reports of all ranks, about the same lives, the recovery process announces the
//	     least phase that has an orphan outstanding, and again whenever that rises. When there is
//	     none left, the recovery is over.
//	R9   At the announcement a rank sends logged messages up to that phase, then raises its
//	     frontier to it.
//	R10  A checkpoint is a consistent cut of the cluster with what is on its way inside, at any
//	     time, also during a recovery.
//	R11  An acknowledgement removes from log and receptions what the checkpoint covers.
//
// Cost of the recovery of clusters with f of n ranks, where P is the number of ordered pairs of
// ranks of different clusters with at least one that has failed, which is 2f(n-f) for one cluster:
// P Status, as many as the paper has Rollback and LastDate together; n Begin, where the paper has
// each process hear of the failure by itself; n Report, where it has n OwnPhase and n-f each of Log
// and Orphan; n Frontier and n more each time the least phase of an orphan rises, where it has a
// notification for each process and phase; one OrphanDone an orphan, as the paper
// (OrphanNotification), and what was in flight or lost is sent again. With 256 ranks in 16 clusters
// of 16 these are 7,680 Status. The replacement of the recovery process costs a Status for each
// ordered pair of ranks of different clusters, 61,440 there. A failure during a recovery begins it
// anew, for the clusters of both.
//
// Why channels between survivors need no Status: neither end has lost a state, so the channel,
// which is reliable, has no orphan and lacks nothing. What is on its way was sent before the gate
// of its sender closed, or after it was opened for its phase. Who takes it during the recovery gets
// a phase above those of the orphans that it depends on, and so can send nothing that comes too
// early (R1); if its receiver fails later, that round is about the channel.
//
// Not here: what starts the recovery process or stops the members of a cluster (the driver does),
// and compression of logs.
package hydee
