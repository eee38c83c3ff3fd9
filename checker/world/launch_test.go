package world

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// aboard is a toy with a rank p0 on the node of p1, and another node p2. Asked for a checkpoint, p1
// stops p0 and then starts it; p2 starts it and then stops it. p3 is told of failures. Nobody
// restarts by itself.
func aboard() *toy {
	toy := newToy(4, 3, 1)
	toy.hosted = map[core.Proc]bool{0: false, 1: false, 2: false}
	toy.nodes, toy.watchers, toy.initiators = []core.Proc{1}, []core.Proc{3}, []core.Proc{1, 2}
	kills, launches := toyRule{kills: []core.Proc{0}}, toyRule{launches: []core.Proc{0}}
	for p, rules := range [][]toyRule{1: {kills, launches}, 2: {launches, kills}} {
		for s, rule := range rules {
			rule.next = s + 1
			toy.rules[p][s][1+toyAsked] = rule
		}
	}
	return toy
}

// lastInput is the input of the last step of a run.
func lastInput(t *testing.T, w *World, schedule ...string) core.Input {
	t.Helper()
	run, err := w.Replay(schedule)
	if err != nil {
		t.Fatal(err)
	}
	n := len(run.States)
	tr, ok := w.localStep(run.States[n-2], eventCode(run.codes[n-2]))
	if !ok {
		t.Fatalf("%s runs no machine", schedule[len(schedule)-1])
	}
	return *w.inputs.at(w.transitions.at(tr).input)
}

// Aim: nobody who is launched starts by himself; a launch starts it once, on the node of who has
// launched it, with what that has given; whoever stops in between takes the start with it, and so
// does a kill; one that is up is not started again. Method: runs of aboard by hand, all events of
// single states.
func TestLaunch(t *testing.T) {
	const ask1, ask2 = "checkpoint p1", "checkpoint p2"
	start2 := "restart p0 incarnation 1 on p2"
	crashes := []string{"crash p1 (fault)", "crash p2 (fault)", "crash p3 (fault)"}
	crashed := slices.Concat([]string{"crash p0 (fault)"}, crashes)
	told, both := "told p3 down p0", []string{ask1 + " (fault)", ask2 + " (fault)"}
	tests := []struct {
		name     string
		failures int
		schedule []string
		want     []string
	}{
		{"it fails", 1, []string{"crash p0"}, append(slices.Clone(both), told)},
		{"it is launched", 1, []string{"crash p0", ask2}, append(slices.Clone(both), start2, told)},
		{"its node fails", 1, []string{"crash p1"}, []string{both[1], "told p3 down p1"}},
		{"who has launched it fails", 2, []string{"crash p0", ask2, "crash p2"},
			[]string{both[0], told, "told p3 down p2"}},
		{"it starts", 1, []string{"crash p0", ask2, start2}, append(slices.Clone(both), told)},
		{"it fails twice", 2, []string{"crash p0", ask2, start2, "crash p0"},
			append(slices.Clone(both), told)},
		{"its former node fails", 2, []string{"crash p0", ask2, start2, "crash p1"},
			[]string{both[1], told, "told p3 down p1"}},
		{"its new node fails", 2, []string{"crash p0", ask2, start2, "crash p2"},
			[]string{both[0], told, "told p3 down p2"}},
		{"it is killed before it starts", 1, []string{"crash p0", ask2, ask2, "killed p2 p0"},
			append(slices.Clone(both), told)},
		{"who has not launched it kills it", 1, []string{"crash p0", ask2, ask1, "killed p1 p0"},
			append(slices.Clone(both), start2, told)},
		{"both launch it", 1, []string{"crash p0", ask2, ask1, "killed p1 p0", ask1},
			append(slices.Clone(both), "restart p0 incarnation 1 on p1", start2, told)},
		{"one has", 1, []string{"crash p0", ask2, ask1, "killed p1 p0", ask1, start2},
			append(slices.Clone(both), told)},
		{"it is up", 1, []string{ask2}, append(slices.Clone(crashed), both...)},
		{"it is killed", 1, []string{ask1, "killed p1 p0"},
			append(slices.Clone(crashes), both...)},
		{"the killer fails before", 1, []string{ask1, "crash p1"},
			[]string{both[1], "told p3 down p1"}},
		{"it runs elsewhere", 1, []string{ask2, ask2, "killed p2 p0"},
			append(slices.Clone(crashed), both...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: aboard().setup(), Twice: true, Cuts: true,
				Model: fault.Model{Failures: tt.failures, Checkpoints: 4}})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(tt.want)
			got := slices.DeleteFunc(events(t, w, tt.schedule...), func(s string) bool {
				return s == both[0] || s == both[1] // possible as long as it is up
			})
			want := slices.DeleteFunc(tt.want, func(s string) bool {
				return s == both[0] || s == both[1]
			})
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
		})
	}
}

