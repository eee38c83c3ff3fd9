package search

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/domino-check/domino/spec/report/wholefile"
)

// A run file is one line that names its format, then a body of numbers and byte strings, then the
// SHA-256 of all that.
const (
	runMagic  = "domino run, format "
	runFormat = runMagic + "2\n"
)

// ErrRefused is why a saved run can not be resumed: it is damaged, or of something else.
var ErrRefused = errors.New("can not be resumed")

// Encoder writes the parts of a run file. An error sticks, and shows when the file is closed.
type Encoder struct {
	w   *bufio.Writer
	buf []byte
	err error
}

// Fail makes an error stick, unless there is one.
func (e *Encoder) Fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// Number writes a number.
func (e *Encoder) Number(n uint64) {
	e.buf = binary.AppendUvarint(e.buf[:0], n)
	_, _ = e.w.Write(e.buf) // sticks in the buffered writer
}

// Bytes writes a byte string.
func (e *Encoder) Bytes(b []byte) {
	e.Number(uint64(len(b)))
	_, _ = e.w.Write(b) // sticks in the buffered writer
}

// fixed writes a number in eight bytes.
func (e *Encoder) fixed(n uint64) {
	e.buf = binary.LittleEndian.AppendUint64(e.buf[:0], n)
	_, _ = e.w.Write(e.buf) // sticks in the buffered writer
}

// Words writes a list of words, in four bytes each.
func (e *Encoder) Words(list []uint32) {
	e.Number(uint64(len(list)))
	for from := 0; from < len(list); from += 1 << 12 {
		e.buf = e.buf[:0]
		for _, n := range list[from:min(len(list), from+1<<12)] {
			e.buf = binary.LittleEndian.AppendUint32(e.buf, n)
		}
		_, _ = e.w.Write(e.buf) // sticks in the buffered writer
	}
}

// long writes a list of numbers of eight bytes each.
func (e *Encoder) long(list []uint64) {
	e.Number(uint64(len(list)))
	for _, n := range list {
		e.fixed(n)
	}
}

// Decoder reads what an Encoder wrote. An error sticks; then everything reads as zero or empty.
type Decoder struct {
	r    *bufio.Reader
	left int64 // bytes of the body that are not read, an upper bound
	err  error
	buf  [8]byte
}

// Fail makes an error stick, unless there is one.
func (d *Decoder) Fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// Err is the first error.
func (d *Decoder) Err() error { return d.err }

// Number reads a number.
func (d *Decoder) Number() uint64 {
	if d.err != nil {
		return 0
	}
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		d.Fail(fmt.Errorf("read a number: %w", err))
		return 0
	}
	return n
}

// Count reads a number of things that take at least so many bytes each: never more than the file
// can hold.
func (d *Decoder) Count(size int) int {
	n := d.Number()
	if n > uint64(d.left)/uint64(size) {
		d.Fail(fmt.Errorf("%d things of %d bytes do not fit into the file", n, size))
		return 0
	}
	return int(n)
}

// Bytes reads a byte string.
func (d *Decoder) Bytes() []byte {
	b := make([]byte, d.Count(1))
	if _, err := io.ReadFull(d.r, b); err != nil && d.err == nil {
		d.Fail(fmt.Errorf("read %d bytes: %w", len(b), err))
	}
	return b
}

// fixed reads a number of eight bytes.
func (d *Decoder) fixed() uint64 {
	if d.err != nil {
		return 0
	}
	if _, err := io.ReadFull(d.r, d.buf[:]); err != nil {
		d.Fail(fmt.Errorf("read eight bytes: %w", err))
		return 0
	}
	return binary.LittleEndian.Uint64(d.buf[:])
}

// Words reads a list of words.
func (d *Decoder) Words() []uint32 {
	list := make([]uint32, d.Count(4))
	var buf [1 << 12]byte
	for from := 0; from < len(list) && d.err == nil; from += len(buf) / 4 {
		part := list[from:min(len(list), from+len(buf)/4)]
		if _, err := io.ReadFull(d.r, buf[:4*len(part)]); err != nil {
			d.Fail(fmt.Errorf("read %d words: %w", len(list), err))
			return nil
		}
		for i := range part {
			part[i] = binary.LittleEndian.Uint32(buf[4*i:])
		}
	}
	return list
}

// long reads a list of numbers of eight bytes each.
func (d *Decoder) long() []uint64 {
	list := make([]uint64, d.Count(8))
	for i := range list {
		list[i] = d.fixed()
	}
	return list
}

// writeRun writes a run file, whole or not at all.
func writeRun(name string, body func(*Encoder)) error {
	if err := wholefile.Stream(name, func(w io.Writer) error {
		return encodeRun(w, body)
	}); err != nil {
		return fmt.Errorf("save the run: %w", err)
	}
	return nil
}

// encodeRun writes the content of a run file.
func encodeRun(w io.Writer, body func(*Encoder)) error {
	sum := sha256.New()
	e := &Encoder{w: bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)}
	_, _ = e.w.WriteString(runFormat) // sticks in the buffered writer
	body(e)
	if err := errors.Join(e.err, e.w.Flush()); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// readRun gives the body of a run file to a function, after it has compared the checksum: nothing
// damaged is ever looked at.
func readRun(name string, body func(*Decoder)) error {
	info, err := os.Stat(name)
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	if !info.Mode().IsRegular() { // to open a pipe may take for ever
		return fmt.Errorf("%s %w: it is no file but %v", name, ErrRefused, info.Mode())
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	defer f.Close()
	refuse := func(why string, args ...any) error {
		return fmt.Errorf("%s %w: "+why, append([]any{name, ErrRefused}, args...)...)
	}
	first := make([]byte, len(runFormat))
	n, err := io.ReadFull(f, first)
	switch {
	case !bytes.HasPrefix(first[:n], []byte(runMagic)):
		return refuse("it is not a saved run")
	case err != nil:
		return refuse("it is cut off")
	case string(first) != runFormat:
		return refuse("it has another format than this version of domino writes")
	}
	sum := sha256.New()
	sum.Write(first)
	size, err := bodySize(f, sum)
	if err != nil {
		return refuse("%v", err)
	}
	if _, err := f.Seek(int64(len(runFormat)), io.SeekStart); err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	d := &Decoder{r: bufio.NewReaderSize(io.LimitReader(f, size), 1<<16), left: size}
	body(d)
	if d.err != nil {
		return refuse("%w", d.err)
	}
	if _, err := d.r.ReadByte(); err != io.EOF {
		return refuse("bytes are left over in it")
	}
	return nil
}

// bodySize reads on to the end, compares the checksum there, and returns how long the body is.
func bodySize(f *os.File, sum hash.Hash) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size() - int64(len(runFormat)) - sha256.Size
	if size < 0 {
		return 0, errors.New("it is cut off")
	}
	if _, err := io.CopyN(sum, f, size); err != nil {
		return 0, err
	}
	want, err := io.ReadAll(f)
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(want, sum.Sum(nil)) {
		return 0, errors.New("it is damaged or cut off: its checksum is another one")
	}
	return size, nil
}
