package link

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

// Layout of the memory that two processes share: a page of words that both sides watch, each on lines of its own (two, because
// processors fetch lines in pairs), then the two rings. Direction 0 is written by the side that made the memory.
const (
	ringPage    = 4096
	ringWords   = 1024 // of one direction
	wordTail    = 128  // bytes published by the writer
	wordHead    = 256  // bytes consumed by the reader
	wordAsleep  = 384  // 1: the reader waits at the connection for a bell
	wordWaiting = 512  // 1: the writer does, for room
)

// ringChunk is how much a writer copies before it publishes, so that the reader of a large payload works at the same time.
const ringChunk = 8 << 10

// minRing is the least size of a ring.
const minRing = 64 << 10

// direction is one ring: a single-producer single-consumer stream of bytes. Invariant: head <= tail <= head + len(data).
type direction struct {
	data                        []byte // a power of two
	tail, head, asleep, waiting *atomic.Uint64
}

// memorySize is what rings of so many bytes need.
func memorySize(ring int) int { return ringPage + 2*ring }

// newDirection lays direction number over the memory.
func newDirection(memory []byte, number int) direction {
	ring := (len(memory) - ringPage) / 2
	if ring <= 0 || ring&(ring-1) != 0 {
		panic(fmt.Sprintf("invariant: the size of a ring is a power of two: %d", ring))
	}
	word := func(at int) *atomic.Uint64 {
		return (*atomic.Uint64)(unsafe.Pointer(&memory[number*ringWords+at]))
	}
	return direction{data: memory[ringPage+number*ring : ringPage+(number+1)*ring],
		tail: word(wordTail), head: word(wordHead), asleep: word(wordAsleep), waiting: word(wordWaiting)}
}

// ringWriter is the writing end. It trusts nothing that the other process writes beyond the invariant, which it checks.
type ringWriter struct {
	direction
	at   uint64 // bytes written
	seen uint64 // head as last read
}

// write copies what fits and publishes it, a chunk at a time; bell is called when the reader sleeps.
func (w *ringWriter) write(parts [][]byte, bell func() error) (int, error) {
	size := uint64(len(w.data))
	total, open := 0, 0
	for _, part := range parts {
		for len(part) > 0 {
			room := size - (w.at - w.seen)
			if room < uint64(len(part)) {
				if w.seen = w.head.Load(); w.at-w.seen > size {
					return total, fmt.Errorf("%w: ring: %d bytes consumed of %d", ErrSequence, w.seen, w.at)
				}
				if room = size - (w.at - w.seen); room == 0 {
					return total, w.publish(bell)
				}
			}
			at := w.at & (size - 1)
			n := copy(w.data[at:min(size, at+room)], part[:min(len(part), ringChunk)])
			w.at += uint64(n)
			part = part[n:]
			total += n
			if open += n; open >= ringChunk {
				if err := w.publish(bell); err != nil {
					return total, err
				}
				open = 0
			}
		}
	}
	return total, w.publish(bell)
}

// publish shows the reader what was written.
func (w *ringWriter) publish(bell func() error) error {
	w.tail.Store(w.at)
	if w.asleep.Load() != 0 && w.asleep.CompareAndSwap(1, 0) {
		return bell()
	}
	return nil
}

// doze asks for a bell when there is room; it reports false if there is some already: at least a byte.
func (w *ringWriter) doze() bool {
	w.waiting.Store(1)
	w.seen = w.head.Load()
	return w.at-w.seen >= uint64(len(w.data))
}

// ringReader is the reading end.
type ringReader struct {
	direction
	at    uint64 // bytes consumed
	shown uint64 // of them, shown to the writer
	seen  uint64 // tail as last read
}

func (r *ringReader) window() []byte {
	size := uint64(len(r.data))
	at := r.at & (size - 1)
	return r.data[at:min(size, at+r.seen-r.at)]
}

// look reads the tail; it reports whether anything came.
func (r *ringReader) look() (bool, error) {
	tail := r.tail.Load()
	if tail == r.seen {
		return false, nil
	}
	if tail-r.at > uint64(len(r.data)) {
		return false, fmt.Errorf("%w: ring: %d bytes published, %d consumed", ErrSequence, tail, r.at)
	}
	r.seen = tail
	return true, nil
}

// show tells the writer what is consumed.
func (r *ringReader) show(bell func() error) error {
	if r.shown == r.at {
		return nil
	}
	r.shown = r.at
	r.head.Store(r.at)
	if r.waiting.Load() != 0 && r.waiting.CompareAndSwap(1, 0) {
		return bell()
	}
	return nil
}

// doze asks for a bell when something comes; it reports false if something has.
func (r *ringReader) doze() bool {
	r.asleep.Store(1)
	return r.tail.Load() == r.seen
}
