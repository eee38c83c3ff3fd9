package boundary

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Habit is what happens at the boundary of every proc. A nil function changes nothing.
type Habit struct {
	// Input says what the machine is told instead of an input: nothing, or one thing, or several.
	Input func(*Machine, core.Input) []core.Input
	// Step stands for the step of the machine inside.
	Step Step
	// Effects says what becomes of what the machine asked for and declared in one step. It may let
	// the machine take further inputs (Feed).
	Effects func(*Machine, []core.Effect) []core.Effect
	// Offers says whether the program may go on; nil: always.
	Offers func(*Machine) bool
	// History changes a copy of what a rank says about its past.
	History func(*trace.History)
	// Memory makes what the habit remembers at a proc in its first life and later ones: a pointer
	// to plain data.
	Memory func() any
	// Message makes an empty message of those that cross the boundary, where they are not those of
	// the machine inside.
	Message func() core.Message
}

// Step is a step of a machine, which asks the one inside (Machine.Inner).
type Step func(b *Machine, in core.Input, out []core.Effect) []core.Effect

// Wrap returns a copy of the setup in which every machine has the habit.
func Wrap(s *core.Setup, h Habit) *core.Setup {
	c := *s
	c.Promises.Symmetric = false // procs may be told apart by a habit
	if h.Message != nil {
		c.NewMessage = h.Message
	}
	c.New = func(p core.Proc) core.Machine {
		inner := s.New(p)
		if inner == nil {
			return nil // to be named by whoever validates the setup
		}
		b := &Machine{Inner: inner, Setup: s, Proc: p, habit: &h, message: c.NewMessage}
		if h.Memory != nil {
			b.Memory = h.Memory()
		}
		return b
	}
	return &c
}

// Watch returns a copy of the setup in which all steps of machines go through the given one, which
// changes nothing. Everything else is that of the machines inside.
func Watch(s *core.Setup, step Step) *core.Setup {
	c := *s
	c.New = func(p core.Proc) core.Machine {
		inner := s.New(p)
		if inner == nil {
			return nil // to be named by whoever validates the setup
		}
		return &Machine{Inner: inner, Setup: s, Proc: p, watch: step}
	}
	return &c
}

// Machine is a machine around a machine.
type Machine struct {
	Inner  core.Machine
	Setup  *core.Setup // of the inner machine
	Proc   core.Proc
	Memory any // of the habit; nil when it has none

	habit   *Habit
	watch   Step                // in the place of a habit
	message func() core.Message // an empty one of those that cross the boundary
	back    back
}

// back is what the wrapper holds back.
type back struct {
	_     struct{} `cbor:",toarray"`
	Held  []parcel
	Known []string // keys of records whose Persisted has been given to the machine already
}

// parcel is an effect that is held back: a message or a write.
type parcel struct {
	_       struct{} `cbor:",toarray"`
	To      core.Proc
	Content []byte // of the message, empty for a write
	Key     string
	Value   []byte
}

// State implements core.Machine: the parts of the inner machine, then what is held back, then the
// memory of the habit.
func (b *Machine) State() []any {
	parts := b.Inner.State()
	if b.watch != nil {
		return parts
	}
	parts = append(slices.Clip(parts), &b.back)
	if b.Memory != nil {
		parts = append(parts, b.Memory)
	}
	return parts
}

// Choices implements core.Machine.
func (b *Machine) Choices(buf []core.Choice) []core.Choice {
	if b.habit != nil && b.habit.Offers != nil && !b.habit.Offers(b) {
		return buf
	}
	return b.Inner.Choices(buf)
}

// Next is the operation that the program of a rank is at, if the machine inside tells.
func (b *Machine) Next() (op core.Op, ok bool) {
	if host, tells := b.Inner.(interface{ Next() (core.Op, bool) }); tells {
		return host.Next()
	}
	return core.Op{}, false
}

// Commutes implements core.Commuter: of a machine that is only watched, as far as that does.
func (b *Machine) Commutes(in core.Input) (uint64, bool) {
	if c, ok := b.Inner.(core.Commuter); ok && b.watch != nil {
		return c.Commutes(in)
	}
	return 0, false
}

// History is what the program of a rank has done along its surviving past, as the habit tells it,
// nil of a service; the caller must not change it.
func (b *Machine) History() *trace.History {
	h := core.HistoryOf(b.Inner)
	if h == nil || b.watch != nil || b.habit.History == nil {
		return h
	}
	told := *h
	b.habit.History(&told)
	return &told
}

// Step implements core.Machine.
func (b *Machine) Step(in core.Input, out []core.Effect) []core.Effect {
	switch {
	case b.watch != nil:
		return b.watch(b, in, out)
	case in.Kind == core.Tick && in.Timer == timerName:
		return append(out, b.Release()...)
	case in.Kind == core.Persisted && slices.Contains(b.back.Known, in.Key):
		i := slices.Index(b.back.Known, in.Key)
		b.back.Known = slices.Delete(slices.Clone(b.back.Known), i, i+1)
		return append(out, core.DropInput(b.Proc, core.MsgID{}, "known before"))
	}
	inputs := []core.Input{in}
	if b.habit.Input != nil {
		inputs = b.habit.Input(b, in)
	}
	if len(inputs) == 0 {
		return append(out, core.DropInput(in.From, core.MsgID{}, "not heard"))
	}
	for _, in := range inputs {
		out = append(out, b.Feed(in)...)
	}
	return out
}

// Feed gives the machine an input and returns what becomes of its effects.
func (b *Machine) Feed(in core.Input) []core.Effect {
	var list []core.Effect
	if b.habit.Step != nil {
		list = b.habit.Step(b, in, nil)
	} else {
		list = b.Inner.Step(in, nil)
	}
	if b.habit.Effects != nil {
		list = b.habit.Effects(b, list)
	}
	return list
}

// Anticipate tells the machine that a record is on stable storage, and not again when it is.
func (b *Machine) Anticipate(key string) []core.Effect {
	b.back.Known = append(slices.Clone(b.back.Known), key)
	return b.Feed(core.Input{Kind: core.Persisted, Key: key})
}

// timerName is the timer of wrappers; the machine inside never hears of it.
const timerName = "mutant"

// Hold keeps back a message or a write. What it returns is to be asked for in its place: a timer,
// which makes sure that it happens in the end.
func (b *Machine) Hold(e core.Effect) core.Effect {
	p := parcel{To: e.To, Key: e.Key, Value: e.Value}
	if e.Message != nil {
		p.Content = core.Encode(e.Message)
	}
	b.back.Held = append(slices.Clone(b.back.Held), p)
	return core.Effect{Kind: core.SetTimer, Timer: timerName, Ticks: 1}
}

// Held returns the effects that are held back.
func (b *Machine) Held() []core.Effect {
	var list []core.Effect
	for _, p := range b.back.Held {
		if len(p.Content) == 0 {
			list = append(list, core.Effect{Kind: core.Persist, Key: p.Key, Value: p.Value})
			continue
		}
		m := b.message()
		if err := core.Decode(p.Content, m); err != nil {
			panic(fmt.Sprintf("invariant: what is held back is what was sent: proc %d: %v", b.Proc,
				err))
		}
		list = append(list, core.SendTo(p.To, m))
	}
	return list
}

// Release returns the effects that are held back, and holds them no more.
func (b *Machine) Release() []core.Effect {
	list := b.Held()
	b.back.Held = nil
	return list
}
