package buffer_test

import (
	"bytes"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
)

// TestPieces takes more large buffers than may lie idle: none share bytes, all but the first are no
// allocations, and of those that are given back the system has all but what may lie idle, until
// they are taken again, where they were. It may make a large page of some that are its own, at any
// moment, so half of them may be in memory.
func TestPieces(t *testing.T) {
	const size, many = 256 << 10, 64
	p := buffer.Pool{Keep: 2 << 20}
	list := make([][]byte, many)
	where := map[*byte]bool{}
	fill := func() {
		for i := range list {
			list[i] = p.Get(size)
			for k := range list[i] {
				list[i][k] = byte(i)
			}
		}
		for i, b := range list {
			if bytes.Count(b, []byte{byte(i)}) != size {
				t.Fatalf("buffer %d has other bytes than were written to it", i)
			}
		}
	}
	if n := testing.AllocsPerRun(1, fill); n > 0 { // before that it has run once
		t.Errorf("%v allocations for %d buffers, want none", n, many)
	}
	for _, b := range list {
		where[&b[0]] = true
		p.Put(b)
	}
	if p.Idle() != 2<<20 {
		t.Errorf("%d bytes idle, want %d", p.Idle(), 2<<20)
	}
	if n := residentBytes(t, list); n < 2<<20 || n > many*size/2 {
		t.Errorf("%d bytes of memory behind idle buffers, want %d to %d", n, 2<<20, many*size/2)
	}
	fill()
	for _, b := range list {
		if !where[&b[0]] {
			t.Fatal("a buffer that nobody had before, want one that was given back")
		}
	}
	if p.Idle() != 0 {
		t.Errorf("%d bytes idle, want 0", p.Idle())
	}
}

// residentBytes are those of the pages of all buffers that are in memory.
func residentBytes(t *testing.T, list [][]byte) (n int) {
	page := unix.Getpagesize()
	for _, b := range list {
		skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
		b = b[skip:]
		b = b[:len(b)&^(page-1)]
		in := make([]byte, len(b)/page)
		if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&b[0])),
			uintptr(len(b)), uintptr(unsafe.Pointer(&in[0]))); errno != 0 {
			t.Fatal(errno)
		}
		for _, x := range in {
			n += int(x&1) * page
		}
	}
	return n
}
