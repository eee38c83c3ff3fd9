package hydee_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// TestPiggyback checks [HydEE-fr] Tableau 2 ("integers"): what an application message
// carries beside its payload grows neither with the number of ranks nor with what was sent before.
// Method: the first rank sends 20 messages to the next, in setups of very different sizes; the
// encoded messages without payload are compared.
func TestPiggyback(t *testing.T) {
	const sends = 20
	want := 0
	for _, ranks := range []int{2, 8, 64} {
		layout := trace.Layout{Ranks: ranks}
		programs := make([]core.Program, ranks)
		for r := range ranks {
			layout.Names = append(layout.Names, fmt.Sprint("r", r))
			layout.Clusters = append(layout.Clusters, r)
		}
		programs[0] = core.Program{{Kind: core.OpLoop, Count: sends}, {Kind: core.OpSend, Peer: 1},
			{Kind: core.OpEnd}}
		s, err := hydee.NewSetup(layout, programs, hydee.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := s.New(0)
		m.Step(core.Input{Kind: core.Start}, nil)
		sent := 0
		for range 3 * sends {
			for _, e := range m.Step(core.Input{Kind: core.Advance}, nil) {
				if e.Kind != core.SendMessage {
					continue
				}
				sent++
				size := len(core.Encode(e.Message)) - len(e.Message.(*hydee.Message).Payload.Data)
				if want == 0 {
					want = size
				}
				if size != want {
					t.Errorf("%d ranks, message %d: %d bytes beside the payload, want %d", ranks,
						sent, size, want)
				}
			}
			if sent == sends {
				break
			}
		}
		if sent != sends {
			t.Fatalf("%d ranks: %d messages, want %d", ranks, sent, sends)
		}
	}
	if want > 64 {
		t.Errorf("%d bytes beside the payload, want at most 64", want)
	}
}
