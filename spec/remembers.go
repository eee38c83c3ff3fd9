package spec

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/domino-check/domino/spec/trace"
)

// Remembers is the memory of a Monitor: an M, the zero one before the first event, and what is made
// of it. An M is plain data: booleans, integers, strings, and structs, arrays and slices of those.
// A slice without elements is the same as none.
//
// What is remembered is part of the state of a search: runs that are remembered alike are one run
// from there on. So it should hold what later events are judged by, and nothing that is over.
type Remembers[M any] struct {
	// Observe folds one event into the memory and returns how the event breaks the property, or "".
	// It is given the events of the Watched kinds, in the order in which they happen. The memory is
	// a copy of its own, which it may change as it likes until it returns.
	Observe func(f *Facts, memory *M, e trace.Event) (broken string)
	// Settle returns how the end of a run breaks it that has left the memory, or ""; nil when only
	// events break it.
	Settle func(f *Facts, memory *M) (broken string)
	// Look judges, after Observe, an event of the Looked kinds, which are among the Watched, by the
	// memory and by the state that a Global property is shown; and, without an event, the end of a
	// run. It may be nil.
	Look func(f *Facts, v View, memory *M, e trace.Event) (broken string)

	// Rename replaces each proc that the memory names by what it is called now, when procs that are
	// alike are exchanged; nil when it names none of those. The memory is a copy of its own.
	Rename func(memory *M, to func(trace.Proc) trace.Proc)

	once  sync.Once
	plain *plain
	wrong error
}

// Memory is a pointer to Remembers of some type.
type Memory interface {
	check() error
	looks() bool
	begin() Remembered
	read(b []byte) (Remembered, error)
	observe(f *Facts, r Remembered, e trace.Event) (next Remembered, broken string)
	settle(f *Facts, r Remembered) string
	look(f *Facts, v View, r Remembered, e trace.Event) string
	rename(r Remembered, to func(trace.Proc) trace.Proc) Remembered
	within(g *guard) Memory
}

// Remembered is what a Monitor remembers of one run up to some event. It does not change.
type Remembered interface {
	// AppendKey appends canonical bytes: two memories of one Monitor are the same if these are.
	AppendKey(b []byte) []byte
	String() string // for people
}

// remembered is a Remembered of a type.
type remembered[M any] struct {
	memory M
	plain  *plain
}

// AppendKey implements Remembered.
func (r *remembered[M]) AppendKey(b []byte) []byte {
	return r.plain.write(b, reflect.ValueOf(&r.memory).Elem())
}

// String implements Remembered.
func (r *remembered[M]) String() string { return fmt.Sprintf("%+v", r.memory) }

// copied is a memory that shares nothing with the other one, so that who gets it may change it.
func (r *remembered[M]) copied() *remembered[M] {
	c := *r
	if !c.plain.flat {
		c.plain.unshare(reflect.ValueOf(&c.memory).Elem())
	}
	return &c
}

// check says what is missing.
func (m *Remembers[M]) check() error {
	m.once.Do(func() { m.plain, m.wrong = plainOf(reflect.TypeFor[M]()) })
	if m.wrong == nil && m.Observe == nil {
		return fmt.Errorf("remembers a %v and has no function Observe", reflect.TypeFor[M]())
	}
	return m.wrong
}

func (m *Remembers[M]) looks() bool { return m.Look != nil }

func (m *Remembers[M]) begin() Remembered {
	if err := m.check(); err != nil {
		panic(fmt.Sprintf("invariant: properties are checked before they are asked: %v", err))
	}
	return &remembered[M]{plain: m.plain}
}

// read is the memory whose bytes AppendKey has written.
func (m *Remembers[M]) read(b []byte) (Remembered, error) {
	r := m.begin().(*remembered[M])
	rest, err := m.plain.read(b, reflect.ValueOf(&r.memory).Elem())
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes are left over", len(rest))
	}
	return r, err
}

func (m *Remembers[M]) observe(f *Facts, r Remembered, e trace.Event) (Remembered, string) {
	next := r.(*remembered[M]).copied()
	broken := m.Observe(f, &next.memory, e)
	return next, broken
}

func (m *Remembers[M]) settle(f *Facts, r Remembered) string {
	if m.Settle == nil {
		return ""
	}
	return m.Settle(f, &r.(*remembered[M]).copied().memory)
}

func (m *Remembers[M]) look(f *Facts, v View, r Remembered, e trace.Event) string {
	if m.Look == nil {
		return ""
	}
	return m.Look(f, v, &r.(*remembered[M]).copied().memory, e)
}

func (m *Remembers[M]) rename(r Remembered, to func(trace.Proc) trace.Proc) Remembered {
	if m.Rename == nil {
		return r
	}
	next := r.(*remembered[M]).copied()
	m.Rename(&next.memory, to)
	return next
}

// within is the same with a guard around each function.
func (m *Remembers[M]) within(g *guard) Memory {
	guarded := &Remembers[M]{Observe: func(f *Facts, memory *M, e trace.Event) (broken string) {
		defer g.caught(&e, &broken)
		return m.Observe(f, memory, e)
	}, Rename: m.Rename}
	if m.Settle != nil {
		guarded.Settle = func(f *Facts, memory *M) (broken string) {
			defer g.caught(nil, &broken)
			return m.Settle(f, memory)
		}
	}
	if m.Look != nil {
		guarded.Look = func(f *Facts, v View, memory *M, e trace.Event) (broken string) {
			at := &e
			if e.Kind == 0 {
				at = nil
			}
			defer g.caught(at, &broken)
			return m.Look(f, v, memory, e)
		}
	}
	return guarded
}

// Begin is what a Monitor remembers before the first event.
func (p *Property) Begin() Remembered { return p.Memory.begin() }

// Restore is what a Monitor remembered when it wrote the key.
func (p *Property) Restore(key []byte) (Remembered, error) { return p.Memory.read(key) }

// Observe is what a Monitor remembers after an event that it Sees, and how that breaks it, or "".
func (p *Property) Observe(f *Facts, r Remembered, e trace.Event) (next Remembered, broken string) {
	return p.Memory.observe(f, r, e)
}

// Renamed is what a Monitor remembers of the run in which the procs have other names.
func (p *Property) Renamed(r Remembered, to func(trace.Proc) trace.Proc) Remembered {
	return p.Memory.rename(r, to)
}

// Look is how a Monitor judges an event that it LooksAt by the state and by what it remembers after
// the event; "" when that does not break it.
func (p *Property) Look(f *Facts, v View, r Remembered, e trace.Event) (broken string) {
	return p.Memory.look(f, v, r, e)
}

// Looks reports whether a property is a Monitor that judges by the state, too.
func (p *Property) Looks() bool { return p.Memory != nil && p.Memory.looks() }

// LooksAt reports whether Look is given the event.
func (p *Property) LooksAt(e *trace.Event) bool {
	return p.Looks() && slices.Contains(p.Looked, e.Kind) && p.Sees(e)
}

// Settles is how the end of a run breaks a Monitor that has left the memory, or "".
func (p *Property) Settles(f *Facts, v View, r Remembered) (broken string) {
	if broken = p.Memory.settle(f, r); broken == "" {
		broken = p.Memory.look(f, v, r, trace.Event{})
	}
	return broken
}
