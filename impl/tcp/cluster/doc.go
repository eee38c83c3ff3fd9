// Package cluster runs the machines of a setup as processes of the operating system: one a proc, launched, watched, killed and started again by
// a supervisor (Run), each living by Live. It is the setup that the checker explores, under a failure model that is part of its own.
//
// # What a failure is
//
// A proc stops by SIGKILL, with its group and with what runs on its node. The supervisor reaps the processes, tells all others, and each of
// them takes what still comes from the dead, then answers. From its answer on, what it sends to the dead waits for the next life; what it had
// sent before is lost. When all have answered, the watchers are told (core.Down), one by one, and new lives start from the disk.
// What a node has adopted stops with it, also what it has adopted just before; it restarts when somebody who is up has adopted it. A proc that exits
// (core.Exit) stops in the same way, and counts as no failure.
// Frames carry the number of failures that their sender knows, and nobody hears one that knows more than itself: so between the
// two sides of a failure there is a consistent cut, as in the modelled world, where a crash is one event. What is taken from the dead is before the
// cut and the rest is lost, so nobody can tell such a run from one in which nothing of theirs was on its way any more: it is one of a model in which a prefix of that
// arrives, and of one in which nothing does.
//
// # Watchdogs and false suspicions
//
// That a process is dead is known from reaping it, not from its silence, so the watchdog about a dead life (core.Watch) needs no heartbeats: it expires some
// drawn time after all have agreed on the failure, when nothing can come from the dead any more. One that is started about somebody who is down is about the life that
// has ended; while a new life is beginning the clocks decide, as in the trace. A watchdog that was started again since, or stopped, does not expire.
//
// A watchdog about a process that lives, and the detector that reports it, err within the budget of suspicions of the model, in three ways:
//
//   - on a request of the plan (fault.Request.Suspicious and Expires);
//   - by SIGSTOP (Config.Stops): a proc stops with all that would stop with it in a failure. When the system says that all threads have, each watcher is told that
//     it is down, and each watchdog about it expires, also one that is started meanwhile. A while after the last suspicion SIGCONT lets it go on where it was;
//   - by silence (Config.Silence): processes say that they live several times as often; one that does not, because somebody else has stopped it or it computes
//     for too long, is suspected in the same way until it is heard of again.
//
// Its life is not over, so its connections stay and nobody refuses it: what it knows is old, and what comes of that is up to the protocol. Whoever was
// given up and goes on is one process with the new incarnation (core.Renew), as in the modelled world. Fencing by the mesh is for lives that are over:
// what still comes from those is taken, then the connection is refused.
//
// # Evidence
//
// Each life writes what crosses its boundary into a file of its own, with one write before each effect: what has happened survives SIGKILL,
// and at most the last effect was written and not performed, which is as if the crash had come behind it and what it sent were lost.
// Clocks on messages are at least the time of day and larger than all that they depend on, so ordering the steps by them
// merges the files into one trace that agrees with causality (Merge).
//
// That write, and a description of each message in words, take longer than a small message itself. A bare run (Config.Bare) keeps no evidence, so
// that it measures the protocol, and begins when all are connected: it can have no failures and is not judged, but its final digests and its counts are those of any other run.
//
// # The end
//
// A run is complete when nothing can happen any more: no machine has a choice, as much was received as was sent on each connection, nobody is
// down who may start again, twice in a row without a step in between. Whether the programs have ended is for the judge to say.
//
// # What it does not do
//
// Lose, double or reorder messages: a model that lets the network do so is kept by a network that never does. A message that is ignored where such messages stay is kept by its
// receiver. Run says which models it can not keep: those in which what is on its way to the dead reaches their next lives, or all that the dead have sent arrives.
// Count heartbeats that are messages and watchdogs that are timers, of a machine that has such: they err whenever the host is slow, which is in no budget, and never come to rest,
// so that the run goes on up to its bound.
// A machine that rolls back (core.Rollback) starts again in its process, and what is on its way stays; one that has mates, runs on somebody's node or is watched
// can not, which ends the run with an error.
package cluster
