package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
)

// disk is what a breadth-first search keeps on disk, so that memory bounds its speed and not its
// size. Frontier and links are files that are written from front to back. The set of visited states
// begins as a table in memory. Once that is full it is written out, sorted, and from then on
// duplicates are found late: at the end of each level, what was reached is sorted and compared with
// all sorted runs of older states in one pass. The table in memory then only catches duplicates
// early: what it holds has been reached before.
//
// Of two paths of equal length to a state, the one kept may be another than in memory; counts,
// verdicts and lengths are the same.
type disk struct {
	search *search
	folder string
	files  int // names given out
	frozen atomic.Bool
	room   atomic.Int64 // bytes for what was reached and may be old
	size   atomic.Int64 // bytes on disk
	spills atomic.Int64 // sorted runs that were written

	mu       sync.Mutex
	complete bool // the table in memory has all states
	err      error
	links    *output
	number   uint32   // next state
	now      *input   // level that is explored
	next     *output  // level that is found
	reached  int      // states in it
	pending  []uint32 // records of states that may be old
	parts    []string // sorted files of such records, when they did not fit
	runs     []diskRun
}

// diskRun is a sorted file of visited states; no two have one in common.
type diskRun struct {
	name  string
	count int
}

// On disk a state is its vector: a packing may change, files do not. A record is a state that was
// reached: by which step of which state, then its vector. An entry of a level is the number of a
// state, then its vector.
const (
	recordParent = iota
	recordStep
	recordHeader
	entryHeader = 1
)

// leastRoom is the memory that is used on any account.
const leastRoom = 1 << 14

// newDisk makes a folder of its own in the one that is named.
func newDisk(s *search) (*disk, error) {
	o := &s.options
	switch {
	case o.Order != checker.BreadthFirst:
		return nil, errors.New("a search on disk is breadth first")
	case o.Saving.File != "" || o.Saving.Resume != "":
		return nil, errors.New("a search on disk can not be saved")
	}
	if s.unrevised {
		return nil, errors.New("a search on disk can not judge again what it has left out: use " +
			"no reductions")
	}
	folder, err := os.MkdirTemp(o.Disk, "domino-")
	if err != nil {
		return nil, fmt.Errorf("make a folder on disk: %w", err)
	}
	s.bounds.MaxBytes = 0 // what is too much in memory goes to the disk
	d := &disk{search: s, folder: folder, complete: true}
	d.room.Store(1 << 26)
	d.links, d.next = d.create("links"), d.create("level")
	return d, d.err
}

// remove deletes everything.
func (d *disk) remove() {
	for _, f := range []*output{d.links, d.next} {
		if f != nil {
			_ = f.file.Close() // it is deleted
		}
	}
	if d.now != nil {
		d.now.close()
	}
	// what is left is of no use, and the system cleans up folders of that kind
	_ = os.RemoveAll(d.folder)
}

// fail ends the search: it has written or read something wrong.
func (d *disk) fail(err error) {
	if err == nil || d.err != nil {
		return
	}
	d.err = err
	d.search.end(err.Error())
}

// limit sees to the memory; it returns why the search must end, or "".
func (d *disk) limit(system int64) string {
	if d.search.options.MaxBytes == 0 {
		return ""
	}
	room := d.search.options.MaxBytes - system
	if room <= 0 {
		return "memory limit " + checker.Memory(d.search.options.MaxBytes) +
			", the contents that states share alone take " + checker.Memory(system)
	}
	d.room.Store(max(leastRoom, room/4))
	if d.search.visited.bytes() > room/2 {
		d.frozen.Store(true)
	}
	return ""
}

// reach notes a step to a state, unless that is known to have been reached before.
func (d *disk) reach(w *worker, i int, number uint32) {
	p := w.places[i]
	to := &w.maybe
	switch {
	case d.frozen.Load():
		if d.search.visited.contains(p) {
			return
		}
	case !d.search.visited.insert(p):
		return
	case d.complete: // changes between levels only
		to = &w.fresh
	}
	*to = w.x.State(i, append(*to, number, uint32(i)))
}

