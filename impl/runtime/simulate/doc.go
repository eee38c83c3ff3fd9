// Package simulate runs kernels under protocols on machines that are not here, in modelled time
// (package impl/runtime/emulate): what a protocol costs with a thousand ranks, how fast its log
// grows, how many ranks a failure takes back and how long until they are where they were. It proves
// nothing, and nothing is judged: final digests must be those of a run without a protocol.
//
// # Machines
//
// A machine is a list of parameters with units and sources, shipped (Machines) or from a file. Its
// network is LogGP's: latency, overhead of processors, gap, and bytes by a rate; a stable store of
// some servers is shared by all. A protocol pays for the messages that it sends, for their bytes as
// they are between processes (core.Framed, or the codec), for its steps, and for copying what it
// logs. A step has a constant price, and one for each KiB that the protocol has added to the
// message that has come and to those that leave: with causal logging a step takes longer with each
// determinant that it stores, acknowledges or sends. Time measures steps for that.
//
// # Parts of an overhead
//
// They are differences of whole runs that are alike but for one price, so they add up: a run
// without a protocol; with it, though its steps cost what those of none cost, copies to a log
// nothing, and messages have the bytes of none (what is added is waiting: for order, for control
// messages, for checkpoints); with its bytes; and with its own prices of steps and copies (CPU).
//
// # Failures
//
// They stop one rank, with those that the setup stops with it, or the node that it is on if ranks
// move. Moments and ranks are drawn by one stream of numbers a purpose, so that protocols are
// compared under the same failures. Detection and restart take constants of the machine, then who
// starts again reads its records from the stable store, as all who are taken back do at that time.
// Unless failures strike at any time (Job.Anytime), one whose moment comes while the last one is
// not recovered from waits for that: then failures do not add up as in the complete model of Daly,
// but as in that of first order. Each has stages of its own, which add up. Who fails with more at a
// time than its protocol promises to survive is told so (ErrBeyond). A recovery is over when all
// are where they were and, under RADIC, protected again (guard.go).
//
// # Images
//
// Those that a rank writes are records of the stable store. Under protocols that give them to a
// logger, a protector or a vault they are messages (images.go): copied by the rank, let through by
// the cards of both nodes, written to the disk or memory of the node of who keeps them, and read
// and brought back in the same way.
//
// # Processors
//
// A job without checkpoints and failures goes on as many processors as Go may use (GOMAXPROCS), in
// blocks of at least a thousand ranks; its outcome is the same with one. It has one processor where
// several ranks are on a node of the machine, where messages are announced first (between.eager),
// where images of a declared size travel in messages, and under protocols that write without being
// asked for a checkpoint: the stable store serves in the order of all events.
//
// # What is left out
//
// Contention inside the network, memory bandwidth but for copies, noise, false suspicions, and the
// time of computation, but for a constant an iteration (Job.Work): numbers are computed, and take
// no time. Images without a declared size (Job.Image) have the bytes that they have, and those that
// travel in messages then take no disk.
package simulate
