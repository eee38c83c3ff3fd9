package link

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// lendWindow bounds the bytes that a peer has been told of and has not copied, unless it is one
// payload: what is beyond waits in the queue.
const lendWindow = 1 << 20

// NewShared makes a link of shared memory and of a connected non-blocking descriptor; both belong
// to it from now on. The side that made the memory says so.
func NewShared(descriptor int, memory *Memory, maker bool, c Config) *Link {
	memory.Seal()
	ours := sideOf(maker)
	s := &sharedEnd{fd: descriptor, memory: memory, pool: c.Pool, limit: c.limit(), peer: c.Peer,
		sees: wordIn(memory.data, ours, wordLoan+24)}
	s.out.direction, s.in.direction = newDirection(memory.data, ours),
		newDirection(memory.data, 1-ours)
	return &Link{end: s, self: c.Self, shared: true}
}

// sharedEnd is a pair of rings and the connection beside them, which carries bells and ends with
// the process.
type sharedEnd struct {
	fd     int
	memory *Memory
	pool   *buffer.Pool
	limit  int
	peer   uint32 // incarnation
	gone   error  // how the connection ended
	closed bool

	in       ringReader
	expected uint32 // sequence number of the next frame
	extra    [frame.MaxExtra]byte
	header   frame.Header // of the frame whose pieces come
	payload  []byte       // of it
	got      int
	ended    bool

	out      ringWriter
	sequence uint32
	sees     *atomic.Uint64 // 1: the peer sees our arena
	pending  []outgoing     // from first on
	first    int
	own      int    // bytes of copies that are pending
	waits    int    // bytes pending
	large    int    // pending frames whose payload belongs to the caller
	lent     []loan // from paid on
	paid     int
	owed     int // bytes lent
}

// outgoing is a frame that the ring does not take yet.
type outgoing struct {
	header         frame.Header
	extra, payload []byte // the extra, and a payload that is not large, from the pool
	begun          bool
	done           int // bytes of the payload that are published
}

// loan is a payload that the peer has been told of: it has copied it when it has consumed the ring
// up to the end of the unit.
type loan struct {
	end   uint64
	bytes int
}

// send hands a frame over if nothing is in front of it and there is room, and queues it otherwise.
func (s *sharedEnd) send(h *frame.Header, extra, payload []byte) {
	h.Length, h.Sequence, h.Extra = len(payload), s.sequence, len(extra)
	s.sequence++
	if s.first == len(s.pending) && len(payload) < frame.Large && s.gone == nil {
		if unit, err := s.out.reserve(h.Total()); unit != nil && err == nil {
			copy(unit[frame.Size:], extra)
			copy(unit[h.Prefix():], payload)
			first, second, third := frame.Pack(frame.Whole, h.Kind, h.Note, h.Incarnation,
				h.Sequence, extra, len(payload))
			s.out.publish(len(unit), first, second, third)
			if s.out.bell() {
				s.ring()
			}
			return
		}
	}
	o := outgoing{header: *h, payload: payload}
	if s.own += len(extra); len(extra) > 0 {
		o.extra = s.pool.Copy(extra)
	}
	if len(payload) >= frame.Large {
		s.large++
	} else if s.own += len(payload); len(payload) > 0 {
		o.payload = s.pool.Copy(payload)
	}
	s.pending = append(s.pending, o)
	s.waits += h.Total()
	if s.first == len(s.pending)-1 && s.gone == nil {
		s.flush() // an error comes again
	}
}

func (s *sharedEnd) flush() error {
	if s.first == len(s.pending) {
		return nil
	}
	if s.gone != nil {
		return s.gone
	}
	before := s.out.at
	err := s.advance()
	if s.out.at != before && s.out.bell() {
		s.ring()
	}
	if err == nil && s.own > maxQueued {
		err = ErrOverflow
	}
	return err
}

