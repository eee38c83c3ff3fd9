package lift

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// note is the one message of mates.
type note struct{ Text string }

func (n *note) Describe() trace.Wire { return trace.Wire{Kind: "Note"} }

// mates are two procs of a group: p1 tells p0, and then something leaves the system; p0 exits when
// it hears of it, and p1 with it.
type mates struct {
	proc core.Proc
	s    struct{ Told bool }
}

func (m *mates) State() []any { return []any{&m.s} }

func (m *mates) Choices(buf []core.Choice) []core.Choice {
	if m.proc == 1 && !m.s.Told {
		buf = append(buf, 0)
	}
	return buf
}

func (m *mates) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Advance:
		m.s.Told = true
		return append(out, core.SendTo(0, &note{"stop"}), core.Effect{Kind: core.Output, Digest: 7})
	case core.Received:
		return append(out, core.Effect{Kind: core.Exit})
	case core.Restore:
		m.s.Told = true
	}
	return out
}

// TestCutByExit: a mate that is stopped inside of a step by the exit of the other one is found with
// a failure that was none; one that is stopped between steps needs none, and what its machine does
// not do is not found, whatever fails.
func TestCutByExit(t *testing.T) {
	group := []core.Proc{0, 1}
	setup := &core.Setup{Protocol: "test", NewMessage: func() core.Message { return new(note) },
		New: func(p core.Proc) core.Machine { return &mates{proc: p} }}
	setup.Layout.Names = []string{"p0", "p1"}
	setup.Layout.Groups = map[core.Proc][]core.Proc{0: group, 1: group}
	l := New(setup, fault.Model{}, nil)
	w, err := world.New(world.Config{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Replay([]string{"step p1 emit Note to p0", "deliver p1->p0 Note"})
	if err != nil {
		t.Fatal(err)
	}
	of := func(p core.Proc, step int) (list []trace.Event) {
		for _, e := range run.Trace.Events {
			if e.Proc == p && int(e.Step) == step && e.Kind != trace.Crashed {
				list = append(list, e)
			}
		}
		return list
	}
	for _, tt := range []struct {
		name    string
		effects int // of the last step of p1
		events  []trace.Event
		verdict Verdict
		more    int // failures
	}{
		{"between steps", 2, of(1, 1), Found, 0},
		{"inside", 1, of(1, 1)[:1], Found, 1},
		{"nothing sent, but heard", 1, nil, Unknown, 0}, // it may be a beginning of the step
		{"something else", 1, []trace.Event{{Kind: trace.Released, Proc: 1}}, Unexplained, 0},
	} {
		r := &world.Recording{Steps: [][]world.Recorded{
			{{Clock: 1, Proc: 0, Kind: core.Start, Events: of(0, 0)},
				{Clock: 4, Proc: 0, Kind: core.Received, From: 1, Events: of(0, 2), Last: true,
					Effects: 1}},
			{{Clock: 2, Proc: 1, Kind: core.Start, Events: of(1, 0)},
				{Clock: 3, Proc: 1, Kind: core.Advance, Events: tt.events, Last: true,
					Effects: tt.effects}}},
			Stopped: []world.Stopped{{Clock: 5, Epoch: 1, Procs: group,
				Lives: []core.Incarnation{0, 0}, Ordered: true}}}
		out, err := l.find(fault.Model{}, r, world.MostLifted)
		if err != nil {
			t.Fatal(err)
		}
		if out.Verdict != tt.verdict || out.Verdict == Found && (out.Model.Failures != tt.more ||
			(out.Reason != "") != (tt.more > 0)) {
			t.Errorf("%s: %s with %d failures, %q; want %s with %d: %s: %s", tt.name, out.Verdict,
				out.Model.Failures, out.Reason, tt.verdict, tt.more, out.Lifted.Stuck,
				out.Lifted.Why)
		}
		cut := slices.ContainsFunc(out.Schedule, func(s string) bool {
			return strings.Contains(s, "stands still")
		})
		if out.Verdict == Found && cut != (tt.more > 0) {
			t.Errorf("%s: %q", tt.name, out.Schedule)
		}
	}
}
