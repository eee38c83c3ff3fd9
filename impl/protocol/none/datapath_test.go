package none_test

import (
	"encoding/hex"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol/none"
)

// TestHeader pins the fixed layout, reads it back, and refuses other lengths; collectives have
// none.
func TestHeader(t *testing.T) {
	m := &none.Message{Past: []uint32{1, 2}, Payload: core.Payload{
		ID: core.MsgID{From: 5, Number: 0x090a}}}
	got, ok := m.AppendHeader([]byte{0xff})
	if want := "ff0a090000"; !ok || hex.EncodeToString(got) != want {
		t.Fatalf("%x %v, want %s", got, ok, want)
	}
	read := none.Message{Past: []uint32{9}, Group: 1, Part: true}
	if err := read.ParseHeader(got[1:], 5); err != nil {
		t.Fatal(err)
	}
	if read.Payload.ID != m.Payload.ID || read.Past != nil || read.Group != 0 || read.Part {
		t.Errorf("read back %+v", read)
	}
	for _, n := range []int{0, 3, 5} {
		if read.ParseHeader(make([]byte, n), 5) == nil {
			t.Errorf("a header of %d bytes was accepted", n)
		}
	}
	if _, ok := (&none.Message{Group: 1}).AppendHeader(nil); ok {
		t.Error("a multicast has no fixed layout")
	}
}

// TestNoAllocation: a message allocates nothing in the layers once their queues are warm.
func TestNoAllocation(t *testing.T) {
	s := setup(t, "a: send b\nb: recv a")
	var layers [2]core.Layer
	for r := range layers {
		layers[r] = s.New(core.Proc(r)).(*program.Host).Layer()
		layers[r].Step(core.Input{Kind: core.Start}, nil)
	}
	var out []core.Effect
	var header []byte
	scratch := new(none.Message)
	payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
	if n := testing.AllocsPerRun(1000, func() {
		out = layers[0].Step(core.Input{Kind: core.Send, To: 1, Payload: payload}, out[:0])
		header, _ = out[0].Message.(core.Framed).AppendHeader(header[:0])
		if err := scratch.ParseHeader(header, 0); err != nil {
			t.Fatal(err)
		}
		out = layers[1].Step(core.Input{Kind: core.Received, From: 0, Message: scratch}, out[:0])
		out = layers[1].Step(core.Input{Kind: core.Receive, From: 0}, out[:0])
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
