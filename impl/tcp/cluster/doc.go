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
// A failure strikes at a number of effects, at a time, or when a proc has come so far (Reached): behind the step in which its program begins an iteration or comes to a date,
// in which it first sends in a phase, or at an effect of a life that is not its first, so inside a recovery. The victim stands still there until the supervisor has decided.
// Of what the victims had sent, survivors take what the operating system still has (fault.Prefix), or nothing from the moment on in which they know (fault.Nothing).
// That all of it arrives can not be promised: what is in the buffers of a process is lost with it. Nor can what is on its way to the dead: nobody keeps a copy.
//
// # Hosts
//
// Processes listen on the addresses of Config.Hosts, in blocks: what stops together, or runs on one node, is on one host, and a proc that has moved starts where its new host
// runs. Where a host has a launcher, such as ssh, its processes are started by that command line. They are killed by their own hand, on order, as to kill a launcher kills nobody else
// (package launch), and a process whose launcher has ended counts as dead when the lock of its disk is free, not before; if it stays, the run ends with an error. So the folder of
// the run, where disks and evidence are, must be shared by all hosts with its locks. Both is checked: a life looks whether the folder is that of the run, the
// supervisor whether it sees the lock of a life that says it is up. A launcher must not ask anybody anything. The clocks of hosts may differ: the order of events does not depend on them,
// but times in reports do.
//
// # Evidence
//
// Each life writes what crosses its boundary into a file of its own, with one write before each effect: what has happened survives SIGKILL,
// and at most the last effect was written and not performed, which is as if the crash had come behind it and what it sent were lost.
// Clocks on messages are at least the time of day and larger than all that they depend on, so ordering the steps by them
// merges the files into one trace that agrees with causality (Merge).
//
// # The end
//
// A run is complete when nothing can happen any more: no machine has a choice, as much was received as was sent on each connection, nobody is
// down who may start again, twice in a row without a step in between. Whether the programs have ended is for the judge to say.
//
// A run that takes too long is ended, and the reason names the procs that have not come, by host, that are in a step that does not end, or that do not answer at all.
// However the supervisor ends, no process stays: a child that reads the end of its input stops, and on Linux the kernel kills it before.
//
// # What it does not do
//
// Lose, double or reorder messages, or let a rank restart itself in its process (core.Rollback is an error), or
// keep watchdogs (core.Setup.Watchdogs: refused). Run says which models it can not keep.
package cluster
