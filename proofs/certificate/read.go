package certificate

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// Certificate is one that was read. It is well-formed: its tables are sorted, refer to what is
// there and have nothing that no state uses, and its states are sorted, too.
type Certificate struct {
	Header
	Tables
	States *States
	Size   int64 // of the file
}

// Load reads the certificate in a file, with so much memory for what it holds; 0 = any.
func Load(name string, most int64) (*Certificate, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // to open a pipe may take for ever
		return nil, fmt.Errorf("%s %w: it is no file but %v", name, ErrRefused, info.Mode())
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := Read(f, info.Size(), most)
	if err != nil {
		return nil, fmt.Errorf("%s %w", name, err)
	}
	return c, nil
}

// Is reports whether a file may be a certificate, by its first bytes.
func Is(first []byte) bool { return bytes.HasPrefix(first, []byte(magic)) }

// Read is Load of something of so many bytes. Nothing of it is looked at before its checksum.
func Read(f io.ReadSeeker, size, most int64) (*Certificate, error) {
	refuse := func(why string, args ...any) error {
		return fmt.Errorf("%w: "+why, append([]any{ErrRefused}, args...)...)
	}
	first := make([]byte, len(format))
	n, err := io.ReadFull(f, first)
	switch {
	case !Is(first[:n]):
		return nil, refuse("it is not a certificate")
	case err != nil || size < int64(len(format)+sha256.Size):
		return nil, refuse("it is cut off")
	case string(first) != format:
		return nil, refuse("it has another format than this version of domino writes")
	}
	if err := verify(f, first, size); err != nil {
		return nil, refuse("%w", err)
	}
	if _, err := f.Seek(int64(len(format)), io.SeekStart); err != nil {
		return nil, err
	}
	r := &reader{in: bufio.NewReaderSize(
		io.LimitReader(f, size-int64(len(format)+sha256.Size)), 1<<16), left: most}
	if most <= 0 {
		r.left = math.MaxInt64
	}
	c, err := r.certificate()
	if err != nil {
		return nil, refuse("%w", err)
	}
	c.Size = size
	return c, nil
}

