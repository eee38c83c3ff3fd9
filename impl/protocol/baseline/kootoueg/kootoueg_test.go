package kootoueg_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/kootoueg"
	"github.com/domino-check/domino/spec/trace"
)

func parse(t *testing.T, text string) (trace.Layout, []core.Program) {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Layout{Names: names, Ranks: len(names)}, programs
}

// setup prepares two ranks that send each other messages.
func setup(t *testing.T) *core.Setup {
	t.Helper()
	layout, programs := parse(t, "a: send b; recv b\nb: recv a; send a")
	p := kootoueg.Protocol
	s, err := p.Make(protocol.Request{Layout: layout, Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNoAllocation: a round trip allocates nothing in the layers once their queues are warm. The
// host around them is left out: it makes the payloads of programs without numbers.
func TestNoAllocation(t *testing.T) {
	{
		s := setup(t)
		var layers [2]core.Layer
		for r := range layers {
			layers[r] = s.New(core.Proc(r)).(*program.Host).Layer()
			layers[r].Step(core.Input{Kind: core.Start}, nil)
		}
		var out []core.Effect
		var header []byte
		scratch := new(kootoueg.Message)
		payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
		n := testing.AllocsPerRun(2000, func() {
			for from := range core.Rank(2) {
				to := 1 - from
				payload.ID.From = from
				out = layers[from].Step(core.Input{Kind: core.Send, To: to, Payload: payload},
					out[:0])
				m := out[len(out)-1].Message.(core.Framed)
				header, _ = m.AppendHeader(header[:0])
				if err := scratch.ParseHeader(header, from.Proc()); err != nil {
					t.Fatal(err)
				}
				scratch.Data.Payload.Data = payload.Data
				out = layers[to].Step(core.Input{Kind: core.Received, From: from.Proc(),
					Message: scratch}, out[:0])
				out = layers[to].Step(core.Input{Kind: core.Receive, From: from.Proc()}, out[:0])
			}
		})
		if n != 0 {
			t.Errorf("%v allocations, want 0", n)
		}
	}
}
