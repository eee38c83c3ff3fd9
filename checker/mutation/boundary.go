package mutation

import (
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// habit is what a mutant does at the boundary of every proc. A nil function changes nothing.
type habit struct {
	// input says what the machine is told instead of the input: nothing, or one thing, or several.
	input func(*boundary, core.Input) []core.Input
	// effect says what becomes of an effect. It may let the machine take further inputs
	// (boundary.feed).
	effect func(*boundary, core.Effect) []core.Effect
	// step stands for the step of the machine.
	step func(*boundary, core.Input) []core.Effect
	// state changes the state of the machine after a step, in which it asked for the effects.
	state func(*boundary, []core.Effect)
}

// wrap returns a copy of the setup in which every machine has the habit; fired counts how often it
// has made a difference.
func (h habit) wrap(s *core.Setup, fired *atomic.Int64) *core.Setup {
	c := *s
	c.Promises.Symmetric = false // procs may be told apart by a habit
	c.New = func(p core.Proc) core.Machine {
		b := boundary{inner: s.New(p), setup: s, proc: p, habit: h, fired: fired}
		if int(p) < s.Layout.Ranks {
			return &rankBoundary{b}
		}
		return &b
	}
	return &c
}

// parcel is an effect that a mutant holds back: a message or a write.
type parcel struct {
	_       struct{} `cbor:",toarray"`
	To      core.Proc
	Content []byte // of the message, empty for a write
	Key     string
	Value   []byte
}

// memory is the wrapper's own state.
type memory struct {
	_       struct{} `cbor:",toarray"`
	Held    []parcel
	Ignored []string // keys of records whose Persisted has been given to the machine already
}

// boundary is a machine around a machine. It claims no commuting steps, whatever the inner one
// claims.
type boundary struct {
	inner core.Machine
	setup *core.Setup // of the inner machine
	proc  core.Proc
	habit habit
	fired *atomic.Int64
	s     memory
}

// State implements core.Machine: the parts of the inner machine, then the memory of the wrapper.
func (b *boundary) State() []any { return append(slices.Clip(b.inner.State()), &b.s) }

// Choices implements core.Machine.
func (b *boundary) Choices(buf []core.Choice) []core.Choice { return b.inner.Choices(buf) }

// Step implements core.Machine.
func (b *boundary) Step(in core.Input, out []core.Effect) []core.Effect {
	switch {
	case in.Kind == core.Tick && in.Timer == timerName:
		return append(out, b.release()...)
	case in.Kind == core.Persisted && slices.Contains(b.s.Ignored, in.Key):
		i := slices.Index(b.s.Ignored, in.Key)
		b.s.Ignored = slices.Delete(slices.Clone(b.s.Ignored), i, i+1)
		return append(out, core.DropInput(b.proc, core.MsgID{}, "known before"))
	}
	inputs := []core.Input{in}
	if b.habit.input != nil {
		inputs = b.habit.input(b, in)
	}
	if len(inputs) == 0 {
		return append(out, core.DropInput(in.From, core.MsgID{}, "not heard"))
	}
	for _, in := range inputs {
		out = append(out, b.feed(in)...)
	}
	return out
}

// feed gives the machine an input and returns what becomes of its effects. Messages are copied:
// they are valid until the next step only, and a habit may cause one.
func (b *boundary) feed(in core.Input) (out []core.Effect) {
	var list []core.Effect
	if b.habit.step != nil {
		list = b.habit.step(b, in)
	} else {
		list = b.inner.Step(in, nil)
	}
	for i := range list {
		if list[i].Kind == core.SendMessage {
			list[i].Message = copyOf(b.setup, list[i].Message)
		}
	}
	if b.habit.state != nil {
		b.habit.state(b, list)
	}
	for _, e := range list {
		if b.habit.effect == nil {
			out = append(out, e)
			continue
		}
		out = append(out, b.habit.effect(b, e)...)
	}
	return out
}

// fire notes that the habit made a difference.
func (b *boundary) fire() { b.fired.Add(1) }

// layer is the state of the protocol at this proc: of a rank its layer, of a service all of it.
func (b *boundary) layer() reflect.Value {
	parts := b.inner.State()
	return reflect.ValueOf(parts[len(parts)-1]).Elem()
}

// timerName is the timer of wrappers; the machine inside never hears of it.
const timerName = "mutant"

// hold keeps an effect back; the timer makes sure that it happens in the end.
func (b *boundary) hold(e core.Effect) core.Effect {
	p := parcel{To: e.To, Key: e.Key, Value: e.Value}
	if e.Message != nil {
		p.Content = core.Encode(e.Message)
	}
	b.s.Held = append(slices.Clone(b.s.Held), p)
	return core.Effect{Kind: core.SetTimer, Timer: timerName, Ticks: 1}
}

// release returns the effects that were held back, and holds them no more.
func (b *boundary) release() []core.Effect {
	var list []core.Effect
	for _, p := range b.s.Held {
		if len(p.Content) == 0 {
			list = append(list, core.Effect{Kind: core.Persist, Key: p.Key, Value: p.Value})
			continue
		}
		m := b.setup.NewMessage()
		if err := core.Decode(p.Content, m); err != nil {
			panic(fmt.Sprintf("invariant: what is held back is what was sent: proc %d: %v", b.proc,
				err))
		}
		list = append(list, core.SendTo(p.To, m))
	}
	b.s.Held = nil
	return list
}

// rankBoundary is the machine around a rank, which also shows its past.
type rankBoundary struct{ boundary }

// History is what the program has done along its surviving past; the caller must not change it.
func (b *rankBoundary) History() *trace.History {
	return b.inner.(interface{ History() *trace.History }).History()
}

// Wrapped is the setup with machines in wrappers that do nothing: what is compared with a mutant.
func Wrapped(s *core.Setup) *core.Setup { return habit{}.wrap(s, new(atomic.Int64)) }