// verify reads on to the end and compares the checksum there.
func verify(f io.Reader, first []byte, size int64) error {
	sum := sha256.New()
	sum.Write(first)
	if _, err := io.CopyN(sum, f, size-int64(len(first)+sha256.Size)); err != nil {
		return fmt.Errorf("it is cut off: %w", err)
	}
	want, err := io.ReadAll(io.LimitReader(f, sha256.Size+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(want, sum.Sum(nil)) {
		return errors.New("it is damaged or cut off: its checksum is another one")
	}
	return nil
}

// reader reads what comes behind the first line.
type reader struct {
	in   *bufio.Reader
	body *bufio.Reader // inflated
	left int64         // bytes of memory
}

// mostHeader is how long a header may be.
const mostHeader = 1 << 20

// mostProcs is how many procs there may be.
const mostProcs = 1 << 12

func (r *reader) certificate() (*Certificate, error) {
	c := &Certificate{}
	var line []byte
	for len(line) == 0 || line[len(line)-1] != '\n' {
		b, err := r.in.ReadByte()
		if err != nil || len(line) == mostHeader {
			return nil, errors.New("its header has no end")
		}
		line = append(line, b)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&c.Header); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	if again, err := json.Marshal(c.Header); err != nil || string(again)+"\n" != string(line) {
		return nil, errors.New("its header is not in the form that domino writes")
	}
	if len(c.Header.Procs) > mostProcs {
		return nil, fmt.Errorf("its header names %d procs, at most %d are possible",
			len(c.Header.Procs), mostProcs)
	}
	c.Tables.Procs = make([][]Configuration, len(c.Header.Procs))
	packed := flate.NewReader(r.in)
	r.body = bufio.NewReaderSize(packed, 1<<16)
	for _, l := range c.lists() {
		if err := r.table(l); err != nil {
			return nil, err
		}
	}
	if err := r.states(c); err != nil {
		return nil, err
	}
	if _, err := r.body.ReadByte(); err != io.EOF {
		return nil, errors.New("behind its last state: bytes are left over")
	}
	if _, err := r.in.ReadByte(); err != io.EOF {
		return nil, errors.New("behind its body: bytes are left over")
	}
	return c, nil
}

// take accounts for memory.
func (r *reader) take(bytes int64) error {
	if r.left -= bytes; r.left < 0 {
		return errors.New("it takes more memory than it may")
	}
	return nil
}

// number is one of at most so much, in its only form.
func (r *reader) number(most uint64) (uint64, error) {
	n, err := binary.ReadUvarint(r.body)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return 0, errors.New("it ends here")
	case err != nil:
		return 0, err
	case n > most:
		return 0, fmt.Errorf("number %d is too large", n)
	}
	return n, nil
}

// entryBytes is about what an entry takes in memory besides its content.
const entryBytes = 64

// table reads a table, of which the entries must ascend.
func (r *reader) table(l list) error {
	count, err := r.number(math.MaxUint32 - 1)
	if err != nil {
		return fmt.Errorf("number of entries %q: %w", l.name, err)
	}
	var last, entry []byte
	for i := range count {
		if entry, err = r.entry(last, entry[:0]); err == nil {
			switch {
			case i > 0 && bytes.Compare(entry, last) <= 0:
				err = errors.New("it is not behind the one before")
			default:
				err = l.add(slices.Clone(entry))
			}
		}
		if err != nil {
			return fmt.Errorf("%s %d: %w", l.name, i, err)
		}
		last, entry = entry, last
	}
	return nil
}

// entry reads an entry behind another one.
func (r *reader) entry(last, entry []byte) ([]byte, error) {
	shared, err := r.number(uint64(len(last)))
	if err != nil {
		return nil, err
	}
	more, err := r.number(math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if err := r.take(4*int64(shared+more) + entryBytes); err != nil {
		return nil, err
	}
	entry = append(entry, last[:shared]...)
	for more > 0 { // in parts, so that no length costs more than what is there
		n := len(entry)
		part := int(min(more, 1<<16))
		entry = append(entry, make([]byte, part)...)
		if _, err := io.ReadFull(r.body, entry[n:]); err != nil {
			return nil, errors.New("it ends here")
		}
		more -= uint64(part)
	}
	return entry, nil
}

// states reads the states, which must ascend.
func (r *reader) states(c *Certificate) error {
	count, err := r.number(mostStates)
	if err != nil {
		return fmt.Errorf("number of states: %w", err)
	}
	s := newStates(c.counts())
	if err := r.take(int64(count) * s.bytesEach()); err != nil {
		return fmt.Errorf("its %d states: %w", count, err)
	}
	used := newUse(&c.Tables)
	last, state := make([]uint32, s.Words()), make([]uint32, s.Words())
	for i := range count {
		if err := r.state(last, state, i == 0); err != nil {
			return fmt.Errorf("state %d: %w", i, err)
		}
		if !s.add(state) {
			return fmt.Errorf("state %d: it consists of what is not there", i)
		}
		used.state(state)
		last, state = state, last
	}
	s.finish()
	c.States = s
	return used.all(&c.Tables)
}

// state reads a state behind another one.
func (r *reader) state(last, state []uint32, first bool) error {
	shared, err := r.number(uint64(len(state) - 1))
	if err != nil {
		return err
	}
	copy(state, last[:shared])
	for i := int(shared); i < len(state); i++ {
		n, err := r.number(math.MaxUint32)
		if err != nil {
			return err
		}
		if i == int(shared) {
			if n == 0 && !first {
				return errors.New("it is not behind the one before")
			}
			if n += uint64(last[i]); n > math.MaxUint32 {
				return fmt.Errorf("word %d is too large", i)
			}
		}
		state[i] = uint32(n)
	}
	return nil
}
