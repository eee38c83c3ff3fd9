package link

import (
	"fmt"
	"io"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Memory is what two processes of one host share: a file without a name, which is gone with the last of them whatever happens.
type Memory struct {
	fd   int
	data []byte
}

// NewMemory makes memory for two rings of so many bytes each, a power of two of at least 64 KiB.
func NewMemory(ring int) (*Memory, error) {
	if ring < minRing || ring&(ring-1) != 0 {
		return nil, fmt.Errorf("shared memory: ring of %d bytes, want a power of two, at least %d", ring, minRing)
	}
	fd, err := unix.MemfdCreate("domino", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	if err := unix.Ftruncate(fd, int64(memorySize(ring))); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return mapMemory(fd, memorySize(ring))
}

// OpenMemory opens what another process has made, at its Place.
func OpenMemory(pid, place, ring int) (*Memory, error) {
	name := fmt.Sprintf("/proc/%d/fd/%d", pid, place)
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0) // whatever it is, opening it must not wait
	if err != nil {
		return nil, fmt.Errorf("shared memory %s: %w", name, err)
	}
	var status unix.Stat_t
	if err := unix.Fstat(fd, &status); err != nil || status.Size != int64(memorySize(ring)) {
		unix.Close(fd)
		return nil, fmt.Errorf("shared memory %s: %d bytes, want %d (%v)", name, status.Size, memorySize(ring), err)
	}
	return mapMemory(fd, memorySize(ring))
}

func mapMemory(fd, size int) (*Memory, error) {
	data, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return &Memory{fd: fd, data: data}, nil
}

// Place is where a process of the same user on the same host finds the memory, until Seal: the process and its descriptor.
func (m *Memory) Place() (pid, fd int) { return unix.Getpid(), m.fd }

// Proof is a place in the memory for a few bytes by which both sides see that it is the same.
func (m *Memory) Proof() []byte { return m.data[:32] }

// Seal closes the descriptor: the memory stays.
func (m *Memory) Seal() error {
	fd := m.fd
	if m.fd = -1; fd < 0 {
		return nil
	}
	return unix.Close(fd)
}

// Close lets the memory go.
func (m *Memory) Close() error {
	m.Seal()
	data := m.data
	if m.data = nil; data == nil {
		return nil
	}
	return unix.Munmap(data)
}

// NewShared makes a link of shared memory and of a connected non-blocking descriptor; both belong to it from now on. The side that
// made the memory says so.
func NewShared(descriptor int, memory *Memory, maker bool, c Config) *Link {
	memory.Seal()
	out, in := newDirection(memory.data, 0), newDirection(memory.data, 1)
	if !maker {
		out, in = in, out
	}
	s := &shared{fd: descriptor, memory: memory, out: ringWriter{direction: out}, in: ringReader{direction: in}}
	s.bell = s.ring
	return newLink(c, s, true)
}

// shared is a pair of rings and the connection beside them, which carries bells and ends with the process.
type shared struct {
	fd     int
	memory *Memory
	out    ringWriter
	in     ringReader
	gone   error // how the connection ended
	bell   func() error
}

func (s *shared) descriptor() int { return s.fd }

func (s *shared) close() error {
	err := unix.Close(s.fd)
	if e := s.memory.Close(); err == nil {
		err = e
	}
	return err
}

func (s *shared) window() []byte { return s.in.window() }

// consume shows the writer room in large steps, the rest when nothing is left to read.
func (s *shared) consume(n int) {
	if s.in.at += uint64(n); s.in.at-s.in.shown >= uint64(len(s.in.data))/4 {
		s.in.show(s.bell) // an error of the bell is an error of the connection, which attend sees
	}
}

func (s *shared) more([]byte) (n int, came bool, err error) {
	if came, err = s.in.look(); came || err != nil {
		return 0, came, err
	}
	if s.gone != nil {
		if came, err = s.in.look(); came || err != nil { // the last words came before the end
			return 0, came, err
		}
		return 0, false, s.gone
	}
	s.in.show(s.bell)
	return 0, false, nil
}

func (s *shared) write(parts [][]byte) (int, error) {
	if s.gone != nil {
		return 0, s.gone
	}
	return s.out.write(parts, s.bell)
}

// bellByte is the content of every bell.
var bellByte = [1]byte{1}

// ring wakes the other side. A full socket buffer is fine: it holds bells enough. A dead peer is found by attend.
func (s *shared) ring() error {
	unix.RawSyscall(unix.SYS_WRITE, uintptr(s.fd), uintptr(unsafe.Pointer(&bellByte[0])), 1)
	return nil
}

func (s *shared) doze(reading, writing bool) bool {
	quiet := !reading || s.in.doze()
	return (!writing || s.out.doze()) && quiet && (s.gone == nil || !reading)
}

func (s *shared) wake() {
	s.in.asleep.Store(0)
	s.out.waiting.Store(0)
}

// attend takes the bells from the connection and sees its end.
func (s *shared) attend() error {
	var bells [64]byte
	for s.gone == nil {
		count, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(&bells[0])), uintptr(len(bells)))
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
