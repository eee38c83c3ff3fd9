// Package node drives one machine of a protocol, unchanged, as one process of a cluster: it turns
// what the mesh receives into inputs and performs the effects in order.
//
// A turn first gives the machine what is due (a record that is stable, a timer), then lets the
// program take a step, or, when it can not, waits for the mesh. Each step ends in the same way:
// effects, writes, then core.Recycler.Settle. What a program has in buffers of the node (Buffers)
// is in the log without a copy. Any other large copy for the log is made in pieces while the node
// would wait for the mesh, at the latest before the next step, so that it costs little but
// processor time. Data messages that implement core.Framed travel in their fixed layout with the
// payload behind it; every other message goes by the codec. With a Framed and recycling protocol a
// message allocates nothing.
//
// A large message for which nobody waits while the program can go on (core.Background: what a
// receiver gives to its logger under HMPL) leaves when the program can not, or after a few of its
// steps, and before the machine hears anything. Others can not tell that from a slow network.
//
// # Whose the bytes are
//
// A program takes a buffer for each send (Get), which belongs to the log from then on if there is
// one, or it owns one (Own), sends it as often as it likes and says when it wants to write to it
// again (Rewrite). Until then nobody writes to it, so that any number of logs and links read it. If
// it is still read when the program wants to write, the program gets another one: bytes that are
// read never change. Buffers that logs free are the next that programs get, so a log that
// checkpoints trim has memory that was used a moment ago. A layer that wants to write to what it
// keeps (CAMEL combines contributions in the place of its own) asks for a copy.
//
// # Back-pressure
//
// A program is stopped while more than OutLimit bytes wait for any peer, so a slow receiver slows
// its senders. A source is paused while more than InLimit bytes have arrived from it and are not
// delivered, so a slow program slows its sources: what it does not take stays in the connection.
// Machines were checked with channels of any length, so pausing must never stop a run: a program
// that can take no step hears everything, and one that is stopped by a slow peer for StuckAfter,
// without a byte moving, too.
//
// # What it does not do
//
// Detect failures (the mesh tells of broken connections, Notices passes them on; Input gives the
// machine what a detector decides), restart processes (a machine that rolls back ends its turn with
// ErrRollback, and Restart goes on with another one), record a trace (Observe sees every step),
// keep watchdogs. Stable storage is whatever implements Store; a step that persists waits for it.
package node
