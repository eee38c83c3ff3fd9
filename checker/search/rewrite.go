package search

import (
	"iter"
	"slices"

	"github.com/domino-check/domino/checker"
)

// codes are those of all states on disk, and of those that may be old.
func (d *disk) codes() iter.Seq[checker.Code] {
	return func(yield func(checker.Code) bool) {
		for _, r := range d.pending {
			if !yield(r.code) {
				return
			}
		}
		for _, list := range []iter.Seq[record]{d.read(names(d.runs), false),
			d.read(d.parts, true)} {
			for r := range list {
				if !yield(r.code) {
					return
				}
			}
		}
	}
}

// read gives what files hold, one after the other.
func (d *disk) read(names []string, linked bool) iter.Seq[record] {
	return func(yield func(record) bool) {
		for _, name := range names {
			in := d.open(name, linked)
			if in == nil {
				return
			}
			for in.advance() {
				if !yield(in.head) {
					in.close()
					return
				}
			}
			in.close()
		}
	}
}

// encode writes all files anew, when all codes have become others. No worker may be at work.
func (d *disk) encode(recode func(checker.Code) checker.Code) {
	for _, w := range d.search.workers {
		for i, c := range w.left {
			w.left[i] = recode(c)
		}
	}
	if d.now != nil {
		if o := d.encodeLevel(d.now, recode); o != nil {
			o.close()
			d.now = d.open(o.file.Name(), false)
		}
	}
	d.next.close()
	if in := d.open(d.next.file.Name(), false); in != nil {
		d.next = d.encodeLevel(in, recode)
	}
	if d.err != nil {
		return
	}
	d.spill()
	reached, runs := d.parts, names(d.runs)
	d.parts, d.runs, d.used = nil, nil, checker.Code{}
	if len(runs) > 0 {
		d.addRun(d.sortedRun(func(yield func(checker.Code) bool) {
			for r := range d.read(runs, false) {
				if !yield(recode(r.code)) {
					return
				}
			}
		}))
	}
	for r := range d.read(reached, true) {
		r.code = recode(r.code)
		d.note(r)
	}
	for _, name := range slices.Concat(runs, reached) {
		d.delete(name)
	}
}

// encodeLevel writes what is left of a level anew, in the same order.
func (d *disk) encodeLevel(in *input, recode func(checker.Code) checker.Code) *output {
	o := d.create("level", false)
	if o == nil {
		return nil
	}
	for in.advance() {
		o.write(record{code: recode(in.head.code)})
	}
	in.close()
	d.delete(in.name)
	return o
}