// advance publishes what there is room for.
func (s *sharedEnd) advance() error {
	for s.first < len(s.pending) {
		o := &s.pending[s.first]
		done, err := s.put(o)
		if err != nil || !done {
			return err
		}
		s.waits -= o.header.Total()
		s.drop(o)
		if s.first++; s.first == len(s.pending) {
			s.pending, s.first = s.pending[:0], 0
		} else if s.first*2 >= len(s.pending) && s.first >= 16 {
			n := copy(s.pending, s.pending[s.first:])
			clear(s.pending[n:])
			s.pending, s.first = s.pending[:n], 0
		}
	}
	return nil
}

// drop gives back what belongs to the link.
func (s *sharedEnd) drop(o *outgoing) {
	if s.own -= len(o.extra); len(o.extra) > 0 {
		s.pool.Put(o.extra)
	}
	if len(o.payload) >= frame.Large {
		s.large--
	} else if s.own -= len(o.payload); len(o.payload) > 0 {
		s.pool.Put(o.payload)
	}
	o.extra, o.payload = nil, nil
}

// put publishes a frame, or goes on with it; it reports whether all of it is published.
func (s *sharedEnd) put(o *outgoing) (bool, error) {
	if o.begun {
		return s.pieces(o)
	}
	h := &o.header
	offset, lends := uint64(0), false
	if len(o.payload) >= frame.Large {
		if h.Form = frame.First; s.sees.Load() == 1 {
			if offset, lends = s.memory.arena.find(o.payload); lends {
				h.Form = frame.Lent
			}
		}
	}
	if lends {
		if err := s.settle(); err != nil || s.owed > 0 && s.owed+h.Length > lendWindow {
			return false, err
		}
	}
	unit, err := s.out.reserve(h.Room())
	if unit == nil || err != nil {
		return false, err
	}
	at := frame.Size + copy(unit[frame.Size:], o.extra)
	switch h.Form {
	case frame.Lent:
		binary.LittleEndian.PutUint64(unit[at:], offset)
	case frame.First:
		o.begun = true
	default:
		copy(unit[h.Prefix():], o.payload)
	}
	words := h.Words(o.extra)
	s.out.publish(len(unit), words[0], words[1], words[2])
	if lends {
		s.lent = append(s.lent, loan{s.out.at, h.Length})
		s.owed += h.Length
	}
	if o.begun {
		return s.pieces(o)
	}
	return true, nil
}

// pieces publishes a payload in pieces.
func (s *sharedEnd) pieces(o *outgoing) (bool, error) {
	for o.done < len(o.payload) {
		piece := o.payload[o.done:min(len(o.payload), o.done+pieceSize)]
		h := frame.Header{Form: frame.Piece, Kind: o.header.Kind, Incarnation: o.header.Incarnation,
			Sequence: o.header.Sequence, Length: len(piece)}
		unit, err := s.out.reserve(h.Room())
		if unit == nil || err != nil {
			return false, err
		}
		copy(unit[frame.Line:], piece)
		words := h.Words(nil)
		s.out.publish(len(unit), words[0], words[1], words[2])
		if o.done += len(piece); s.out.bell() {
			s.ring()
		}
	}
	return true, nil
}

// settle notes which loans the peer has copied.
func (s *sharedEnd) settle() error {
	if s.paid == len(s.lent) {
		return nil
	}
	if err := s.out.look(); err != nil {
		return err
	}
	for s.paid < len(s.lent) && s.lent[s.paid].end <= s.out.seen {
		s.owed -= s.lent[s.paid].bytes
		s.paid++
	}
	switch {
	case s.paid == len(s.lent):
		s.lent, s.paid = s.lent[:0], 0
	case s.paid >= 16 && s.paid*2 >= len(s.lent):
		s.lent, s.paid = s.lent[:copy(s.lent, s.lent[s.paid:])], 0
	}
	return nil
}

