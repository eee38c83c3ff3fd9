package world

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// ending collects how a proc can end: local state, incarnation, and whether its record is whole or
// torn.
type ending struct {
	*World
	proc core.Proc
	ends map[string]bool
}

func (e ending) Terminal(state []uint32) int {
	around := e.env(state, e.proc)
	text := fmt.Sprintf("%s.%d", e.LocalJSON(state, e.proc), around.Inc)
	for _, r := range around.Store {
		text += map[bool]string{true: " torn", false: " stored"}[r.Torn]
	}
	e.ends[text] = true
	return e.World.Terminal(state)
}

// TestFaultOptions explores one small protocol for each thing that the environment may do; how a
// proc can end is derived by hand from the rules.
func TestFaultOptions(t *testing.T) {
	// p0 sends k0 then k1; p1 counts 1, 2 in that order, and 3 when k1 is first
	pipe := func() *toy {
		toy := newToy(2, 4, 2)
		toy.on(0, 0, 2+toyStart, 0, toySend{1, 0}, toySend{1, 1})
		toy.on(1, 0, 0, 1)
		toy.on(1, 1, 1, 2)
		toy.on(1, 0, 1, 3)
		return toy
	}
	one := func() *toy { // p0 sends k0 once; p1 counts receptions
		toy := newToy(2, 3, 1)
		toy.on(0, 0, 1+toyStart, 0, toySend{1, 0})
		toy.on(1, 0, 0, 1)
		toy.on(1, 1, 0, 2)
		return toy
	}
	writer := func() *toy { // p1 writes 1 when it is asked to
		toy := newToy(2, 2, 1)
		toy.initiators = []core.Proc{1}
		toy.rules[1][0][1+toyAsked] = toyRule{next: 1, persist: true}
		return toy
	}
	watcher := func() *toy { // p1 counts failures
		toy := newToy(3, 3, 1)
		toy.watchers = []core.Proc{1}
		toy.on(1, 0, 1+toyDown, 1)
		toy.on(1, 1, 1+toyDown, 2)
		return toy
	}
	roller := func() *toy {
		toy := one()
		toy.rules[1][0][0].rollback = true
		return toy
	}
	timer := func() *toy {
		toy := newToy(2, 2, 1)
		toy.rules[1][0][1+toyStart].timer = true
		toy.on(1, 0, 1+toyTick, 1)
		return toy
	}
	asked := fault.Model{Checkpoints: 1, Failures: 1, Victims: []core.Proc{1}}
	damaged := asked
	damaged.Torn = 1
	others := []core.Proc{0, 2}
	tests := []struct {
		name  string
		toy   *toy
		model fault.Model
		ends  []string // of p1: state.incarnation
	}{
		{"order is kept", pipe(), fault.Model{}, []string{"2.0"}},
		{"order is not kept", pipe(), fault.Model{Unordered: true}, []string{"2.0", "3.0"}},
		{"nothing is lost", one(), fault.Model{}, []string{"1.0"}},
		{"a message is lost", one(), fault.Model{Loss: 1}, []string{"0.0", "1.0"}},
		{"a message comes twice", one(), fault.Model{Duplicates: 1}, []string{"1.0", "2.0"}},
		{"a false alarm", watcher(), fault.Model{Suspicions: 1}, []string{"0.0", "1.0"}},
		{"two failures are told apart", watcher(),
			fault.Model{Failures: 2, AtOnce: 2, OneInstant: true, Victims: others},
			[]string{"0.0", "2.0"}},
		{"two failures are told jointly", watcher(),
			fault.Model{Failures: 2, AtOnce: 2, OneInstant: true, Victims: others, Joint: true},
			[]string{"0.0", "1.0"}},
		{"a write is whole or absent", writer(), asked,
			[]string{"0.0", "0.1", "1.0 stored", "1.1 stored"}},
		{"a write is damaged", writer(), damaged,
			[]string{"0.0", "0.1", "0.1 torn", "1.0 stored", "1.1 stored"}},
		{"a rollback restarts", roller(), fault.Model{}, []string{"0.1"}},
		{"a timer fires", timer(), fault.Model{}, []string{"1.0"}},
		{"what was sent by the dead is cut", one(),
			fault.Model{Failures: 1, Victims: []core.Proc{0}}, []string{"0.0", "1.0"}},
		{"what was sent by the dead arrives", one(),
			fault.Model{Failures: 1, Victims: []core.Proc{0}, FromDead: fault.Every},
			[]string{"1.0"}},
		{"what was sent to the dead is lost", one(),
			fault.Model{Failures: 1, Victims: []core.Proc{1}}, []string{"0.1", "1.0"}},
		{"what was sent to the dead is kept", one(),
			fault.Model{Failures: 1, Victims: []core.Proc{1}, KeepToDead: true},
			[]string{"0.1", "1.0", "1.1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: tt.toy.setup(), Model: tt.model, Twice: true})
			if err != nil {
				t.Fatal(err)
			}
			e := ending{World: w, proc: 1, ends: map[string]bool{}}
			search.Explore(context.Background(), e, checker.Options{})
			var got []string
			for _, text := range slices.Sorted(maps.Keys(e.ends)) {
				got = append(got, strings.NewReplacer(`{"S":`, "", "}", "").Replace(text))
			}
			if d := cmp.Diff(tt.ends, got); d != "" {
				t.Errorf("ends of p1 (-want +got):\n%s", d)
			}
		})
	}
}

// TestStaggered replays a run in which one member of a group goes on after its mate has stopped:
// possible only when members stop one by one.
func TestStaggered(t *testing.T) {
	for _, staggered := range []bool{true, false} {
		toy := newToy(2, 2, 1)
		toy.groups = [][]core.Proc{{0, 1}}
		toy.on(0, 0, 1+toyStart, 0, toySend{1, 0})
		toy.on(1, 0, 0, 1)
		w, err := New(Config{Setup: toy.setup(),
			Model: fault.Model{Failures: 1, Staggered: staggered}})
		if err != nil {
			t.Fatal(err)
		}
		run, err := w.Replay([]string{"crash p0", "deliver p0->p1 k0", "stop p1",
			"restart p0 incarnation 1", "restart p1 incarnation 1"})
		if staggered && (err != nil || !run.Complete) || !staggered && !errors.Is(err, ErrStale) {
			t.Errorf("staggered %t: error %v, run %v", staggered, err, run.Schedule)
		}
	}
}

// TestOutputOrCrash looks for a crash between a send and an output of one step: it is there because
// an output has left for good, and is not there for two sends.
func TestOutputOrCrash(t *testing.T) {
	for _, output := range []bool{true, false} {
		toy := newToy(2, 2, 1)
		toy.on(0, 0, 1+toyStart, 0, toySend{1, 0})
		toy.rules[1][0][0] = toyRule{next: 1, output: output, sends: []toySend{{0, 0}, {0, 0}}}
		w, err := New(Config{Setup: toy.setup(), Model: fault.Model{Failures: 1}})
		if err != nil {
			t.Fatal(err)
		}
		run, err := w.Replay(nil)
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := w.Enabled(run.last())
		inside := slices.Contains(texts, "deliver p0->p1 k0, stands still after effect 2")
		if inside != output {
			t.Errorf("output %t: crash inside the step %t, among %q", output, inside, texts)
		}
	}
}
