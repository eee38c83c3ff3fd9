package world

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// swap exchanges two procs that are alike, neighbours in the list of all that are; every renaming
// is made of swaps. What a state consists of is renamed once, then the number is remembered.
type swap struct {
	world *World
	a, b  core.Proc

	locals, messages, packets, inboxes, memories table
	configurations                               []table // by proc
}

// to is what a proc is called after the swap.
func (s *swap) to(p core.Proc) core.Proc {
	switch p {
	case s.a:
		return s.b
	case s.b:
		return s.a
	}
	return p
}

// asymmetry is what is panicked with, and recovered by who asked, when something can not be
// renamed.
type asymmetry struct{ words string }

// once renames a number, and checks that the swap takes the new one back to it: so no two things
// get one name.
func (s *swap) once(t *table, n uint32, what string, rename func(uint32) uint32) uint32 {
	if r, ok := t.get(pair(0, n)); ok {
		return r
	}
	r := rename(n)
	if back := rename(r); back != n {
		panic(asymmetry{fmt.Sprintf("%s is another one when %s and %s are exchanged two times",
			what, s.world.layout.Name(s.a), s.world.layout.Name(s.b))})
	}
	t.put(pair(0, r), n)
	return t.put(pair(0, n), r)
}

// local renames the state of a machine; the proc has its new name, too.
func (s *swap) local(n uint32) uint32 {
	if n == deadLocal {
		return n
	}
	return s.once(&s.locals, n, "the state of a machine", func(n uint32) uint32 {
		w, l := s.world, s.world.locals.at(n)
		if l.round != 0 || l.evaluated != 0 || l.history != nil || l.holding != nil {
			panic(asymmetry{"properties are shown more of a proc than whether it is up"})
		}
		m := w.Setup.New(s.to(l.proc))
		if err := core.DecodeState(l.content, m); err != nil {
			panic(asymmetry{fmt.Sprintf("%s can not be in a state of %s: %v",
				w.layout.Name(s.to(l.proc)), w.layout.Name(l.proc), err)})
		}
		core.Rename(m, s.to)
		return w.internLocal(local{proc: s.to(l.proc), inc: l.inc}, m, m.Choices(nil))
	})
}

// message renames what a message says.
func (s *swap) message(n messageNumber) messageNumber {
	return messageNumber(s.once(&s.messages, uint32(n), "a message", func(n uint32) uint32 {
		w := s.world
		m := w.Setup.NewMessage()
		core.CloneMessage(w.messages.at(messageNumber(n)).value, m)
		core.Rename(m, s.to)
		return uint32(w.internMessage(m))
	}))
}

// packet renames a message and its sender.
func (s *swap) packet(n packetNumber) packetNumber {
	if r, ok := s.packets.get(pair(0, uint32(n))); ok {
		return packetNumber(r)
	}
	k := *s.world.packets.at(n)
	k.from, k.message = s.to(k.from), s.message(k.message)
	return packetNumber(s.packets.put(pair(0, uint32(n)), uint32(s.world.internPacket(k))))
}

// inbox renames what is on the way to a proc, and from whom.
func (s *swap) inbox(n inboxNumber) inboxNumber {
	if r, ok := s.inboxes.get(pair(0, uint32(n))); ok {
		return inboxNumber(r)
	}
	var channels []channel
	for _, c := range s.world.inboxes.at(n).channels {
		renamed := channel{from: s.to(c.from), inc: c.inc}
		for _, m := range c.messages {
			renamed.messages = append(renamed.messages, s.packet(m))
		}
		if !s.world.Model.KeepsOrder() {
			slices.Sort(renamed.messages)
		}
		channels = append(channels, renamed)
	}
	slices.SortFunc(channels, func(c, d channel) int {
		return cmp.Or(cmp.Compare(c.from, d.from), cmp.Compare(c.inc, d.inc))
	})
	return inboxNumber(s.inboxes.put(pair(0, uint32(n)), uint32(s.world.internInbox(channels))))
}

// configuration renames one of the proc p; it is then that of the proc to(p). What surrounds a proc
// names nobody in the models that are explored so (newQuotient), so it stays; keys, values and
// timers mean the same after it, which is checked with the steps.
func (s *swap) configuration(p core.Proc, n uint32) uint32 {
	t := &s.configurations[p]
	if r, ok := t.get(pair(0, n)); ok {
		return r
	}
	c := s.world.configurations[p].list.at(n)
	if e := s.world.envs.at(c.env); e.named() {
		panic(asymmetry{"what surrounds a proc names others"})
	}
	return t.put(pair(0, n), s.world.configuration(s.to(p), configuration{local: s.local(c.local),
		inbox: s.inbox(c.inbox), env: c.env}))
}

// named reports whether an env names procs.
func (e *env) named() bool {
	return len(e.Pending)+len(e.Watches)+len(e.Tickets)+len(e.Kills)+len(e.Ended) > 0 ||
		len(e.Takes) > 0 || e.Host != 0 || e.Line != 0
}

// memory renames what the monitors remember.
func (s *swap) memory(n uint32) uint32 {
	return s.once(&s.memories, n, "what a property remembers", func(n uint32) uint32 {
		m := &s.world.monitors
		memory := slices.Clone(*m.memories.at(n))
		for i := range memory {
			memory[i] = m.remember(i, m.list[i].Renamed(*m.each[i].at(memory[i]), s.to))
		}
		return m.intern(memory)
	})
}

// input renames what a machine is given.
func (s *swap) input(n uint32) uint32 {
	in := *s.world.inputs.at(n)
	switch in.Kind {
	case core.Start, core.Advance, core.Persisted, core.Tick, core.Refused:
		return n
	case core.Received:
		in.From = s.to(in.From)
		content := core.Encode(in.Message)
		number, ok := s.world.messages.find(content)
		if !ok {
			panic("invariant: what is received was sent")
		}
		in.Message = s.world.messages.at(s.message(number)).value
		return s.world.internInput(in)
	}
	panic(asymmetry{"a machine is given what names procs"})
}

// state renames a state in place; the room is as long.
func (s *swap) state(state, room []uint32) {
	copy(room, state)
	for p := range core.Proc(s.world.procs) {
		state[procWord(s.to(p))] = s.configuration(p, room[procWord(p)])
	}
	if word := s.world.monitors.word; word != 0 {
		state[word] = s.memory(room[word])
	}
}

// keeps reports whether the state is the same after the swap.
func (s *swap) keeps(state []uint32) bool {
	for p := range core.Proc(s.world.procs) {
		if state[procWord(s.to(p))] != s.configuration(p, state[procWord(p)]) {
			return false
		}
	}
	word := s.world.monitors.word
	return word == 0 || s.memory(state[word]) == state[word]
}

// act renames an effect; only sends name anybody.
func (s *swap) act(a act) act {
	if a.kind == actSend {
		a.to, a.value = s.to(a.to), uint32(s.packet(a.packet()))
	}
	return a
}
