package world

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// writesThenShows receives twice, as p1: first it writes, then it sends, writes and shows output in
// one step.
func writesThenShows() *toy {
	toy := newToy(2, 3, 1)
	toy.on(0, 0, 1+toyStart, 0, toySend{1, 0}, toySend{1, 0})
	toy.rules[1][0][0] = toyRule{next: 1, persist: true}
	toy.rules[1][1][0] = toyRule{next: 2, sends: []toySend{{0, 0}}, persist: true, output: true}
	return toy
}

// TestCutOutcomes looks for what a crash inside of a step leaves on the disk, against what was
// worked out by hand: any of the oldest writes that are in progress at that moment, those of the
// step included, and half of the next one where there was no value and the model allows it.
func TestCutOutcomes(t *testing.T) {
	stop := func(n int) string {
		if n == 0 {
			return "stop p1"
		}
		return fmt.Sprintf("stop p1, outcome %d of writes in progress", n)
	}
	tests := []struct {
		name    string
		torn    int
		already bool                 // the first write is stable when the step begins
		want    [3]map[string]string // by the effects that are done, of each stop
	}{
		{"both in progress", 0, false, [3]map[string]string{
			1: {stop(0): "nothing", stop(1): "1"},
			2: {stop(0): "nothing", stop(1): "1", stop(2): "2"}}},
		{"one stable", 0, true, [3]map[string]string{
			1: {stop(0): "1"}, 2: {stop(0): "1", stop(1): "2"}}},
		{"torn", 1, false, [3]map[string]string{
			1: {stop(0): "nothing", stop(1): "torn", stop(2): "1"},
			2: {stop(0): "nothing", stop(1): "torn", stop(2): "1", stop(3): "2"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: writesThenShows().setup(),
				Model: fault.Model{Failures: 1, Torn: tt.torn}})
			if err != nil {
				t.Fatal(err)
			}
			schedule := []string{"deliver p0->p1 k0"}
			if tt.already {
				schedule = append(schedule, "persisted p1 s")
			}
			for effects := 1; effects <= 2; effects++ {
				still := fmt.Sprintf("deliver p0->p1 k0, stands still after effect %d", effects)
				got := disksBehind(t, w, append(schedule[:len(schedule):len(schedule)], still),
					tt.torn)
				if diff := cmp.Diff(tt.want[effects], got); diff != "" {
					t.Errorf("effect %d: on the disk of p1 (-want +got):\n%s", effects, diff)
				}
			}
		})
	}
}

// disksBehind is what is on the disk of p1 behind each of its stops, when it stands still.
func disksBehind(t *testing.T, w *World, schedule []string, mayTear int) map[string]string {
	t.Helper()
	run, err := w.Replay(schedule)
	if err != nil {
		t.Fatal(err)
	}
	if e := w.env(run.last(), 1); e.Up || e.Still != 1 || w.left(run.last(), failures) != 0 {
		t.Errorf("p1 does not stand still in its life 0 behind %q, for one failure", schedule)
	}
	got := map[string]string{}
	texts, x := w.Enabled(run.last())
	for i, text := range texts {
		if !strings.HasPrefix(text, "stop p1") {
			continue
		}
		if x.Steps[i].Fault {
			t.Errorf("%s need not happen", text)
		}
		got[text] = stored(w.env(x.State(i, nil), 1))
		if left := w.left(x.State(i, nil), torn); left != mayTear-strings.Count(got[text], "torn") {
			t.Errorf("%s: %d writes may be torn behind it", text, left)
		}
		checkKept(t, w, schedule, text, got[text])
	}
	return got
}

// stored names what is on a disk.
func stored(e *env) string {
	switch {
	case len(e.Store) == 0:
		return "nothing"
	case e.Store[0].Torn:
		return "torn"
	}
	return fmt.Sprint(e.Store[0].Value[0])
}

// checkKept compares how many writes real processes are told to make stable before the crash with
// what is on the disk behind it: the toy writes 1 and then 2.
func checkKept(t *testing.T, w *World, schedule []string, text, disk string) {
	t.Helper()
	run, err := w.Replay(append(schedule[:len(schedule):len(schedule)], text))
	if err != nil {
		t.Fatal(err)
	}
	moves := w.Course(run).Moves
	m := moves[len(moves)-1]
	before := 0
	if len(schedule) > 2 {
		before = 1
	}
	want := map[string]int{"nothing": 0, "1": 1 - before, "2": 2 - before, "torn": 0}[disk]
	if diff := cmp.Diff([]int{want}, m.Kept); diff != "" {
		t.Errorf("%s: kept (-want +got):\n%s", text, diff)
	}
	if diff := cmp.Diff([]core.Proc{1}, m.Procs); diff != "" {
		t.Errorf("%s: procs (-want +got):\n%s", text, diff)
	}
	if (m.Why != "") != (disk == "torn") {
		t.Errorf("%s: impossible because %q", text, m.Why)
	}
}

// TestCutsApart compares the world with the environment of the re-checker where outcomes of crashes
// inside of steps differ.
func TestCutsApart(t *testing.T) {
	for _, m := range []fault.Model{{Failures: 1}, {Failures: 2, Torn: 1},
		{Failures: 1, Torn: 1, FromDead: fault.Every}} {
		n, err := compareApart(t, writesThenShows().setup(), &m, 10_000)
		if err != nil || n == 0 {
			t.Errorf("%+v: %d states: %v", m, n, err)
		}
	}
}
