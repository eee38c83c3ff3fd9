package printedfr

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
	"github.com/domino-check/domino/spec/trace"
)

// kinds are those of the messages among effects.
func kinds(effects []core.Effect) (list []string) {
	for _, e := range effects {
		if e.Kind == core.SendMessage {
			list = append(list, e.Message.(*ground.Message).Kind)
		}
	}
	return list
}

// TestLogIsEmptyAfterRestart: erratum H20b, Alg. 2 l. 5. a has x in the log of its checkpoint; when
// b then restarts, a has nothing to replay for it, and when a sends y it notifies (H20a, l. 16).
func TestLogIsEmptyAfterRestart(t *testing.T) {
	send := func() core.Op { return core.Op{Kind: core.OpSend, Peer: 1} }
	setup, err := Form.Setup(protocol.Request{
		Layout:   trace.Layout{Names: []string{"a", "b"}, Ranks: 2, Clusters: []int{0, 1}},
		Programs: []core.Program{{send(), send()}, {{Kind: core.OpRecv}, {Kind: core.OpRecv}}}})
	if err != nil {
		t.Fatal(err)
	}
	a := setup.New(0)
	a.Step(core.Input{Kind: core.Start}, nil)
	a.Step(core.Input{Kind: core.Advance}, nil)
	var records []core.Record
	for out := a.Step(core.Input{Kind: core.Checkpoint}, nil); len(out) > 0; {
		e := out[0]
		if out = out[1:]; e.Kind == core.Persist && e.Value != nil {
			records = append(records, core.Record{Owner: 0, Key: e.Key, Value: e.Value})
			out = append(out, a.Step(core.Input{Kind: core.Persisted, Key: e.Key}, nil)...)
		}
	}
	for _, restarted := range []bool{false, true} {
		if restarted {
			a = setup.New(0)
			out := a.Step(core.Input{Kind: core.Restore, Incarnation: 1, Records: records}, nil)
			if got := kinds(out); len(got) != 2 || got[0] != Redemarrage ||
				got[1] != PhaseCourante {
				t.Fatalf("restart: %v", got)
			}
			a.Step(core.Input{Kind: core.Received, From: 2,
				Message: &ground.Message{Kind: Notification}}, nil)
			if got := kinds(a.Step(core.Input{Kind: core.Advance}, nil)); len(got) != 1 ||
				got[0] != Notification {
				t.Errorf("y of a restarted process: %v", got)
			}
			continue
		}
		out := a.Step(core.Input{Kind: core.Received, From: 1,
			Message: &ground.Message{Kind: Redemarrage}}, nil)
		if got := out[0].Message.(*ground.Message).Phases; len(got) != 1 {
			t.Errorf("before a failure of a: %v is replayed, want x alone", got)
		}
	}
	if logs := len(a.(interface{ Layer() core.Layer }).Layer().(*layer).Process.S.Logs); logs != 1 {
		t.Errorf("%d messages in the log, want y alone", logs)
	}
}
