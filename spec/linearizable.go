package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// Linearizable: the operations of all clients can be put into one order that a single register
// would give the same answers in, without turning round two of them that did not overlap.
//
// An operation that never ends may have happened at any later time, or not at all. A client that
// restarts is a new client: whether the operation of its former life will still happen, nobody
// knows.
var Linearizable = register(Property{
	Name: "linearizable", Kind: Monitor, Source: "[Linearizable] section 2",
	Doc: "the answers of all clients are those of one register, in an order that respects " +
		"which operation ended before which began",
	Applies: func(f *Facts) bool { return f.Register },
	Needs:   "Register (Invoke, Return)",
	Watched: []trace.Kind{trace.Invoked, trace.Returned},
	Memory: &Remembers[operations]{Observe: func(f *Facts, m *operations, e trace.Event) string {
		i, open := m.find(e)
		name := f.name(e.Proc)
		switch {
		case e.Kind == trace.Invoked && open:
			return fmt.Sprintf("%s begins to %s before its %s has ended", name, e.Text, m.open[i])
		case e.Kind == trace.Invoked:
			m.begin(i, e)
		case !open:
			return fmt.Sprintf("%s gets the answer %q to no operation", name, e.Text)
		default:
			if o := m.open[i]; !m.end(i, e.Text) {
				return fmt.Sprintf("%s gets the answer %q to its %s: in no order of the "+
					"operations the register can hold that; it can hold %s", name, e.Text, o,
					quoted(m.answers(i)))
			}
		}
		return ""
	}},
})

// ReadsValue: reads are more than asked.
var ReadsValue = sometimes("reads-value", "in some run a client reads a value that was written",
	func(f *Facts) bool { return f.Register }, "Register (Invoke, Return)",
	func(f *Facts, e trace.Event) bool { return e.Kind == trace.Returned && e.Text != "" })

// operations is what the property remembers: the operations that have not ended, and in which ways
// the answers so far can have come about. What has ended is forgotten.
//
// A write is put into the order as late as can be: when it ends, or when an answer needs its value.
// Each of the ways stands for all orders that it leaves open (see way). That a write happens late
// leaves more answers possible, never fewer: whatever has not ended may come before it or after it.
type operations struct {
	open []operation // by proc, then incarnation
	ways []way       // in order, none within another; none at all: nothing has happened
}

// operation is a read or, with a value, a write.
type operation struct {
	proc        trace.Proc
	incarnation trace.Incarnation
	write       bool
	value       string
	// a later life of the client has begun something: this operation will never end
	over bool
}

// String is the operation as the client has asked for it.
func (o operation) String() string {
	if o.write {
		return "write " + o.value
	}
	return "read"
}

// way is a way in which the answers so far can have come about.
type way struct {
	value string    // of the register now
	open  []outlook // of each operation that has not ended
}

// outlook is what a way leaves possible for an operation.
//
// The last write that was put into the order is the last one here. Whatever began before it may
// have happened just before it (before): a write that did so was overwritten at once, so nobody
// need have seen it, but a read that began before the last one may have.
type outlook struct {
	before bool
	// of a write: it is in the order
	done bool
	// of a read: values that the register had since it began, in order; the present one among them
	seen []string
}

// find is where the operation of the client is, or would be.
func (m *operations) find(e trace.Event) (i int, open bool) {
	return slices.BinarySearchFunc(m.open, e, func(o operation, e trace.Event) int {
		return cmp.Or(cmp.Compare(o.proc, e.Proc), cmp.Compare(o.incarnation, e.Incarnation))
	})
}

// begin adds an operation at a place.
func (m *operations) begin(i int, e trace.Event) {
	o := operation{proc: e.Proc, incarnation: e.Incarnation}
	o.value, o.write = strings.CutPrefix(e.Text, "write ")
	if !o.write {
		o.value = ""
	}
	if m.ways == nil {
		m.ways = []way{{}}
	}
	m.open = slices.Insert(m.open, i, o)
	for k := range m.ways {
		w := &m.ways[k]
		var at outlook
		if !o.write {
			at.seen = []string{w.value}
		}
		w.open = slices.Insert(w.open, i, at)
	}
	for k := range m.open {
		o := &m.open[k]
		o.over = o.over || o.proc == e.Proc && o.incarnation < e.Incarnation
	}
	m.tidy()
}

// end takes an operation out that has got an answer; false, and nothing has happened, if there is
// no way in which it can have got that.
func (m *operations) end(i int, answer string) bool {
	var ways []way
	for _, w := range m.ways {
		if m.open[i].write {
			ways = append(ways, m.written(w, i)...)
		} else {
			ways = append(ways, m.answered(w, i, answer)...)
		}
	}
	if len(ways) == 0 {
		return false
	}
	m.open = slices.Delete(m.open, i, i+1)
	for k := range ways {
		ways[k].open = slices.Delete(ways[k].open, i, i+1)
	}
	m.ways = ways
	m.tidy()
	return true
}