// Aim: a watcher that restarts is told of the nodes that are down, also if its life before was, and
// of no rank; of a failure that it has not been told of it is told once. Method: runs of aboard by
// hand.
func TestReminded(t *testing.T) {
	const restart = "restart p3 incarnation 1"
	tests := []struct {
		name     string
		schedule []string
		want     []string // notices to p3
	}{
		{"of a node again", []string{"crash p1", "told p3 down p1", "crash p3", restart},
			[]string{"told p3 down p1"}},
		{"of a node once", []string{"crash p1", "crash p3", restart, "told p3 down p1"}, nil},
		{"of a node that fails meanwhile", []string{"crash p3", "crash p2", restart},
			[]string{"told p3 down p2"}},
		{"of no rank again", []string{"crash p0", "told p3 down p0", "crash p3", restart}, nil},
		{"of a rank that it was not told of", []string{"crash p0", "crash p3", restart},
			[]string{"told p3 down p0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			toy := aboard()
			toy.local = []core.Proc{1, 2}
			w, err := New(Config{Setup: toy.setup(), Twice: true, Cuts: true,
				Model: fault.Model{Failures: 2}})
			if err != nil {
				t.Fatal(err)
			}
			got := slices.DeleteFunc(events(t, w, tt.schedule...), func(s string) bool {
				return !strings.HasPrefix(s, "told p3 ")
			})
			if d := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("notices (-want +got):\n%s", d)
			}
		})
	}
}

// Aim: what a proc is told when it starts, and when one that it has stopped is; which life a
// failure was about, though the proc has had others since. Method: runs of aboard by hand.
func TestLives(t *testing.T) {
	const ask1, ask2 = "checkpoint p1", "checkpoint p2"
	tests := []struct {
		name     string
		schedule []string
		want     core.Input
	}{
		{"launched", []string{"crash p0", ask2, "restart p0 incarnation 1 on p2"},
			core.Input{Kind: core.Restore, From: 2, Incarnation: 1,
				Records: []core.Record{{Owner: 2, Key: "l", Value: []byte{1}}}}},
		{"killed", []string{ask1, "killed p1 p0"},
			core.Input{Kind: core.Killed, From: 0, Incarnation: 0}},
		{"killed later", []string{"crash p0", ask2, "restart p0 incarnation 1 on p2", ask2,
			"killed p2 p0"}, core.Input{Kind: core.Killed, From: 0, Incarnation: 1}},
		{"killed when down", []string{ask1, "crash p0", "killed p1 p0"},
			core.Input{Kind: core.Killed, From: 0, Incarnation: 0}},
		{"killed while it runs elsewhere", []string{"crash p0", ask2,
			"restart p0 incarnation 1 on p2", ask1, "killed p1 p0"},
			core.Input{Kind: core.Killed, From: 0, Incarnation: 0}},
		{"killed while it runs elsewhere for the first time", []string{ask2, ask2, "killed p2 p0"},
			core.Input{Kind: core.Killed, From: 0, Incarnation: core.NoLife}},
		{"failed", []string{"crash p0", "told p3 down p0"},
			core.Input{Kind: core.Down, Procs: []core.Proc{0}}},
		{"failed, and killed since", []string{"crash p0", ask2, "restart p0 incarnation 1 on p2",
			ask2, "killed p2 p0", "told p3 down p0"},
			core.Input{Kind: core.Down, Procs: []core.Proc{0}}},
		{"failed twice", []string{"crash p0", ask2, "restart p0 incarnation 1 on p2", "crash p0",
			"told p3 down p0"}, core.Input{Kind: core.Down, Procs: []core.Proc{0}}},
		{"failed twice, again", []string{"crash p0", ask2, "restart p0 incarnation 1 on p2",
			"crash p0", "told p3 down p0", "told p3 down p0"},
			core.Input{Kind: core.Down, Procs: []core.Proc{0}, Incarnation: 1}},
		{"its node failed with it", []string{"crash p1", "told p3 down p1"},
			core.Input{Kind: core.Down, Procs: []core.Proc{1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: aboard().setup(), Twice: true,
				Model: fault.Model{Failures: 3, Checkpoints: 4}})
			if err != nil {
				t.Fatal(err)
			}
			got := lastInput(t, w, tt.schedule...)
			if d := cmp.Diff(core.Encode([]any{tt.want.Kind, tt.want.From, tt.want.Incarnation,
				tt.want.Procs, tt.want.Records}), core.Encode([]any{got.Kind, got.From,
				got.Incarnation, got.Procs, got.Records})); d != "" {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// Aim: the evidence of a kill: first the end of who is stopped, then what the killer does; the
// launch before names whom it starts. Method: runs of aboard by hand.
func TestKillEvidence(t *testing.T) {
	w, err := New(Config{Setup: aboard().setup(), Model: fault.Model{Checkpoints: 4}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Replay([]string{"checkpoint p1", "killed p1 p0", "checkpoint p1",
		"restart p0 incarnation 1 on p1"})
	if err != nil {
		t.Fatal(err)
	}
	type event struct {
		Step int
		Kind trace.Kind
		Proc trace.Proc
		Peer trace.Proc
		Life core.Incarnation
	}
	want := []event{{2, trace.Crashed, 0, 0, 0}, {2, trace.Disowned, 1, 0, 0},
		{3, trace.Adopted, 1, 0, 0}, {4, trace.Restored, 0, 0, 1}}
	var got []event
	for _, e := range run.Trace.Events {
		got = append(got, event{e.Step, e.Kind, e.Proc, e.Peer, e.Incarnation})
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("evidence (-want +got):\n%s", d)
	}
}
