package certificate

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
)

// Room is what may be used to sort states.
type Room struct {
	Bytes  int64  // of memory, 0 = leastRoom
	Folder string // for what the memory has no room for, "" = that of the system
}

const leastRoom = 1 << 20

// sorter sorts states, in files when there are many.
type sorter struct {
	*layout
	room  Room
	data  []uint64
	files []*os.File
}

func (s *sorter) add(state []uint32) error {
	n := len(s.data)
	if int64(n+s.stride)*8 > max(s.room.Bytes, leastRoom) {
		if err := s.spill(); err != nil {
			return err
		}
		n = 0
	}
	if n+s.stride > cap(s.data) { // grown here, so that no more is taken than there is room for
		most := int(max(s.room.Bytes, leastRoom)/8) + s.stride
		s.data = slices.Grow(s.data, min(max(n, 1<<12), most-n))
	}
	s.data = s.data[:n+s.stride]
	if !s.pack(state, s.data[n:]) {
		panic("invariant: a state consists of what the tables have")
	}
	return nil
}

// spill writes what is in memory, sorted, to a file that nobody else can name.
func (s *sorter) spill() error {
	f, err := os.CreateTemp(s.room.Folder, "domino-")
	if err != nil {
		return fmt.Errorf("sort the states: %w", err)
	}
	s.files = append(s.files, f)
	if err := os.Remove(f.Name()); err != nil {
		return fmt.Errorf("sort the states: %w", err)
	}
	s.sort(s.data)
	w := bufio.NewWriterSize(f, 1<<16)
	var b [8]byte
	for _, n := range s.data {
		binary.LittleEndian.PutUint64(b[:], n)
		_, _ = w.Write(b[:]) // sticks
	}
	s.data = s.data[:0]
	if err := w.Flush(); err != nil {
		return fmt.Errorf("sort the states: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("sort the states: %w", err)
	}
	return nil
}

// close gives the files back.
func (s *sorter) close() {
	for _, f := range s.files {
		_ = f.Close() // it has no name any more
	}
}

// each visits all states in order; what it hands over is valid until the next one.
func (s *sorter) each(visit func(numbers []uint64) error) error {
	s.sort(s.data)
	if len(s.files) == 0 {
		for i := 0; i < len(s.data); i += s.stride {
			if err := visit(s.data[i : i+s.stride]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.data = nil
	var parts parts
	for _, f := range s.files {
		p := &part{r: bufio.NewReaderSize(f, 1<<16), head: make([]uint64, s.stride)}
		if err := p.advance(); err != nil {
			return fmt.Errorf("sort the states: %w", err)
		}
		parts = append(parts, p)
	}
	heap.Init(&parts)
	for len(parts) > 0 {
		if err := visit(parts[0].head); err != nil {
			return err
		}
		switch err := parts[0].advance(); err {
		case nil:
			heap.Fix(&parts, 0)
		case io.EOF:
			heap.Pop(&parts)
		default:
			return fmt.Errorf("sort the states: %w", err)
		}
	}
	return nil
}

// part is a sorted file at one of its states.
type part struct {
	r    *bufio.Reader
	head []uint64
}

// advance goes on to the next state; io.EOF says that there is none.
func (p *part) advance() error {
	var b [8]byte
	for i := range p.head {
		if _, err := io.ReadFull(p.r, b[:]); err != nil {
			if i > 0 {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		p.head[i] = binary.LittleEndian.Uint64(b[:])
	}
	return nil
}

// parts is a heap of files by the state at hand.
type parts []*part

func (h parts) Len() int           { return len(h) }
func (h parts) Less(i, j int) bool { return slices.Compare(h[i].head, h[j].head) < 0 }
func (h parts) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *parts) Push(x any)        { *h = append(*h, x.(*part)) }
func (h *parts) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
