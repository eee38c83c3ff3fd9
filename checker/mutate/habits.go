package mutate

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// sends changes what becomes of messages of the kinds.
func sends(kinds []string, change func(*proc, core.Effect) []core.Effect) habit {
	return habit{effect: func(b *proc, e core.Effect) []core.Effect {
		if e.Kind != core.SendMessage || !oneOf(e.Message, kinds) {
			return []core.Effect{e}
		}
		return change(b, e)
	}}
}

// drop sends no message of the kinds.
func drop(kinds []string) habit {
	return sends(kinds, func(b *proc, _ core.Effect) []core.Effect {
		b.fire()
		return nil
	})
}

// dropTo sends no message of the kinds to the rank with the lowest, or the highest number.
func dropTo(kinds []string, highest bool) habit {
	return sends(kinds, func(b *proc, e core.Effect) []core.Effect {
		rank := 0
		if highest {
			rank = b.Setup.Layout.Ranks - 1
		}
		if int(e.To) != rank {
			return []core.Effect{e}
		}
		b.fire()
		return nil
	})
}

// twice sends every message of the kinds two times.
func twice(kinds []string) habit {
	return sends(kinds, func(b *proc, e core.Effect) []core.Effect {
		b.fire()
		return []core.Effect{e, e}
	})
}

// late puts messages of the kinds on the network some time later: whatever is sent meanwhile
// overtakes them.
func late(kinds []string) habit {
	return sends(kinds, func(b *proc, e core.Effect) []core.Effect {
		b.fire()
		return []core.Effect{b.Hold(e)}
	})
}

// astray sends messages of the kinds to the proc behind the right one, ranks to ranks and services
// to services.
func astray(kinds []string) habit {
	return sends(kinds, func(b *proc, e core.Effect) []core.Effect {
		first, n := 0, b.Setup.Layout.Ranks
		if int(e.To) >= n {
			first, n = n, len(b.Setup.Layout.Names)-n
		}
		wrong := core.Proc(first + (int(e.To)-first+1)%n)
		if wrong == b.Proc {
			wrong = core.Proc(first + (int(wrong)-first+1)%n)
		}
		if wrong != e.To {
			b.fire()
		}
		e.To = wrong
		return []core.Effect{e}
	})
}

// writes changes a field of messages of the kinds as they are sent.
func writes(kinds []string, field fieldPath, c change) habit {
	return sends(kinds, func(b *proc, e core.Effect) []core.Effect {
		b.alter(reflect.ValueOf(e.Message), field, place{from: b.Proc, to: e.To, self: b.Proc}, c)
		return []core.Effect{e}
	})
}

// reads changes fields of messages of the kinds as they are received, each to what a field of the
// receiver is: what is of a former life or of an old round is taken for present.
func reads(kinds []string, pairs []pair) habit {
	return habit{input: func(b *proc, in core.Input) []core.Input {
		if in.Kind != core.Received || !oneOf(in.Message, kinds) {
			return []core.Input{in}
		}
		in.Message = copyOf(b.Setup, in.Message)
		b.alter(reflect.ValueOf(in.Message), nil, place{from: in.From, to: b.Proc, self: b.Proc},
			func(m reflect.Value) error {
				return take(m, b.layer(), pairs, place{from: in.From, to: b.Proc, self: b.Proc})
			})
		return []core.Input{in}
	}}
}

// believes takes what is asked for as done: with each message of the kinds it takes the answer of
// its receiver as given, whose fields are those of the message. The real answer comes, too.
func believes(kinds []string, answer string, pairs []pair) habit {
	return sends(kinds, func(b *proc, e core.Effect) []core.Effect {
		m, err := blank(b.Setup, answer)
		if err == nil {
			err = take(reflect.ValueOf(m), reflect.ValueOf(e.Message), pairs,
				place{from: e.To, to: b.Proc, self: b.Proc})
		}
		if err != nil {
			b.fails(err)
			return []core.Effect{e}
		}
		b.fire()
		out := []core.Effect{e}
		return append(out, b.Feed(core.Input{Kind: core.Received, From: e.To, Message: m})...)
	})
}

