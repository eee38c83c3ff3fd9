package world

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// What a number of a state vector stands for is saved by its canonical bytes, in the order of the
// numbers. What is remembered of steps is not: it is computed again when it is wanted, and finds
// the same numbers, because everything that it leads to has one. Only which local steps were met is
// kept, so that the count of them is that of an uninterrupted search.

// Save implements checker.Saver.
func (w *World) Save(e *search.Encoder) {
	if w.unjudged.Load() {
		e.Fail(errors.New("a step was left behind that did not return, so what came after it is " +
			"not what the protocol does"))
	}
	saveKeys(e, &w.messages)
	saveKeys(e, &w.packets)
	w.saveInputs(e)
	saveKeys(e, &w.locals)
	saveKeys(e, &w.inboxes)
	saveKeys(e, &w.envs)
	saveKeys(e, &w.histories)
	for i := range w.monitors.each {
		saveKeys(e, &w.monitors.each[i])
	}
	saveKeys(e, &w.monitors.memories)
	w.budgetList.save(e)
	for p := range w.configurations {
		w.configurations[p].save(e)
	}
	w.saveOperations(e)
	w.saveSteps(e)
	w.saveJudgement(e)
}

// Restore implements checker.Saver. The world is one that nothing has happened in.
func (w *World) Restore(d *search.Decoder) {
	// New has put the first of each there
	w.locals, w.inboxes = interned[uint32, local]{}, interned[inboxNumber, inbox]{}
	w.monitors.memories = interned[uint32, []uint32]{}
	w.monitors.each = make([]interned[uint32, spec.Remembered], len(w.monitors.list))
	restoreKeys(d, "message", &w.messages, w.restoredMessage)
	restoreKeys(d, "packet", &w.packets, w.restoredPacket)
	w.restoreInputs(d)
	restoreKeys(d, "local state", &w.locals, w.restoredLocal)
	restoreKeys(d, "inbox", &w.inboxes, w.restoredInbox)
	restoreKeys(d, "environment", &w.envs, func(key []byte) (e env, err error) {
		return e, decodeExactly(key, &e)
	})
	restoreKeys(d, "history", &w.histories, func(key []byte) (*trace.History, error) {
		h := &trace.History{}
		return h, decodeExactly(key, h)
	})
	for i := range w.monitors.each {
		restoreKeys(d, "memory of "+w.monitors.list[i].Name, &w.monitors.each[i],
			func(key []byte) (spec.Remembered, error) {
				r, err := w.monitors.list[i].Restore(key)
				if err == nil && !bytes.Equal(r.AppendKey(nil), key) {
					err = fmt.Errorf("it does not survive the codec")
				}
				return r, err
			})
	}
	restoreKeys(d, "memories", &w.monitors.memories, w.monitors.restored)
	w.budgetList.restore(d)
	for p := range w.configurations {
		w.restoreConfigurations(d, core.Proc(p))
	}
	w.restoreOperations(d)
	w.restoreSteps(d)
	w.restoreJudgement(d)
}

func saveKeys[N ~uint32, T any](e *search.Encoder, n *interned[N, T]) {
	e.Number(uint64(n.len()))
	for _, key := range n.keys() {
		e.Bytes([]byte(key))
	}
}

// restoreKeys makes the things of a table again from their canonical bytes.
func restoreKeys[N ~uint32, T any](d *search.Decoder, what string, n *interned[N, T],
	value func(key []byte) (T, error)) {
	for i := range d.Count(1) {
		key := d.Bytes()
		if d.Err() != nil {
			return
		}
		v, err := value(key)
		if _, twice := n.find(key); err == nil && twice {
			err = fmt.Errorf("it is there twice")
		}
		if err != nil {
			d.Fail(fmt.Errorf("%s %d: %w", what, i, err))
			return
		}
		n.intern(key, v)
	}
}

// decodeExactly reads a value of which the bytes are the canonical ones.
func decodeExactly(key []byte, v any) error {
	if err := core.Decode(key, v); err != nil {
		return err
	}
	if !bytes.Equal(core.Encode(v), key) {
		return fmt.Errorf("%T does not survive the codec", v)
	}
	return nil
}

func (w *World) restoredMessage(key []byte) (message, error) {
	value := w.Setup.NewMessage()
	if err := decodeExactly(key, value); err != nil {
		return message{}, err
	}
	return message{value: value, round: value.Describe().Stamp.Round}, nil
}

