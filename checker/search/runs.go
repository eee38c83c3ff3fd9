package search

import (
	"cmp"
	"iter"
	"slices"

	"github.com/domino-check/domino/checker"
)

// diskRun is a sorted file of visited states; no two have one in common.
type diskRun struct {
	name  string
	count int
}

// fanIn is how many sorted files of what was reached there are at most.
const fanIn = 16

// compare orders records by state, and of one state by how a single worker meets them.
func (r record) compare(s record) int {
	if r.code != s.code {
		return r.code.Compare(s.code)
	}
	return cmp.Or(cmp.Compare(r.parent, s.parent), cmp.Compare(r.step, s.step))
}

// note keeps a state that may be old.
func (d *disk) note(r record) {
	if len(d.pending) >= int(min(d.most.Load(), int64(cap(d.pending)))) {
		d.spill()
	}
	d.used.Lo, d.used.Hi = d.used.Lo|r.code.Lo, d.used.Hi|r.code.Hi
	d.pending = append(d.pending, r)
	if len(d.pending) > d.touched {
		d.touched++
		d.held.Add(recordBytes)
	}
}

// spill writes what is in memory to a sorted file.
func (d *disk) spill() {
	if len(d.pending) == 0 || d.err != nil {
		d.pending = d.pending[:0]
		return
	}
	if len(d.parts) == fanIn {
		parts := d.parts
		d.parts = nil
		d.part(func(each func(record)) { d.merge(parts, true, each) })
	}
	d.part(d.inMemory)
	if d.pending = d.pending[:0]; int64(d.touched) > d.most.Load() {
		vacate(d.pending[:cap(d.pending)])
		d.held.Add(-int64(d.touched) * recordBytes)
		d.touched = 0
	}
}

// part writes a sorted file of what was reached.
func (d *disk) part(records func(each func(record))) {
	o := d.create("reached", true)
	if o == nil {
		return
	}
	records(once(o.write))
	o.close()
	d.parts = append(d.parts, o.file.Name())
}

// inMemory gives what is in memory in order.
func (d *disk) inMemory(each func(record)) {
	slices.SortFunc(d.pending, record.compare)
	for _, r := range d.pending {
		each(r)
	}
}

// sorted gives all that was noted in order, and forgets it.
func (d *disk) sorted(each func(record)) {
	if len(d.parts) > 0 {
		d.spill()
		parts := d.parts
		d.parts = nil
		d.merge(parts, true, each)
		return
	}
	d.inMemory(each)
	d.pending = d.pending[:0]
}

// once hands on the first one of records of one state, which come in a row.
func once(each func(record)) func(record) {
	var last checker.Code
	first := true
	return func(r record) {
		if first || r.code != last {
			first, last = false, r.code
			each(r)
		}
	}
}

// heads is a heap of sorted files by the record at hand.
type heads []*input

// sink puts a file where it belongs that comes too early.
func (h heads) sink(i int) {
	for least := i; ; i = least {
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].head.compare(h[least].head) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
	}
}

// openAll opens files at their first records; empty ones are left out.
func (d *disk) openAll(names []string, linked bool) (list heads) {
	for _, name := range names {
		if in := d.open(name, linked); in == nil {
			break
		} else if in.advance() {
			list = append(list, in)
		} else {
			in.close()
		}
	}
	return list
}

// merge gives the records of sorted files in order, then deletes the files.
func (d *disk) merge(names []string, linked bool, each func(record)) {
	h := d.openAll(names, linked)
	defer func() { // those that were not read to the end
		for _, in := range h {
			in.close()
		}
	}()
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	for n := 0; len(h) > 0 && d.err == nil; n++ {
		if n%checker.LookEvery == 0 && d.search.isOver() {
			return
		}
		each(h[0].head)
		if !h[0].advance() {
			h[0].close()
			h[0] = h[len(h)-1]
			h = h[:len(h)-1]
		}
		h.sink(0)
	}
	for _, name := range names {
		d.delete(name)
	}
}

// addRun keeps the runs few: each is more than twice as long as those after it.
func (d *disk) addRun(r diskRun) {
	d.spills.Add(1)
	d.runs = append(d.runs, r)
	from, count := len(d.runs)-1, r.count
	for ; from > 0 && d.runs[from-1].count <= 2*count; from-- {
		count += d.runs[from-1].count
	}
	if from == len(d.runs)-1 || d.err != nil {
		return
	}
	o := d.create("visited", false)
	if o == nil {
		return
	}
	d.merge(names(d.runs[from:]), false, o.write)
	o.close()
	d.runs = append(d.runs[:from], diskRun{o.file.Name(), count})
}

func names(runs []diskRun) (list []string) {
	for _, r := range runs {
		list = append(list, r.name)
	}
	return list
}

// sortedRun makes a run of states that are different ones. What was noted stays.
func (d *disk) sortedRun(codes iter.Seq[checker.Code]) diskRun {
	d.spill()
	reached := d.parts
	d.parts = nil
	for c := range codes {
		d.note(record{code: c})
	}
	r := d.newRun(func(add func(record)) { d.sorted(add) })
	d.parts = reached
	return r
}

// newRun writes a run.
func (d *disk) newRun(states func(add func(record))) (r diskRun) {
	o := d.create("visited", false)
	if o == nil {
		return r
	}
	states(func(s record) {
		o.write(s)
		r.count++
	})
	o.close()
	r.name = o.file.Name()
	return r
}

// subtract makes those of the states that may be old the next level that no run holds, and a run
// themselves.
func (d *disk) subtract() {
	if len(d.pending)+len(d.parts) == 0 || d.err != nil {
		return
	}
	old := d.openAll(names(d.runs), false)
	defer func() {
		for _, in := range old {
			in.close()
		}
	}()
	isOld := func(c checker.Code) bool {
		for i := 0; i < len(old); {
			switch at := old[i].head.code.Compare(c); {
			case at == 0:
				return true
			case at > 0:
				i++
			case !old[i].advance():
				old[i].close()
				old = slices.Delete(old, i, i+1)
			}
		}
		return false
	}
	d.search.stats() // there is hardly ever more in memory
	d.addRun(d.newRun(func(add func(record)) {
		d.sorted(once(func(r record) {
			if !isOld(r.code) {
				d.add(r)
				add(r)
			}
		}))
	}))
}
