package world

import (
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Replays follows each run that was found: it must break the property, at its end and not before.
func Replays(t *testing.T, w *World, r sample.Result) {
	t.Helper()
	for _, f := range r.Found {
		run, err := w.Follow(f.Path)
		if err != nil {
			t.Errorf("%s: %v", f.Property, err)
			continue
		}
		v := run.Violation
		if v == nil || v.Property != f.Property || v.Message != f.Message || v.Step != 0 &&
			v.Step != len(f.Path) {
			t.Errorf("a run of %d steps is said to break %s, and breaks %+v", len(f.Path),
				f.Property, v)
		}
	}
}

// TestSamplesAgainstSearch draws runs of random protocols under random failure models: each
// terminal state and each broken property must be one that the full search knows, runs replay, and
// with so many runs of such small protocols nearly all terminal states are met.
func TestSamplesAgainstSearch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 9))
	met, all, cases := map[string]int{}, 0, 0
	for n := range effort.Cases(5, 25) {
		toy := randomToy(r, toyFeatures{crashes: n%3 > 0, groups: n%5 == 0, restoreSends: n%2 == 0,
			reads: n%7 == 0, launches: n%4 == 3})
		m := randomModel(r, toy.procs, n%3)
		m.Checkpoints, m.Loss, m.Duplicates, m.Suspicions = r.IntN(2), r.IntN(2), r.IntN(2),
			r.IntN(2)
		m.Unordered = r.IntN(3) == 0
		if n%4 == 3 {
			harm(r, &m)
		}
		full, err := explore(Config{Setup: toy.setup(), Model: m}, checker.Options{MaxStates: 3000},
			"")
		if err != nil {
			t.Fatal(err)
		}
		if full.result.Bound != "" {
			continue
		}
		cases++
		all += len(full.terminals)
		for _, name := range sample.Strategies() {
			w, err := New(Config{Setup: toy.setup(), Model: m})
			if err != nil {
				t.Fatal(err)
			}
			st, _ := sample.ParseStrategy(name, 3)
			s := &seen{terminals: map[string]bool{}}
			result := sample.Draw(t.Context(), recorded{World: w, s: s}, st,
				sample.Options{Runs: 500, Seed: 1, All: true})
			if len(s.terminals) != result.Terminals {
				t.Errorf("case %d, %s: %d terminal states, says %d", n, name, len(s.terminals),
					result.Terminals)
			}
			for end := range s.terminals {
				if !full.terminals[end] {
					t.Errorf("case %d, %s: terminal state %q is not reachable", n, name, end)
				}
			}
			met[name] += len(s.terminals)
		}
	}
	t.Logf("%d cases with %d terminal states, met by strategy: %v", cases, all, met)
	for name, n := range met {
		if n*2 < all {
			t.Errorf("%s meets %d terminal states of %d", name, n, all)
		}
	}
}

// TestSampledFaults draws runs of a protocol without any messages in which a fault of each kind is
// possible: every kind strikes.
func TestSampledFaults(t *testing.T) {
	toy := newToy(3, 2, 1)
	toy.watchers, toy.initiators = []core.Proc{2}, []core.Proc{0}
	toy.on(0, 0, 1+toyStart, 0, toySend{1, 0}, toySend{1, 0}, toySend{2, 0})
	toy.on(0, 0, 1+toyAsked, 1)
	w, err := New(Config{Setup: toy.setup(), Model: fault.Model{Failures: 2, AtOnce: 2,
		Checkpoints: 1, Loss: 1, Duplicates: 1, Suspicions: 1}})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[kind]int{}
	st, _ := sample.ParseStrategy("random", 0)
	sample.Draw(t.Context(), w, watchFaults{st, kinds}, sample.Options{Runs: 400})
	for _, k := range []kind{crash, checkpoint, lose, duplicate, suspect} {
		if kinds[k] < 20 {
			t.Errorf("faults by kind: %v, too few of %d", kinds, k)
		}
	}
}

// watchFaults counts the faults that a strategy takes.
type watchFaults struct {
	sample.Strategy
	kinds map[kind]int
}

func (s watchFaults) Pick(c *sample.Choice) int {
	i := s.Strategy.Pick(c)
	if c.Steps[i].Fault {
		k := eventCode(c.Steps[i].Code).kind()
		s.kinds[k]++
	}
	return i
}

// TestSampledReplies draws runs of a protocol in which the only step of the victim answers a reply
// to its own first message, and of one in which one of two messages to it can be lost: a fault is
// due before the reply is there, and must still strike inside that step, or take that message.
// Every strategy must meet every terminal state.
func TestSampledReplies(t *testing.T) {
	toy := newToy(3, 2, 4)
	toy.on(0, 0, 4+toyStart, 0, toySend{1, 0})
	toy.on(1, 0, 0, 0, toySend{0, 1})
	toy.on(0, 0, 1, 1, toySend{1, 2}, toySend{2, 3})
	toy.on(1, 0, 2, 1)
	toy.on(2, 0, 3, 1)
	other := newToy(3, 2, 2)
	other.on(0, 0, 2+toyStart, 0, toySend{1, 0})
	other.on(2, 0, 2+toyStart, 0, toySend{0, 1})
	other.on(1, 0, 0, 0, toySend{0, 0})
	other.on(0, 0, 0, 1)
	for _, c := range []Config{
		{Setup: toy.setup(), Model: fault.Model{Failures: 1, Victims: []core.Proc{0},
			FromDead: fault.Every}},
		{Setup: other.setup(), Model: fault.Model{Loss: 1}},
	} {
		full, err := explore(c, checker.Options{}, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range sample.Strategies() {
			w, _ := New(c)
			st, _ := sample.ParseStrategy(name, 2)
			s := &seen{terminals: map[string]bool{}}
			sample.Draw(t.Context(), recorded{World: w, s: s}, st,
				sample.Options{Runs: 500, Seed: 1})
			if len(s.terminals) != len(full.terminals) {
				t.Errorf("%s: %d terminal states of %d", name, len(s.terminals),
					len(full.terminals))
			}
		}
	}
}
