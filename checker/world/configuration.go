package world

import (
	"fmt"
	"sync/atomic"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
)

// configuration is all that a state says of one proc: its own state, what is on its way to it, and
// what surrounds it. It is one word of the state: a step changes few procs, each as a whole.
type configuration struct {
	local uint32
	inbox inboxNumber
	env   uint32
	known
}

// known is what is often asked of a configuration, and follows from it.
type known struct {
	inc      uint32 // of the env
	up       bool   // of the env
	still    bool   // of the env: it stands still
	there    bool   // of the env: it is up, stands still or has rolled back
	restless bool   // see World.restless
	adopts   bool   // somebody runs on its node that it has adopted
	shown    uint32 // what properties see of it, see verdict.go
	round    uint64 // of the local state
	oldest   uint64 // of the inbox
}

// seems reports whether a proc seems to be up to others, and in which life; of one that does not
// the next one.
func (w *World) seems(state []uint32, p core.Proc) (up bool, inc uint32) {
	c := w.of(state, p)
	if c.still {
		return true, w.envs.at(c.env).Still - 1
	}
	return c.up, c.inc
}

// configurations are those of one proc that were met, numbered densely from 0.
type configurations struct {
	list    store[uint32, configuration]
	pairs   atomic.Uint32 // of local and env
	halves  table         // (local, env) -> number of the pair
	numbers table         // (number of the pair, inbox) -> configuration
	touched table         // (configuration, deed) -> configuration after it
	plans   plans
	shown   lookNumbers
}

// Word of a proc in a state vector.
func procWord(p core.Proc) int { return 1 + int(p) }

// words of the budgets and the procs; others come behind.
func (w *World) procWords() int { return 1 + w.procs }

// of is the configuration of a proc.
func (w *World) of(state []uint32, p core.Proc) *configuration {
	return w.configurations[p].list.at(state[procWord(p)])
}

func (w *World) localOf(state []uint32, p core.Proc) uint32 { return w.of(state, p).local }

func (w *World) inboxOf(state []uint32, p core.Proc) inboxNumber { return w.of(state, p).inbox }

func (w *World) envOf(state []uint32, p core.Proc) uint32 { return w.of(state, p).env }

func (w *World) env(state []uint32, p core.Proc) *env { return w.envs.at(w.envOf(state, p)) }

// put makes a configuration that of a proc in the successor.
func (w *World) put(x *checker.Expansion, p core.Proc, c configuration) {
	x.Set(procWord(p), w.configuration(p, c))
}

// configuration is the number of a configuration of a proc.
func (w *World) configuration(p core.Proc, c configuration) uint32 {
	s := &w.configurations[p]
	if half, ok := s.halves.get(pair(c.local, c.env)); ok {
		if number, ok := s.numbers.get(pair(half, uint32(c.inbox))); ok {
			return number
		}
	}
	return w.numbered(p, c)
}

// numbered is configuration for one that may be new.
func (w *World) numbered(p core.Proc, c configuration) uint32 {
	s := &w.configurations[p]
	half := s.halves.add(pair(c.local, c.env), func() uint32 { return s.pairs.Add(1) - 1 })
	return s.numbers.add(pair(half, uint32(c.inbox)), func() uint32 {
		e, l := w.envs.at(c.env), w.locals.at(c.local)
		c.known = known{inc: e.Inc, up: e.Up, still: e.Still > 0, there: e.there(),
			restless: w.restless(p, e), adopts: l.holding != nil && len(l.holding.Hosts) > 0,
			shown: s.shown.number(shownBy(c.local, e)), round: l.round,
			oldest: w.inboxes.at(c.inbox).oldest}
		return s.list.add(c)
	})
}

// bytes is what they and all that is remembered of them take.
func (s *configurations) bytes() int64 {
	return 48*int64(s.list.len()) + s.shown.bytes() + s.halves.bytes() +
		s.numbers.bytes() + s.touched.bytes() + s.plans.bytes.Load()
}

// save writes the configurations in the order of their numbers.
func (s *configurations) save(e *search.Encoder) {
	e.Number(uint64(s.list.len()))
	for n := range s.list.len() {
		c := s.list.at(uint32(n))
		e.Number(uint64(c.local))
		e.Number(uint64(c.inbox))
		e.Number(uint64(c.env))
	}
}

// restoreConfigurations reads what save wrote; what they consist of is restored already.
func (w *World) restoreConfigurations(d *search.Decoder, p core.Proc) {
	s := &w.configurations[p]
	*s = configurations{}
	for i := range d.Count(3) {
		local, inbox, env := d.Number(), d.Number(), d.Number()
		if local >= uint64(w.locals.len()) || inbox >= uint64(w.inboxes.len()) ||
			env >= uint64(w.envs.len()) {
			d.Fail(fmt.Errorf("configuration %d of %s: it consists of what is not known", i,
				w.layout.Name(p)))
			return
		}
		c := configuration{local: uint32(local), inbox: inboxNumber(inbox), env: uint32(env)}
		if w.numbered(p, c) != uint32(i) {
			d.Fail(fmt.Errorf("configuration %d of %s is there twice", i, w.layout.Name(p)))
			return
		}
	}
}
