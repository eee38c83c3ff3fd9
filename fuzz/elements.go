package fuzz

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/fault"
)

// element is one thing that was drawn and can be taken out of a failure.
type element struct {
	kind  elementKind
	index int
}

// elementKind orders the elements: what shrinks first comes first.
type elementKind uint8

const (
	aRank       elementKind = iota
	aSeparation             // of the cluster of a rank from the one of the rank before
	aFailure                // a crash in the schedule
	aSetting                // of the environment
	anOption
	aChoice     // how many failures the protocol tolerates
	aVictim     // that it is one rank that fails
	aLoop       // that the whole is repeated
	aCheckpoint // in the program
	anItem
	aStyle // that a rank receives otherwise than by name
	aWatch // that a rank sees errors
	aLate
	aSettling
	anEvent // in the schedule: it then happens when it has to
)

// elements lists everything that can be taken out.
func (f *failing) elements() (list []element) {
	d := f.draft
	add := func(k elementKind, i int) { list = append(list, element{k, i}) }
	for r := range d.ranks {
		if !d.gone[r] {
			add(aRank, r)
		}
	}
	for r := range d.clusters {
		if r > 0 && !d.gone[r] && d.clusters[r] != d.clusters[r-1] {
			add(aSeparation, r)
		}
	}
	for i, text := range f.schedule {
		if fatal(text) {
			add(aFailure, i)
		}
	}
	for i, k := range fault.Keys {
		if !k.Budget && k.Get(&d.model) != 0 { // budgets are lowered to what a run uses
			add(aSetting, i)
		}
	}
	for i := range d.options {
		add(anOption, i)
	}
	if d.tolerates > 0 {
		add(aChoice, 0)
	}
	if d.victim > 0 {
		add(aVictim, 0)
	}
	if d.loops > 1 {
		add(aLoop, 0)
	}
	list = append(list, d.itemElements()...)
	list = append(list, d.habits()...)
	for i, it := range d.items {
		if it.late {
			add(aLate, i)
		}
		if it.settle {
			add(aSettling, i)
		}
	}
	for i, text := range f.schedule {
		if !fatal(text) {
			add(anEvent, i)
		}
	}
	return list
}

// habits lists how ranks do things.
func (d *draft) habits() (list []element) {
	for r, s := range d.styles {
		if s != byName && !d.gone[r] {
			list = append(list, element{aStyle, r})
		}
	}
	for r, sees := range d.sees {
		if sees && !d.gone[r] {
			list = append(list, element{aWatch, r})
		}
	}
	return list
}

// itemElements lists what happens, checkpoints first.
func (d *draft) itemElements() (list []element) {
	for i, it := range d.items {
		if it.kind == checkpoint {
			list = append(list, element{aCheckpoint, i})
		}
	}
	for i, it := range d.items {
		if it.kind != checkpoint {
			list = append(list, element{anItem, i})
		}
	}
	return list
}

// without is the failure with some elements taken out.
func (f *failing) without(elements []element, out []bool) (*draft, []string) {
	d := f.draft.copy()
	items, events, options := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for i, e := range elements {
		if !out[i] {
			continue
		}
		switch e.kind {
		case aRank:
			d.gone[e.index] = true
		case aSeparation:
			d.join(e.index)
		case aFailure, anEvent:
			events[e.index] = true
		case aSetting:
			fault.Keys[e.index].Clear(&d.model)
		case anOption:
			options[e.index] = true
		case aChoice:
			d.tolerates = 0
		case aVictim:
			d.victim = 0
		case aLoop:
			d.loops = 1
		case aCheckpoint, anItem:
			items[e.index] = true
		case aStyle:
			d.styles[e.index] = byName
		case aWatch:
			d.sees[e.index] = false
		case aLate:
			d.items[e.index].late = false
		case aSettling:
			d.items[e.index].settle = false
		}
	}
	d.items = pick(d.items, items)
	d.options = pick(d.options, options)
	d.leave()
	return d, pick(f.schedule, events)
}

// pick is the list without some indices.
func pick[T any](list []T, without map[int]bool) (rest []T) {
	for i, x := range list {
		if !without[i] {
			rest = append(rest, x)
		}
	}
	return rest
}

// fatal reports whether an event of a schedule is the crash of somebody.
func fatal(text string) bool {
	return strings.HasPrefix(text, "crash ") || strings.HasPrefix(text, "stop ") ||
		strings.Contains(text, ", stands still after effect ")
}

func (d *draft) copy() *draft {
	c := *d
	c.gone, c.styles, c.clusters = slices.Clone(d.gone), slices.Clone(d.styles),
		slices.Clone(d.clusters)
	c.sees = slices.Clone(d.sees)
	c.items, c.options, c.trees = slices.Clone(d.items), slices.Clone(d.options), nil
	for _, t := range d.trees {
		c.trees = append(c.trees, tree{slices.Clone(t.members), slices.Clone(t.parents), t.combine})
	}
	return &c
}

// join puts a rank and those of its cluster behind it into the cluster of the rank before.
func (d *draft) join(r int) {
	from, to := d.clusters[r], d.clusters[r-1]
	for q := r; q < len(d.clusters); q++ {
		if d.clusters[q] == from {
			d.clusters[q] = to
		}
	}
}

// leave takes everything out that ranks which are gone have a part in.
func (d *draft) leave() {
	for g := range d.trees {
		d.trees[g].leave(d.gone)
	}
	d.items = slices.DeleteFunc(d.items, func(i item) bool {
		switch i.kind {
		case message:
			return d.gone[i.from] || d.gone[i.to]
		case multicast, reduction:
			return len(d.trees[i.group].members) < 2
		case checkpoint:
			return i.to >= 0 && d.gone[i.from]
		}
		return d.gone[i.from]
	})
}

// leave takes members out of a tree: their children go to their parents, or to a new root.
func (t *tree) leave(gone []bool) {
	for i := 0; i < len(t.members); {
		if !gone[t.members[i]] {
			i++
			continue
		}
		parent := t.parents[i]
		if i == 0 && len(t.members) > 1 { // its first child becomes the root
			parent = 1
		}
		for j := range t.parents {
			if t.parents[j] == i {
				t.parents[j] = parent
			}
		}
		t.members, t.parents = slices.Delete(t.members, i, i+1), slices.Delete(t.parents, i, i+1)
		for j := range t.parents {
			if t.parents[j] > i {
				t.parents[j]--
			}
		}
	}
	if len(t.parents) > 0 {
		t.parents[0] = 0
	}
}
