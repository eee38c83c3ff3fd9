// Package link carries frames between two processes, over a TCP connection or, between processes of
// one host, over a pair of rings in shared memory with a connection beside them.
//
// A Link is owned by one thread, which is the one that drives the machine: nothing on the path of a
// message is handed to another goroutine, nothing blocks, nothing is allocated once the buffers are
// warm. Send queues, Flush writes as much as the other side takes, Receive returns one frame that
// is complete. Waiting is the business of whoever owns several links (package mesh).
//
// # Shared memory
//
// Each direction is a ring of units with one writer and one reader. A unit is published by its own
// first word, so a small message moves one line between two processors. A payload of frame.Large
// bytes or more that lies in the sender's Arena, which the receiver has mapped, is not put into the
// ring: the receiver is told where it is, and copies it once. Any other goes through the ring in
// pieces, so that both sides copy at the same time.
//
// # Ownership
//
// A payload of frame.Large bytes or more is not copied by Send: the link borrows it until Borrowed
// is zero again, which for one that is lent is after the receiver has copied it. The payload of an
// Arrival comes from the pool and belongs to the caller; its extra is valid until the next Receive.
//
// # Bounds
//
// Send always takes a frame, because a machine emits all effects of a step or none; Queued says how
// much waits, and whoever drives a program stops it while that is too much. What a link buffers
// beyond the borrowed bytes is bounded by maxQueued, where it fails.
//
// # The end of a peer
//
// An orderly end is a Bye frame (ErrBye); without one the connection's end is io.EOF or an error of
// the system. In shared memory a dead process leaves no mark, so the connection beside the rings
// tells: what it had published before is still received, then io.EOF. So is what it had lent,
// unless it has ended the link itself before that was copied: then its bytes may have changed, and
// are not taken. Garbage, an oversized frame, a hole in the sequence or a frame of another
// incarnation end the link with an error.
package link