func (w *World) restoredPacket(key []byte) (packet, error) {
	if len(key) != 10 {
		return packet{}, fmt.Errorf("%d bytes, want 10", len(key))
	}
	k := packet{from: core.Proc(binary.BigEndian.Uint16(key)),
		inc:     core.Incarnation(binary.BigEndian.Uint32(key[2:])),
		message: messageNumber(binary.BigEndian.Uint32(key[6:]))}
	if int(k.message) >= w.messages.len() || int(k.from) >= w.procs {
		return packet{}, fmt.Errorf("message %d from proc %d is not known", k.message, k.from)
	}
	return k, nil
}

// inputRest is what of an input is neither a number nor a message.
type inputRest struct {
	_       struct{} `cbor:",toarray"`
	Key     string
	Timer   string
	Procs   []core.Proc
	Records []core.Record
}

func (w *World) saveInputs(e *search.Encoder) {
	e.Number(uint64(w.inputs.len()))
	for i, key := range w.inputs.keys() {
		in := w.inputs.at(uint32(i))
		e.Bytes([]byte(key))
		e.Number(uint64(in.Kind))
		e.Number(uint64(in.From))
		e.Number(uint64(in.Choice))
		e.Number(uint64(in.Incarnation))
		message := uint64(0) // number + 1
		if in.Message != nil {
			number, ok := w.messages.find(core.Encode(in.Message))
			if !ok {
				panic("invariant: the message of an input is interned")
			}
			message = uint64(number) + 1
		}
		e.Number(message)
		e.Bytes(core.Encode(inputRest{Key: in.Key, Timer: in.Timer, Procs: in.Procs,
			Records: in.Records}))
	}
}

func (w *World) restoreInputs(d *search.Decoder) {
	for i := range d.Count(7) {
		key := d.Bytes()
		in := core.Input{Kind: core.InputKind(d.Number()), From: core.Proc(d.Number()),
			Choice:      core.Choice(d.Number()),
			Incarnation: core.Incarnation(d.Number())}
		number := d.Number()
		var rest inputRest
		if err := core.Decode(d.Bytes(), &rest); err != nil || number > uint64(w.messages.len()) {
			d.Fail(fmt.Errorf("input %d with message %d of %d: %w", i, number, w.messages.len(),
				err))
			return
		}
		if number > 0 {
			in.Message = w.messages.at(messageNumber(number - 1)).value
		}
		in.Key, in.Timer, in.Procs, in.Records = rest.Key, rest.Timer, rest.Procs, rest.Records
		again := w.internInput(in)
		if n, ok := w.inputs.find(key); !ok || n != uint32(i) || again != n {
			d.Fail(fmt.Errorf("input %d does not survive the codec", i))
			return
		}
	}
}

// localHeader is how many bytes come before the state of the machine in the key of a local state.
const localHeader = 2 + 4 + 8 + 8

func (w *World) restoredLocal(key []byte) (local, error) {
	before := w.inputs.len()
	l, err := w.decodedLocal(key)
	if err == nil && w.inputs.len() != before {
		err = fmt.Errorf("%s has a choice that it had not", w.layout.Name(l.proc))
	}
	return l, err
}

// decodedLocal makes a local state again from its canonical bytes.
func (w *World) decodedLocal(key []byte) (local, error) {
	if len(key) == 0 {
		return local{}, nil // a proc that is down
	}
	if len(key) < localHeader {
		return local{}, fmt.Errorf("%d bytes are too few", len(key))
	}
	l := local{proc: core.Proc(binary.BigEndian.Uint16(key)),
		inc:   core.Incarnation(binary.BigEndian.Uint32(key[2:])),
		round: binary.BigEndian.Uint64(key[6:]), evaluated: binary.BigEndian.Uint64(key[14:]),
		content: key[localHeader:]}
	if int(l.proc) >= w.procs {
		return local{}, fmt.Errorf("there is no proc %d", l.proc)
	}
	if w.layout.Holdings {
		if err := l.takeHolding(); err != nil {
			return local{}, err
		}
	}
	m := w.Setup.New(l.proc)
	if err := core.DecodeState(l.content, m); err != nil {
		return local{}, err
	}
	if !bytes.Equal(core.EncodeState(m), l.content) {
		return local{}, fmt.Errorf("the state of %s does not survive the codec",
			w.layout.Name(l.proc))
	}
	w.addViews(&l, m, m.Choices(nil))
	return l, nil
}

