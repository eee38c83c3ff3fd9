// Package cluster runs the machines of a setup as processes of the operating system: one a proc, launched, watched, killed and started again by
// a supervisor (Run), each living by Live. It is the setup that the checker explores, under a failure model that is part of its own.
//
// # What a failure is
//
// A proc stops by SIGKILL, with its group and with what runs on its node. The supervisor reaps the processes, tells all others, and each of
// them takes what still comes from the dead, then answers. From its answer on, what it sends to the dead waits for the next life; what it had
// sent before is lost. When all have answered, the watchers are told (core.Down), one by one, and new lives start from the disk.
// Frames carry the number of failures that their sender knows, and nobody hears one that knows more than itself: so between the
// two sides of a failure there is a consistent cut, as in the modelled world, where a crash is one event.
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
// Lose, double or reorder messages, or let a rank restart itself in its process (core.Rollback is an error), or
// keep watchdogs (core.Setup.Watchdogs: refused). Run says which models it can not keep.
package cluster
