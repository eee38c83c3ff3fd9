package mutants

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// habit is what a mutant does at the boundary of every proc. A nil function changes nothing.
type habit struct {
	// input changes what the machine is told.
	input func(*boundary, core.Input) core.Input
	// effects changes what the machine asked for and declared in one step.
	effects func(*boundary, []core.Effect) []core.Effect
	// declare changes what a message says about itself; the machine that receives it is not
	// deceived.
	declare func(*boundary, *envelope)
	// history changes what a rank says about its past.
	history func(*trace.History)
}

// wrap returns a copy of the setup in which every machine has the habit.
func (h habit) wrap(s *core.Setup) *core.Setup {
	c := *s
	c.NewMessage = func() core.Message { return new(envelope) }
	c.New = func(p core.Proc) core.Machine {
		b := boundary{inner: s.New(p), setup: s, proc: p, habit: h}
		if int(p) < s.Layout.Ranks {
			return &rankBoundary{boundary: b}
		}
		return &b
	}
	return &c
}

// envelope carries a message of the inner protocol.
type envelope struct {
	_       struct{} `cbor:",toarray"`
	Wire    trace.Wire
	Content []byte
}

// Describe implements core.Message.
func (m *envelope) Describe() trace.Wire { return m.Wire }

// carriesPayload reports whether it is an application message and not control traffic.
func (m *envelope) carriesPayload() bool { return !m.Wire.ID.IsZero() }

// parcel is an envelope that a mutant holds back or keeps a copy of.
type parcel struct {
	_       struct{} `cbor:",toarray"`
	To      core.Proc
	Message envelope
}

// memory is the wrapper's own state. Which parts are used depends on the mutant.
type memory struct {
	_      struct{} `cbor:",toarray"`
	Inputs uint32   // inputs handled so far
	Round  uint64   // newest round named on a message sent
	Held   []parcel // messages held back or kept
	Spent  bool     // what the mutant does only once is done
}

// boundary is a machine around a machine.
type boundary struct {
	inner core.Machine
	setup *core.Setup // of the inner machine
	proc  core.Proc
	habit habit
	s     memory
}

// State implements core.Machine: the parts of the inner machine, then the memory of the wrapper.
func (b *boundary) State() []any { return append(b.inner.State(), &b.s) }

// Choices implements core.Machine.
func (b *boundary) Choices(buf []core.Choice) []core.Choice { return b.inner.Choices(buf) }

// Step implements core.Machine.
func (b *boundary) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Tick && in.Timer == timerName {
		return append(out, b.release()...)
	}
	if b.habit.input != nil {
		in = b.habit.input(b, in)
	}
	if m, ok := in.Message.(*envelope); ok {
		inner := b.setup.NewMessage()
		if err := core.Decode(m.Content, inner); err != nil {
			panic(fmt.Sprintf(
				"invariant: an envelope holds what the inner protocol sent: proc %d: %v", b.proc,
				err))
		}
		in.Message = inner
	}
	list := b.inner.Step(in, nil)
	for i := range list {
		if list[i].Kind != core.SendMessage {
			continue
		}
		m := &envelope{Wire: list[i].Message.Describe(), Content: core.Encode(list[i].Message)}
		if b.habit.declare != nil {
			b.habit.declare(b, m)
		}
		list[i].Message = m
	}
	if b.habit.effects != nil {
		list = b.habit.effects(b, list)
	}
	return append(out, list...)
}

// sameCluster reports whether two procs are ranks that roll back together.
func (b *boundary) sameCluster(p, q core.Proc) bool { return b.setup.Layout.SameCluster(p, q) }

// meaning is what the message kind means to the properties.
func (b *boundary) meaning(m *envelope) trace.Meaning { return b.setup.Layout.Kinds[m.Wire.Kind] }

// timerName is the timer of wrappers; the machine inside never hears of it.
const timerName = "mutant"

// timer makes sure that what is held will leave, whatever else happens.
func (b *boundary) timer() core.Effect {
	return core.Effect{Kind: core.SetTimer, Timer: timerName, Ticks: 1}
}

// release returns the effects that send what is held, and holds it no more.
func (b *boundary) release() []core.Effect {
	var list []core.Effect
	for _, p := range b.s.Held {
		list = append(list, core.SendTo(p.To, &p.Message))
	}
	b.s.Held = nil
	return list
}

// rankBoundary is the machine around a rank, which also shows its past.
type rankBoundary struct{ boundary }

// History is what the program has done along its surviving past, as the mutant tells it; the caller
// must not change it.
func (b *rankBoundary) History() *trace.History {
	h := b.inner.(interface{ History() *trace.History }).History()
	if b.habit.history == nil {
		return h
	}
	told := *h
	b.habit.history(&told)
	return &told
}

// each applies a change to every effect of a step on its own: it returns what becomes of the
// effect.
func each(change func(*boundary, core.Effect) []core.Effect) func(*boundary,
	[]core.Effect) []core.Effect {
	return func(b *boundary, list []core.Effect) []core.Effect {
		var out []core.Effect
		for _, e := range list {
			out = append(out, change(b, e)...)
		}
		return out
	}
}

// after puts further effects behind every effect of the kind.
func after(kind core.EffectKind, more func(*boundary, core.Effect) []core.Effect) habit {
	return habit{effects: each(func(b *boundary, e core.Effect) []core.Effect {
		if e.Kind != kind {
			return []core.Effect{e}
		}
		return append([]core.Effect{e}, more(b, e)...)
	})}
}

// twice repeats every effect of the kind.
func twice(kind core.EffectKind) habit {
	return after(kind, func(_ *boundary, e core.Effect) []core.Effect { return []core.Effect{e} })
}

// sends applies a change to every message sent: it returns what is sent instead.
func sends(change func(*boundary, core.Effect, *envelope) []core.Effect) habit {
	return habit{effects: each(func(b *boundary, e core.Effect) []core.Effect {
		if e.Kind != core.SendMessage {
			return []core.Effect{e}
		}
		return change(b, e, e.Message.(*envelope))
	})}
}