// takeHolding reads what the proc holds, which comes before the state of the machine.
func (l *local) takeHolding() error {
	if len(l.content) < 4 || uint64(len(l.content)-4) < uint64(binary.BigEndian.Uint32(l.content)) {
		return fmt.Errorf("%d bytes are too few", len(l.content))
	}
	n := int(binary.BigEndian.Uint32(l.content))
	content := l.content[4 : 4+n]
	l.content = l.content[4+n:]
	if n == 0 {
		return nil
	}
	l.holding = &trace.Holding{}
	return decodeExactly(content, l.holding)
}

func (w *World) restoredInbox(key []byte) (b inbox, err error) {
	bad := fmt.Errorf("%d bytes are not channels of packets", len(key))
	for len(key) > 0 {
		if len(key) < 8 {
			return b, bad
		}
		n := int(binary.BigEndian.Uint32(key))
		if key = key[4:]; n == 0 || n > len(key)/4 {
			return b, bad
		}
		c := channel{}
		for range n {
			p := packetNumber(binary.BigEndian.Uint32(key))
			if key = key[4:]; int(p) >= w.packets.len() {
				return b, bad
			}
			c.messages = append(c.messages, p)
		}
		first := w.packets.at(c.messages[0])
		c.from, c.inc = first.from, first.inc
		b.channels = append(b.channels, c)
	}
	before := w.inputs.len()
	b.heads, b.oldest = w.headsOf(b.channels), w.oldestRound(b.channels)
	if w.inputs.len() != before {
		return b, fmt.Errorf("it has a head that it had not")
	}
	return b, nil
}

// saveOperations keeps, besides the bytes, whether the value is nil: that deletes, and the codec
// does not tell nil from empty.
func (w *World) saveOperations(e *search.Encoder) {
	for i := range w.operations.len() {
		if w.operations.at(uint32(i)).Value != nil {
			e.Number(uint64(i) + 1)
		}
	}
	e.Number(0)
	saveKeys(e, &w.operations)
}

func (w *World) restoreOperations(d *search.Decoder) {
	valued := map[int]bool{}
	for n := d.Number(); n != 0; n = d.Number() {
		valued[int(n-1)] = true
	}
	restoreKeys(d, "operation", &w.operations, func(key []byte) (op operation, err error) {
		err = decodeExactly(key, &op)
		if !valued[w.operations.len()] {
			op.Value = nil
		}
		if len(op.Procs) == 0 {
			op.Procs = nil
		}
		return op, err
	})
}

// saveSteps keeps which local steps were met.
func (w *World) saveSteps(e *search.Encoder) {
	met := maps.Clone(w.former)
	if met == nil {
		met = map[uint64]struct{}{}
	}
	for i := range w.transitions.len() {
		t := w.transitions.at(uint32(i))
		met[pair(t.from, t.input)] = struct{}{}
	}
	e.Number(uint64(len(met)))
	for _, key := range slices.Sorted(maps.Keys(met)) {
		e.Number(key)
	}
}

func (w *World) restoreSteps(d *search.Decoder) {
	w.former = map[uint64]struct{}{}
	for range d.Count(1) {
		w.former[d.Number()] = struct{}{}
	}
}

// saveJudgement keeps what was seen of all runs so far: violations by number, Sometimes properties,
// and witnesses of Pair properties.
func (w *World) saveJudgement(e *search.Encoder) {
	w.judging.Lock()
	defer w.judging.Unlock()
	e.Number(uint64(len(w.violations)))
	for _, v := range w.violations {
		e.Bytes(core.Encode(v))
	}
	e.Bytes([]byte(w.sights.answer))
	e.Number(uint64(len(w.sights.seen)))
	for _, name := range w.sights.seen {
		e.Bytes([]byte(name))
	}
	e.Number(uint64(len(w.sights.witnesses)))
	for _, key := range slices.Sorted(maps.Keys(w.sights.witnesses)) {
		e.Bytes([]byte(key))
		e.Bytes([]byte(w.sights.witnesses[key].value))
	}
}

func (w *World) restoreJudgement(d *search.Decoder) {
	for i := range d.Count(1) {
		var v spec.Violation
		if err := core.Decode(d.Bytes(), &v); err != nil {
			d.Fail(fmt.Errorf("violation %d: %w", i, err))
			return
		}
		if n := w.violation(v); n != i+1 {
			d.Fail(fmt.Errorf("violation %d is number %d, too", i+1, n))
			return
		}
	}
	w.sights.answer = string(d.Bytes())
	for range d.Count(1) {
		name := string(d.Bytes())
		if !w.sights.see(name) {
			d.Fail(fmt.Errorf("there is no property %q that runs may show", name))
			return
		}
	}
	for range d.Count(2) {
		key := string(d.Bytes())
		w.sights.first(key, string(d.Bytes()))
	}
}
