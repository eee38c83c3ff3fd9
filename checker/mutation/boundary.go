package mutation

import (
	"reflect"
	"sync/atomic"

	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/impl/core"
)

// habit is what a mutant does at the boundary of every proc. A nil function changes nothing.
type habit struct {
	// input says what the machine is told instead of the input: nothing, or one thing, or several.
	input func(*proc, core.Input) []core.Input
	// effect says what becomes of an effect. It may let the machine take further inputs
	// (proc.Feed).
	effect func(*proc, core.Effect) []core.Effect
	// step stands for the step of the machine.
	step func(*proc, core.Input) []core.Effect
	// state changes the state of the machine after a step, in which it asked for the effects.
	state func(*proc, []core.Effect)
}

// proc is the boundary of one proc, for a habit.
type proc struct {
	*boundary.Machine
	fired *atomic.Int64
}

// wrap returns a copy of the setup in which every machine has the habit; fired counts how often it
// has made a difference.
func (h habit) wrap(s *core.Setup, fired *atomic.Int64) *core.Setup {
	var w boundary.Habit
	if h.input != nil {
		w.Input = func(b *boundary.Machine, in core.Input) []core.Input {
			return h.input(&proc{b, fired}, in)
		}
	}
	if h.step != nil {
		w.Step = func(b *boundary.Machine, in core.Input, out []core.Effect) []core.Effect {
			return append(out, h.step(&proc{b, fired}, in)...)
		}
	}
	w.Effects = func(b *boundary.Machine, list []core.Effect) []core.Effect {
		return h.effects(&proc{b, fired}, list)
	}
	return boundary.Wrap(s, w)
}

// effects says what becomes of what the machine asked for in one step. Messages are copied: they
// are valid until the next step only, and a habit may cause one.
func (h habit) effects(p *proc, list []core.Effect) (out []core.Effect) {
	for i := range list {
		if list[i].Kind == core.SendMessage {
			list[i].Message = copyOf(p.Setup, list[i].Message)
		}
	}
	if h.state != nil {
		h.state(p, list)
	}
	if h.effect == nil {
		return list
	}
	for _, e := range list {
		out = append(out, h.effect(p, e)...)
	}
	return out
}

// fire notes that the habit made a difference.
func (p *proc) fire() { p.fired.Add(1) }

// layer is the state of the protocol at this proc: of a rank its layer, of a service all of it.
func (p *proc) layer() reflect.Value {
	parts := p.Inner.State()
	return reflect.ValueOf(parts[len(parts)-1]).Elem()
}

// Wrapped is the setup with machines in wrappers that do nothing: what is compared with a mutant.
func Wrapped(s *core.Setup) *core.Setup { return habit{}.wrap(s, new(atomic.Int64)) }
