package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"

	"github.com/domino-check/domino/checker"
)

// output is a file that is written from front to back. The first error ends the search, with the
// name of the operation and the file.
//
// A file of states holds the differences of their codes, which are small when it is sorted; with
// links there are the parent and the step behind each. All are numbers of 7 bits a byte, the least
// first, of which all bytes but the last have the highest bit set.
type output struct {
	file   *os.File
	to     io.Writer
	buf    []byte
	last   checker.Code
	linked bool
	d      *disk
}

const (
	// unitBytes is more than a state with its link takes: 127, 32 and 32 bits.
	unitBytes = 32
	// linkBytes is the size of a link alone.
	linkBytes = 6
)

// create makes a new file; the name says what it is for.
func (d *disk) create(what string, linked bool) *output {
	d.files++
	name := filepath.Join(d.folder, what+"-"+strconv.Itoa(d.files))
	f, err := os.Create(name)
	if err != nil {
		d.fail(fmt.Errorf("create a file on disk: %w", err))
		return nil
	}
	d.held.Add(int64(d.buffer))
	o := &output{file: f, to: f, buf: make([]byte, 0, d.buffer), linked: linked, d: d}
	if d.search.wrap != nil {
		o.to = d.search.wrap(f)
	}
	return o
}

// write appends a state.
func (o *output) write(r record) {
	lo, borrow := bits.Sub64(r.code.Lo, o.last.Lo, 0)
	hi, _ := bits.Sub64(r.code.Hi, o.last.Hi, borrow)
	o.last = r.code
	for ; lo >= 0x80 || hi > 0; lo, hi = lo>>7|hi<<57, hi>>7 {
		o.buf = append(o.buf, byte(lo)|0x80)
	}
	o.buf = append(o.buf, byte(lo))
	if o.linked {
		o.buf = binary.AppendUvarint(o.buf, uint64(r.parent))
		o.buf = binary.AppendUvarint(o.buf, uint64(r.step))
	}
	if len(o.buf) > cap(o.buf)-unitBytes {
		o.flush()
	}
}

// link appends a link alone.
func (o *output) link(parent, step uint32) {
	o.buf = binary.LittleEndian.AppendUint32(o.buf, parent)
	o.buf = binary.LittleEndian.AppendUint16(o.buf, uint16(step))
	if len(o.buf) > cap(o.buf)-unitBytes {
		o.flush()
	}
}

func linkOf(b [linkBytes]byte) (parent uint32, step int) {
	return binary.LittleEndian.Uint32(b[:]), int(binary.LittleEndian.Uint16(b[4:]))
}

// flush empties the buffer.
func (o *output) flush() {
	if _, err := o.to.Write(o.buf); err != nil {
		o.d.fail(fmt.Errorf("write %s: %w", o.file.Name(), err))
	}
	o.d.size.Add(int64(len(o.buf)))
	o.buf = o.buf[:0]
}

// close ends the writing.
func (o *output) close() {
	o.flush()
	if err := o.file.Close(); err != nil {
		o.d.fail(fmt.Errorf("close %s: %w", o.file.Name(), err))
	}
	o.d.held.Add(-int64(o.d.buffer))
}

// input is a file of states that is read from front to back.
type input struct {
	name   string
	file   *os.File
	buf    []byte // zeros behind what was read, which end every number
	at     int
	end    int
	whole  bool   // nothing comes after what was read
	head   record // the state at hand
	linked bool
	d      *disk
}

func (d *disk) open(name string, linked bool) *input {
	f, err := os.Open(name)
	if err != nil {
		d.fail(fmt.Errorf("open a file on disk: %w", err))
		return nil
	}
	d.held.Add(int64(d.buffer))
	return &input{name: name, file: f, buf: make([]byte, d.buffer), linked: linked, d: d}
}

func (i *input) close() {
	_ = i.file.Close() // it was only read
	i.d.held.Add(-int64(i.d.buffer))
}

// advance makes the next state the one at hand; it reports whether there is one.
func (i *input) advance() bool {
	if i.end-i.at < unitBytes && !i.whole {
		i.fill()
	}
	if i.at >= i.end {
		return false
	}
	hi, lo := i.number()
	var carry uint64
	i.head.code.Lo, carry = bits.Add64(i.head.code.Lo, lo, 0)
	i.head.code.Hi, _ = bits.Add64(i.head.code.Hi, hi, carry)
	if i.linked {
		_, parent := i.number()
		_, step := i.number()
		i.head.parent, i.head.step = uint32(parent), uint32(step)
	}
	if i.at > i.end {
		i.fail(errors.New("it ends within an entry"))
		return false
	}
	return true
}

// number reads a number of up to 128 bits.
func (i *input) number() (hi, lo uint64) {
	for shift := 0; shift < 63; shift += 7 {
		b := uint64(i.buf[i.at])
		i.at++
		if lo |= b & 0x7f << shift; b < 0x80 {
			return 0, lo
		}
	}
	for shift := 63; ; shift += 7 {
		b := uint64(i.buf[i.at])
		i.at++
		if shift < 64 {
			lo |= b << 63
			hi = b & 0x7f >> 1
		} else {
			hi |= b & 0x7f << (shift - 64)
		}
		if b < 0x80 || shift > 120 {
			return hi, lo
		}
	}
}

// fill reads on.
func (i *input) fill() {
	i.end = copy(i.buf, i.buf[i.at:i.end])
	i.at = 0
	room := i.buf[:len(i.buf)-unitBytes]
	for i.end < len(room) && !i.whole {
		n, err := i.file.Read(room[i.end:])
		if i.end += n; err == io.EOF {
			i.whole = true
		} else if err != nil {
			i.fail(err)
		}
	}
	clear(i.buf[i.end : i.end+unitBytes])
}

// fail ends the search and the file.
func (i *input) fail(err error) {
	i.d.fail(fmt.Errorf("read %s: %w", i.name, err))
	i.whole, i.at, i.end = true, 0, 0
}

// delete removes a file that is not needed any more.
func (d *disk) delete(name string) {
	if info, err := os.Stat(name); err == nil {
		d.size.Add(-info.Size())
	}
	if err := os.Remove(name); err != nil {
		d.fail(fmt.Errorf("delete a file on disk: %w", err))
	}
}
