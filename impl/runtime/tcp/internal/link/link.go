package link

import (
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// Config is what both kinds of links need.
type Config struct {
	Pool  *buffer.Pool
	Limit int    // longest payload that is accepted, at most 1<<32-1; 0 means 1 GiB
	Self  uint32 // incarnation of this side
	Peer  uint32 // and of the other
}

func (c *Config) limit() int {
	if c.Limit == 0 {
		return 1 << 30
	}
	return c.Limit
}

// end is what the two kinds of links do in ways of their own; the methods are those of Link.
type end interface {
	send(h *frame.Header, extra, payload []byte)
	flush() error
	queued() int
	unsent() int
	borrowed() int
	receive(a *Arrival) (bool, error)
	dry() bool
	descriptor() int
	doze(reading bool) bool
	wake()
	attend() error
	close() error
}

// Link is one end of the connection to one peer, of one life of it and one of ours. One thread uses
// it.
type Link struct {
	end    end
	header frame.Header // of the frame that is sent: here, so that it does not go to the heap
	self   uint32
	shared bool
}

// Send queues a frame, or hands it over at once. A payload of frame.Large bytes or more must not
// change while Borrowed is not zero.
func (l *Link) Send(kind frame.Kind, note uint8, extra, payload []byte) {
	l.header = frame.Header{Kind: kind, Note: note, Incarnation: l.self}
	l.end.send(&l.header, extra, payload)
}

// Flush writes what the other side takes now; what it does not stays queued. It fails when the peer
// is gone, which Receive reports, too, after the last frame of the peer.
func (l *Link) Flush() error { return l.end.flush() }

// Queued is how many bytes wait to be written.
func (l *Link) Queued() int { return l.end.queued() }

// Unsent is how many bytes the other side has not taken, as far as that can be told: what is
// queued, and what is in the buffers of the system and not acknowledged, or in shared memory and
// not read. It asks the system.
func (l *Link) Unsent() int { return l.end.unsent() }

// Borrowed is how many payloads are queued that the link has not copied, or that the peer has been
// told of and has not copied.
func (l *Link) Borrowed() int { return l.end.borrowed() }

// Receive completes one frame if its bytes have arrived. The errors say how the link ended, see the
// package comment; they come again.
func (l *Link) Receive(a *Arrival) (bool, error) { return l.end.receive(a) }

// Dry reports whether all that had arrived at the last look has been received, so that Descriptor
// says when there is more. In shared memory it never is.
func (l *Link) Dry() bool { return l.end.dry() }

// Shared reports whether the frames go through shared memory.
func (l *Link) Shared() bool { return l.shared }

// Descriptor is readable when something may be there to receive: in shared memory only after Doze
// or at the end of the peer.
func (l *Link) Descriptor() int { return l.end.descriptor() }

// Doze prepares to wait for the descriptor; it reports false if something may be received, if that
// is asked for, or written, at once. Wake must follow.
func (l *Link) Doze(reading bool) bool { return l.end.doze(reading) }

// Wake ends what Doze has begun.
func (l *Link) Wake() { l.end.wake() }

// Attend must be called when the descriptor of a link in shared memory is readable: it learns of
// the end of the peer.
func (l *Link) Attend() error { return l.end.attend() }

// Close ends the link at once and gives back what it holds. What was queued is lost, and so is what
// is Borrowed unless the peer has copied it.
func (l *Link) Close() error { return l.end.close() }
