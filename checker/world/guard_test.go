package world

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// odd is a machine that misbehaves in one way.
type odd struct {
	toyMachine
	step    func(*odd, core.Input)
	choices func(*odd)
}

func (m *odd) Step(in core.Input, out []core.Effect) []core.Effect {
	m.step(m, in)
	return m.toyMachine.Step(in, out)
}

func (m *odd) Choices(buf []core.Choice) []core.Choice {
	if m.choices != nil {
		m.choices(m)
	}
	return buf
}

// TestGuards runs machines that break the contract: the violation names the proc and the step.
func TestGuards(t *testing.T) {
	calls := 0
	received := func(f func(*odd)) func(*odd, core.Input) {
		return func(m *odd, in core.Input) {
			if in.Kind == core.Received {
				f(m)
			}
		}
	}
	tests := []struct {
		name           string
		step           func(*odd, core.Input)
		choices        func(*odd)
		property, text string
	}{
		{"counts globally", received(func(m *odd) {
			calls++
			m.s.S = calls % 7 % 2
		}), nil, "deterministic",
			"p1 is not deterministic: run twice on k0 from p0 from the same state"},
		{"panics in a step", received(func(*odd) {
			panic("boom")
		}), nil, "no-panic", "p1 panics on k0 from p0: boom"},
		{"panics in choices", received(func(m *odd) { m.s.S = 1 }), func(m *odd) {
			if m.s.S == 1 {
				panic("boom")
			}
		}, "no-panic", "p1 panics on k0 from p0: boom"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			toy := newToy(2, 2, 1)
			toy.rules[0][0][1+toyStart].sends = []toySend{{1, 0}}
			setup := toy.setup()
			setup.New = func(p core.Proc) core.Machine {
				m := &odd{toyMachine: toyMachine{toy: toy, proc: p},
					step: func(*odd, core.Input) {}}
				if p == 1 {
					m.step, m.choices = tt.step, tt.choices
				}
				return m
			}
			w, err := New(Config{Setup: setup, Twice: true})
			if err != nil {
				t.Fatal(err)
			}
			r := search.Explore(t.Context(), w, checker.Options{})
			if len(r.Found) != 1 || r.Found[0].Property != tt.property ||
				!strings.Contains(r.Found[0].Message, tt.text) {
				t.Errorf("found %+v, want %s: %s", r.Found, tt.property, tt.text)
			}
		})
	}
}

// TestFollowAndReplay finds a violation of a protocol that is broken on purpose, follows its path
// and replays its schedule in a fresh world: both give the same trace and violation. A schedule
// with an unknown event is stale, and says where.
func TestFollowAndReplay(t *testing.T) {
	p := mustPair(t, "a: send b x; recv b\nb: recv a; send a y", []int{0, 1},
		hydee.Errata().Published())
	m := fault.Model{Failures: 1}
	oracle, err := Oracle(t.Context(), p.baseline, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Setup: p.setup, Model: m, Facts: FactsOf(p.setup, &m, oracle)}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	r := search.Explore(t.Context(), w, checker.Options{Order: checker.BreadthFirst, All: true})
	if r.Verdict != spec.Violated {
		t.Fatalf("verdict %v, want violated", r.Verdict)
	}
	for _, f := range r.Found {
		run, err := w.Follow(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		fresh, _ := New(c)
		again, err := fresh.Replay(run.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(run.Trace, again.Trace); d != "" {
			t.Errorf("%s: traces (-followed +replayed):\n%s", f.Property, d)
		}
		if run.Violation == nil || run.Violation.Property != f.Property || again.Violation == nil ||
			*again.Violation != *run.Violation {
			t.Errorf("found %s, followed %+v, replayed %+v", f.Property, run.Violation,
				again.Violation)
		}
		stale := append(append([]string{}, run.Schedule[:2]...), "deliver nothing")
		if _, err := fresh.Replay(stale); !errors.Is(err, ErrStale) ||
			!strings.Contains(err.Error(), `step 3: "deliver nothing"`) {
			t.Errorf("error %v, want a stale schedule at step 3", err)
		}
	}
}
