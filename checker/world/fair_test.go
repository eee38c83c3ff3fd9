package world

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
)

// counting is a proc that goes on from timer to timer, in a state of its own each time, until a
// message arrives; a stubborn one does not stop then.
type counting struct {
	core.Service
	stubborn bool
	s        struct {
		N    int
		Over bool
	}
}

func (m *counting) State() []any { return []any{&m.s} }

func (m *counting) Step(in core.Input, out []core.Effect) []core.Effect {
	m.s.Over = m.s.Over || in.Kind == core.Received && !m.stubborn
	if m.s.Over || in.Kind == core.Received {
		return out
	}
	m.s.N++
	return append(out, core.Effect{Kind: core.SetTimer, Timer: "again"})
}

// growing is a world with a proc that counts, and one that sends it a message if it is wanted, in
// the state after so many timers and nothing else.
func growing(t *testing.T, stubborn, message bool, timers int) (*World, *Run) {
	t.Helper()
	setup := timedSetup(nil, message)
	other := setup.New
	setup.New = func(p core.Proc) core.Machine {
		if p == 0 {
			return &counting{stubborn: stubborn}
		}
		return other(p)
	}
	w, err := New(Config{Setup: setup})
	if err != nil {
		t.Fatal(err)
	}
	var schedule []string
	for range timers {
		schedule = append(schedule, "tick "+w.layout.Name(0)+" again")
	}
	r, err := w.Replay(schedule)
	if err != nil {
		texts, _ := w.Enabled(r.last())
		t.Fatalf("%v: %q", err, texts)
	}
	return w, r
}

// TestGoOn goes on in fair order after runs that put off what would end them: they end; what never
// ends, whether it grows or repeats itself, is said, in a form that can be repeated.
func TestGoOn(t *testing.T) {
	tests := []struct {
		name              string
		stubborn, message bool
		endless           bool
	}{
		{"a message that would end it was put off", false, true, false},
		{"no message comes", false, false, true},
		{"the message changes nothing", true, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, r := growing(t, tt.stubborn, tt.message, 100)
			if w.GoOn(r); !tt.endless {
				if r.Violation != nil || r.Fairly || !r.Complete || len(r.Schedule) > 110 {
					t.Fatalf("%+v after %d steps", r.Violation, len(r.Schedule))
				}
				return
			}
			if r.Violation == nil || r.Violation.Property != spec.Terminates.Name || !r.Fairly ||
				len(r.Schedule) != 100 || !strings.Contains(r.Violation.Message, "10000 steps") {
				t.Fatalf("%+v after %d steps", r.Violation, len(r.Schedule))
			}
			again, err := w.Replay(r.Lines())
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(r.Violation, again.Violation); d != "" {
				t.Error(d)
			}
			// a shorter schedule shows the same, one without the line says nothing
			lines := r.Lines()
			if short := w.Attempt(slices.Delete(lines, 0, 90),
				spec.Terminates.Name); !short.Fairly || len(short.Schedule) != 10 {
				t.Errorf("%+v after %d steps", short.Violation, len(short.Schedule))
			}
			if plain, err := w.Replay(r.Schedule); err != nil || plain.Violation != nil {
				t.Errorf("%v, %+v", err, plain.Violation)
			}
		})
	}
}

// TestGoOnLoops: what repeats itself is found as a loop, with its steps; what must be taken in
// turns is no loop before all have had theirs.
func TestGoOnLoops(t *testing.T) {
	w, err := New(Config{Setup: timedSetup(map[string]string{"0 start": "0 a b", "0 a": "0 a",
		"0 b": "0 b"}, true)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Replay(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.GoOn(r)
	if r.Loop != 0 || r.Violation != nil { // the message ends it: state 9 sets no timer again
		t.Fatalf("loop %d, %+v", r.Loop, r.Violation)
	}
	w, err = New(Config{Setup: timedSetup(map[string]string{"0 start": "0 a b", "0 a": "0 a",
		"0 b": "0 b", "9 a": "9 a", "9 b": "9 b"}, true)})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = w.Replay(nil); err != nil {
		t.Fatal(err)
	}
	w.GoOn(r)
	if r.Loop != 2 || r.Violation == nil || r.Fairly {
		t.Fatalf("loop %d, %+v", r.Loop, r.Violation)
	}
	loopReplays(t, w, checker.Found{Path: r.codes, Loop: r.Loop, Violation: *r.Violation})
	if again := w.Attempt(r.Lines(), spec.Terminates.Name); again.Loop != 2 {
		t.Errorf("loop %d", again.Loop)
	}
}
