package buffer_test

import (
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
)

// TestSizes takes and gives back buffers of every size in a range and around every power of two:
// large enough, at most a quarter too large, and the same buffer again for the same size.
func TestSizes(t *testing.T) {
	var sizes []int
	for n := range 3000 {
		sizes = append(sizes, n)
	}
	for shift := 12; shift <= 26; shift++ {
		sizes = append(sizes, 1<<shift-1, 1<<shift, 1<<shift+1)
	}
	var p buffer.Pool
	for _, n := range sizes {
		b := p.Get(n)
		if len(b) != n || cap(b) > max(64, n+n/4+1) {
			t.Fatalf("%d bytes: length %d, capacity %d", n, len(b), cap(b))
		}
		p.Put(b)
		again := p.Get(n)
		if cap(again) > 0 && &again[:1][0] != &b[:1][0] {
			t.Fatalf("%d bytes: another buffer than the one given back", n)
		}
		p.Put(again)
	}
	if p.InUse() != 0 {
		t.Errorf("%d buffers in use, want 0", p.InUse())
	}
}

// TestApart writes into many buffers at once: none may share bytes with another.
func TestApart(t *testing.T) {
	var p buffer.Pool
	var list [][]byte
	for i := range 500 {
		b := p.Get(i * 7 % 5000)
		b = b[:cap(b)]
		for k := range b {
			b[k] = byte(i)
		}
		list = append(list, b)
	}
	for i, b := range list {
		for k := range b {
			if b[k] != byte(i) {
				t.Fatalf("buffer %d has a byte of %d", i, b[k])
			}
		}
	}
}

// TestKeep gives more back than the pool may keep.
func TestKeep(t *testing.T) {
	p := buffer.Pool{Keep: 1 << 20}
	var list [][]byte
	for range 10 {
		list = append(list, p.Get(1<<18))
	}
	for _, b := range list {
		p.Put(b)
	}
	if p.Idle() > 1<<20 || p.Idle() == 0 {
		t.Errorf("%d bytes idle, want some, at most %d", p.Idle(), 1<<20)
	}
}

// TestForeign puts what no pool has made.
func TestForeign(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a foreign buffer was accepted")
		}
	}()
	new(buffer.Pool).Put(make([]byte, 100))
}

// TestNoAllocation: a warm pool allocates nothing.
func TestNoAllocation(t *testing.T) {
	var p buffer.Pool
	if n := testing.AllocsPerRun(100, func() {
		for _, size := range []int{8, 1000, 100_000} {
			p.Put(p.Get(size))
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// TestReserve takes more than was made ready: until then nothing is allocated, behind it buffers
// come from the heap, and none share bytes.
func TestReserve(t *testing.T) {
	var p buffer.Pool
	p.Reserve(1 << 20)
	var list [][]byte
	take := func(sizes ...int) {
		for _, n := range sizes {
			b := p.Get(n)[:n]
			for k := range b {
				b[k] = byte(len(list))
			}
			list = append(list, b)
		}
	}
	take(100_000, 64) // and the lists of the pool
	list = make([][]byte, 0, 100)
	if n := testing.AllocsPerRun(1, func() { take(100_000, 64, 8192, 3) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	take(500_000, 500_000, 1000, 70_000)
	for i, b := range list {
		for k := range b {
			if b[k] != byte(i) {
				t.Fatalf("buffer %d has a byte of %d", i, b[k])
			}
		}
	}
}