// written are the ways in which a write can have happened by now: it had, or it was overwritten at
// once, or it happens now.
func (m *operations) written(w way, i int) (ways []way) {
	switch at := w.open[i]; {
	case at.done:
		return []way{w}
	case at.before:
		ways = append(ways, m.hidden(w, i))
	}
	return append(ways, m.now(w, i))
}

// answered are the ways in which a read can have got the answer: the register had that value while
// it was under way, or an open write of it happens now, or did so just before the last one.
func (m *operations) answered(w way, i int, answer string) (ways []way) {
	if slices.Contains(w.open[i].seen, answer) {
		return []way{w}
	}
	for k, o := range m.open {
		at := w.open[k]
		if !o.write || o.value != answer || at.done {
			continue
		}
		if ways = append(ways, m.now(w, k)); at.before && w.open[i].before {
			ways = append(ways, m.hidden(w, k))
		}
	}
	return ways
}

// now is the way with an open write done at last.
func (m *operations) now(w way, i int) way {
	value := m.open[i].value
	w = way{value: value, open: slices.Clone(w.open)}
	for k := range w.open {
		at := &w.open[k]
		if at.before = true; !m.open[k].write {
			at.see(value)
		}
	}
	w.open[i].done = true
	return w
}

// hidden is the way with an open write done just before the last one.
func (m *operations) hidden(w way, i int) way {
	w.open = slices.Clone(w.open)
	for k := range w.open {
		if at := &w.open[k]; at.before && !m.open[k].write {
			at.see(m.open[i].value)
		}
	}
	w.open[i].done = true
	return w
}

// normal leaves out what is of no use: where a write began that is in the order, and where reads
// did unless there is a write that can still come just before the last one.
func (m *operations) normal(w way) {
	hidden := false
	for k := range w.open {
		at := &w.open[k]
		at.before = at.before && !at.done
		hidden = hidden || at.before && m.open[k].write
	}
	for k := range w.open {
		at := &w.open[k]
		at.before = at.before && (hidden || m.open[k].write)
	}
}

// see adds a value; lists are shared by ways, so this makes another one.
func (o *outlook) see(value string) {
	if i, found := slices.BinarySearch(o.seen, value); !found {
		o.seen = slices.Insert(slices.Clone(o.seen), i, value)
	}
}

// answers are those that a read could get.
func (m *operations) answers(i int) (values []string) {
	for _, w := range m.ways {
		values = append(values, w.open[i].seen...)
		for k, o := range m.open {
			if o.write && !w.open[k].done {
				values = append(values, o.value)
			}
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

func quoted(values []string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprintf("%q", v)
	}
	return strings.Join(words, " or ")
}

// tidy forgets what can not matter any more: reads of former lives, writes of theirs that every way
// has done, and ways that another one includes. What is left has one order.
func (m *operations) tidy() {
	for i := len(m.open) - 1; i >= 0; i-- {
		if o := m.open[i]; o.over && (!o.write || !slices.ContainsFunc(m.ways, func(w way) bool {
			return !w.open[i].done
		})) {
			m.open = slices.Delete(m.open, i, i+1)
			for k := range m.ways {
				m.ways[k].open = slices.Delete(slices.Clone(m.ways[k].open), i, i+1)
			}
		}
	}
	for _, w := range m.ways {
		m.normal(w)
	}
	slices.SortFunc(m.ways, way.compare)
	var kept []way
	for k, w := range m.ways {
		if !slices.ContainsFunc(kept, func(v way) bool { return m.includes(v, w) }) &&
			!slices.ContainsFunc(m.ways[k+1:], func(v way) bool {
				return m.includes(v, w) && v.compare(w) != 0
			}) {
			kept = append(kept, w)
		}
	}
	m.ways = kept
	if len(m.open) == 0 && len(m.ways) == 1 && m.ways[0].value == "" {
		*m = operations{} // as if nothing had happened
	}
}

// includes reports whether whatever may come in the second way may come in the first.
func (m *operations) includes(v, w way) bool {
	if v.value != w.value {
		return false
	}
	for k, o := range m.open {
		a, b := v.open[k], w.open[k]
		switch {
		case o.write && a.done != b.done && !(b.done && (a.before || o.over)):
			// what is in the order can not come later, and what is not must still come, unless it
			// may have been overwritten at once, or never ends
			return false
		case o.write && !a.done && !b.done && b.before && !a.before:
			return false
		case !o.write && b.before && !a.before:
			return false
		case !o.write && slices.ContainsFunc(b.seen, func(value string) bool {
			return !slices.Contains(a.seen, value)
		}):
			return false
		}
	}
	return true
}

// compare is some order of ways of the same operations.
func (w way) compare(v way) int {
	return cmp.Or(cmp.Compare(w.value, v.value),
		slices.CompareFunc(w.open, v.open, func(a, b outlook) int {
			return cmp.Or(compareBool(a.done, b.done), compareBool(a.before, b.before),
				slices.Compare(a.seen, b.seen))
		}))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
