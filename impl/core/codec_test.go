package core_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// messages are the fuzz seeds and the values of the codec tests: from empty to full.
func messages() map[string]*hydee.Message {
	return map[string]*hydee.Message{
		"zero": {},
		"application": {Kind: hydee.App, Round: 1<<32 | 7, Incarnation: 3, Date: 12, Phase: 4,
			Payload: core.Payload{ID: core.MsgID{From: 2, Number: 9}, Data: []byte{0, 255, 128}}},
		"report": {Kind: hydee.Report, Round: 2, Phase: 5,
			Lives: []core.Incarnation{0, 1, math.MaxUint32},
			Orphans: []hydee.Orphan{{Source: 1, To: 2, Date: 3, Phase: 4},
				{Source: math.MaxUint16, Date: math.MaxUint64}}},
		"frontier": {Kind: hydee.Frontier, Round: math.MaxUint64, Phase: math.MaxUint64, Part: 3},
	}
}

// nilIsEmpty compares values as the codec sees them.
var nilIsEmpty = cmp.Options{cmpopts.EquateEmpty(),
	cmpopts.IgnoreUnexported(hydee.Message{}, hydee.Orphan{}, core.Payload{}, core.MsgID{})}

// TestRoundTrip checks that what Encode writes, Decode reads back, to a value with the same bytes.
func TestRoundTrip(t *testing.T) {
	for name, m := range messages() {
		t.Run(name, func(t *testing.T) {
			b := core.Encode(m)
			var got hydee.Message
			if err := core.Decode(b, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(*m, got, nilIsEmpty); diff != "" {
				t.Errorf("round trip (-want +got):\n%s", diff)
			}
			if again := core.Encode(&got); !bytes.Equal(b, again) {
				t.Errorf("encoded again: %x, want %x", again, b)
			}
		})
	}
}

// TestCanonical checks that equal values have equal bytes: nil and empty containers, maps in any
// order, numbers of any width.
func TestCanonical(t *testing.T) {
	type plain struct {
		List  []int
		Bytes []byte
		Map   map[string]int
		Next  *plain
	}
	empty := plain{List: []int{}, Bytes: []byte{}, Map: map[string]int{}}
	if a, b := core.Encode(plain{}), core.Encode(empty); !bytes.Equal(a, b) {
		t.Errorf("nil containers are %x, empty ones %x", a, b)
	}
	first := core.Encode(map[string]int{"b": 1, "a": 2, "ccc": 3, "": 4})
	for range 20 {
		m := map[string]int{"": 4}
		for _, k := range []string{"ccc", "a", "b"} {
			m[k] = map[string]int{"ccc": 3, "a": 2, "b": 1}[k]
		}
		if b := core.Encode(m); !bytes.Equal(first, b) {
			t.Fatalf("one map as %x and as %x", first, b)
		}
	}
	if a, b := core.Encode(uint64(7)), core.Encode(uint8(7)); !bytes.Equal(a, b) {
		t.Errorf("7 is %x and %x", a, b)
	}
}

// TestDamage checks that truncated bytes and bytes with something behind them are errors, and that
// a flipped bit gives an error or a value that is again encoded canonically; nothing panics.
func TestDamage(t *testing.T) {
	for name, m := range messages() {
		b := core.Encode(m)
		t.Run(name, func(t *testing.T) {
			for n := range b {
				if err := core.Decode(b[:n], new(hydee.Message)); err == nil {
					t.Errorf("first %d of %d bytes are accepted", n, len(b))
				}
			}
			if err := core.Decode(append(bytes.Clone(b), 0), new(hydee.Message)); err == nil {
				t.Error("a byte behind the value is accepted")
			}
			for bit := range 8 * len(b) {
				flipped := bytes.Clone(b)
				flipped[bit/8] ^= 1 << (bit % 8)
				checkDecode(t, flipped)
			}
		})
	}
}

// checkDecode decodes bytes from anywhere: an error, or a value that survives a round trip.
func checkDecode(t *testing.T, b []byte) {
	t.Helper()
	var m hydee.Message
	if core.Decode(b, &m) != nil {
		return
	}
	encoded := core.Encode(&m)
	var again hydee.Message
	if err := core.Decode(encoded, &again); err != nil {
		t.Fatalf("%x is accepted, but %x, which is its value, is not: %v", b, encoded, err)
	}
	if diff := cmp.Diff(m, again, nilIsEmpty); diff != "" {
		t.Fatalf("%x (-first +second):\n%s", b, diff)
	}
	_ = m.Describe()
}

// FuzzDecode gives the decoder of messages any bytes.
func FuzzDecode(f *testing.F) {
	for _, m := range messages() {
		f.Add(core.Encode(m))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode(t, b) })
}

// FuzzDecodeState gives the decoder of machine states any bytes; the seeds are states along a run.
func FuzzDecodeState(f *testing.F) {
	setup := recoverySetup(f)
	walk(f, setup, 1, 40, func(_ core.Proc, m core.Machine) { f.Add(core.EncodeState(m)) })
	f.Fuzz(func(t *testing.T, b []byte) {
		for p := range core.Proc(len(setup.Layout.Names)) {
			m := setup.New(p)
			if core.DecodeState(b, m) != nil {
				continue
			}
			if err := core.DecodeState(core.EncodeState(m), setup.New(p)); err != nil {
				t.Fatalf("proc %d: %x is accepted, but not its canonical form: %v", p, b, err)
			}
		}
	})
}

// TestDamagedState checks that DecodeState refuses every truncation, and bytes left over.
func TestDamagedState(t *testing.T) {
	setup := recoverySetup(t)
	walk(t, setup, 2, 30, func(p core.Proc, m core.Machine) {
		b := core.EncodeState(m)
		for n := range b {
			if core.DecodeState(b[:n], setup.New(p)) == nil {
				t.Fatalf("proc %d: first %d of %d bytes are accepted", p, n, len(b))
			}
		}
		if core.DecodeState(append(bytes.Clone(b), b...), setup.New(p)) == nil {
			t.Fatalf("proc %d: a second state behind the first is accepted", p)
		}
	})
}

// TestEncodePanics checks that what has no canonical encoding is a programmer error that names the
// type.
func TestEncodePanics(t *testing.T) {
	defer func() {
		if p := recover(); p == nil {
			t.Error("a channel was encoded")
		}
	}()
	core.Encode(make(chan int))
}

// TestDecodeError checks that an error names the type.
func TestDecodeError(t *testing.T) {
	err := core.Decode([]byte{0xff}, new(trace.Stamp))
	if err == nil || err.Error() != "core: decode *trace.Stamp: cbor: unexpected \"break\" code" {
		t.Errorf("got %v", err)
	}
}
