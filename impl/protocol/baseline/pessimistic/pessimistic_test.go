package pessimistic_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/pessimistic"
	"github.com/domino-check/domino/impl/protocol/part/replay"
	"github.com/domino-check/domino/spec/trace"
)

// setup prepares programs.
func setup(t *testing.T, text, options string, clusters []int) (*core.Setup, error) {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return pessimistic.Protocol.Setup(protocol.Request{Programs: programs, Options: options,
		Layout: trace.Layout{Names: names, Ranks: len(names), Clusters: clusters}})
}

// TestRefused: options that mean nothing, and ranks that would restart together.
func TestRefused(t *testing.T) {
	const text = "a: send b\nb: recv a"
	for _, c := range []struct {
		options  string
		clusters []int
		want     string
	}{
		{"mode=both", nil, "want sender or receiver"},
		{"mod=sender", nil, "unknown, did you mean \"mode\"?"},
		{"mode=receiver", []int{0, 0}, "every rank restarts alone"},
		{"mode=receiver", []int{0, 1}, ""},
		{"", nil, ""},
	} {
		_, err := setup(t, text, c.options, c.clusters)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %v: %v, want %q", c.options, c.clusters, err, c.want)
		}
	}
}

// TestQueue: where receivers log, a receive takes the first message of those that are stable and
// fit, in the order of their receipts, and no sooner.
func TestQueue(t *testing.T) {
	s, err := setup(t, "a: send y\nb: send y\ny: recv a; recv *\nc: send y", "mode=receiver", nil)
	if err != nil {
		t.Fatal(err)
	}
	const a, b, y, c = 0, 1, 2, 3
	m := s.New(y).(*program.Host)
	m.Step(core.Input{Kind: core.Start}, nil)
	next := func(want ...core.Choice) {
		t.Helper()
		if got := m.Choices(nil); len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("choices %v, want %v", got, want)
		}
	}
	for place, from := range []core.Rank{c, b, a} {
		message := &replay.Message{}
		message.Data.Number, message.Data.Payload.Data = 1, make([]byte, 8)
		out := m.Step(core.Input{Kind: core.Received, From: from.Proc(), Message: message}, nil)
		if len(out) != 1 || out[0].Key != "receipt/"+string(rune('1'+place)) {
			t.Fatalf("%v", out)
		}
		next()
	}
	m.Step(core.Input{Kind: core.Persisted, Key: "receipt/1"}, nil)
	m.Step(core.Input{Kind: core.Persisted, Key: "receipt/2"}, nil)
	next() // the message of a is not stable
	m.Step(core.Input{Kind: core.Persisted, Key: "receipt/3"}, nil)
	next(core.ReceiveChoice(a, -1))
	m.Step(core.Input{Kind: core.Advance, Choice: core.ReceiveChoice(a, -1)}, nil)
	next(core.ReceiveChoice(c, -1))
}

// TestAllocations: a message allocates nothing but its record, with value and name, and the word
// that it is stable.
func TestAllocations(t *testing.T) {
	s, err := setup(t, "a: send b\nb: recv a", "mode=receiver", nil)
	if err != nil {
		t.Fatal(err)
	}
	var list [2]core.Layer
	for r := range list {
		list[r] = s.New(core.Proc(r)).(*program.Host).Layer()
		list[r].Step(core.Input{Kind: core.Start}, nil)
	}
	var out []core.Effect
	var header []byte
	m := new(replay.Message)
	payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
	n := testing.AllocsPerRun(2000, func() {
		out = list[0].Step(core.Input{Kind: core.Send, To: 1, Payload: payload}, out[:0])
		header, _ = out[0].Message.(core.Framed).AppendHeader(header[:0])
		if err := m.ParseHeader(header, 0); err != nil {
			t.Fatal(err)
		}
		m.Data.Payload.Data = payload.Data
		out = list[1].Step(core.Input{Kind: core.Received, Message: m}, out[:0])
		key := out[0].Key
		out = list[1].Step(core.Input{Kind: core.Persisted, Key: key}, out[:0])
		stable := out[0].Message
		out = list[1].Step(core.Input{Kind: core.Receive}, out[:0])
		out = list[0].Step(core.Input{Kind: core.Received, From: 1, Message: stable}, out[:0])
	})
	if n > 10 {
		t.Errorf("%v allocations, want at most 10", n)
	}
}
