// Package link carries frames between two processes, over a TCP connection or, between processes of one host, over a pair of
// rings in shared memory with a connection beside them.
//
// A Link is owned by one thread, which is the one that drives the machine: nothing on the path of a message is handed to
// another goroutine, nothing blocks, nothing is allocated once the buffers are warm. Send queues, Flush writes as much as the other side takes,
// Receive returns one frame that is complete. Waiting is the business of whoever owns several links (package mesh).
//
// # Ownership
//
// A payload of frame.Large bytes or more is not copied by Send: the link borrows it until Borrowed is zero again. The
// payload of an Arrival comes from the pool and belongs to the caller; its extra is valid until the next Receive.
//
// # Bounds
//
// Send always takes a frame, because a machine emits all effects of a step or none; Queued says how much waits, and whoever drives a
// program stops it while that is too much. What a link buffers beyond the borrowed bytes is bounded by maxQueued, where it fails.
//
// # The end of a peer
//
// An orderly end is a Bye frame (ErrBye); without one the connection's end is io.EOF or an error of the system. In shared
// memory a dead process leaves no mark, so the connection beside the rings tells: what it had published before is still received, then io.EOF.
// Garbage, an oversized frame, a hole in the sequence or a frame of another incarnation end the link with an error.
package link
