// Package world is the modelled environment: it runs the machines of a setup under every choice
// that the network, the stable store, the failure detector and crashes may make (fault.Model), as a
// checker.System.
//
// # Definitions
//
// A local state is what one incarnation of a proc is in: the canonical bytes of its machine. The
// inbox of a proc holds the messages on their way to it, one channel for each incarnation of each
// sender. Its environment is everything else about it: up or down, its stable records, writes in
// progress, failures it has not been told of, timers. Each distinct local state, message, inbox and
// environment is interned: it has a number. The three together are the configuration of a proc,
// which has a number, too. A global state is a vector of numbers: one of the budgets, one of the
// configuration of each proc and, only if a property with a memory applies (spec.Monitor), one of
// what such properties remember of the run.
//
// # Speed
//
// Local steps are deterministic, so each one, a pair (local state, input), runs the real machine
// only the first time it is met; then it is a table look-up (local.go). What can happen to a proc
// in a configuration is planned when the configuration is met first (plan.go), and what the steps
// of others do to it is remembered (deed.go): a global step is a few look-ups that change words.
//
// # Growth
//
// One worker, breadth first, with memory for fewer states than there are, of channels that have
// nothing to do with each other (BenchmarkGrowthOnDisk; the number of states is known; AMD EPYC, on
// a busy machine). Bytes a state are those of the tables at their largest; resident is the whole
// process; on disk is what lies there at the end:
//
//	     states   bound on memory   CPU     states a CPU s   B/state   resident   on disk
//	  1,481,544        32 MiB       1.7 s       859,000        16.4      44 MB     10 MB
//	  9,528,128       128 MiB      12.5 s       763,000        10.0     126 MB     68 MB
//	108,030,528       512 MiB     148.9 s       726,000         3.8     464 MB    762 MB
//	1,022,970,384   2,048 MiB   1,584 s         646,000         1.8   1,874 MB  7,195 MB
//
// The last took 39 minutes, at 67 % of a processor.
//
// # What is modelled
//
// Every event is atomic; a crash may fall between any two events and, where that makes a
// difference, between two effects of one (failure.go says where). Messages to a proc that is down
// wait for its next incarnation, as in the queue of a transport that reconnects; what was in flight
// to it when it stopped is lost, unless the model keeps it. Of what a crashed proc had in flight,
// any prefix of each channel survives: the rest is cut off at any time. Channels of different
// incarnations have no order. Restarts happen at any time after the crash of the whole group, each
// proc separately.
//
// Writes become stable in their order. Of those in progress at a crash some of the oldest are, and
// the next one may be damaged where its key had no value; a stable value is never lost to a write.
// So it is at a crash inside a step, for what that had written by then, too. Such a crash is two
// events: the proc stands still between two effects, which costs the failure, and stops with its
// group at any later time (still.go).
// A delete is one of them, of which nobody hears when it is stable; a read is one, too, and its
// answer is what is stable when its turn has come. Within their budgets the records of a proc, up
// or down, are lost or corrupted by themselves (one that is torn is known to be bad anyway), and
// the oldest put of one that is up is refused, with the deletes before it done (harm.go).
//
// A proc that rolls back ends its life, and nobody is told; what is on its way to it stays, and it
// starts again at any time. Its process is there all the time, unless others launch it: until it
// starts again it can be killed, in a crash of its own, with its group or with its node. Then what
// is on its way to it is lost, and the detector reports the life that it had ended itself.
//
// Two gaps. Where all failures strike in one instant (fault.Model.OneInstant), nobody crashes
// inside a step. And who is stopped by a kill, or by the exit of its node or of a mate, is between
// two steps then, or stands still in one by a failure of its own: package lift finds such runs of
// processes with a failure more than have struck.
//
// Members of a group may stop one by one: then a crash takes single procs, whoever is left behind
// in a life that others have left is bound to follow, at any later time and for free, and the group
// is reported and starts again when all of it have left. Within the budget of suspicions a watcher
// is told falsely, at any time, of a group outside of its own of which the first proc is up and not
// certain (core.Setup.Certain): of the life that goes on.
//
// Who runs on the node of another proc (trace.Layout.Hosted) starts again only while one that is up
// holds it as adopted, is told in its restart which (of several the first), and stops with that
// one; its failure is not reported if the layout says so. Who has been adopted adopts nobody. A
// watchdog about a proc is about its present life, or the last one: it may expire at any time when
// that is over, no earlier than the detector may report it. While that goes on it expires falsely,
// at any time, within the budget of suspicions and about victims only.
//
// A proc that exits (core.Exit) stops with its group, and with all that they have adopted, as in a
// crash, but it costs nothing and of the writes in progress none becomes stable: the detector
// reports it, and it starts again where a crashed one may. No crash leads to more procs that are
// down or recovering than the model allows (fault.Model.Overlap), those counted that stop with
// their node; exits and rollbacks may.
//
// A proc that renews itself (core.Renew) is in its next life without having stopped. What is on its
// way to it and to its store stays, and what it has not been told of; its timers and watchdogs and
// what it held are gone, and nobody is told. What it sends of the life before (core.Effect.Former)
// is on its way from a life that is over. For properties it has crashed and is restored, and is as
// a restarted proc at the end of the step.
//
// Procs may be started and stopped by others (core.Setup.Launched), on whose node they run then;
// their first life is on the node that trace.Layout.Nodes names. Nobody who runs on a node starts
// again but by a launch, and that waits for no group: it leaves whoever is down a ticket, of each
// who launches the newest one; a restart is by any of them, gets no other record, and uses all up.
// The end of a life takes its tickets along, and so does its own kill of the target. Who runs on
// the node of a proc stops with that, and who runs on the node of one that stops so, and so on. A
// kill is an event of its own at any time after it was asked for, and judged behind the stops: who
// runs on the node of the killer stops, with what runs on his, and with any outcome of writes in
// progress; that is no crash, so no disk goes and nobody is told. Whoever runs elsewhere goes on.
// The same event is the answer, about the life that this has ended or the newest that is over. The
// detector reports life by life, the lives of one proc in their order, and not who has stopped with
// his node; it tells a watcher that starts again of every node that is down (of core.Setup.Local).
// The disk of a node goes with it in a crash or an exit (fault.Model.Disks): of a proc of Local
// that runs on nobody's node, or whose node stops as well (launch.go).
//
// A network keeps the order of each channel, or none. Where none is kept, a message that its
// receiver would ignore may stay in flight until there is a use for it (fault.Model.Selective), or
// every message stays for ever, arrives again at any time, and is there only once however often it
// is sent (Set). With either, an arrival of which nothing at all comes is no event, so that a state
// in which nothing new can happen is an end of the run: of one that stays if it is dropped, and in
// a set of any that leads nowhere.
//
// Not modelled: time (a timer may fire at any moment after it was set), message corruption,
// Byzantine procs.
package world
