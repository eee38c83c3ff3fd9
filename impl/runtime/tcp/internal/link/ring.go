package link

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// Layout of the memory that two processes share: a page of words that both sides watch, each on
// lines of its own (two, because processors fetch lines in pairs), then the two rings. Direction 0
// is written by the side that made the memory.
const (
	ringPage    = 4096
	ringWords   = 2048 // of one direction
	wordHead    = 128  // bytes consumed by the reader
	wordAsleep  = 256  // 1: the reader waits at the connection for a bell
	wordWaiting = 384  // 1: the writer does, for room
	wordClosed  = 512  // 1: the writer has ended the link, what it has lent may change
	// process, descriptor and size of the memory that the writer lends from, then 1 if the reader
	// sees it
	wordLoan = 640
	// of direction 0: of the rings; of both: of the memory to lend from, behind it
	proofAt   = 1024
	proofSize = 32
)

// pieceSize is how much of a large payload is published at once, so that the reader works at the
// same time as the writer.
const pieceSize = 8 << 10

// minRing is the least size of a ring: several times the longest unit.
const minRing = 64 << 10

// direction is one ring: a single-producer single-consumer sequence of units, which are frames or
// parts of frames. A unit begins with the words of its header on a line of its own and never wraps
// around; what is too short at the end of the ring is a unit to skip.
//
// Nothing says how far the writer is but the units themselves: the first word of a header is
// written last, and is zero until then. So a small message moves one line from one processor to the
// other, not a line and the line of an index.
//
// Invariant: head <= the writer's position < head + len(data), and the first word at the writer's
// position is zero. The writer clears it before it publishes the unit that is in front of it; that
// takes a line of room behind the unit.
type direction struct {
	data                          []byte // a power of two
	head, asleep, waiting, closed *atomic.Uint64
}

// memorySize is what rings of so many bytes need.
func memorySize(ring int) int { return ringPage + 2*ring }

// wordIn is a word of the page of two directions.
func wordIn(memory []byte, number, at int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&memory[number*ringWords+at]))
}

// newDirection lays direction number over the memory.
func newDirection(memory []byte, number int) direction {
	ring := (len(memory) - ringPage) / 2
	if ring < minRing || ring&(ring-1) != 0 {
		panic(fmt.Sprintf("invariant: the size of a ring is a power of two, at least %d: %d",
			minRing, ring))
	}
	return direction{data: memory[ringPage+number*ring : ringPage+(number+1)*ring],
		head:   wordIn(memory, number, wordHead),
		asleep: wordIn(memory, number, wordAsleep), waiting: wordIn(memory, number, wordWaiting),
		closed: wordIn(memory, number, wordClosed)}
}

// words are the words of the header at a place. Only the first is shared while a unit is written;
// the others come before it.
func (d *direction) words(at uint64) (first *atomic.Uint64, second, third *uint64) {
	b := d.data[at : at+frame.Size]
	return (*atomic.Uint64)(unsafe.Pointer(&b[0])), (*uint64)(unsafe.Pointer(&b[8])),
		(*uint64)(unsafe.Pointer(&b[16]))
}

// ringWriter is the writing end. It trusts nothing that the other process writes beyond the
// invariant, which it checks.
type ringWriter struct {
	direction
	at   uint64 // bytes written
	seen uint64 // head as last read
}

// fits reports whether there is room for so many bytes and a line.
func (w *ringWriter) fits(n int) (bool, error) {
	size := uint64(len(w.data))
	if w.at-w.seen+uint64(n)+frame.Line <= size {
		return true, nil
	}
	if err := w.look(); err != nil {
		return false, err
	}
	return w.at-w.seen+uint64(n)+frame.Line <= size, nil
}

// look reads how far the reader is.
func (w *ringWriter) look() error {
	head := w.head.Load()
	if w.at-head > uint64(len(w.data)) || head < w.seen {
		return fmt.Errorf("%w: ring: %d bytes consumed of %d", ErrSequence, head, w.at)
	}
	w.seen = head
	return nil
}

// reserve returns the place of the next unit, of so many bytes, or nil if there is no room.
func (w *ringWriter) reserve(n int) ([]byte, error) {
	at := w.at & uint64(len(w.data)-1)
	rest := len(w.data) - int(at)
	if n <= rest {
		if ok, err := w.fits(n); !ok {
			return nil, err
		}
		return w.data[at : int(at)+n], nil
	}
	if ok, err := w.fits(rest + n); !ok {
		return nil, err
	}
	h := frame.Header{Form: frame.Skip, Kind: frame.Data}
	words := h.Words(nil)
	w.publish(rest, words[0], words[1], words[2])
	return w.data[:n], nil
}

// publish shows the reader the next unit, of so many bytes, all of which but the header is written.
func (w *ringWriter) publish(n int, first, second, third uint64) {
	mask := uint64(len(w.data) - 1)
	at := w.at & mask
	w.at += uint64(n)
	next := w.at & mask
	*(*uint64)(unsafe.Pointer(&w.data[next : next+frame.Line][0])) = 0
	a, b, c := w.words(at)
	*b, *c = second, third
	a.Store(first)
}

// bell reports whether the reader sleeps and must be woken, after a publish.
func (w *ringWriter) bell() bool {
	return w.asleep.Load() != 0 && w.asleep.CompareAndSwap(1, 0)
}

// ringReader is the reading end.
type ringReader struct {
	direction
	at    uint64 // bytes consumed
	shown uint64 // of them, shown to the writer
}

// next is the header of the next unit and the unit itself; false if none is published.
func (r *ringReader) next(limit int) (h frame.Header, unit []byte, ok bool, err error) {
	at := r.at & uint64(len(r.data)-1)
	first, second, third := r.words(at)
	word := first.Load()
	if word == 0 {
		return h, nil, false, nil
	}
	if h, err = (frame.Words{word, *second, *third}).Header(limit); err != nil {
		return h, nil, false, err
	}
	n := h.Room()
	if h.Form == frame.Skip {
		n = len(r.data) - int(at)
	}
	if n > len(r.data)-int(at) {
		return h, nil, false, fmt.Errorf("%w: ring: a unit of %d bytes at %d of %d",
			frame.ErrGarbage, n, at, len(r.data))
	}
	return h, r.data[at : int(at)+n], true, nil
}

// consume gives the writer the room of units of so many bytes: in large steps, or at once. It
// reports whether the writer sleeps and must be woken. What is not shown is less than a quarter of
// the ring, so a writer that waits finds room for any unit once all is read.
func (r *ringReader) consume(n int, now bool) (bell bool) {
	r.at += uint64(n)
	if !now && r.at-r.shown < uint64(len(r.data))/4 {
		return false
	}
	r.shown = r.at
	r.head.Store(r.at)
	return r.waiting.Load() != 0 && r.waiting.CompareAndSwap(1, 0)
}

// doze asks for a bell when something comes; it reports false if something has.
func (r *ringReader) doze() bool {
	r.asleep.Store(1)
	first, _, _ := r.words(r.at & uint64(len(r.data)-1))
	return first.Load() == 0
}
