package local

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
)

// What happens to stable records that nobody has done, as in the modelled world (package
// checker/world, harm.go).

// losesDisk reports whether the stable records of a proc are gone when it crashes together with the
// others.
func (r *run) losesDisk(p *proc, crashed []*proc) bool {
	return r.config.Model.Disks == fault.GoWithNode && slices.Contains(r.setup.Local, p.id) &&
		(p.host == nil || slices.Contains(crashed, p.host))
}

// done is the answer to the oldest put or read in progress.
func (p *proc) done() core.Input {
	i := p.puts()
	w := p.writing[i]
	if !w.read {
		return core.Input{Kind: core.Persisted, Key: w.key}
	}
	in := core.Input{Kind: core.Loaded, Key: w.key}
	if slices.ContainsFunc(p.writing[:i], func(d write) bool { return d.key == w.key }) {
		return in // a delete comes first: nothing else is in front of the oldest
	}
	for _, s := range p.store {
		if s.key == w.key {
			in.Records = []core.Record{{Owner: p.id, Key: s.key, Value: s.value, Torn: s.torn}}
		}
	}
	return in
}

// possibleHarms are what the model lets happen to the records of a proc, where a schedule asks.
func (r *run) possibleHarms(p *proc) (list []offer) {
	for _, what := range []plan.Damage{plan.Lose, plan.Corrupt, plan.Full} {
		list = append(list, r.harmsOf(p, &plan.Spoil{What: what})...)
	}
	return list
}

// harmed are the harms of the plan whose time has come.
func (r *run) harmed(p *proc, yield func(offer) bool) bool {
	for _, d := range r.spoils {
		if d.Proc != p.id || d.After > p.performed {
			continue
		}
		for _, o := range r.harmsOf(p, d) {
			if !yield(o) {
				return false
			}
		}
	}
	return true
}

// harmsOf are the ways in which a harm can be done now.
func (r *run) harmsOf(p *proc, d *plan.Spoil) (list []offer) {
	if !r.config.Model.Spoils(p.id) {
		return nil
	}
	o := offer{fault: true, spoil: d, due: p.readyAt}
	switch i := p.puts(); {
	case d.What == plan.Full:
		if o.kind = refuse; p.up && i >= 0 && !p.writing[i].read && r.left.full > 0 {
			o.due = max(o.due, p.writing[i].due)
			list = append(list, o)
		}
	case d.What == plan.Lose && r.left.lose > 0:
		for o.kind, o.index = vanish, 0; o.index < len(p.store); o.index++ {
			list = append(list, o)
		}
	case d.What == plan.Corrupt && r.left.corrupt > 0:
		for o.kind, o.index = spoil, 0; o.index < len(p.store); o.index++ {
			for o.way = range fault.Damages {
				if w := p.store[o.index]; !w.torn && len(w.value) > 0 {
					list = append(list, o)
				}
			}
		}
	}
	return list
}

// damage is what happens to a record.
func (r *run) damage(p *proc, o *offer) {
	if r.harmDone(o); o.kind == vanish {
		r.left.lose--
		p.store = slices.Delete(p.store, o.index, o.index+1)
		return
	}
	r.left.corrupt--
	p.store[o.index].value, _ = fault.Damaged(p.store[o.index].value, o.way)
}

// refuse takes the oldest put out, and makes the deletes before it stable.
func (r *run) refuse(p *proc, o *offer) {
	r.harmDone(o)
	r.left.full--
	p.stable(p.puts())
	p.writing = p.writing[1:]
}

// harmDone takes a harm off the plan.
func (r *run) harmDone(o *offer) {
	r.spoils = slices.DeleteFunc(r.spoils, func(d *plan.Spoil) bool { return d == o.spoil })
}
