package none_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/trace"
)

func setup(t *testing.T, program string) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := none.NewSetup(trace.Layout{Names: names, Ranks: len(names)}, programs)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run takes the first enabled program step and returns the message that it sends, if any.
func run(t *testing.T, m core.Machine) *none.Message {
	t.Helper()
	choices := m.Choices(nil)
	if len(choices) == 0 {
		t.Fatal("blocked")
	}
	for _, e := range m.Step(core.Input{Kind: core.Advance, Choice: choices[0]}, nil) {
		if e.Kind == core.SendMessage {
			m := *e.Message.(*none.Message) // valid until the next step alone
			m.Past = slices.Clone(m.Past)
			return &m
		}
	}
	return nil
}

// TestPast checks the clock of causality by a hand-worked run: a sends x to b and y to c; b
// receives x and sends z to c, which receives y, then z, and answers. Each message names how many
// sends of each rank happened before it, itself included.
func TestPast(t *testing.T) {
	s := setup(t, "a: send b x; send c y\nb: recv a; send c z\nc: recv a; recv b; send a w")
	m := make([]core.Machine, 3)
	for p := range m {
		m[p] = s.New(core.Proc(p))
		if out := m[p].Step(core.Input{Kind: core.Start}, nil); len(out) != 0 {
			t.Fatalf("start: %v", out)
		}
	}
	deliver := func(from, to core.Proc, message *none.Message) {
		m[to].Step(core.Input{Kind: core.Received, From: from, Message: message}, nil)
	}
	x := run(t, m[0])
	y := run(t, m[0])
	deliver(0, 1, x)
	run(t, m[1])
	z := run(t, m[1])
	deliver(1, 2, z) // z may arrive first: c receives y first all the same
	if got := m[2].Choices(nil); len(got) != 0 {
		t.Fatalf("c receives from a first, but can do %v", got)
	}
	deliver(0, 2, y)
	run(t, m[2])
	run(t, m[2])
	w := run(t, m[2])
	for name, tt := range map[string]struct {
		message *none.Message
		want    []uint32
	}{"x": {x, []uint32{1, 0, 0}}, "y": {y, []uint32{2, 0, 0}}, "z": {z, []uint32{1, 1, 0}},
		"w": {w, []uint32{2, 1, 1}}} {
		if diff := cmp.Diff(tt.want, tt.message.Happened()); diff != "" {
			t.Errorf("past of %s (-want +got):\n%s", name, diff)
		}
	}
	if got := w.Describe(); got.Text != "past [2 1 1]" || got.Kind != "App" ||
		got.ID != w.Payload.ID {
		t.Errorf("words %+v", got)
	}
}

// TestNothingElse checks that there is no recovery: no promise, no group, no record, and any other
// input is dropped with a reason.
func TestNothingElse(t *testing.T) {
	s := setup(t, "a: send b x; checkpoint\nb: recv a")
	if s.Promises.MaxFailures >= 0 || s.Promises.StableKeys != nil || s.Layout.Groups != nil ||
		len(s.Layout.Names) != 2 {
		t.Errorf("setup %+v", s)
	}
	m := s.New(0)
	m.Step(core.Input{Kind: core.Start}, nil)
	m.Step(core.Input{Kind: core.Restore}, nil) // the host of the rank notes that there was one
	for _, kind := range []core.InputKind{core.Restore, core.Down, core.Tick, core.Persisted,
		core.Checkpoint} {
		before := core.EncodeState(m)
		out := m.Step(core.Input{Kind: kind}, nil)
		if len(out) != 1 || out[0].What != trace.Dropped ||
			out[0].Key != "no handler without a protocol" {
			t.Errorf("input %d: %+v", kind, out)
		}
		if diff := cmp.Diff(before, core.EncodeState(m)); diff != "" {
			t.Errorf("input %d changes the state", kind)
		}
	}
}

// TestBadSetup checks that programs that can not run are refused.
func TestBadSetup(t *testing.T) {
	if _, err := none.NewSetup(trace.Layout{}, nil); err == nil ||
		err.Error() != "setup none: 0 ranks, want at least 1" {
		t.Errorf("no ranks: %v", err)
	}
	self := []core.Program{{{Kind: core.OpSend, Peer: 0}}}
	_, err := none.NewSetup(trace.Layout{Names: []string{"a"}, Ranks: 1}, self)
	want := "program of rank 0: operation 1: a rank can not send to or receive from itself"
	if err == nil || err.Error() != want {
		t.Errorf("send to self: %v", err)
	}
}
