package link

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Memory is what two processes of one host share: a file without a name, which is gone with the
// last of them whatever happens.
type Memory struct {
	fd     int
	data   []byte
	arena  *Arena // what we lend from; nil: nothing
	theirs []byte // what the other side lends from, read-only; nil: nothing
}

// NewMemory makes memory for two rings of so many bytes each, a power of two of at least 64 KiB.
func NewMemory(ring int) (*Memory, error) {
	if ring < minRing || ring&(ring-1) != 0 {
		return nil, fmt.Errorf("shared memory: ring of %d bytes, want a power of two, at least %d",
			ring, minRing)
	}
	fd, err := memoryFile(memorySize(ring))
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return mapMemory(fd, memorySize(ring))
}

// OpenMemory opens what another process has made, at its Place.
func OpenMemory(pid, place, ring int) (*Memory, error) {
	fd, err := openPlace(pid, place, memorySize(ring))
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return mapMemory(fd, memorySize(ring))
}

// openPlace opens a file of so many bytes of another process.
func openPlace(pid, place, size int) (int, error) {
	name := fmt.Sprintf("/proc/%d/fd/%d", pid, place)
	// whatever it is, opening it must not wait
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return -1, fmt.Errorf("%s: %w", name, err)
	}
	var status unix.Stat_t
	// what can become shorter could kill us
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err = errors.Join(err, unix.Fstat(fd, &status)); err != nil || status.Size != int64(size) ||
		seals&unix.F_SEAL_SHRINK == 0 {
		unix.Close(fd)
		return -1, fmt.Errorf("%s: %d bytes, want %d that stay (%v)", name, status.Size, size, err)
	}
	return fd, nil
}

func mapMemory(fd, size int) (*Memory, error) {
	data, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return &Memory{fd: fd, data: data}, nil
}

// Place is where a process of the same user on the same host finds the memory, until Seal: the
// process and its descriptor.
func (m *Memory) Place() (pid, fd int) { return unix.Getpid(), m.fd }

// Proof is a place in the memory for a few bytes by which both sides see that it is the same.
func (m *Memory) Proof() []byte { return m.data[proofAt:][:proofSize] }

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
	err := m.Seal()
	for _, data := range []*[]byte{&m.data, &m.theirs} {
		if *data != nil {
			err = errors.Join(err, unix.Munmap(*data))
			*data = nil
		}
	}
	return err
}