// flush hands over what a worker has reached.
func (d *disk) flush(w *worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	size := recordHeader + len(w.state)
	for r := w.fresh; len(r) > 0; r = r[size:] {
		d.add(r[:size])
	}
	d.pending = append(d.pending, w.maybe...)
	w.fresh, w.maybe = w.fresh[:0], w.maybe[:0]
	d.search.levelBytes.Store(int64(cap(d.pending)) * 4)
	if int64(len(d.pending))*4 > d.room.Load() {
		d.spillPending()
	}
}

// add makes a state that was not visited before one of the next level.
func (d *disk) add(record []uint32) {
	d.links.fixed(record[recordParent], record[recordStep])
	d.next.words(d.number)
	d.next.words(record[recordHeader:]...)
	if d.number++; d.number == 0 {
		panic("invariant: at most 2^32 states are numbered")
	}
	d.reached++
}

// run explores level by level, beginning with one state.
func (d *disk) run(first []uint32) {
	d.links.fixed(0, 0)
	d.number = 1
	d.next.words(0)
	d.next.words(first...)
	d.reached = 1
	for !d.search.ended.Load() && d.turn() {
		for again := true; again; again = d.search.ended.Load() && d.search.goOn() {
			var group sync.WaitGroup
			for _, w := range d.search.workers {
				group.Go(func() { d.explore(w) })
			}
			group.Wait()
		}
		if d.search.ended.Load() {
			return
		}
		d.settle()
		if d.err == nil {
			d.search.covered.Store(int64(d.search.level.depth))
			d.search.level.depth++
		}
	}
}

// turn makes the next level the one that is explored; it reports whether there is anything to do.
func (d *disk) turn() bool {
	if d.err != nil {
		return false
	}
	if d.reached == 0 || !d.search.options.All && d.search.finds.Any() {
		d.search.finish()
		return false
	}
	if d.now != nil {
		d.delete(d.now.name)
		d.now.close()
	}
	d.fail(d.next.close())
	d.now = d.open(d.next.file.Name())
	d.search.levelLeft.Store(int64(d.reached))
	d.reached = 0
	d.next = d.create("level")
	if d.search.level.depth > 0 {
		d.search.measure()
	}
	return d.err == nil
}

// explore lets a worker expand parts of the level as long as there are any.
func (d *disk) explore(w *worker) {
	size := entryHeader + len(w.state)
	part := make([]uint32, partEntries*size)
	for !d.search.ended.Load() {
		if len(w.left) == 0 {
			d.mu.Lock()
			n, err := d.now.read(part, size)
			d.fail(err)
			d.mu.Unlock()
			if w.left = part[:n]; n == 0 {
				break
			}
		}
		n := len(w.left)
		for ; len(w.left) > 0 && !w.stop(); w.left = w.left[size:] {
			copy(w.state, w.left[entryHeader:])
			if !w.expand(entry{number: w.left[0], depth: uint64(d.search.level.depth)}) {
				break
			}
		}
		d.search.levelLeft.Add(int64(len(w.left)-n) / int64(size))
		d.flush(w)
	}
	w.publish()
}

// settle finds out, at the end of a level, which of the states that may be old are.
func (d *disk) settle() {
	if d.complete && !d.frozen.Load() {
		return
	}
	if d.complete {
		d.writeTable()
		d.complete = false
	}
	d.subtract()
	if d.frozen.Load() {
		d.search.visited.clear()
		d.frozen.Store(false)
	}
}

// steps are the indices of the steps from the initial state to a state.
func (d *disk) steps(number uint32) (list []int, err error) {
	if err := d.links.flush(); err != nil {
		return nil, err
	}
	f, err := os.Open(d.links.file.Name())
	if err != nil {
		return nil, fmt.Errorf("trace a run: %w", err)
	}
	defer f.Close()
	for n := number; n != 0; {
		var b [8]byte
		if _, err := f.ReadAt(b[:], int64(n)*8); err != nil {
			return nil, fmt.Errorf("trace a run: read %s: %w", f.Name(), err)
		}
		n = binary.LittleEndian.Uint32(b[:4])
		list = append(list, int(binary.LittleEndian.Uint32(b[4:])))
	}
	return list, nil
}
