package link

import (
	"fmt"
	"io"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// readAhead is how much a connection reads at least, if it is there: large enough for many small
// frames, small enough that what is copied once more of a large payload does not count.
const readAhead = 32 << 10

// NewStream makes a link of a connected non-blocking descriptor, which belongs to it from now on.
func NewStream(descriptor int, c Config) *Link {
	e := &streamEnd{stream: *newStream(descriptor),
		parser: parser{limit: c.limit(), pool: c.Pool, incarnation: c.Peer}}
	return &Link{end: e, self: c.Self}
}

// streamEnd is a link over a connection: what waits to be written, the socket, and what makes
// frames of what comes.
type streamEnd struct {
	stream
	queue  queue
	parser parser
}

func (e *streamEnd) send(h *frame.Header, extra, payload []byte) { e.queue.push(h, extra, payload) }

func (e *streamEnd) flush() error {
	if e.queue.bytes == 0 {
		return nil
	}
	return e.queue.flush(&e.stream)
}

func (e *streamEnd) queued() int { return e.queue.bytes }
func (e *streamEnd) unsent() int {
	n, err := unix.IoctlGetInt(e.stream.fd, unix.SIOCOUTQ)
	if err != nil {
		n = 0 // it has ended, which others say
	}
	return e.queue.bytes + n
}

func (e *streamEnd) borrowed() int                    { return e.queue.borrowed }
func (e *streamEnd) receive(a *Arrival) (bool, error) { return e.parser.next(&e.stream, a) }

func (e *streamEnd) dry() bool { return e.stream.short && e.stream.from == e.stream.to }

func (e *streamEnd) descriptor() int { return e.stream.fd }
func (e *streamEnd) doze(bool) bool  { return true }
func (e *streamEnd) wake()           {}
func (e *streamEnd) attend() error   { return nil }

func (e *streamEnd) close() error {
	e.parser.drop()
	e.queue = queue{}
	return unix.Close(e.stream.fd)
}

// stream is a connected socket. It is read and written by raw system calls: they never block, so
// the Go scheduler need not know, which is a good part of the latency of a small message.
type stream struct {
	fd       int
	buffer   []byte
	from, to int  // the window
	short    bool // the last read took all that was there
	vector   [maxParts]unix.Iovec
	pair     [2]unix.Iovec
}

func newStream(fd int) *stream { return &stream{fd: fd, buffer: make([]byte, readAhead)} }

func (s *stream) window() []byte { return s.buffer[s.from:s.to] }

func (s *stream) consume(n int) {
	if s.from += n; s.from == s.to {
		s.from, s.to = 0, 0
	}
}

// more reads; the rest of a payload comes first, what follows it goes to the buffer in the same
// call.
func (s *stream) more(rest []byte) (n int, came bool, err error) {
	if s.from > 0 {
		s.from, s.to = 0, copy(s.buffer, s.buffer[s.from:s.to])
	}
	into := s.buffer[s.to:]
	for {
		var count uintptr
		var errno unix.Errno
		if len(rest) > 0 {
			s.pair[0].Base, s.pair[1].Base = &rest[0], &into[0]
			s.pair[0].SetLen(len(rest))
			s.pair[1].SetLen(len(into))
			count, _, errno = unix.RawSyscall(unix.SYS_READV, uintptr(s.fd),
				uintptr(unsafe.Pointer(&s.pair[0])), 2)
			s.pair[0].Base = nil
		} else {
			count, _, errno = unix.RawSyscall(unix.SYS_READ, uintptr(s.fd),
				uintptr(unsafe.Pointer(&into[0])), uintptr(len(into)))
		}
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN:
			return 0, false, nil
		case errno != 0:
			return 0, false, fmt.Errorf("read: %w", errno)
		case count == 0:
			return 0, false, io.EOF
		}
		s.short = int(count) < len(rest)+len(into)
		n = min(int(count), len(rest))
		s.to += int(count) - n
		return n, true, nil
	}
}

func (s *stream) write(parts [][]byte) (int, error) {
	for {
		var count uintptr
		var errno unix.Errno
		if len(parts) == 1 {
			count, _, errno = unix.RawSyscall(unix.SYS_WRITE, uintptr(s.fd),
				uintptr(unsafe.Pointer(&parts[0][0])), uintptr(len(parts[0])))
		} else {
			for i, part := range parts {
				s.vector[i].Base = &part[0]
				s.vector[i].SetLen(len(part))
			}
			count, _, errno = unix.RawSyscall(unix.SYS_WRITEV, uintptr(s.fd),
				uintptr(unsafe.Pointer(&s.vector[0])), uintptr(len(parts)))
			clear(s.vector[:len(parts)])
		}
		switch errno {
		case 0:
			return int(count), nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, nil
		default:
			return 0, fmt.Errorf("write: %w", errno)
		}
	}
}
