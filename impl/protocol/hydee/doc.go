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
// Not here: what starts the recovery process or stops the members of a cluster (the driver does),
// and compression of logs.
package hydee