// forgets answers messages of the kinds and keeps nothing of them.
func forgets(kinds []string) habit {
	return habit{step: func(b *proc, in core.Input) []core.Effect {
		if in.Kind != core.Received || !oneOf(in.Message, kinds) {
			return b.Inner.Step(in, nil)
		}
		before := core.EncodeState(b.Inner)
		list := b.Inner.Step(in, nil)
		if bytes.Equal(before, core.EncodeState(b.Inner)) {
			return list
		}
		b.fire()
		for i := range list {
			if list[i].Kind == core.SendMessage {
				list[i].Message = copyOf(b.Setup, list[i].Message)
			}
		}
		b.Inner = b.Setup.New(b.Proc)
		if err := core.DecodeState(before, b.Inner); err != nil {
			panic("invariant: a state can be decoded: " + err.Error())
		}
		return slices.DeleteFunc(list, func(e core.Effect) bool {
			return e.Kind != core.SendMessage
		})
	}}
}

// records changes what becomes of writes to records whose key begins so. Deletions stay.
func records(prefix string, change func(*proc, core.Effect) []core.Effect) habit {
	return habit{effect: func(b *proc, e core.Effect) []core.Effect {
		if e.Kind != core.Persist || e.Value == nil || !strings.HasPrefix(e.Key, prefix) {
			return []core.Effect{e}
		}
		b.fire()
		return change(b, e)
	}}
}

// unwritten goes on as if it had written.
func unwritten(prefix string) habit {
	return records(prefix, func(b *proc, e core.Effect) []core.Effect {
		return b.Feed(core.Input{Kind: core.Persisted, Key: e.Key})
	})
}

// hasty goes on before the record is stable.
func hasty(prefix string) habit {
	return records(prefix, func(b *proc, e core.Effect) []core.Effect {
		return append([]core.Effect{e}, b.Anticipate(e.Key)...)
	})
}

// putOff goes on before it even begins to write, which it does some time later.
func putOff(prefix string) habit {
	return records(prefix, func(b *proc, e core.Effect) []core.Effect {
		return append([]core.Effect{b.Hold(e)}, b.Anticipate(e.Key)...)
	})
}

// slow writes some time later, and waits for it.
func slow(prefix string) habit {
	return records(prefix, func(b *proc, e core.Effect) []core.Effect {
		return []core.Effect{b.Hold(e)}
	})
}

// overlooks finds none of the records whose key begins so when it starts again.
func overlooks(prefix string) habit {
	return habit{input: func(b *proc, in core.Input) []core.Input {
		if in.Kind != core.Restore {
			return []core.Input{in}
		}
		n := len(in.Records)
		in.Records = slices.DeleteFunc(slices.Clone(in.Records), func(r core.Record) bool {
			return strings.HasPrefix(r.Key, prefix)
		})
		if len(in.Records) < n {
			b.fire()
		}
		return []core.Input{in}
	}}
}

// sameLife takes the number of its former life when it starts again.
func sameLife() habit {
	return habit{input: func(b *proc, in core.Input) []core.Input {
		if in.Kind == core.Restore {
			in.Incarnation--
			b.fire()
		}
		return []core.Input{in}
	}}
}

// after changes a field of the protocol's state after each step with an effect that leaves
// an event of the kind, with its receiver as place "to".
func after(kind trace.Kind, field fieldPath, c change) habit {
	return habit{state: func(b *proc, list []core.Effect) {
		for _, e := range list {
			if e.Event() == kind {
				b.alter(b.layer(), field, place{from: e.From, to: e.To, self: b.Proc}, c)
			}
		}
	}}
}

// always changes a field of the state after every step of the ranks, or of the services.
func always(ranks bool, field fieldPath, c change) habit {
	return habit{state: func(b *proc, _ []core.Effect) {
		if (int(b.Proc) < b.Setup.Layout.Ranks) == ranks {
			b.alter(b.layer(), field, place{self: b.Proc}, c)
		}
	}}
}

// hears changes a field of the state before each message of the kinds is handled, with the sender
// as place "from".
func hears(kinds []string, field fieldPath, c change) habit {
	return habit{input: func(b *proc, in core.Input) []core.Input {
		if in.Kind == core.Received && oneOf(in.Message, kinds) {
			b.alter(b.layer(), field, place{from: in.From, self: b.Proc}, c)
		}
		return []core.Input{in}
	}}
}
