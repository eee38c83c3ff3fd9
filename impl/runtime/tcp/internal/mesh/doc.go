// Package mesh connects every process of a run with every other: one link a pair, over any list of
// addresses.
//
// # Joining
//
// Each process listens; whoever starts dials the processes with a lower number, whoever restarts
// dials all. A Rendezvous tells them the addresses when ports are chosen by the system; a fixed
// list of addresses does as well. Every connection begins with a handshake in which both sides
// prove that they know the secret of the run (HMAC-SHA-256 over both sides' names, lives and
// nonces, which are fresh) before either believes a word; a stranger, another run, garbage or
// silence is refused and reported as a Notice, and the run goes on. Processes of one host then try
// to share memory.
//
// # Lives
//
// A connection is between one life of a proc and one of another, never repaired: when it breaks,
// the peer's life is lost to us, and only a higher incarnation can connect again. That one fences
// the old: its link is closed before the new one opens, its attempts to come back are answered with
// ErrFenced. So a channel is FIFO and reliable while it lasts, as the protocols are promised, and
// of what a dead process had sent a prefix arrives.
//
// # Lent memory
//
// With Config.Lend the pool cuts large buffers from an arena that processes of this host see, and a
// payload in it is copied once, by its receiver, where the ring costs a second copy. An arena never
// gets anything back: its bytes stay in use, or in the pool, as long as the process lives. So this
// is for whoever puts back all that he gets. Package netpipe does. Package cluster does not, and
// leaves it off, for two reasons. A node learns only whether anything at all is on loan (Borrowed):
// what it has to give back waits until nothing is, which with many busy peers may be never, and of
// what waits it keeps 4,096 buffers and leaves the rest to the garbage collector, which does not
// have an arena. And a protocol may drop payloads without giving them back (core.Memory allows it),
// as one does that rolls back. What is lost stays memory of the machine, of 16 GiB at most a
// process; then buffers come from the heap again. To use it there, each link would have to count
// what it lent and what was copied, which is in order, so that a node can give back what was on
// loan before a mark, and the arena would need an owner who knows what is lost.
//
// # Threads
//
// A Mesh belongs to one thread, which should be locked (runtime.LockOSThread): Send, Flush, Next.
// Only handshakes run in goroutines of their own; finished connections come to the owner through an
// inbox. Next waits in three stages: it polls, polls and yields the processor, blocks; Patience
// says how long, PatienceFor chooses by processes per core.
package mesh
