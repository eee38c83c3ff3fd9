// Package mesh connects processes of a run with each other: at most one link a pair, over any list
// of addresses, opened when somebody has something to say.
//
// # Joining
//
// Each process listens. A Rendezvous tells addresses when ports are chosen by the system; a fixed
// list of addresses does as well. Nobody is connected before somebody asks for it: Learn says where
// others are, Call asks for a connection with one of them, and whoever has called goes on until
// there is one, until the life that it calls is over (Fence), or until the mesh is closed. So a
// ring of any size needs two connections a process. Dial connects with a list at once.
//
// Every connection begins with a handshake in which both sides prove that they know the secret of
// the run (HMAC-SHA-256 over both sides' names, lives and nonces, which are fresh) before either
// believes a word; a stranger, another run or garbage is refused and reported as a Notice, and the
// run goes on. Processes of one host then try to share memory.
//
// # Lives
//
// A connection is between one life of a proc and one of another, never repaired: when it breaks,
// the peer's life is lost to us, and only a higher incarnation can connect again. That one fences
// the old: its link is closed before the new one opens, its attempts to come back are answered with
// ErrFenced. So a channel is FIFO and reliable while it lasts, as the protocols are promised, and
// of what a dead process had sent a prefix arrives.
//
// # Connections that are opened late
//
// What is promised of a connection must also hold of one that is not there yet. By cases:
//
//   - Never opened. Nothing was sent over it, so nothing can arrive of it: the prefix that arrives
//     of what the dead had sent is empty. What the owner keeps for it (a frame is kept until there
//     is a link) is of the sender's past, and is lost with the sender or with the receiver.
//   - Being opened when one side dies. The system closes both ends of what the dead had, so the
//     handshake fails, or has ended and the link is found broken. A link that waits in the inbox
//     when its life is fenced is closed and not looked at: again the empty prefix.
//   - An old life dials, or is dialed. Fence is the owner's word that all lives below one are over:
//     from then on none of them is admitted, none is dialed, a handshake under way does not come to
//     its end and an address of such a life is not believed. Without it an old life of a proc that
//     we had never met could be admitted, since what fences the others is a connection that we had.
//   - Both sides dial. The acceptor that dials too decides by numbers alone: the dial of the higher
//     proc wins, the other is told ErrDuplicate. Both sides judge by the same rule, so one dial
//     wins unless it fails for a reason of the network; then the loser, who goes on until there is
//     a link, is admitted at its next attempt, as nobody dials any more.
//   - Opened during a recovery. A link carries no order between connections, so it may bring news
//     that its receiver is not to know yet. That is as with links that have always been there, and
//     the owner's business (package cluster holds back what knows of a failure too early).
//
// # Bounds
//
// A mesh dials maxDials others at one time and carries on maxHandshakes handshakes of others; more
// wait. A handshake has a deadline that grows with the number of procs and with each attempt, and
// the pauses between attempts grow and are drawn, so that many who come at once do not come at once
// again. A connection on which nobody has said a word is a stranger's so far: it has a deadline of
// its own, and when there is no place the oldest of those is closed in favour of the newest, so
// that idle strangers, however many, keep nobody out. Of refused strangers the first are told one
// by one, the rest are counted (Strangers). A peer that ends in its handshake, or is slow, is
// neither: it was killed, or the machine is busy; who has called it says when it does not come.
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
