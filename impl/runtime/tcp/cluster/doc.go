// Package cluster runs the machines of a setup as processes of the operating system: one a proc,
// launched, watched, killed and started again by a supervisor (Run), each living by Live. It is the
// setup that the checker explores, under a failure model that is part of its own.
//
// # What a failure is
//
// A proc stops by SIGKILL, with its group and with what runs on its node. The supervisor reaps the
// processes, tells all others, and each of them takes what still comes from the dead, then answers.
// From its answer on, what it sends to the dead waits for the next life; what it had sent before is
// lost. When all have answered, the watchers are told (core.Down), one by one, and new lives start
// from the disk. What a node has adopted stops with it, also what it has adopted just before; it
// restarts when somebody who is up has adopted it. A proc that exits (core.Exit) stops in the same
// way, and counts as no failure. Frames carry the number of failures that their sender knows, and
// nobody hears one that knows more than itself: so between the two sides of a failure there is a
// consistent cut, as in the modelled world, where a crash is one event. What is taken from the dead
// is before the cut and the rest is lost, so nobody can tell such a run from one in which nothing
// of theirs was on its way any more: it is one of a model in which a prefix of that arrives, and of
// one in which nothing does.
//
// A failure strikes at a number of effects, at a time, or when a proc has come so far (Reached):
// behind the step in which its program begins an iteration or comes to a date, in which it first
// sends in a phase, or at an effect of a process that is not its first, so inside a recovery. The
// victim stands still there until the supervisor has decided. In a model in which nothing of the
// dead arrives (fault.Nothing), survivors do not even hear what comes when they know: more is lost,
// and more is tried. That all of it arrives can not be promised: what is in the buffers of a
// process is lost with it. Nor can what is on its way to the dead reach the next life: nobody keeps
// a copy.
//
// # Connections
//
// Two procs are connected when one of them first has something to say to the other, so that a
// process has as many connections as its program has partners, not as the run has procs. The
// supervisor tells everybody where a new life listens; what is said to somebody who is not there
// waits with its sender. None of that changes what a failure is:
//
//   - There is nothing to take over a connection with the dead that was never opened: the prefix of
//     what they had sent over it is empty, so its survivor agrees at once. What waits for the dead
//     at their survivors is of before the cut, sent and not arrived: it is lost when they agree.
//   - One that was opened and not looked at when a survivor agrees is closed unread, which is the
//     empty prefix, too. After that it can not come back: with its answer a survivor fences the
//     life that is over, which is then neither admitted nor called (package mesh).
//   - A frame that has waited carries the number of failures that its sender knew when it was said,
//     not when it left, as on a connection that was open: it is before the cuts that came since. A
//     frame over a new connection may know of a failure before its receiver does, and is kept back
//     with all that is behind it, as over any other.
//   - A run is at rest when over each connection as much was received as was sent and nothing waits
//     for one. Two who have none owe each other nothing. One that breaks between two who live is
//     never at rest: it is a fault of the network, which no model has, and the time limit says so.
//
// # Nodes whose daemons recover
//
// Where daemons stop and start what runs on their nodes (core.Setup.Launched), a node is a process
// group with a folder of its own: the disks of its daemon and of its ranks, and the images that it
// starts them with, which are handed over as files. It fails by SIGKILL of the group, and its
// folder is erased with it unless disks survive (fault.Model.Disks). Where a rank runs is what was
// done, not what a daemon believes, as in the modelled world: an order to stop somebody who runs
// elsewhere stops nobody. The processes belong to the supervisor, and a daemon only gives the
// order: to stop one is a failure that nobody is told of but who ordered it, when all have taken
// what the dead has sent; to start one waits until they have, and for as long as the life that
// ordered it lasts. A process that dies before its machine has taken a step is started again: to
// the machines its start has only taken longer.
//
// A record that is read back (core.Read) is read from its file, behind all writes before. The plan
// has the environment damage the files of procs whose disks are not to be trusted
// (plan.Plan.Spoils), or refuse a write; a disk that is really full refuses as well, where machines
// can be told. What is corrupt is found out by the sums of the disk in half of all cases, and is a
// torn record then; in the other half it is a good record of other bytes.
//
// With Config.Forget a process that is killed loses what it has not synced, as if its host had lost
// power: survivors and new lives read what is left. Its store is one that little is large for
// (disk.OpenSmall), so that such a run reaches what else only large records do.
//
// # Watchdogs and false suspicions
//
// That a process is dead is known from reaping it, not from its silence, so the watchdog about a
// dead life (core.Watch) needs no heartbeats: it expires some drawn time after all have agreed on
// the failure, when nothing can come from the dead any more. One that is started about somebody who
// is down is about the life that has ended; while a new life is beginning the clocks decide, as in
// the trace. A watchdog that was started again since, or stopped, does not expire.
//
// A watchdog about a process that lives, and the detector that reports it, err within the budget of
// suspicions of the model, in three ways:
//
//   - on a request of the plan (plan.Request.Suspicious and Expires);
//   - by SIGSTOP (Config.Stops): a proc stops with all that would stop with it in a failure. When
//     the system says that all threads have, each watcher is told that it is down, and each
//     watchdog about it expires, also one that is started meanwhile. A while after the last
//     suspicion SIGCONT lets it go on where it was;
//   - by silence (Config.Silence): processes say that they live several times as often (without it
//     they say nothing while they have nothing to do, and sleep); one that does not, because
//     somebody else has stopped it or it computes for too long, is suspected in the same way until
//     it is heard of again.
//
// Its life is not over, so its connections stay and nobody refuses it: what it knows is old, and
// what comes of that is up to the protocol. Whoever was given up and goes on is one process with
// the new incarnation (core.Renew), as in the modelled world. Fencing by the mesh is for lives that
// are over: what still comes from those is taken, then the connection is refused.
//
// # Hosts
//
// Processes listen on the addresses of Config.Hosts, at any free port or at one of Config.Ports, in
// blocks as large as the hosts have slots: what stops together, or runs on one node, is on one
// host, services are spread in the same way beside them, and a proc that has moved starts where its
// new host runs. With several hosts no address will do that only its own host reaches, a host that
// is given by name is reached by that name, whatever it means there, and a run begins when all who
// will talk with each other are connected: who does not reach whom is said before. Where a host has
// a launcher, such as ssh, that command line is called once, for a process there which starts all
// lives of the host, stops and kills them as it is told to, and says how each has ended
// (launch.Starter). When it ends itself, or the launcher does, they end, too, which nobody can say
// from here: such a life counts as dead when the lock of its disk is free, not before; if it stays,
// the run ends with an error, unless there is a fence command. The next life there comes with a new
// starter. One that does not kill on order for some seconds is given up. So the folder of the
// run, where disks and evidence are, must be shared by all hosts with its locks. Both is checked: a
// life looks whether the folder is that of the run, the supervisor whether it sees the lock of a
// life that says it is up. A launcher must not ask anybody anything. The clocks of hosts may
// differ: the order of events does not depend on them, but times in reports do.
//
// # Hosts that are lost
//
// A host that has no power, or no link, says nothing, nor do its launchers end, and whether what
// runs there goes on can not be known from outside. So nobody guesses: Config.Fence, a command,
// switches the host off, and only when it says that this was done, all that ran there has failed,
// at once, as processes that somebody else has killed. It is called when a launcher has ended and
// the disk of its process stays locked, when a host starts no process any more, and with
// Config.LostAfter when none of its processes has given a sign of life for so long; no clocks are
// compared, and a host that is only slow is lost, too, as the fence makes it so. Survivors wait for
// no end of connections with what ran there: they take what has arrived and close them, so a prefix
// arrives, as of all who die. Without such a command there are leases (Config.Lease): a process is
// killed by a timer of its own kernel when it has not been answered for so long, whether it runs or
// not, and when that must be over for all that ran on a host nothing runs there; clocks must go on
// about as fast, no more. What the file system of such a host still holds back of writes of theirs
// is for the file system to refuse. The next lives start on the next host, on the same disks in the
// folder that all share. A fence command that fails ends the run, with the name of the host; one
// that lies makes two lives of one proc.
//
// # Evidence
//
// Each life writes what crosses its boundary into a file of its own, with one write before each
// effect: what has happened survives SIGKILL, and at most the last effect was written and not
// performed, which is as if the crash had come behind it and what it sent were lost. Clocks on
// messages are at least the time of day and larger than all that they depend on, so ordering the
// steps by them merges the files into one trace that agrees with causality (Merge).
//
// With its steps a life writes down what the runtime itself did (processes.Mark): what it put on
// its connections and took from them, when it agreed on a failure and whether anything could still
// come from the dead then, what its disk acknowledged and handed out. The supervisor keeps who was
// to agree on what, and what each life was told. Package spec/processes judges from that whether
// the cut is consistent, and whether what was stable has stayed (Result.Processes). Lives say how
// much they have written, and the head of each piece has a checksum of its own, so that of evidence
// only the one write can be missing that a kill has cut.
//
// The evidence of a step says what has led to it, how many failures its life knew to be agreed on
// and, if asked (Config.States), has a digest of the state behind it; the supervisor writes down
// what it does (Deed). So a run can be found again in the modelled world (package checker/lift).
//
// That write, and a description of each message in words, take longer than a small message itself.
// A bare run (Config.Bare) keeps no evidence, so that it measures the protocol, and begins when all
// who will talk with each other are connected: it can have no failures and is not judged, but its
// final digests and its counts are those of any other run.
//
// # The end
//
// A run is complete when nothing can happen any more: no machine has a choice, as much was received
// as was sent on each connection, nobody is down who may start again, twice in a row without a step
// in between. Whether the programs have ended is for the judge to say.
//
// A run that takes too long is ended, and the reason names the procs that have not come, by host,
// that are in a step that does not end, or that do not answer at all; who has messages for whom
// that are not taken, on which connection, and whose connection is not there, after what attempts;
// and what programs and protocols wait for. The same is said when nobody has taken a step for a
// while, before the time is over. However the supervisor ends,
// no process stays: a child that reads the end of its input stops, and on Linux the kernel kills it
// before.
//
// # The end of all
//
// A run whose supervisor has ended, by SIGKILL, a time limit or with its allocation, has lost all
// its processes, and no more: what was stable is in its folder, as is the evidence. OpenPast waits
// until the last of them has let go of its disk, keeps others out, and reads what was done: deeds
// and lives. Run goes on behind that (Config.Past): a failure that was announced is agreed on by
// those who are left, who are none, and whoever was up fails, all at once, as one more failure. So
// the trace of the whole run is judged as that of any other. What was on its way is lost, which is
// one of the cuts of a failure of all. Whether a protocol survives that is for its promises to say.
// Deeds and evidence survive processes, not hosts: they are not synced. Of what a life had written
// when it was ended, a tail that is missing shows only in what others have taken from it, or in
// what the supervisor had seen.
//
// # What it does not do
//
// Lose, double or reorder messages: a model that lets the network do so is kept by a network that
// never does. A message that is ignored where such messages stay is kept by its receiver. Run says
// which models it can not keep: those in which what is on its way to the dead reaches their next
// lives, or all that the dead have sent arrives. Count heartbeats that are messages and watchdogs
// that are timers, of a machine that has such: they err whenever the host is slow, which is in no
// budget, and never come to rest, so that the run goes on up to its bound. A machine that rolls
// back (core.Rollback) starts again in its process, and what is on its way stays; one that has
// mates, runs on somebody's node or is watched can not, which ends the run with an error.
package cluster
