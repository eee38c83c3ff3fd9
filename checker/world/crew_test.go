package world

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// A crew is a small random protocol of a chief, proc 0, and workers that are alike: they follow one
// table of rules. All sorts of names are in its states and messages. It can be spoiled in each of
// the ways in which a declaration can be wrong.
type crew struct {
	workers, states, kinds int
	rules                  [2][][]crewRule // of the chief, of the workers; by state, event
	spoiled                crewFlaw
}

// crewFlaw is what is wrong with a crew.
type crewFlaw int

const (
	sound           crewFlaw = iota
	oddWorker                // the last worker skips what another one does
	favourite                // the chief knows the last worker
	forgottenField           // the chief does not rename whom it heard
	forgottenWord            // messages do not rename whom they are about
	forgottenMemory          // a property does not rename whom it has seen
	namesOne                 // a property of one event names the last worker
	forgetful                // a renaming forgets what it should rename
	noFlaws
)

// crewRule is what a machine does in a state at an event.
type crewRule struct {
	next    int
	sends   []crewSend
	hears   bool // it notes whom the message is from
	persist bool
	timer   bool
	decides bool
}

// crewSend is a message: to the chief, to the sender, to the one the message is about, to oneself
// or to all workers; about nobody, oneself or the sender.
type crewSend struct{ kind, to, about int }

// The events that are no messages.
const (
	crewStart = iota
	crewTick
	crewStored
	crewMoves // of its own accord
	crewOthers
)

type crewState struct {
	_     struct{} `cbor:",toarray"`
	S     int
	Heard uint64      // a bit each worker
	Last  []core.Proc // the one that was heard last
}

type crewMessage struct {
	_     struct{} `cbor:",toarray"`
	Kind  int
	About []core.Proc // at most one
	crew  *crew
}

// Describe implements core.Message.
func (m *crewMessage) Describe() trace.Wire { return trace.Wire{Kind: fmt.Sprint("k", m.Kind)} }

// Rename implements core.Renamer.
func (m *crewMessage) Rename(to func(core.Proc) core.Proc) {
	m.About = renamedList(m.About, to)
	switch m.crew.spoiled {
	case forgottenWord:
		m.About = renamedList(m.About, to) // a swap, two times
	case forgetful:
		m.About = nil
	}
}

func renamedList(list []core.Proc, to func(core.Proc) core.Proc) (renamed []core.Proc) {
	for _, p := range list {
		renamed = append(renamed, to(p))
	}
	return renamed
}

type crewMachine struct {
	crew *crew
	self core.Proc
	s    crewState
}

func (m *crewMachine) State() []any { return []any{&m.s} }

// Rename implements core.Renamer.
func (m *crewMachine) Rename(to func(core.Proc) core.Proc) {
	m.s.Last = renamedList(m.s.Last, to)
	if m.crew.spoiled != forgottenField {
		m.s.Heard = core.RenameBits(m.s.Heard, 0, to)
	}
}

// Choices implements core.Machine: in every other state it may move.
func (m *crewMachine) Choices(buf []core.Choice) []core.Choice {
	if m.s.S%2 == 0 {
		buf = append(buf, 1)
	}
	return buf
}

// Step implements core.Machine.
func (m *crewMachine) Step(in core.Input, out []core.Effect) []core.Effect {
	c, event, sender, last := m.crew, m.crew.kinds, m.self, core.Proc(m.crew.workers)
	var about []core.Proc
	switch in.Kind {
	case core.Start:
		event += crewStart
	case core.Tick:
		event += crewTick
	case core.Persisted:
		event += crewStored
	case core.Advance:
		event += crewMoves
	default:
		message := in.Message.(*crewMessage)
		event, sender, about = message.Kind, in.From, message.About
	}
	role := min(int(m.self), 1)
	rule := c.rules[role][m.s.S][event]
	if c.spoiled == oddWorker && m.self == last && len(rule.sends) > 0 {
		rule.sends = rule.sends[1:]
	}
	if c.spoiled == favourite && m.self == 0 && sender == last {
		rule.next = (rule.next + 1) % c.states
	}
	m.s.S = rule.next
	if rule.hears && sender != 0 {
		m.s.Heard |= 1 << sender
		m.s.Last = []core.Proc{sender}
	}
	for _, s := range rule.sends {
		out = m.send(s, sender, about, out)
	}
	if rule.persist {
		out = append(out, core.Effect{Kind: core.Persist, Key: fmt.Sprint("r", rule.next%2),
			Value: []byte{1}})
	}
	if rule.timer {
		out = append(out, core.Effect{Kind: core.SetTimer, Timer: "t", Ticks: 1})
	}
	if rule.decides {
		out = append(out, core.Effect{Kind: core.Decide, Key: fmt.Sprint(rule.next % 2)})
	}
	return out
}

