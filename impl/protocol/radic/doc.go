// Package radic is the control plane of RADIC: a protector on each node, an observer for each rank,
// spare nodes, and tables that are replicated and updated on demand. It decides on which node a
// rank and its logger run, and hides from programs that ranks move; how a rank recovers is the
// business of the logging protocol below, of which any setup with one logger for each rank will do,
// or with none (SBML): then the protector keeps what a rank writes (store.go).
//
// Definitions: a node is a protector (or a spare) and what it has adopted: ranks, and loggers of
// ranks that run elsewhere. A crash of a node takes all of them. The ward of a node is the node
// before it on the ring that is not known to be dead, its heir the next one: heartbeats go from the
// ward to its protector, and the protector watches. A rank is up to the heir of the node that it
// had at the start: that one places the rank and its logger, wherever they run, and watches both
// places.
//
// What a node knows of others it has seen itself (a watchdog expired and the node did not answer
// either), or somebody has told it in a message about something else; nobody collects or broadcasts
// anything. So tables differ, and three rules keep them safe:
//
//   - An heir that was not the protector of a dead node asks everybody what they host, one after
//     the other, before it places anybody.
//   - Whoever has been told that a node was given up refuses what that node still has on its way.
//   - A message between ranks names the node where its receiver is taken to be. Where it is not,
//     the observer of the sender looks for it and sends again: the protector in the table is asked,
//     then whom that names, then everybody, each at most once.
//
// Model: watchdogs are those of the driver (core.Watch): in the modelled world a watchdog about a
// dead node expires at any time, one about a live node within the budget of suspicions, and
// heartbeats are no events. With heartbeat=N watchdog=N both are messages and timers; the space is
// then without end, and a timer expires at any time, so it is out of the model of a search; drawn
// runs can do without such expiries (TestHeartbeats), and real processes have clocks. The error
// that a broken connection reports is the answer Moved of the next life; that there is none before
// is no restriction, because nothing waits for it. Links are reliable. A failed node is gone, or,
// with rejoin=yes, comes back as an empty node that nobody counts on.
//
// A node that lives may be given up: one false expiry makes its protector ask, another one makes it
// act. With zombies=yes what runs on such a node goes on beside the new incarnation (zombie.go)
// until the node is told; of two incarnations one writes the log, because the log is handed to the
// new one together with the right to write it (M33). Without zombies=yes two such expiries break
// one-host or hosts-settle, as they should. Refused: two of them in a run with failures, or with
// nodes that join or leave (limits.go). There a node is watched by others than its protector, who
// would fence it, and start nothing of it again; and two sides could give each other up, about
// which nothing can be done without clocks or a quorum.
//
// A node that fails together with the heir of its ranks loses image and log: the ranks are started
// again and answer "unrecoverable". When no spare is left, or none has room, a node declares that
// ranks become guests of another active node (basic protection); when no other node is left it
// declares that they are unprotected.
//
// Source: [RADIC] H. Meyer, PhD thesis, UAB 2014, sections 2.3 and 6.2.1, Figs. 2.8 and 6.1. The
// files: node.go (tables), watch.go (heartbeats, watchdogs, diagnosis, the ring), recover.go
// (takeover and placement), spare.go, change.go (insertion and maintenance), observer.go and
// chase.go (fault masking and location chase), locate.go (answers to it), zombie.go (who lives and
// was given up), carry.go (the machines of the protocol below), limits.go (what is refused).
//
// Deviations without a switch: a rank takes a checkpoint at the end of its recovery, as in Table
// 2.1, though the log at its protector is still whole; in basic protection the protector asks the
// next node of the ring, so that no crash ever takes both rank and log (the thesis restarts the
// rank beside them, and has a new protector and a checkpoint there at the end: M31); a host of
// guests has a second watcher beside the one of the ring; the timer of the lease of a spare is the
// watchdog about whom it is promised to.
//
// There are no claims (core.Commuter): watchdogs and heartbeats go on as long as anybody runs, so a
// search meets hardly a state in which nothing unexpected can happen any more.
package radic
