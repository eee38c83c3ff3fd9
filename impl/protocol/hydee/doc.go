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
// The code is the repaired protocol. Every departure from the paper is an Erratum that a switch
// turns back into what is printed; the line says "Deviation:". The idea of the repair: each report
// of the failure detector opens a numbered round in which all channels between clusters are
// evaluated again from the current states of both ends, so two failed clusters, a failure during
// recovery and a new recovery process are one case.
//
// The rules of the repaired protocol, to which the code refers:
//
//	R1   A send waits until its phase is within the frontier. Between clusters it is logged, also
//	     when the receiver has had it since before the failure: then it does not leave, and the
//	     recovery process is told.
//	R2   An arrival is dropped when it was sent in an earlier round or, inside a cluster, to or by
//	     another life of it.
//	R3   A delivery is FIFO for each source and never waits for the frontier. The first one from an
//	     outside rank after a checkpoint is acknowledged with what the checkpoint covers.
//	R4   The failure of a member stops its cluster. It restarts from the committed checkpoint with
//	     the gate closed, and takes nothing from outside before it has joined a round.
//	R5   Each report of the failure detector, and a new recovery process, opens a round.
//	R6   A rank that hears of a newer round closes the gate, forgets what the last one has found
//	     and what is undelivered from outside, and tells every outside rank its own date and the
//	     date of the last message from there. Ranks that have rolled back do the same.
//	R7   With this from all outside ranks it knows what they lack, to be sent again from the log,
//	     and which of its receptions are orphans, which it reports.
//	R8   With the reports of all ranks the recovery process announces the least phase that has an
//	     orphan outstanding, and again whenever that rises.
//	R9   At the announcement a rank sends logged messages up to that phase, then raises its
//	     frontier to it.
//	R10  A checkpoint is a consistent cut of the cluster with what is on its way inside, at any
//	     time, also during a recovery.
//	R11  An acknowledgement removes from log and receptions what the checkpoint covers.
//
// Not here: what starts the recovery process or stops the members of a cluster (the driver does),
// and compression of logs.
package hydee
