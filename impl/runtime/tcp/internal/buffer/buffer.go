// Package buffer recycles byte slices, so that the data path of a cluster run allocates nothing
// once it is warm: payloads that arrive, and payloads that a message log keeps. A pool belongs to
// one thread.
package buffer

import (
	"fmt"
	"math/bits"
)

const (
	smallest = 6         // of classes: 64 bytes
	largest  = 32        // 4 GiB
	slab     = 64 << 10  // what small buffers are cut from
	large    = 8 << 10   // buffers from here on come from the source, or from pieces
	few      = 1 << 20   // bytes of large buffers that a pool has from the heap, before any piece
	piece    = 256 << 20 // of addresses; buffers of more than a quarter come from the heap
	classes  = (largest-smallest)*4 + 1
)

// Pool is a free list for each size class; there are four classes to an octave, so at most a
// quarter of a buffer is unused.
type Pool struct {
	// bytes that may lie idle; what is put beyond that goes to the garbage collector, or of pieces
	// to the system. 0 means 1 GiB
	Keep int
	// Source gives the memory of buffers of 8 KiB and more, nil when it has no more; then, and
	// without a Source, it comes from the heap, or from pieces. What it gave is never let go.
	Source func(bytes int) []byte

	free  [classes][][]byte
	cold  [classes][][]byte // of pieces; the system has their pages
	idle  int
	inUse int
	slab  []byte
	ready []byte // see Reserve
	heap  int    // bytes of large buffers that came from the heap
	fresh []byte // the rest of a piece; nil: there is none yet
}

// Reserve makes memory for so many bytes of buffers and touches it: the first use of a page costs
// as much as copying it several times. It stays with the pool.
func (p *Pool) Reserve(bytes int) {
	const page = 4 << 10
	p.ready = make([]byte, bytes)
	huge(p.ready)
	for i := 0; i < bytes; i += page {
		p.ready[i] = 1
	}
}

// reserved is a piece of it, nil when there is not so much left.
func (p *Pool) reserved(size int) []byte {
	if len(p.ready) < size {
		return nil
	}
	b := p.ready[:size:size]
	p.ready = p.ready[size:]
	return b
}

// large is a large buffer that nobody had before. A log that grows takes new memory all the time,
// and the first use of small pages costs more than what is copied there. So once a pool has some,
// more is cut from pieces: addresses that are memory from their first use on, in large pages, of
// which the collector knows nothing.
func (p *Pool) large(size int) []byte {
	if p.heap < few || size > piece/4 {
		p.heap += size
		return make([]byte, size)
	}
	if len(p.fresh) < size {
		next := pages(piece)
		if next == nil {
			return make([]byte, size)
		}
		p.fresh = next
	}
	b := p.fresh[:size:size]
	p.fresh = p.fresh[size:]
	return b
}

// class is the number of the smallest class that holds n bytes, and the size of its buffers.
func class(n int) (number, size int) {
	if n <= 1<<smallest {
		return 0, 1 << smallest
	}
	octave := bits.Len(uint(n-1)) - 1 // 1<<octave < n <= 2<<octave
	step := 1 << (octave - 2)
	quarter := (n - 1 - 1<<octave) / step // in [0, 4)
	return (octave-smallest)*4 + quarter + 1, 1<<octave + (quarter+1)*step
}

// Get returns a slice of n bytes with any content; n is in [0, 4 GiB].
func (p *Pool) Get(n int) []byte {
	number, size := class(n)
	if number >= classes {
		panic(fmt.Sprintf("invariant: a buffer has at most 4 GiB: %d bytes", n))
	}
	p.inUse++
	if b := pop(&p.free[number]); b != nil {
		p.idle -= size
		return b[:n]
	}
	if b := pop(&p.cold[number]); b != nil {
		return b[:n]
	}
	if p.Source != nil && size >= large {
		if b := p.Source(size); b != nil {
			return b[:n:size]
		}
	}
	if size > slab/16 {
		if b := p.reserved(size); b != nil {
			return b[:n]
		}
		if size >= large {
			return p.large(size)[:n]
		}
		return make([]byte, n, size)
	}
	if len(p.slab) < size {
		if p.slab = p.reserved(slab); p.slab == nil {
			p.slab = make([]byte, slab)
		}
	}
	b := p.slab[:n:size]
	p.slab = p.slab[size:]
	return b
}

// Put gives back what Get returned, by its first byte; nobody may use it afterwards.
func (p *Pool) Put(b []byte) {
	number, size := class(cap(b))
	if size != cap(b) {
		panic(fmt.Sprintf("invariant: what is put into a pool came from one: capacity %d", cap(b)))
	}
	p.inUse--
	keep := p.Keep
	if keep == 0 {
		keep = 1 << 30
	}
	if p.idle+size <= keep || p.Source != nil && size >= large {
		p.idle += size
		p.free[number] = append(p.free[number], b[:0])
	} else if p.fresh != nil && size >= large && size <= piece/4 {
		forget(b[:size])
		p.cold[number] = append(p.cold[number], b[:0])
	}
}

// pop takes the newest of a list, nil if there is none.
func pop(list *[][]byte) []byte {
	last := len(*list) - 1
	if last < 0 {
		return nil
	}
	b := (*list)[last]
	(*list)[last] = nil
	*list = (*list)[:last]
	return b
}

// Copy is a buffer with the same bytes.
func (p *Pool) Copy(b []byte) []byte {
	c := p.Get(len(b))
	copy(c, b)
	return c
}

// InUse is how many buffers have been taken and not given back.
func (p *Pool) InUse() int { return p.inUse }

// Idle is how many bytes wait for use.
func (p *Pool) Idle() int { return p.idle }

// Fits reports whether the bytes may come from a pool: what a decoder or a test made mostly does
// not.
func Fits(b []byte) bool {
	number, size := class(cap(b))
	return number < classes && size == cap(b)
}
