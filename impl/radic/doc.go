// Package radic is the control plane of RADIC: a protector on each node, spare nodes, and tables that are replicated and updated on
// demand. It decides on which node a rank and its logger run; how a rank recovers is the business of the logging protocol below, of which
// any setup with one logger for each rank will do.
//
// Definitions: a node is a protector (or a spare) and what it has adopted: ranks, and loggers of ranks that run elsewhere. A crash of a node
// takes all of them. The protector of a rank is the node where its logger runs; the heir of a node is the next active node on the ring,
// which protects the ranks of that node at the start.
//
// Model: the ring of heartbeats and watchdogs is the failure detector of the environment: a watchdog that expires is a Down input, a false
// alarm is not modelled. A failed node is gone, or, with
// rejoin=yes, comes back as an empty node that nobody counts on. Links are
// reliable. One rank has one live incarnation by construction, so two live incarnations after a false suspicion (M33) can not be shown
// here; what fences them, the life in every message to a logger, is erratum M49 of impl/pessimistic.
//
// A node that fails together with the heir of its ranks loses image and log: the ranks are started again and answer "unrecoverable".
//
// Source: [RADIC] H. Meyer, PhD thesis, UAB 2014, sections 2.3 and 6.2.1, Figs. 2.8 and 6.1. The files: protector.go (diagnosis, takeover,
// adoption), spare.go, locate.go (RADICTable and location chase), carry.go (the machines of the protocol below).
//
// Deviation: in basic protection the thesis starts a failed rank on the node that holds its image and log (M31); here the protector asks the
// next node of the ring, so that one more crash never takes both.
package radic