func (s *sharedEnd) queued() int {
	if s.first == len(s.pending) {
		return 0
	}
	return s.waits - s.pending[s.first].done
}

func (s *sharedEnd) unsent() int { return s.queued() + int(s.out.at-s.out.head.Load()) }

func (s *sharedEnd) borrowed() int {
	if s.settle() != nil {
		return s.large // the link is broken, which flush or receive will say
	}
	return s.large + len(s.lent) - s.paid
}

// receive takes the next frame. One that is not large, by far the most frequent, is taken in one
// go.
func (s *sharedEnd) receive(a *Arrival) (bool, error) {
	at := s.in.at & uint64(len(s.in.data)-1)
	w0, w1, w2 := s.in.words(at)
	first := w0.Load()
	if first == 0 {
		if s.ended {
			return false, ErrBye
		}
		return false, s.gone // what the peer published before its end came first
	}
	second, third := *w1, *w2
	extra, length, ok := frame.Small(first, second, third, s.limit)
	content := s.in.data[at:]
	if !ok || second != uint64(s.peer)|uint64(s.expected)<<32 || s.payload != nil ||
		2*frame.Line+extra+length > len(content) {
		return s.any(a)
	}
	copy(s.extra[:extra], content[frame.Size:])
	a.Header.Unpack(first, second, third)
	a.Extra, a.Payload = s.extra[:extra], nil
	if err := a.Header.CheckExtra(a.Extra); err != nil {
		return false, err
	}
	if length > 0 {
		a.Payload = s.pool.Get(length)
		copy(a.Payload, content[a.Header.Prefix():])
	}
	s.expected++
	s.consume(a.Header.Total(), false)
	return true, nil
}

// any takes frames of all forms.
func (s *sharedEnd) any(a *Arrival) (bool, error) {
	for !s.ended {
		h, unit, ok, err := s.in.next(s.limit)
		if err != nil {
			return false, err
		}
		if !ok {
			return false, s.gone // what the peer published before its end came first
		}
		if h.Form == frame.Skip {
			s.consume(len(unit), false)
			continue
		}
		if h.Form == frame.Piece {
			if ok, err := s.piece(&h, unit, a); ok || err != nil {
				return ok, err
			}
			continue
		}
		if err := s.begin(&h, unit); err != nil {
			return false, err
		}
		a.Header, a.Extra, a.Payload = h, s.extra[:h.Extra], nil
		done, now := true, false
		if h.Length > 0 {
			switch content := unit[frame.Size+h.Extra:]; h.Form {
			case frame.Whole:
				a.Payload = s.pool.Get(h.Length)
				copy(a.Payload, unit[h.Prefix():])
			case frame.Lent:
				if a.Payload, err = s.fetch(binary.LittleEndian.Uint64(content),
					h.Length); err != nil {
					return false, err
				}
				now = true
			case frame.First:
				s.header, s.payload, s.got, done = h, s.pool.Get(h.Length), 0, false
			}
		}
		s.expected++
		s.consume(len(unit), now)
		if h.Kind == frame.Bye {
			s.ended = true
			if a.Payload != nil {
				s.pool.Put(a.Payload)
			}
			break
		}
		if done {
			return true, nil
		}
	}
	return false, ErrBye
}

// begin checks the first unit of a frame and takes its extra.
func (s *sharedEnd) begin(h *frame.Header, unit []byte) error {
	if h.Sequence != s.expected || h.Incarnation != s.peer || s.payload != nil {
		return fmt.Errorf("%w: frame %d of incarnation %d, want %d of %d", ErrSequence, h.Sequence,
			h.Incarnation, s.expected, s.peer)
	}
	copy(s.extra[:h.Extra], unit[frame.Size:])
	if err := h.CheckExtra(s.extra[:h.Extra]); err != nil {
		return err
	}
	if (h.Form != frame.Whole) != (h.Length >= frame.Large) {
		return fmt.Errorf("%w: a payload of %d bytes in form %d", frame.ErrGarbage, h.Length,
			h.Form)
	}
	return nil
}

