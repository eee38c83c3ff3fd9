package world

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// events are those that are possible after the schedule, faults marked.
func events(t *testing.T, w *World, schedule ...string) (list []string) {
	t.Helper()
	run, err := w.Replay(schedule)
	if err != nil {
		t.Fatal(err)
	}
	texts, x := w.Enabled(run.last())
	for i, text := range texts {
		if x.Steps[i].Fault {
			text += " (fault)"
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// Aim: a watchdog expires when its proc has stopped, otherwise only within the budget of
// suspicions, and not before what the dead one has sent has arrived, if the detector keeps that
// order. Method: p0 watches p1 from the start, p1 has sent it a message; all events of single
// states.
func TestWatchdogs(t *testing.T) {
	toy := newToy(2, 1, 1)
	toy.rules[0][0][1+toyStart].watches = []core.Proc{1}
	toy.rules[1][0][1+toyStart].sends = []toySend{{to: 0, kind: 0}}
	setup := toy.setup()
	setup.Watchdogs = true
	const message, expiry = "deliver p1->p0 k0", "expire p0 hears nothing of p1"
	tests := []struct {
		name     string
		model    fault.Model
		schedule []string
		want     []string
	}{
		{"all is well", fault.Model{}, nil, []string{message}},
		{"a false suspicion", fault.Model{Suspicions: 1}, nil,
			[]string{message, expiry + " (fault)"}},
		{"the budget is spent, and the watchdog has expired", fault.Model{Suspicions: 1},
			[]string{expiry}, []string{message}},
		{"it has stopped", fault.Model{Failures: 1, FromDead: fault.Every}, []string{"crash p1"},
			[]string{message, "restart p1 incarnation 1"}},
		{"and is heard out", fault.Model{Failures: 1, FromDead: fault.Every},
			[]string{"crash p1", message}, []string{expiry, "restart p1 incarnation 1"}},
		{"in any order", fault.Model{Failures: 1, FromDead: fault.Every, DetectAny: true},
			[]string{"crash p1"}, []string{message, expiry, "restart p1 incarnation 1"}},
		{"it is back, but not in the life that was watched",
			fault.Model{Failures: 1, FromDead: fault.Nothing},
			[]string{"crash p1", "restart p1 incarnation 1"}, []string{expiry}},
		{"the watcher has stopped", fault.Model{Failures: 1, Suspicions: 1,
			Victims: []core.Proc{0}}, []string{"crash p0"}, []string{"restart p0 incarnation 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: setup, Model: tt.model})
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(events(t, w, tt.schedule...), func(s string) bool {
				return strings.HasPrefix(s, "crash") || strings.HasPrefix(s, "cut")
			})
			want := slices.Clone(tt.want)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %q\nwant %q", got, want)
			}
		})
	}
}

// Aim: a proc that exits takes with it what it has adopted, and whoever is adopted is told where.
// Method: p0 adopts p2 and exits; then p1 adopts it.
func TestExit(t *testing.T) {
	toy := newToy(3, 1, 2)
	toy.hosted = map[core.Proc]bool{0: false, 1: false, 2: true}
	toy.rules[0][0][2+toyStart].adopts = []core.Proc{2}
	toy.rules[0][0][2+toyStart].sends = []toySend{{to: 0, kind: 0}, {to: 1, kind: 1}}
	toy.rules[0][0][0].exit = true
	toy.rules[1][0][1].adopts = []core.Proc{2}
	w, err := New(Config{Setup: toy.setup()})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Replay([]string{"deliver p0->p0 k0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []core.Proc{0, 2} {
		if w.env(run.last(), p).Up {
			t.Errorf("p%d is up after the exit of p0", p)
		}
	}
	if got, want := events(t, w, "deliver p0->p0 k0", "deliver p0->p1 k1"),
		[]string{"restart p2 incarnation 1"}; !slices.Equal(got, want) {
		t.Errorf("after the second adoption: %q, want %q", got, want)
	}
	run, err = w.Replay([]string{"deliver p0->p0 k0", "deliver p0->p1 k1"})
	if err != nil {
		t.Fatal(err)
	}
	in := w.inputs.at(w.transitions.at(w.restore(run.last(), 2, noProc)).input)
	if in.Kind != core.Restore || in.From != 1 {
		t.Errorf("p2 is told that it runs on p%d, want p1", in.From)
	}
}

// Aim: a proc that is renewed, also one without a program, is in its next life: that shows in the
// evidence, in the life of what it sends, in the watchdog about it, and in that of its crash, also
// inside the same step. Method: p0 is renewed by a message and sends one; p1 watches it; runs by
// hand.
func TestRenew(t *testing.T) {
	toy := newToy(2, 1, 2)
	toy.rules[0][0][2+toyStart].sends = []toySend{{to: 0, kind: 0}}
	toy.rules[0][0][0].renew, toy.rules[0][0][0].sends = true, []toySend{{to: 1, kind: 1}}
	toy.rules[1][0][2+toyStart].watches = []core.Proc{0}
	setup := toy.setup()
	setup.Watchdogs = true
	tests := []struct {
		name     string
		schedule []string
		want     []trace.Event // of p0 in the last step
		enabled  []string      // afterwards
	}{
		{"renewed", []string{"deliver p0->p0 k0"},
			[]trace.Event{{Kind: trace.Arrived, Text: "k0"}, {Kind: trace.Crashed},
				{Kind: trace.Restored, Incarnation: 1},
				{Kind: trace.Emitted, Incarnation: 1, Peer: 1, Text: "k1"}},
			[]string{"crash p0 (fault)", "crash p1 (fault)", "deliver p0.1->p1 k1",
				"expire p1 hears nothing of p0"}},
		{"and crashed", []string{"deliver p0->p0 k0", "crash p0"},
			[]trace.Event{{Kind: trace.Crashed, Incarnation: 1}},
			[]string{"cut p0.1->p1", "deliver p0.1->p1 k1", "restart p0 incarnation 2"}},
		{"crashed meanwhile", []string{"deliver p0->p0 k0, stands still after effect 1"},
			[]trace.Event{{Kind: trace.Arrived, Text: "k0"}, {Kind: trace.Crashed},
				{Kind: trace.Restored, Incarnation: 1}, {Kind: trace.Crashed, Incarnation: 1}},
			[]string{"expire p1 hears nothing of p0", "stop p0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: setup, Model: fault.Model{Failures: 1}, Cuts: true})
			if err != nil {
				t.Fatal(err)
			}
			run, err := w.Replay(tt.schedule)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Clone(eventsAt(&run.Trace, len(tt.schedule)))
			for i := range got {
				got[i].Step = 0
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
			if got := events(t, w, tt.schedule...); !slices.Equal(got, tt.enabled) {
				t.Errorf("afterwards %q\nwant %q", got, tt.enabled)
			}
		})
	}
}
