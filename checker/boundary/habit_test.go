package boundary_test

import (
	"fmt"

	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Here are machines that are broken on purpose at their boundary, so that a property which catches
// nothing is found out. Messages between them travel in envelopes, which carry the bytes of the
// inner message and, beside them, what the message declares about itself.
//
// A few mutants know names that HydEE uses (Acknowledge, image/, commit/) or CAMEL (Completed); the
// others work with any protocol.

// habit is what a mutant does at the boundary of every proc. A nil function changes nothing.
type habit struct {
	// input changes what the machine is told.
	input func(*machine, core.Input) core.Input
	// effects changes what the machine asked for and declared in one step.
	effects func(*machine, []core.Effect) []core.Effect
	// declare changes what a message says about itself; the machine that receives it is not
	// deceived.
	declare func(*machine, *envelope)
	// history changes what a rank says about its past.
	history func(*trace.History)
	// offers says whether the program may go on.
	offers func(*machine) bool
}

type machine = boundary.Machine

// wrap returns a copy of the setup in which every machine has the habit.
func (h habit) wrap(s *core.Setup) *core.Setup {
	return boundary.Wrap(s, boundary.Habit{
		Input: func(b *machine, in core.Input) []core.Input {
			if h.input != nil {
				in = h.input(b, in)
			}
			if m, ok := in.Message.(*envelope); ok {
				in.Message = s.NewMessage()
				if err := core.Decode(m.Content, in.Message); err != nil {
					panic(fmt.Sprintf("invariant: an envelope holds what was sent: %v", err))
				}
			}
			return []core.Input{in}
		},
		Effects: func(b *machine, list []core.Effect) []core.Effect {
			for i := range list {
				if list[i].Kind != core.SendMessage {
					continue
				}
				m := &envelope{Wire: list[i].Message.Describe(),
					Content: core.Encode(list[i].Message)}
				if h.declare != nil {
					h.declare(b, m)
				}
				list[i].Message = m
			}
			if h.effects != nil {
				list = h.effects(b, list)
			}
			return list
		},
		History: h.history,
		Offers:  h.offers,
		Memory:  func() any { return new(memory) },
		Message: func() core.Message { return new(envelope) },
	})
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

// memory is what mutants remember. Which parts are used depends on the mutant.
type memory struct {
	_      struct{} `cbor:",toarray"`
	Inputs uint32   // inputs handled so far
	Round  uint64   // newest round named on a message sent
	Spent  bool     // what the mutant does only once is done
}

func memoryOf(b *machine) *memory { return b.Memory.(*memory) }

// sameCluster reports whether two procs are ranks that roll back together.
func sameCluster(b *machine, p, q core.Proc) bool { return b.Setup.Layout.SameCluster(p, q) }

// meaning is what the message kind means to the properties.
func meaning(b *machine, m *envelope) trace.Meaning { return b.Setup.Layout.Kinds[m.Wire.Kind] }

// each applies a change to every effect of a step on its own: it returns what becomes of the
// effect.
func each(change func(*machine, core.Effect) []core.Effect) func(*machine,
	[]core.Effect) []core.Effect {
	return func(b *machine, list []core.Effect) []core.Effect {
		var out []core.Effect
		for _, e := range list {
			out = append(out, change(b, e)...)
		}
		return out
	}
}

// after puts further effects behind every effect that leaves an event of the kind.
func after(kind trace.Kind, more func(*machine, core.Effect) []core.Effect) habit {
	return habit{effects: each(func(b *machine, e core.Effect) []core.Effect {
		if e.Event() != kind {
			return []core.Effect{e}
		}
		return append([]core.Effect{e}, more(b, e)...)
	})}
}

// twice repeats every effect of the kind.
func twice(kind trace.Kind) habit {
	return after(kind, func(_ *machine, e core.Effect) []core.Effect { return []core.Effect{e} })
}

// sends applies a change to every message sent: it returns what is sent instead.
func sends(change func(*machine, core.Effect, *envelope) []core.Effect) habit {
	return habit{effects: each(func(b *machine, e core.Effect) []core.Effect {
		if e.Kind != core.SendMessage {
			return []core.Effect{e}
		}
		return change(b, e, e.Message.(*envelope))
	})}
}
