package certificate

import (
	"bufio"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// A file is a line that names its format, the header as a line of JSON, the deflated body, and the
// SHA-256 of all that.
const (
	magic  = "domino certificate, format "
	format = magic + "3\n"
)

// Write writes a certificate. The states come in any order, each once, and consist of what the
// tables have; the tables are sorted (Sorted). What is written depends on nothing else.
func Write(w io.Writer, h *Header, t *Tables, states iter.Seq[[]uint32], room Room) error {
	s := sorter{layout: newLayout(t.counts()), room: room}
	defer s.close()
	count := uint64(0)
	for state := range states {
		if err := s.add(state); err != nil {
			return err
		}
		count++
	}
	sum := sha256.New()
	b := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	head, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("write the header: %w", err)
	}
	_, _ = b.WriteString(format + string(head) + "\n") // sticks
	packed, err := flate.NewWriter(b, flate.DefaultCompression)
	if err != nil {
		return err
	}
	body := &bodyWriter{w: bufio.NewWriterSize(packed, 1<<16)}
	for _, l := range t.lists() {
		body.table(l)
	}
	body.number(count)
	last, state := make([]uint32, len(s.fields)), make([]uint32, len(s.fields))
	first := true
	err = s.each(func(numbers []uint64) error {
		if s.unpack(numbers, state); !first && slices.Equal(state, last) {
			return fmt.Errorf("state %v is there twice", state)
		}
		first = false
		body.state(last, state)
		last, state = state, last
		return body.err
	})
	if err := errors.Join(err, body.err, body.w.Flush(), packed.Close(), b.Flush()); err != nil {
		return err
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// bodyWriter writes the body. An error sticks.
type bodyWriter struct {
	w   *bufio.Writer
	buf []byte
	err error
}

func (b *bodyWriter) flush() {
	if _, err := b.w.Write(b.buf); err != nil && b.err == nil {
		b.err = err
	}
	b.buf = b.buf[:0]
}

func (b *bodyWriter) number(n uint64) {
	b.buf = binary.AppendUvarint(b.buf, n)
	b.flush()
}

// table writes how many entries there are, and of each how many of its first bytes are those of the
// one before, how many come then, and these.
func (b *bodyWriter) table(l list) {
	b.number(uint64(l.len()))
	var last []byte
	for i := range l.len() {
		entry := l.entry(i)
		shared := 0
		for shared < min(len(last), len(entry)) && last[shared] == entry[shared] {
			shared++
		}
		b.buf = binary.AppendUvarint(b.buf, uint64(shared))
		b.buf = binary.AppendUvarint(b.buf, uint64(len(entry)-shared))
		b.buf = append(b.buf, entry[shared:]...)
		b.flush()
		last = entry
	}
}

// state writes how many of its first words are those of the one before, by how much the next one is
// larger, less one, and the other words.
func (b *bodyWriter) state(last, state []uint32) {
	shared := 0
	for shared < len(state)-1 && state[shared] == last[shared] {
		shared++
	}
	b.buf = binary.AppendUvarint(b.buf, uint64(shared))
	b.buf = binary.AppendUvarint(b.buf, uint64(state[shared]-last[shared]))
	for _, word := range state[shared+1:] {
		b.buf = binary.AppendUvarint(b.buf, uint64(word))
	}
	b.flush()
}
