package search

import (
	"bufio"
	"cmp"
	"container/heap"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/domino-check/domino/checker"
)

// output is a file of words that is written from front to back. The first error sticks, with the
// name of the operation and the file.
type output struct {
	file *os.File
	w    *bufio.Writer
	buf  []byte
	d    *disk
}

// create makes a new file; the name says what it is for.
func (d *disk) create(what string) *output {
	d.files++
	name := filepath.Join(d.folder, what+"-"+strconv.Itoa(d.files))
	f, err := os.Create(name)
	if err != nil {
		d.fail(fmt.Errorf("create a file on disk: %w", err))
		return nil
	}
	var to io.Writer = f
	if d.search.wrap != nil {
		to = d.search.wrap(f)
	}
	return &output{file: f, w: bufio.NewWriterSize(to, 1<<15), d: d}
}

// words appends numbers, small ones in few bytes.
func (o *output) words(list ...uint32) {
	for _, n := range list {
		o.buf = binary.AppendUvarint(o.buf, uint64(n))
	}
	o.write()
}

// fixed appends numbers in four bytes each.
func (o *output) fixed(list ...uint32) {
	for _, n := range list {
		o.buf = binary.LittleEndian.AppendUint32(o.buf, n)
	}
	o.write()
}

// write empties the buffer.
func (o *output) write() {
	if _, err := o.w.Write(o.buf); err != nil {
		o.d.fail(o.named(err))
	}
	o.d.size.Add(int64(len(o.buf)))
	o.buf = o.buf[:0]
}

func (o *output) named(err error) error { return fmt.Errorf("write %s: %w", o.file.Name(), err) }

func (o *output) flush() error {
	if err := o.w.Flush(); err != nil {
		return o.named(err)
	}
	return nil
}

// close ends the writing.
func (o *output) close() error {
	err := o.flush()
	if e := o.file.Close(); err == nil && e != nil {
		err = fmt.Errorf("close %s: %w", o.file.Name(), e)
	}
	return err
}

// input is a file of words that is read from front to back.
type input struct {
	name string
	file *os.File
	r    *bufio.Reader
}

func (d *disk) open(name string) *input {
	f, err := os.Open(name)
	if err != nil {
		d.fail(fmt.Errorf("open a file on disk: %w", err))
		return nil
	}
	return &input{name: name, file: f, r: bufio.NewReaderSize(f, 1<<15)}
}

func (i *input) close() { _ = i.file.Close() } // it was only read

// delete removes a file that is not needed any more.
func (d *disk) delete(name string) {
	if info, err := os.Stat(name); err == nil {
		d.size.Add(-info.Size())
	}
	if err := os.Remove(name); err != nil {
		d.fail(fmt.Errorf("delete a file on disk: %w", err))
	}
}

// read fills the list with whole units of so many words, as far as there are any, and returns the
// number of words.
func (i *input) read(list []uint32, unit int) (int, error) {
	for n := range list {
		word, err := binary.ReadUvarint(i.r)
		switch {
		case err == io.EOF && n%unit == 0:
			return n, nil
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return 0, fmt.Errorf("read %s: it ends within an entry", i.name)
		case err != nil:
			return 0, fmt.Errorf("read %s: %w", i.name, err)
		}
		list[n] = uint32(word)
	}
	return len(list), nil
}

// vectorOf is the state in a record.
func vectorOf(record []uint32) []uint32 { return record[recordHeader:] }

// compareRecords orders records by state, and of one state by how a single worker meets them.
func compareRecords(a, b []uint32) int {
	return cmp.Or(slices.Compare(vectorOf(a), vectorOf(b)),
		slices.Compare(a[:recordHeader], b[:recordHeader]))
}

// spillPending writes what may be old to a sorted file.
func (d *disk) spillPending() {
	if len(d.pending) == 0 || d.err != nil {
		return
	}
	size := recordHeader + d.search.sys.Words()
	records := make([][]uint32, 0, len(d.pending)/size)
	for r := d.pending; len(r) > 0; r = r[size:] {
		records = append(records, r[:size])
	}
	slices.SortFunc(records, compareRecords)
	o := d.create("reached")
	if o == nil {
		return
	}
	for i, r := range records {
		if i == 0 || !slices.Equal(vectorOf(r), vectorOf(records[i-1])) {
			o.words(r...)
		}
	}
	d.fail(o.close())
	d.parts = append(d.parts, o.file.Name())
	d.pending = d.pending[:0]
}

// stream is a sorted file that is read record by record.
type stream struct {
	in     *input
	record []uint32
	header int // words before the state
}

