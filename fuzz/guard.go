package fuzz

import (
	"bytes"
	"fmt"
	"hash/maphash"

	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
)

// What a protocol may get wrong beside the properties of spec. Panics, hidden nondeterminism, steps
// that do not return and effects that nobody can perform are seen by the world ("no-panic",
// "deterministic", "returns", "contract"), an endless run by try.go ("terminates"); the others are
// seen by a guard around each machine.
const (
	codecMisuse = "codec"    // state or message does not come back from the codec as it went in
	aliasMisuse = "aliasing" // bytes or messages are changed, or kept, that belong to somebody else
)

// GuardProperties are the names under which a guard reports how a protocol breaks the contract of
// machines.
func GuardProperties() []string { return []string{codecMisuse, aliasMisuse} }

// Guard is the case with a guard around each machine. It looks for what the world, which keeps
// copies of everything, does not notice, and drivers that recycle buffers would trip over: what the
// codec does not keep, bytes and messages that are changed or kept.
func Guard(c world.Case) world.Case {
	c.Setup = boundary.Watch(c.Setup, func(b *boundary.Machine, in core.Input,
		out []core.Effect) []core.Effect {
		return guard{b}.step(in, out)
	})
	return c
}

// guard watches a machine while it steps.
type guard struct{ *boundary.Machine }

// step is a step of the machine, between tests of what it is given and what it keeps.
func (g guard) step(in core.Input, out []core.Effect) []core.Effect {
	shared := sharedBytes(g.State(), in)
	before := encodeInput(in)
	if in.Message != nil {
		in.Message = g.copied(in.Message, "the message that it is given")
	}
	given := encodeInput(in)
	first := len(out)
	out = g.Inner.Step(in, out)
	if !bytes.Equal(given, encodeInput(in)) || !bytes.Equal(before, given) {
		panic(world.Misuse{Property: aliasMisuse, Words: "changes the input that it is given"})
	}
	if shared.changed() {
		panic(world.Misuse{Property: aliasMisuse,
			Words: "changes bytes in place that it had handed over or was given: payloads and " +
				"images never change"})
	}
	content := g.roundTrip()
	// Messages that are sent may be, or share, the one that was given, which is spoilt below.
	for i := range out[first:] {
		if e := &out[first+i]; e.Kind == core.SendMessage {
			e.Message = g.copied(e.Message, fmt.Sprintf("the message that it sends to proc %d",
				e.To))
		}
	}
	if in.Message != nil {
		spoil(in.Message)
		if !bytes.Equal(content, core.EncodeState(g)) {
			panic(world.Misuse{Property: aliasMisuse,
				Words: "keeps a part of the message that it is given, which is valid only during " +
					"the step: copy it"})
		}
	}
	return out
}

// copied is a message that went through the codec; it must be the same.
func (g guard) copied(m core.Message, what string) core.Message {
	fresh := g.Setup.NewMessage()
	if err := core.Decode(encoded(m, what), fresh); err != nil {
		panic(world.Misuse{Property: codecMisuse,
			Words: fmt.Sprintf("%s (%T) can not be decoded: %v", what, m, err)})
	}
	if l, ok := m.(core.Lazy); ok {
		l.Complete()
	}
	if path := differs(m, fresh); path != "" {
		panic(world.Misuse{Property: codecMisuse,
			Words: fmt.Sprintf(
				"%s loses or changes %s in the codec: fields must be exported plain data", what,
				path)})
	}
	return fresh
}

// encoded is the canonical form; what has none is named.
func encoded(v any, what string) []byte {
	defer func() {
		if r := recover(); r != nil {
			panic(world.Misuse{Property: codecMisuse,
				Words: fmt.Sprintf("%s (%T) can not be encoded: %v", what, v, r)})
		}
	}()
	return core.Encode(v)
}

// roundTrip takes the state through the codec, and returns its canonical form.
func (g guard) roundTrip() []byte {
	var content []byte
	parts := g.State()
	for _, part := range parts {
		content = append(content, encoded(part, "its state")...)
	}
	fresh := g.Setup.New(g.Proc)
	if err := core.DecodeState(content, fresh); err != nil {
		panic(world.Misuse{Property: codecMisuse,
			Words: fmt.Sprintf("has a state that can not be decoded: %v", err)})
	}
	for i, part := range fresh.State() {
		if path := differs(parts[i], part); path != "" {
			panic(world.Misuse{Property: codecMisuse,
				Words: fmt.Sprintf(
					"loses or changes %s of its state in the codec: fields must be exported "+
						"plain data",
					path)})
		}
	}
	if again := core.EncodeState(fresh); !bytes.Equal(content, again) {
		panic(world.Misuse{Property: codecMisuse,
			Words: "has a state that the codec writes differently after it was read"})
	}
	return content
}

// encodeInput is what a machine must not change, but for the message, which has an encoding of its
// own.
func encodeInput(in core.Input) []byte {
	content := core.Encode([]any{in.Procs, in.Records, in.Payload, in.Key, in.Timer})
	if in.Message != nil {
		content = append(content, encoded(in.Message, "the message that it is given")...)
	}
	return content
}

// byteSlices are slices whose bytes must stay as they are.
type byteSlices struct {
	seed   maphash.Seed
	slices [][]byte
	sums   []uint64
}

// sharedBytes are those of a state and an input.
func sharedBytes(parts []any, in core.Input) byteSlices {
	s := byteSlices{seed: maphash.MakeSeed()}
	for _, part := range parts {
		s.add(collectBytes(part))
	}
	s.add([][]byte{in.Payload.Data})
	for _, r := range in.Records {
		s.add([][]byte{r.Value})
	}
	return s
}

func (s *byteSlices) add(list [][]byte) {
	for _, b := range list {
		s.slices, s.sums = append(s.slices, b), append(s.sums, maphash.Bytes(s.seed, b))
	}
}

func (s *byteSlices) changed() bool {
	for i, b := range s.slices {
		if maphash.Bytes(s.seed, b) != s.sums[i] {
			return true
		}
	}
	return false
}