// send says one thing, to all it is meant for.
func (m *crewMachine) send(s crewSend, sender core.Proc, about []core.Proc,
	out []core.Effect) []core.Effect {
	message := &crewMessage{Kind: s.kind, crew: m.crew}
	switch s.about {
	case 1:
		message.About = []core.Proc{m.self}
	case 2:
		message.About = []core.Proc{sender}
	}
	switch {
	case s.to == 1:
		return append(out, core.SendTo(sender, message))
	case s.to == 2 && len(about) > 0:
		return append(out, core.SendTo(about[0], message))
	case s.to == 3:
		return append(out, core.SendTo(m.self, message))
	case s.to == 4:
		for p := range core.Proc(m.crew.workers) {
			if p+1 != m.self {
				out = append(out, core.SendTo(p+1, message))
			}
		}
		return out
	}
	return append(out, core.SendTo(0, message))
}

// drawCrew draws a crew of so many workers.
func drawCrew(r *rand.Rand, workers int, flaw crewFlaw) *crew {
	c := &crew{workers: workers, states: 3, kinds: 2, spoiled: flaw}
	for role := range c.rules {
		for range c.states {
			var rules []crewRule
			for event := range c.kinds + crewOthers {
				rule := crewRule{next: r.IntN(c.states), hears: r.IntN(2) == 0}
				chance := 3
				if event == c.kinds+crewMoves {
					rule.next, chance = min(c.states-1, rule.next|1), 2
				}
				if r.IntN(chance) == 0 {
					rule.sends = append(rule.sends, crewSend{r.IntN(c.kinds), r.IntN(5), r.IntN(3)})
				}
				rule.persist, rule.timer, rule.decides = r.IntN(9) == 0, r.IntN(9) == 0,
					r.IntN(6) == 0
				rules = append(rules, rule)
			}
			c.rules[role] = append(c.rules[role], rules)
		}
	}
	return c
}

// setup prepares it.
func (c *crew) setup() *core.Setup {
	s := &core.Setup{Protocol: "crew", Layout: trace.Layout{Names: []string{"chief"}},
		NewMessage: func() core.Message { return &crewMessage{crew: c} },
		New:        func(p core.Proc) core.Machine { return &crewMachine{crew: c, self: p} },
		Promises: promise.Promises{MaxFailures: -1, Decisions: []string{"0", "1"},
			Deciders: 1 + c.workers}}
	for i := range c.workers {
		s.Layout.Names = append(s.Layout.Names, fmt.Sprint("w", i+1))
		s.Alike = append(s.Alike, core.Proc(i+1))
	}
	return s
}

// properties are those of an author: how often a proc decides, and whether one decides at all.
func (c *crew) properties() []spec.Property {
	often := &spec.Remembers[[]int]{
		Observe: func(f *spec.Facts, counts *[]int, e trace.Event) string {
			if *counts == nil {
				*counts = make([]int, len(f.Layout.Names))
			}
			if (*counts)[e.Proc]++; (*counts)[e.Proc] == 2 && e.Text == "1" {
				return "decides two times"
			}
			(*counts)[e.Proc] = min((*counts)[e.Proc], 2)
			return ""
		},
	}
	if c.spoiled != forgottenMemory {
		often.Rename = func(counts *[]int, to func(trace.Proc) trace.Proc) {
			before := slices.Clone(*counts)
			for p, n := range before {
				(*counts)[to(trace.Proc(p))] = n
			}
		}
	}
	list := []spec.Property{{Name: "decides-once", Doc: "a proc decides once", Kind: spec.Monitor,
		Watched: []trace.Kind{trace.Decided}, Memory: often}}
	if c.spoiled == namesOne {
		list = append(list, spec.Property{Name: "modest", Doc: "the last worker does not decide",
			Kind: spec.Always, Event: func(_ *spec.Facts, _ spec.View, e trace.Event) string {
				if e.Kind == trace.Decided && int(e.Proc) == c.workers {
					return "it decides"
				}
				return ""
			}})
	}
	return list
}
