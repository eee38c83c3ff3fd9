package monnet_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/induced"
	"github.com/domino-check/domino/impl/protocol/baseline/monnet"
	"github.com/domino-check/domino/impl/protocol/baseline/uncoordinated"
	"github.com/domino-check/domino/impl/protocol/part/recovery"
)

// TestNoAllocation: a round trip allocates nothing in the layers of the protocols on one recovery,
// once their queues are warm, their logs have room, and the images that the first messages force
// are stable: those of a next interval force new ones, which cost more than a message.
func TestNoAllocation(t *testing.T) {
	for _, tt := range []struct {
		name     string
		protocol protocol.Protocol
		options  string
		clusters []int
	}{
		{"uncoordinated", uncoordinated.Protocol, "", nil},
		{"lossy", uncoordinated.Protocol, "channels=lossy", nil},
		{"index", induced.Protocol, "", nil},
		{"one group", monnet.Protocol, "", []int{0, 0}},
	} {
		s, err := tt.protocol.Make(ask(t, "a: send b; recv b\nb: recv a; send a", tt.options,
			tt.clusters))
		if err != nil {
			t.Fatal(err)
		}
		var layers [2]core.Layer
		for r := range layers {
			layers[r] = s.New(core.Proc(r)).(*program.Host).Layer()
			layers[r].Step(core.Input{Kind: core.Start}, nil)
		}
		var out []core.Effect
		var header []byte
		scratch := new(recovery.Message)
		payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
		n := testing.AllocsPerRun(2000, func() {
			for from := range core.Rank(2) {
				to := 1 - from
				payload.ID.From = from
				out = layers[from].Step(core.Input{Kind: core.Send, To: to, Payload: payload},
					out[:0])
				header, _ = out[len(out)-1].Message.(core.Framed).AppendHeader(header[:0])
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
			t.Errorf("%s: %v allocations, want 0", tt.name, n)
		}
	}
}
