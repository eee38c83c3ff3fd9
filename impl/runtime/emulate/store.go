package emulate

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// record is one stable record, or a change or read of one on its way.
type record struct {
	key   string
	value []byte
	bytes int64 // as it counts
	fresh bool  // it has not been read since it was written
	read  bool  // on its way: nothing changes
}

// diskOf is where the records of a proc are.
func (r *Run) diskOf(p *proc) *disk {
	switch {
	case p.own:
		return p.disk
	case r.config.Costs.Shared:
		return r.shared
	}
	return r.procs[r.procs[p.node].box].disk
}

// find is the place of a record.
func (p *proc) find(key string) (i int, found bool) {
	return slices.BinarySearchFunc(p.store, key, func(s record, key string) int {
		return strings.Compare(s.key, key)
	})
}

// write begins a put or, without a value, a delete, which takes no time in its turn.
func (r *Run) write(p *proc, e *core.Effect) {
	rec := record{key: e.Key, value: e.Value, fresh: true, bytes: int64(len(e.Value))}
	d := r.diskOf(p)
	r.sharing(d)
	end := max(d.free, p.free)
	if e.Value != nil {
		if r.config.Weight != nil {
			rec.bytes = r.config.Weight(p.id, e.Key, e.Value)
		}
		end = d.write(p.free, rec.bytes)
	}
	r.begunAt(p, end, rec)
}

// read begins to read a record back, behind all writes before. How long that takes is known from
// what is there, or will be by then.
func (r *Run) read(p *proc, e *core.Effect) {
	d := r.diskOf(p)
	r.sharing(d)
	end := max(d.free, p.free)
	if rec := r.newest(p, e.Key); rec != nil {
		end = d.read(p.free, rec.bytes, rec.fresh)
		rec.fresh = false
	}
	r.begunAt(p, end, record{key: e.Key, read: true})
}

// newest is the record as it will be when all writes of the proc are stable; nil: there is none.
func (r *Run) newest(p *proc, key string) *record {
	var found *record
	if i, ok := p.find(key); ok {
		found = &p.store[i]
	}
	for _, i := range p.under {
		if rec := &r.items[i].rest.record; !rec.read && rec.key == key {
			found = rec
		}
	}
	if found == nil || found.value == nil {
		return nil
	}
	return found
}

// begunAt is a write or read that will be done at a moment, behind all before it.
func (r *Run) begunAt(p *proc, end moment, rec record) {
	end = max(end, p.settled) // of several servers one may be done before
	p.settled = end
	p.under = append(p.under, r.schedule(p, stable, end, item{toLife: p.life,
		rest: &rest{record: rec}}))
}

// settle is a write or a read that is done.
func (r *Run) settle(p *proc, what *item) {
	if what.toLife != p.life {
		return
	}
	core.Pop(&p.under)
	rec := what.rest.record
	i, found := p.find(rec.key)
	in := core.Input{Kind: core.Persisted, Key: rec.key}
	switch {
	case rec.read:
		in.Kind = core.Loaded
		if found {
			in.Records = []core.Record{{Owner: p.id, Key: rec.key, Value: p.store[i].value}}
		}
	case rec.value == nil:
		if found {
			p.store = slices.Delete(p.store, i, i+1)
		}
		return
	case found:
		p.store[i] = rec
	default:
		p.store = slices.Insert(p.store, i, rec)
	}
	r.offer(p, r.hold(item{from: p.id, toLife: p.life, kind: in.Kind, rest: &rest{input: in}}))
}

// owners are the procs whose records a new life of the proc is handed, where nobody launches it.
func (r *Run) owners(p *proc) []core.Proc {
	if r.setup.Reads != nil {
		if read := r.setup.Reads(p.id); len(read) > 0 {
			return read
		}
	}
	return []core.Proc{p.id}
}

// records are those that it is handed.
func (r *Run) records(p *proc) (list []core.Record) {
	for _, owner := range r.owners(p) {
		for _, s := range r.procs[owner].store {
			list = append(list, core.Record{Owner: owner, Key: s.key, Value: s.value})
		}
	}
	return list
}

// reload is when all of them are read, each in its turn.
func (r *Run) reload(p *proc) (end moment) {
	end = r.now
	for _, owner := range r.owners(p) {
		o := &r.procs[owner]
		for i := range o.store {
			end = max(end, r.diskOf(o).read(r.now, o.store[i].bytes, false))
			o.store[i].fresh = false
		}
	}
	return end
}