// piece takes a piece of a payload; it reports whether it was the last.
func (s *sharedEnd) piece(h *frame.Header, unit []byte, a *Arrival) (bool, error) {
	if s.payload == nil || h.Sequence != s.header.Sequence || h.Incarnation != s.peer ||
		h.Length == 0 || h.Length > len(s.payload)-s.got {
		return false, fmt.Errorf("%w: a piece of %d bytes of frame %d, after %d bytes of frame %d",
			ErrSequence, h.Length, h.Sequence, s.got, s.header.Sequence)
	}
	s.got += copy(s.payload[s.got:], unit[frame.Line:][:h.Length])
	s.consume(len(unit), false)
	if s.got < len(s.payload) {
		return false, nil
	}
	a.Header, a.Extra, a.Payload = s.header, s.extra[:s.header.Extra], s.payload
	s.payload = nil
	return true, nil
}

// fetch copies a payload out of the memory of the peer. If the peer has ended the link meanwhile,
// it may have changed what it had lent.
func (s *sharedEnd) fetch(offset uint64, length int) ([]byte, error) {
	theirs := s.memory.theirs
	if offset > uint64(len(theirs)) || uint64(length) > uint64(len(theirs))-offset {
		return nil, fmt.Errorf("%w: %d bytes lent at %d of %d", frame.ErrGarbage, length, offset,
			len(theirs))
	}
	payload := s.pool.Get(length)
	copy(payload, theirs[offset:])
	if s.in.closed.Load() != 0 {
		s.pool.Put(payload)
		return nil, io.EOF
	}
	return payload, nil
}

func (s *sharedEnd) consume(n int, now bool) {
	if s.in.consume(n, now) {
		s.ring()
	}
}

// bellByte is the content of every bell.
var bellByte = [1]byte{1}

// ring wakes the other side. A full socket buffer is fine: it holds bells enough. A dead peer is
// found by attend.
func (s *sharedEnd) ring() {
	unix.RawSyscall(unix.SYS_WRITE, uintptr(s.fd), uintptr(unsafe.Pointer(&bellByte[0])), 1)
}

func (s *sharedEnd) dry() bool       { return false }
func (s *sharedEnd) descriptor() int { return s.fd }

// doze asks for bells. A writer with something to write sleeps until the reader shows it room.
func (s *sharedEnd) doze(reading bool) bool {
	quiet := !reading || s.in.doze() && s.gone == nil
	if s.first == len(s.pending) || s.gone != nil {
		return quiet
	}
	s.out.waiting.Store(1)
	before := s.out.at
	if s.flush() != nil || s.first == len(s.pending) || s.out.at != before {
		return false // there was room after all
	}
	return quiet
}

func (s *sharedEnd) wake() {
	s.in.asleep.Store(0)
	s.out.waiting.Store(0)
}

// attend takes the bells from the connection and sees its end.
func (s *sharedEnd) attend() error {
	var bells [64]byte
	for s.gone == nil {
		count, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(s.fd),
			uintptr(unsafe.Pointer(&bells[0])), uintptr(len(bells)))
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			return nil
		case errno != 0:
			s.gone = fmt.Errorf("read: %w", errno)
		case count == 0:
			s.gone = io.EOF
		case int(count) < len(bells):
			return nil
		}
	}
	return s.gone
}

func (s *sharedEnd) close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	s.out.closed.Store(1)
	if s.payload != nil {
		s.pool.Put(s.payload)
		s.payload = nil
	}
	for i := range s.pending[s.first:] {
		s.drop(&s.pending[s.first+i])
	}
	s.pending, s.first, s.waits, s.lent, s.paid, s.owed = nil, 0, 0, nil, 0, 0
	err := unix.Close(s.fd)
	if e := s.memory.Close(); err == nil {
		err = e
	}
	return err
}
