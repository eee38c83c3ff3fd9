package link

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// Arena is memory of a process that its peers on the same host see, read-only: a payload in it
// travels by telling where it is, and is copied once, by the receiver. It is reserved as addresses
// only; a page is memory from its first use on.
//
// The bytes that it gives out are never given back: a buffer.Pool uses them again. It stays mapped
// as long as the process lives, because nobody knows who still refers to its bytes; the file behind
// it is closed by Close, and gone with the last process that has mapped it.
type Arena struct {
	fd   int
	data []byte
	at   int
}

// ArenaSize is what a process reserves unless there is a reason for less.
const ArenaSize = 16 << 30

// NewArena reserves so many bytes.
func NewArena(size int) (*Arena, error) {
	fd, err := memoryFile(size)
	if err != nil {
		return nil, fmt.Errorf("memory to lend: %w", err)
	}
	data, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("memory to lend: %w", err)
	}
	rand.Read(data[:proofSize])
	return &Arena{fd: fd, data: data, at: ringPage}, nil
}

// memoryFile makes a file without a name that nobody can make shorter, so that a mapping of it
// never breaks.
func memoryFile(size int) (int, error) {
	fd, err := unix.MemfdCreate("domino", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, err
	}
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// Cut returns so many bytes that nobody had before, or nil if there are no more.
func (a *Arena) Cut(n int) []byte {
	if n < 0 || n > len(a.data)-a.at {
		return nil
	}
	b := a.data[a.at : a.at+n : a.at+n]
	a.at = min(len(a.data), (a.at+n+frame.Line-1)&^(frame.Line-1))
	return b
}

// find is where bytes are; false if they are not in the arena.
func (a *Arena) find(b []byte) (offset uint64, ok bool) {
	if a == nil || len(b) == 0 {
		return 0, false
	}
	offset = uint64(uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&a.data[0])))
	return offset, offset < uint64(len(a.data))
}

// Close ends that new peers can see the arena.
func (a *Arena) Close() error {
	fd := a.fd
	if a.fd = -1; fd < 0 {
		return nil
	}
	return unix.Close(fd)
}

// Loan tells the other side where our memory to lend from is; nil: we have none. It comes before
// the other side's Borrow.
func (m *Memory) Loan(a *Arena, maker bool) {
	if a == nil || a.fd < 0 {
		return
	}
	side := sideOf(maker)
	m.arena = a
	copy(m.data[side*ringWords+proofAt+proofSize:][:proofSize], a.data[:proofSize])
	for i, value := range []int{unix.Getpid(), a.fd, len(a.data)} {
		wordIn(m.data, side, wordLoan+8*i).Store(uint64(value))
	}
}

// Borrow maps the memory that the other side lends from, if there is any and it can be seen from
// here; if not, nothing will be lent.
func (m *Memory) Borrow(maker bool) {
	side := 1 - sideOf(maker)
	word := func(i int) int { return int(wordIn(m.data, side, wordLoan+8*i).Load()) }
	if word(2) == 0 {
		return
	}
	fd, err := openPlace(word(0), word(1), word(2))
	if err != nil {
		return
	}
	defer unix.Close(fd)
	data, err := unix.Mmap(fd, 0, word(2), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return
	}
	if !bytes.Equal(data[:proofSize], m.data[side*ringWords+proofAt+proofSize:][:proofSize]) {
		unix.Munmap(data)
		return
	}
	m.theirs = data
	wordIn(m.data, side, wordLoan+24).Store(1)
}

// sideOf is the number of the direction that a side writes.
func sideOf(maker bool) int {
	if maker {
		return 0
	}
	return 1
}
