package world

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// monitors are the properties that have a memory. What they remember of the run is part of the
// state, its last word, which is there only if there are any: two runs that end alike are one state
// only if they have shown the monitors the same.
//
// A step that shows a monitor something is visible, so it depends on every other visible step: no
// reduction changes the order in which a monitor sees events.
type monitors struct {
	list []spec.Property
	word int // of the state, 0 = none
	// what each monitor remembers, and the numbers of that, one for each monitor
	each     []interned[uint32, spec.Remembered]
	memories interned[uint32, []uint32]
	steps    table // (memories, transition) -> observation
	observed store[uint32, observation]
}

// observation is what the monitors make of one local step.
type observation struct {
	next      uint32 // memories
	violation int
	// what each monitor remembers after an event that it looks at: by event, then monitor
	looked []uint32
}

// begin makes the state before any event; the word is the one after all others.
func (s *monitors) begin(word int) {
	if len(s.list) == 0 {
		return
	}
	s.word = word
	s.each = make([]interned[uint32, spec.Remembered], len(s.list))
	start := make([]uint32, len(s.list))
	for i := range s.list {
		start[i] = s.remember(i, s.list[i].Begin())
	}
	s.intern(start)
}

func (s *monitors) words() int { return min(s.word, 1) }

// remember numbers what a monitor remembers.
func (s *monitors) remember(monitor int, r spec.Remembered) uint32 {
	key := r.AppendKey(nil)
	if number, ok := s.each[monitor].find(key); ok {
		return number
	}
	return s.each[monitor].intern(key, r)
}

// intern numbers what all of them remember.
func (s *monitors) intern(memory []uint32) uint32 {
	key := memoriesKey(memory)
	if number, ok := s.memories.find(key); ok {
		return number
	}
	return s.memories.intern(key, memory)
}

func memoriesKey(memory []uint32) []byte {
	key := make([]byte, 0, 4*len(memory))
	for _, number := range memory {
		key = binary.BigEndian.AppendUint32(key, number)
	}
	return key
}

// restored is what all of them remembered when intern made the key.
func (s *monitors) restored(key []byte) ([]uint32, error) {
	if len(key) != 4*len(s.list) {
		return nil, fmt.Errorf("%d bytes for %d monitors", len(key), len(s.list))
	}
	memory := make([]uint32, len(s.list))
	for i := range memory {
		memory[i] = binary.BigEndian.Uint32(key[4*i:])
		if int(memory[i]) >= s.each[i].len() {
			return nil, fmt.Errorf("what %s remembers is not known", s.list[i].Name)
		}
	}
	return memory, nil
}

// content is how many bytes the keys have, and of how many things.
func (s *monitors) content() (bytes int64, things int) {
	bytes, things = s.memories.content.Load(), s.memories.len()
	for i := range s.each {
		bytes += s.each[i].content.Load()
		things += s.each[i].len()
	}
	return bytes, things
}

// watch reports whether some monitor sees one of the events.
func (s *monitors) watch(events []trace.Event) bool {
	for i := range s.list {
		if slices.ContainsFunc(events, func(e trace.Event) bool {
			return s.list[i].Sees(&e)
		}) {
			return true
		}
	}
	return false
}

// looksAt reports whether some monitor judges by the whole state at the event.
func (s *monitors) looksAt(e trace.Event) bool {
	return slices.ContainsFunc(s.list, func(p spec.Property) bool { return p.LooksAt(&e) })
}

// Remembered is what the properties with a memory remember of a run that ends in the state.
func (w *World) Remembered(state []uint32) []spec.Remembered {
	if w.monitors.word == 0 {
		return nil
	}
	s := &w.monitors
	numbers := *s.memories.at(state[s.word])
	list := make([]spec.Remembered, len(numbers))
	for i, n := range numbers {
		list[i] = *s.each[i].at(n)
	}
	return list
}

// observe shows the events of a local step to the monitors; each pair of memories and step is
// judged once.
func (w *World) observe(memories, tr uint32) *observation {
	s := &w.monitors
	key := pair(memories, tr)
	if n, ok := s.steps.get(key); ok {
		return s.observed.at(n)
	}
	return s.observed.at(s.steps.once(key, func() uint32 {
		return s.observed.add(w.fold(memories, w.transitions.at(tr).events))
	}))
}

// observePart shows the events of a step that a crash cuts off. What they break, the whole step
// breaks too.
func (w *World) observePart(memories uint32, events []trace.Event) uint32 {
	return w.fold(memories, events).next
}

// fold shows events to the monitors.
func (w *World) fold(memories uint32, events []trace.Event) (o observation) {
	s := &w.monitors
	memory := slices.Clone(*s.memories.at(memories))
	next := make([]spec.Remembered, len(memory)) // nil: as before
	for k := range events {
		for i := range s.list {
			p := &s.list[i]
			if !p.Sees(&events[k]) {
				continue
			}
			if next[i] == nil {
				next[i] = *s.each[i].at(memory[i])
			}
			broken := ""
			if next[i], broken = p.Observe(w.Facts, next[i], events[k]); broken != "" &&
				o.violation == 0 {
				o.violation = w.violation(spec.Violation{Property: p.Name, Message: broken})
			}
			if p.LooksAt(&events[k]) {
				o.looked = append(o.looked, s.remember(i, next[i]))
			}
		}
	}
	for i, r := range next {
		if r != nil {
			memory[i] = s.remember(i, r)
		}
	}
	o.next = s.intern(memory)
	return o
}

// look asks the monitors that judge by the whole state, too, about the events of a local step of a
// proc: each with what is remembered when it has happened. It returns the number of a violation or
// 0. What they look at is shown to global properties, so it is among the checks of the step.
func (w *World) look(state []uint32, p core.Proc, t *transition, looked []uint32) int {
	v := view{world: w, state: state, self: p}
	defer func() {
		if v.asked != 0 && w.alone.on {
			t.asks.Or(v.asked)
			w.looked(state, v.asked)
		}
	}()
	return w.lookAs(&v, t, looked)
}

// lookAs is look with a view, which knows afterwards who was looked at.
func (w *World) lookAs(v *view, t *transition, looked []uint32) int {
	s := &w.monitors
	next := 0
	for i := 0; i < len(t.events) && len(looked) > 0; i++ {
		e := &t.events[i]
		shown := next < len(t.checks) && t.checks[next].event == *e
		if shown {
			v.own = t.checks[next].self
			if next++; e.Kind == trace.Restored {
				v.own = w.restarted(t)
			}
			w.surround(v)
		}
		for j := range s.list {
			if !s.list[j].LooksAt(e) {
				continue
			}
			memory := *s.each[j].at(looked[0])
			if looked = looked[1:]; !shown {
				continue
			}
			if m := s.list[j].Look(w.Facts, v, memory, *e); m != "" {
				return w.violation(spec.Violation{Property: s.list[j].Name, Message: m})
			}
		}
	}
	return 0
}
