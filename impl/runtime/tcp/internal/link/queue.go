package link

import (
	"errors"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// maxQueued bounds the bytes that a link copies and has not written: far beyond what a program can
// cause, because its driver stops it long before.
const maxQueued = 1 << 30

// ErrOverflow means that a peer takes nothing while more and more is sent to it.
var ErrOverflow = errors.New("too much queued for the peer")

// sink is where a queue is written. It takes as many bytes as fit now, from the front of the parts.
type sink interface {
	write(parts [][]byte) (int, error)
}

// segment is a run of bytes to be written: borrowed, or a range of the queue's own buffer.
type segment struct {
	borrowed []byte
	from, to int
}

// queue holds frames that wait to be written.
type queue struct {
	own      []byte
	segments []segment // from head on
	head     int
	written  int // bytes of the segment at head that are written
	bytes    int // not written yet
	borrowed int // segments that are borrowed
	sequence uint32
	parts    [][]byte
}

// maxParts bounds the parts of one write; the system's limit is 1024.
const maxParts = 64

// push queues a frame.
func (q *queue) push(h *frame.Header, extra, payload []byte) {
	h.Length, h.Sequence = len(payload), q.sequence
	q.sequence++
	q.makeRoom()
	from := len(q.own)
	q.own = frame.Append(q.own, h, extra)
	if len(payload) < frame.Large {
		q.own = append(q.own, payload...)
		q.own = frame.AppendPad(q.own, h)
		q.add(from)
	} else {
		q.add(from)
		q.segments = append(q.segments, segment{borrowed: payload})
		q.borrowed++
		if h.Pad() > 0 {
			from = len(q.own)
			q.own = frame.AppendPad(q.own, h)
			q.add(from)
		}
	}
	q.bytes += h.Total()
}

// add queues what was appended to the buffer from a position on, with what is before it if nothing
// lies between.
func (q *queue) add(from int) {
	if last := len(q.segments) - 1; last >= q.head {
		if s := &q.segments[last]; s.borrowed == nil && s.to == from {
			s.to = len(q.own)
			return
		}
	}
	q.segments = append(q.segments, segment{from: from, to: len(q.own)})
}

// makeRoom moves what is not written to the front of the buffers when at least half of them is
// behind us: then what moves is at most what was written since the last time.
func (q *queue) makeRoom() {
	if q.head > 0 && q.head*2 >= len(q.segments) {
		n := copy(q.segments, q.segments[q.head:])
		clear(q.segments[n:])
		q.segments, q.head = q.segments[:n], 0
	}
	first := len(q.own)
	for _, s := range q.segments[q.head:] {
		if s.borrowed == nil {
			first = s.from
			break
		}
	}
	if first == 0 || len(q.own)+frame.Large+frame.MaxExtra <= cap(q.own) || first*2 < len(q.own) {
		return
	}
	q.own = q.own[:copy(q.own, q.own[first:])]
	for i := range q.segments[q.head:] {
		if s := &q.segments[q.head+i]; s.borrowed == nil {
			s.from, s.to = s.from-first, s.to-first
		}
	}
}

// flush writes what the sink takes.
func (q *queue) flush(to sink) error {
	for q.bytes > 0 {
		q.gather()
		n, err := to.write(q.parts)
		whole := q.advance(n)
		if err != nil {
			return err
		}
		if !whole {
			break
		}
	}
	if len(q.own) > maxQueued {
		return ErrOverflow
	}
	return nil
}

// gather makes the parts of the next write.
func (q *queue) gather() {
	q.parts = q.parts[:0]
	skip := q.written
	for _, s := range q.segments[q.head:min(len(q.segments), q.head+maxParts)] {
		b := s.borrowed
		if b == nil {
			b = q.own[s.from:s.to]
		}
		q.parts = append(q.parts, b[skip:])
		skip = 0
	}
}

// advance notes that n bytes are written; it reports whether all parts are.
func (q *queue) advance(n int) bool {
	q.bytes -= n
	for _, part := range q.parts {
		if n < len(part) {
			q.written += n
			return false
		}
		n -= len(part)
		s := &q.segments[q.head]
		if s.borrowed != nil {
			q.borrowed--
			s.borrowed = nil
		}
		q.head, q.written = q.head+1, 0
	}
	if q.head == len(q.segments) {
		q.segments, q.head, q.own = q.segments[:0], 0, q.own[:0]
	}
	return true
}
