package link

import (
	"github.com/domino-check/domino/impl/tcp/buffer"
	"github.com/domino-check/domino/impl/tcp/frame"
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

// carrier is a way to move bytes between two processes: a connection, or rings with a connection beside them.
type carrier interface {
	source
	sink
	descriptor() int
	doze(reading, writing bool) bool
	wake()
	attend() error
	close() error
}

// Link is one end of the connection to one peer, of one life of it and one of ours. One thread uses it.
type Link struct {
	queue   queue
	parser  parser
	carrier carrier
	self    uint32
	shared  bool
}

func newLink(c Config, carrier carrier, shared bool) *Link {
	return &Link{carrier: carrier, self: c.Self, shared: shared,
		parser: parser{limit: c.limit(), pool: c.Pool, incarnation: c.Peer}}
}

// Send queues a frame. A payload of frame.Large bytes or more must not change while Borrowed is not zero.
func (l *Link) Send(kind frame.Kind, note uint8, extra, payload []byte) {
	h := frame.Header{Kind: kind, Note: note, Incarnation: l.self}
	l.queue.push(&h, extra, payload)
}

// Flush writes what the other side takes now; what it does not stays queued. It fails when the peer is gone, which Receive reports,
// too, after the last frame of the peer.
func (l *Link) Flush() error {
	if l.queue.bytes == 0 {
		return nil
	}
	return l.queue.flush(l.carrier)
}

// Queued is how many bytes wait to be written.
func (l *Link) Queued() int { return l.queue.bytes }

// Borrowed is how many payloads are queued that the link has not copied.
func (l *Link) Borrowed() int { return l.queue.borrowed }

// Receive completes one frame if its bytes have arrived. The errors say how the link ended, see the package comment; they come again.
func (l *Link) Receive(a *Arrival) (bool, error) { return l.parser.next(l.carrier, a) }

// Shared reports whether the frames go through shared memory.
func (l *Link) Shared() bool { return l.shared }

// Descriptor is readable when something may be there to receive: in shared memory only after Doze or at the end of the peer.
func (l *Link) Descriptor() int { return l.carrier.descriptor() }

// Doze prepares to wait for the descriptor; it reports false if something may be received, if that is asked for, or written, at
// once. Wake must follow.
func (l *Link) Doze(reading bool) bool { return l.carrier.doze(reading, l.queue.bytes > 0) }

// Wake ends what Doze has begun.
func (l *Link) Wake() { l.carrier.wake() }

// Attend must be called when the descriptor of a link in shared memory is readable: it learns of the end of the peer.
func (l *Link) Attend() error { return l.carrier.attend() }

// Close ends the link at once and gives back what it holds. What was queued is lost; see Finished.
func (l *Link) Close() error {
	l.parser.drop()
	l.queue = queue{}
	return l.carrier.close()
}
