package search

import (
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
// early: what it holds has been reached before, and when it is full it is emptied.
//
// Of two paths of equal length to a state, the one kept may be another than in memory; counts,
// verdicts and lengths are the same.
type disk struct {
	search *search
	folder string
	files  int // names given out
	buffer int // bytes of each open file
	memory []byte
	table  atomic.Int64 // bytes that the table may have
	most   atomic.Int64 // records that may be in memory
	size   atomic.Int64 // bytes on disk
	spills atomic.Int64 // sorted runs that were written
	held   atomic.Int64 // bytes of memory that records and buffers of files have

	mu       sync.Mutex
	complete bool // the table in memory has all states
	err      error
	links    *output
	number   uint32       // next state
	now      *input       // level that is explored
	first    uint32       // number of its next state
	next     *output      // level that is found
	reached  int          // states in it
	used     checker.Code // all bits that some code has set which is not in the table
	pending  []record     // states that may be old
	touched  int          // the most that were pending at a time
	parts    []string     // sorted files of them, when they did not fit
	runs     []diskRun
}

// record is a state that was reached: by which step of which state.
type record struct {
	code   checker.Code
	parent uint32
	step   uint32
}

const (
	recordBytes = 24
	// leastRoom is the memory that the table has on any account, and what was reached.
	leastRoom = 1 << 14
	// numbers is how many states can have one.
	numbers = 1<<32 - 1
)

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
	d := &disk{search: s, folder: folder, complete: true,
		buffer: int(min(max(o.MaxBytes>>9, 1<<12), 1<<18))}
	if o.MaxBytes > 0 {
		s.visited.most = &d.table
		d.memory, d.pending = recordsIn(max(leastRoom, o.MaxBytes/4))
		d.limit(0)
	}
	d.links, d.next = d.create("links", false), d.create("level", false)
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
	d.pending = nil
	release(d.memory)
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

// limit divides the memory that the contents of states leave; it returns why the search must end,
// or "". An eighth is for the buffers of files. The contents take a quarter more before a collector
// comes that is set to do so early.
func (d *disk) limit(contents int64) string {
	bound := d.search.options.MaxBytes
	if bound == 0 {
		return ""
	}
	if contents >= bound {
		return "memory limit " + checker.Memory(bound) +
			", the contents that states share alone take " + checker.Memory(contents)
	}
	room := bound - contents/4*5 - int64(len(d.search.workers))*8*recentWords
	d.table.Store(max(leastRoom, room/8*5))
	d.most.Store(max(leastRoom, room/4) / recordBytes)
	return ""
}

// reach notes a step to a state, unless that is known to have been reached before.
func (d *disk) reach(w *worker, p place, r record) {
	fresh, kept := d.search.visited.offer(p)
	switch {
	case !fresh:
		return
	case kept && d.complete: // changes between levels, or when nobody works
		w.fresh = append(w.fresh, r)
		return
	case !kept && !w.crowded:
		w.crowded = true // it is said once
		d.search.stopFor(&d.search.crowded)
	}
	w.maybe = append(w.maybe, r)
}

// relieve makes room in the table. No worker may be at work.
func (d *disk) relieve() {
	if d.complete {
		d.addRun(d.sortedRun(d.search.visited.codes()))
		d.complete = false
	}
	d.search.visited.wipe()
	for _, w := range d.search.workers {
		w.crowded = false
	}
}

// flush hands over what a worker has reached.
func (d *disk) flush(w *worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range w.fresh {
		d.add(r)
	}
	for _, r := range w.maybe {
		d.note(r)
	}
	w.fresh, w.maybe = w.fresh[:0], w.maybe[:0]
}

// add makes a state that was not visited before one of the next level.
func (d *disk) add(r record) {
	d.links.link(r.parent, r.step)
	d.next.write(r)
	if d.number == numbers {
		d.fail(errors.New("a search on disk has numbers for no more than 2^32 states"))
		return
	}
	d.number++
	d.reached++
}

// run explores level by level, beginning with one state.
func (d *disk) run(first checker.Code) {
	d.add(record{code: first})
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
		d.now.close()
		d.delete(d.now.name)
	}
	d.next.close()
	d.now = d.open(d.next.file.Name(), false)
	d.first = d.number - uint32(d.reached)
	d.search.levelLeft.Store(int64(d.reached))
	d.reached = 0
	d.next = d.create("level", false)
	if d.search.level.depth > 0 {
		d.search.measure()
	}
	return d.err == nil
}

// explore lets a worker expand parts of the level as long as there are any.
func (d *disk) explore(w *worker) {
	for !d.search.ended.Load() {
		if len(w.left) == 0 && !d.take(w) {
			break
		}
		n := len(w.left)
		for ; len(w.left) > 0 && !w.stop(); w.left, w.from = w.left[1:], w.from+1 {
			w.unpack(w.left[0])
			if !w.expand(entry{number: w.from, depth: uint64(d.search.level.depth)}) {
				break
			}
		}
		d.search.levelLeft.Add(int64(len(w.left) - n))
		d.flush(w)
	}
	w.publish()
}

// take gives a worker a part of the level; it reports whether there was any.
func (d *disk) take(w *worker) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.part, w.from = w.part[:0], d.first
	for len(w.part) < partEntries && d.now.advance() {
		w.part = append(w.part, d.now.head.code)
	}
	w.left = w.part
	d.first += uint32(len(w.part))
	return len(w.part) > 0
}

// settle finds out, at the end of a level, which of the states that may be old are.
func (d *disk) settle() {
	if d.complete {
		return
	}
	d.subtract()
	if t := d.search.visited; t.bytes() > d.table.Load()/2 {
		t.wipe()
	}
}

// steps are the indices of the steps from the initial state to a state, the last one first.
func (d *disk) steps(number uint32) (list []int, err error) {
	d.links.flush()
	if d.err != nil {
		return nil, d.err
	}
	f, err := os.Open(d.links.file.Name())
	if err != nil {
		return nil, fmt.Errorf("trace a run: %w", err)
	}
	defer f.Close()
	for n := number; n != 0; {
		var b [linkBytes]byte
		if _, err := f.ReadAt(b[:], int64(n)*linkBytes); err != nil {
			return nil, fmt.Errorf("trace a run: read %s: %w", f.Name(), err)
		}
		var step int
		n, step = linkOf(b)
		list = append(list, step)
	}
	return list, nil
}
