package mutate

import (
	"reflect"
	"sync"
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

// Tally is what has come of a mutant so far.
type Tally struct {
	fired atomic.Int64
	mu    sync.Mutex
	wrong error
}

// Fired is how often the mutant has made a difference; 0 of a switch of the protocol.
func (t *Tally) Fired() int64 { return t.fired.Load() }

// Err is why the mutant can not do what its text says, the first reason met; nil when there is
// none.
func (t *Tally) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wrong
}

// proc is the boundary of one proc, for a habit.
type proc struct {
	*boundary.Machine
	tally *Tally
}

// wrap returns a copy of the setup in which every machine has the habit.
func (h habit) wrap(s *core.Setup, tally *Tally) *core.Setup {
	var w boundary.Habit
	if h.input != nil {
		w.Input = func(b *boundary.Machine, in core.Input) []core.Input {
			return h.input(&proc{b, tally}, in)
		}
	}
	if h.step != nil {
		w.Step = func(b *boundary.Machine, in core.Input, out []core.Effect) []core.Effect {
			return append(out, h.step(&proc{b, tally}, in)...)
		}
	}
	w.Effects = func(b *boundary.Machine, list []core.Effect) []core.Effect {
		return h.effects(&proc{b, tally}, list)
	}
	return boundary.Wrap(s, w)
}

// effects says what becomes of what the machine asked for in one step. Messages are copied: they
// are valid until the next step only, and a habit may cause one.
func (h habit) effects(b *proc, list []core.Effect) (out []core.Effect) {
	for i := range list {
		if list[i].Kind == core.SendMessage {
			list[i].Message = copyOf(b.Setup, list[i].Message)
		}
	}
	if h.state != nil {
		h.state(b, list)
	}
	if h.effect == nil {
		return list
	}
	for _, e := range list {
		out = append(out, h.effect(b, e)...)
	}
	return out
}

// fire notes that the habit made a difference.
func (b *proc) fire() { b.tally.fired.Add(1) }

// fails notes that the habit can not do what it is to do.
func (b *proc) fails(err error) {
	b.tally.mu.Lock()
	defer b.tally.mu.Unlock()
	if b.tally.wrong == nil {
		b.tally.wrong = err
	}
}

// alter changes fields of a message or state, and notes whether that made a difference.
func (b *proc) alter(v reflect.Value, p fieldPath, at place, c change) {
	changed, err := alter(v, p, at, c)
	if err != nil {
		b.fails(err)
	} else if changed {
		b.fire()
	}
}

// layer is the state of the protocol at this proc: of a rank its layer, of a service all of it.
func (b *proc) layer() reflect.Value {
	parts := b.Inner.State()
	return reflect.ValueOf(parts[len(parts)-1]).Elem()
}

// Wrapped is the setup with machines in wrappers that do nothing: what is compared with a mutant.
func Wrapped(s *core.Setup) *core.Setup { return habit{}.wrap(s, new(Tally)) }
