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

// words appends.
func (o *output) words(list ...uint32) {
	var b [4]byte
	for _, n := range list {
		binary.LittleEndian.PutUint32(b[:], n)
		if _, err := o.w.Write(b[:]); err != nil {
			o.d.fail(o.named(err))
			return
		}
	}
	o.d.size.Add(int64(len(list)) * 4)
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
	buf  []byte
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
	if len(i.buf) < 4*len(list) {
		i.buf = make([]byte, 4*len(list))
	}
	n, err := io.ReadFull(i.r, i.buf[:4*len(list)])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, fmt.Errorf("read %s: %w", i.name, err)
	}
	if n%(4*unit) != 0 {
		return 0, fmt.Errorf("read %s: it ends within an entry", i.name)
	}
	for j := range n / 4 {
		list[j] = word(i.buf[4*j:])
	}
	return n / 4, nil
}

func word(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// printOf is the fingerprint in a record.
func printOf(record []uint32) checker.Fingerprint {
	return stored(runPrint(record[recordPrint:]))
}

// compareRecords orders records by state, and of one state by how a single worker meets them.
func compareRecords(a, b []uint32) int {
	return cmp.Or(printOf(a).Compare(printOf(b)), cmp.Compare(a[recordParent], b[recordParent]),
		cmp.Compare(a[recordStep], b[recordStep]))
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
		if i == 0 || printOf(r) != printOf(records[i-1]) {
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
	print  func([]uint32) checker.Fingerprint
}

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
	a, b := h[i].record, h[j].record
	return cmp.Or(h[i].print(a).Compare(h[j].print(b)), slices.Compare(a, b)) < 0
}
func (h streams) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *streams) Push(x any) { *h = append(*h, x.(*stream)) }

func (h *streams) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// merge gives the records of sorted files in order, then deletes the files.
func (d *disk) merge(names []string, size int, print func([]uint32) checker.Fingerprint,
	each func([]uint32)) {
	var h streams
	for _, name := range names {
		in := d.open(name)
		if in == nil {
			return
		}
		defer in.close()
		if s := (&stream{in: in, record: make([]uint32, size), print: print}); s.next(d) {
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

// runWords is the length of a fingerprint in a run.
const runWords = 4

func runPrint(r []uint32) checker.Fingerprint {
	return checker.Fingerprint{Hi: uint64(r[0])<<32 | uint64(r[1]),
		Lo: uint64(r[2])<<32 | uint64(r[3])}
}

func (o *output) print(f checker.Fingerprint) {
	o.words(uint32(f.Hi>>32), uint32(f.Hi), uint32(f.Lo>>32), uint32(f.Lo))
}

// writeTable makes the table in memory a run.
func (d *disk) writeTable() {
	o := d.create("visited")
	if o == nil {
		return
	}
	count := 0
	for i := range d.search.visited.shards { // each holds the fingerprints with the same first bits
		list := d.search.visited.shards[i].sorted()
		count += len(list)
		for _, f := range list {
			o.print(f)
		}
	}
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
		d.merge([]string{d.runs[n-2].name, d.runs[n-1].name}, runWords, runPrint, func(r []uint32) {
			o.words(r...)
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
		if s := (&stream{in: in, record: make([]uint32, runWords), print: runPrint}); s.next(d) {
			old = append(old, s)
		}
	}
	o := d.create("visited")
	if o == nil {
		return
	}
	count := 0
	var last checker.Fingerprint // never that of a record: its lo is not 0
	d.merge(d.parts, recordHeader+d.search.sys.Words(), printOf, func(r []uint32) {
		f := printOf(r)
		if f == last {
			return
		}
		last = f
		for i := 0; i < len(old); {
			at := runPrint(old[i].record).Compare(f)
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
		o.print(f)
		count++
	})
	d.parts = nil
	d.fail(o.close())
	d.addRun(diskRun{o.file.Name(), count})
}

// contains reports whether a fingerprint is in the set.
func (v *visited) contains(f checker.Fingerprint) bool {
	slots := v.shards[f.Hi>>(64-shardBits)].slots.Load()
	if slots == nil {
		return false
	}
	_, found := find(*slots, stored(f))
	return found
}

// sorted are all fingerprints in order.
func (s *shard) sorted() (list []checker.Fingerprint) {
	if p := s.slots.Load(); p != nil {
		for slots := *p; len(slots) > 0; slots = slots[2:] {
			if slots[0] != 0 {
				list = append(list, checker.Fingerprint{Lo: slots[0], Hi: slots[1]})
			}
		}
	}
	slices.SortFunc(list, checker.Fingerprint.Compare)
	return list
}

// clear empties the set.
func (v *visited) clear() {
	for i := range v.shards {
		s := &v.shards[i]
		s.slots.Store(nil)
		s.count = 0
		s.size.Store(0)
	}
}
