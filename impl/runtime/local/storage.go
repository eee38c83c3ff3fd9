package local

import (
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// write is one stable record, or a change of the store on its way.
type write struct {
	key   string
	value []byte
	torn  bool
	gone  bool // on its way: the record is deleted
	read  bool // on its way: nothing changes, the record is read when its turn has come
	due   time.Duration
}

// write begins a put, or a delete. What a proc changes becomes stable in its order, and a delete
// with the put that comes after it, or by itself where somebody reads it, as in the world (package
// checker/world, storage.go).
func (r *run) write(p *proc, e *core.Effect) {
	w := write{key: e.Key, value: e.Value, gone: e.Value == nil}
	if w.gone && !p.known(e.Key, len(p.writing), true) {
		return // no outcome shows it
	}
	r.queue(p, w)
}

// queue puts an entry behind those in progress.
func (r *run) queue(p *proc, w write) {
	w.due = r.clock() + r.pace.delay(p.rng, r.pace.writes[p.id])
	if n := len(p.writing); n > 0 {
		w.due = max(w.due, p.writing[n-1].due)
	}
	p.writing = append(p.writing, w)
}

// puts is the place of the oldest put or read in progress, -1 when there is none.
func (p *proc) puts() int {
	return slices.IndexFunc(p.writing, func(w write) bool { return !w.gone })
}

// stable makes so many of the oldest writes stable.
func (p *proc) stable(n int) {
	for _, w := range p.writing[:n] {
		p.keep(w)
	}
	p.writing = p.writing[n:]
}

// keep makes a change stable: a record, in the place of an older one with its key, or its delete.
func (p *proc) keep(w write) {
	i, found := slices.BinarySearchFunc(p.store, w.key, func(s write, key string) int {
		return strings.Compare(s.key, key)
	})
	switch {
	case w.read:
	case found && w.gone:
		p.store = slices.Delete(p.store, i, i+1)
	case found:
		p.store[i] = w
	case !w.gone:
		p.store = slices.Insert(p.store, i, w)
	}
}

// known reports whether a record is there, a damaged one if that counts, when so many of the writes
// in progress are stable.
func (p *proc) known(key string, kept int, torn bool) bool {
	for _, w := range slices.Backward(p.writing[:kept]) {
		if w.key == key && !w.read {
			return !w.gone
		}
	}
	return slices.ContainsFunc(p.store, func(w write) bool {
		return w.key == key && (torn || !w.torn)
	})
}

// erases reports whether the oldest change of the store is a delete, or any if the proc stands
// still, that shows to somebody who is down and reads it.
func (r *run) erases(p *proc) bool {
	if len(p.writing) == 0 || !p.writing[0].gone && !p.stand.still || r.setup.Reads == nil {
		return false
	}
	return slices.ContainsFunc(r.procs, func(q *proc) bool {
		return q != p && !q.up && slices.Contains(r.setup.Reads(q.id), p.id)
	})
}

// fate is what becomes of the writes in progress of a proc that stops: so many of the oldest have
// become stable, the next one is damaged (see tears) or absent.
type fate struct {
	kept int
	torn bool
	gone bool // the disk is
}

// fates lists what may become of the writes in progress of the procs when they crash, in the order
// in which the world numbers it.
func (r *run) fates(procs []*proc) (all [][]fate) {
	return r.outcomes(procs, func(p *proc) bool { return r.losesDisk(p, procs) })
}

// outcomes is fates for procs of which some lose their disks.
func (r *run) outcomes(procs []*proc, gone func(*proc) bool) (all [][]fate) {
	chosen := make([]fate, len(procs))
	var choose func(i, damaged int)
	choose = func(i, damaged int) {
		if i == len(procs) {
			all = append(all, slices.Clone(chosen))
			return
		}
		if gone(procs[i]) {
			chosen[i] = fate{gone: true}
			choose(i+1, damaged)
			return
		}
		n := len(procs[i].writing)
		for kept := 0; kept <= n; kept++ {
			if kept < n && procs[i].writing[kept].read {
				continue // as behind it
			}
			chosen[i] = fate{kept: kept}
			choose(i+1, damaged)
			if r.left.torn > damaged && procs[i].tears(kept) {
				chosen[i].torn = true
				choose(i+1, damaged+1)
			}
		}
	}
	choose(0, 0)
	return all
}

// tears reports whether a stop may leave the write after so many of those in progress as a damaged
// record: when its key has no value by then. Half a rewrite leaves the older value, as on disk
// (package impl/runtime/disk).
func (p *proc) tears(kept int) bool {
	if kept == len(p.writing) || p.writing[kept].gone || p.writing[kept].read {
		return false
	}
	return !p.known(p.writing[kept].key, kept, false)
}

// records are the stable records that a new incarnation of the proc is handed.
func (r *run) records(p *proc) (list []core.Record) {
	owners := []core.Proc{p.id}
	if r.setup.Reads != nil {
		if read := r.setup.Reads(p.id); len(read) > 0 {
			owners = read
		}
	}
	for _, owner := range owners {
		for _, w := range r.procs[owner].store {
			list = append(list, core.Record{Owner: owner, Key: w.key, Value: w.value, Torn: w.torn})
		}
	}
	return list
}

// setTimer sets a timer, again if it is set already.
func (r *run) setTimer(p *proc, e *core.Effect) {
	unit := max(r.pace.spread, 1)
	t := timer{name: e.Timer, due: r.clock() + time.Duration(min(e.Ticks, 1<<20))*unit}
	i, found := slices.BinarySearchFunc(p.timers, e.Timer, func(t timer, name string) int {
		return strings.Compare(t.name, name)
	})
	if found {
		p.timers[i] = t
		return
	}
	p.timers = slices.Insert(p.timers, i, t)
}
