package lift

import (
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

// mates are two procs: p1 tells p0, and then something leaves the system; when it hears of it, p0
// exits, and p1 with it, or has p1 stopped, which runs on its node.
type mates struct {
	proc  core.Proc
	kills bool
	s     struct{ Told bool }
}

func (m *mates) State() []any { return []any{&m.s} }

func (m *mates) Choices(buf []core.Choice) []core.Choice {
	if m.proc == 1 && !m.s.Told {
		buf = append(buf, 0)
	}
	return buf
}

func (m *mates) Step(in core.Input, out []core.Effect) []core.Effect {
	switch {
	case in.Kind == core.Start && m.proc == 0 && m.kills:
		return append(out, core.Effect{Kind: core.Declare, What: trace.Adopted, To: 1})
	case in.Kind == core.Advance:
		m.s.Told = true
		return append(out, core.SendTo(0, &note{"stop"}), core.Effect{Kind: core.Output, Digest: 7})
	case in.Kind == core.Received && m.kills:
		return append(out, core.Effect{Kind: core.Kill, To: 1})
	case in.Kind == core.Received:
		return append(out, core.Effect{Kind: core.Exit})
	case in.Kind == core.Restore:
		m.s.Told = true
	}
	return out
}

// matesOf is their setup, and what they do in the world: by proc and step of all.
func matesOf(t *testing.T, kills bool) (*core.Setup, func(p core.Proc, step int) []trace.Event) {
	t.Helper()
	s := &core.Setup{Protocol: "test", NewMessage: func() core.Message { return new(note) },
		New: func(p core.Proc) core.Machine { return &mates{proc: p, kills: kills} }}
	s.Layout.Names = []string{"p0", "p1"}
	schedule := []string{"step p1 emit Note to p0", "deliver p1->p0 Note"}
	if kills {
		s.Launched, s.Local = true, []core.Proc{0}
		s.Layout.Hosted = map[core.Proc]bool{1: true}
		schedule = append(schedule, "killed p0 p1")
	} else {
		group := []core.Proc{0, 1}
		s.Layout.Groups = map[core.Proc][]core.Proc{0: group, 1: group}
	}
	w, err := world.New(world.Config{Setup: s})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Replay(schedule)
	if err != nil {
		t.Fatal(err)
	}
	return s, func(p core.Proc, step int) (list []trace.Event) {
		for _, e := range run.Trace.Events {
			if e.Proc == p && int(e.Step) == step && e.Kind != trace.Crashed {
				list = append(list, e)
			}
		}
		return list
	}
}

// TestCut: who is stopped inside of a step, by the exit of a mate or by an order, is found with a
// failure that was none; between steps it needs none, and what its machine does not do is not
// found, whatever fails.
func TestCut(t *testing.T) {
	for _, kills := range []bool{false, true} {
		setup, of := matesOf(t, kills)
		l := New(setup, fault.Model{}, nil)
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
			{"no such step", 1, []trace.Event{{Kind: trace.Released, Proc: 1}}, Unexplained, 0},
		} {
			steps := [][]world.Recorded{
				{{Clock: 1, Proc: 0, Kind: core.Start, Events: of(0, 0)},
					{Clock: 4, Proc: 0, Kind: core.Received, From: 1, Events: of(0, 2)}},
				{{Clock: 2, Proc: 1, Kind: core.Start, Events: of(1, 0)},
					{Clock: 3, Proc: 1, Kind: core.Advance, Events: tt.events, Last: true,
						Effects: tt.effects}}}
			stopped := world.Stopped{Clock: 5, Epoch: 1, Procs: []core.Proc{0, 1},
				Lives: []core.Incarnation{0, 0}, Ordered: true}
			if kills {
				stopped.Procs, stopped.Lives = stopped.Procs[1:], stopped.Lives[1:]
				steps[0] = append(steps[0], world.Recorded{Clock: 6, Epoch: 1, Proc: 0,
					Kind: core.Killed, From: 1, Events: of(0, 3)})
			} else {
				steps[0][1].Last, steps[0][1].Effects = true, 1
			}
			out, err := l.find(fault.Model{}, &world.Recording{Steps: steps,
				Stopped: []world.Stopped{stopped}}, world.MostLifted)
			if err != nil {
				t.Fatal(err)
			}
			cut := strings.Contains(strings.Join(out.Schedule, "\n"), "stands still")
			more := tt.more > 0
			if out.Verdict != tt.verdict || out.Verdict == Found &&
				(out.Model.Failures != tt.more || (out.Reason != "") != more || cut != more) {
				t.Errorf("%s, by an order %t: %s with %d failures, %q, %q; want %s with %d: %s: %s",
					tt.name, kills, out.Verdict, out.Model.Failures, out.Reason, out.Schedule,
					tt.verdict, tt.more, out.Lifted.Stuck, out.Lifted.Why)
			}
		}
	}
}