func (s *stream) vector() []uint32 { return s.record[s.header:] }

// next reads on; it reports whether there is a record.
func (s *stream) next(d *disk) bool {
	n, err := s.in.read(s.record, len(s.record))
	d.fail(err)
	return n > 0
}

// streams is a heap of sorted files by their least record.
type streams []*stream

func (h streams) Len() int { return len(h) }
func (h streams) Less(i, j int) bool {
	return cmp.Or(slices.Compare(h[i].vector(), h[j].vector()),
		slices.Compare(h[i].record, h[j].record)) < 0
}
func (h streams) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *streams) Push(x any) { *h = append(*h, x.(*stream)) }

func (h *streams) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// merge gives the records of sorted files, with so many words before the state, in order, then
// deletes the files.
func (d *disk) merge(names []string, header int, each func([]uint32)) {
	var h streams
	for _, name := range names {
		in := d.open(name)
		if in == nil {
			return
		}
		defer in.close()
		if s := d.stream(in, header); s.next(d) {
			heap.Push(&h, s)
		}
	}
	for n := 0; len(h) > 0 && d.err == nil; n++ {
		if n%checker.LookEvery == 0 && d.search.ended.Load() {
			return
		}
		each(h[0].record)
		if h[0].next(d) {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	for _, name := range names {
		d.delete(name)
	}
}

// stream is one of states with so many words before them.
func (d *disk) stream(in *input, header int) *stream {
	return &stream{in: in, record: make([]uint32, header+d.search.sys.Words()), header: header}
}

// writeTable makes the table in memory a run: each shard a sorted file, and one of all.
func (d *disk) writeTable() {
	packing := d.search.packing
	a, b := make([]uint32, d.search.sys.Words()), make([]uint32, d.search.sys.Words())
	compare := checker.Code.Compare
	if !packing.Ordered() {
		compare = func(c, e checker.Code) int {
			packing.Decode(c, a)
			packing.Decode(e, b)
			return slices.Compare(a, b)
		}
	}
	var names []string
	for i := range d.search.visited.shards {
		o := d.create("shard")
		if o == nil {
			return
		}
		for _, c := range d.search.visited.sorted(i, compare) {
			packing.Decode(c, a)
			o.words(a...)
		}
		d.fail(o.close())
		names = append(names, o.file.Name())
	}
	o := d.create("visited")
	if o == nil {
		return
	}
	count := 0
	d.merge(names, 0, func(state []uint32) {
		o.words(state...)
		count++
	})
	d.fail(o.close())
	d.addRun(diskRun{o.file.Name(), count})
}

// addRun keeps the runs few: each is more than twice as long as the one after it.
func (d *disk) addRun(r diskRun) {
	d.spills.Add(1)
	d.runs = append(d.runs, r)
	for n := len(d.runs); n > 1 && d.runs[n-2].count <= 2*d.runs[n-1].count &&
		d.err == nil; n = len(d.runs) {
		o := d.create("visited")
		if o == nil {
			return
		}
		d.merge([]string{d.runs[n-2].name, d.runs[n-1].name}, 0, func(state []uint32) {
			o.words(state...)
		})
		d.fail(o.close())
		d.runs = append(d.runs[:n-2], diskRun{o.file.Name(), d.runs[n-2].count + d.runs[n-1].count})
	}
}

// subtract makes those of the states that may be old the next level that no run holds, and a run
// themselves.
func (d *disk) subtract() {
	d.spillPending()
	if len(d.parts) == 0 || d.err != nil {
		return
	}
	var old streams
	for _, r := range d.runs {
		in := d.open(r.name)
		if in == nil {
			return
		}
		defer in.close()
		if s := d.stream(in, 0); s.next(d) {
			old = append(old, s)
		}
	}
	o := d.create("visited")
	if o == nil {
		return
	}
	count := 0
	var last []uint32
	d.merge(d.parts, recordHeader, func(r []uint32) {
		state := vectorOf(r)
		if slices.Equal(state, last) {
			return
		}
		last = append(last[:0], state...)
		for i := 0; i < len(old); {
			at := slices.Compare(old[i].vector(), state)
			if at == 0 {
				return
			}
			if at > 0 || old[i].next(d) {
				if at > 0 {
					i++
				}
				continue
			}
			old = slices.Delete(old, i, i+1)
		}
		d.add(r)
		o.words(state...)
		count++
	})
	d.parts = nil
	d.fail(o.close())
	d.addRun(diskRun{o.file.Name(), count})
}
