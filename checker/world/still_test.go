package world

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// answersAndShows is a toy in which p1, on a message of p0, sends back and shows output in one
// step, and p0 answers what it gets. Kinds: 0 the message, 1 what is sent back, 2 the answer.
func answersAndShows(groups [][]core.Proc) *toy {
	toy := newToy(3, 2, 3)
	toy.on(0, 0, 3+toyStart, 0, toySend{1, 0})
	toy.on(0, 0, 1, 0, toySend{1, 2})
	toy.rules[1][0][0] = toyRule{next: 1, output: true, sends: []toySend{{0, 1}}}
	toy.groups = groups
	return toy
}

// TestAnswerDies is what a proc that stands still is for, worked out by hand: p1 has sent back and
// not shown its output when it is killed. While it stands, p0 answers; the answer is to the life
// that ends, and the next one does not get it. If p0 answers later, it does.
func TestAnswerDies(t *testing.T) {
	w, err := New(Config{Setup: answersAndShows(nil).setup(), Model: fault.Model{Failures: 1}})
	if err != nil {
		t.Fatal(err)
	}
	const still = "deliver p0->p1 k0, stands still after effect 1"
	for _, tt := range []struct {
		schedule []string
		enabled  []string // in the end, of what happens to p1
	}{
		{[]string{still}, []string{"stop p1"}},
		{[]string{still, "deliver p1->p0 k1"}, []string{"stop p1"}},
		{[]string{still, "deliver p1->p0 k1", "stop p1"}, []string{"restart p1 incarnation 1"}},
		{[]string{still, "deliver p1->p0 k1", "stop p1", "restart p1 incarnation 1"}, nil},
		{[]string{still, "stop p1", "deliver p1->p0 k1", "restart p1 incarnation 1"},
			[]string{"deliver p0->p1 k2"}},
	} {
		run, err := w.Replay(tt.schedule)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		texts, x := w.Enabled(run.last())
		for i, text := range texts {
			if eventCode(x.Steps[i].Code).proc() == 1 {
				got = append(got, text)
			}
		}
		if !slices.Equal(got, tt.enabled) {
			t.Errorf("behind %q: %q, want %q", tt.schedule, got, tt.enabled)
		}
	}
}

// TestMatesGoOn has p1 stand still, whose mate p2 goes on, stands still for nothing, and stops with
// it in one event; their group does not crash meanwhile, whatever the budget, and nobody starts
// again before.
func TestMatesGoOn(t *testing.T) {
	toy := answersAndShows([][]core.Proc{{0}, {1, 2}})
	toy.on(2, 0, 3+toyStart, 0)
	toy.rules[1][0][0].sends = []toySend{{2, 1}}
	toy.rules[2][0][1] = toyRule{next: 1, output: true, sends: []toySend{{0, 1}}}
	for failures := 1; failures < 3; failures++ {
		m := fault.Model{Failures: failures}
		if n, err := compareApart(t, toy.setup(), &m, 20_000); err != nil || n == 0 {
			t.Errorf("%d failures: %d states apart: %v", failures, n, err)
		}
		w, err := New(Config{Setup: toy.setup(), Model: m})
		if err != nil {
			t.Fatal(err)
		}
		matesGoOn(t, w, failures > 1)
	}
}

// matesGoOn is TestMatesGoOn in a world in which p0, too, may crash behind the first event.
func matesGoOn(t *testing.T, w *World, more bool) {
	t.Helper()
	schedule := []string{"deliver p0->p1 k0, stands still after effect 1"}
	for _, tt := range []struct {
		next string
		want []string
	}{
		{"", []string{"deliver p1->p2 k1", "deliver p1->p2 k1, stands still after effect 1",
			"stop p1 p2"}},
		{"deliver p1->p2 k1, stands still after effect 1", []string{"deliver p2->p0 k1",
			"stop p1 p2"}},
		{"stop p1 p2", []string{"deliver p2->p0 k1", "restart p1 incarnation 1",
			"restart p2 incarnation 1"}},
	} {
		if tt.next != "" {
			schedule = append(schedule, tt.next)
		}
		run, err := w.Replay(schedule)
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := w.Enabled(run.last())
		if got := slices.Contains(texts, "crash p0"); got != more {
			t.Errorf("behind %q: p0 may crash: %t", schedule, got)
		}
		texts = slices.DeleteFunc(texts, func(text string) bool {
			return text == "cut p2->p0" || text == "cut p1->p2" || text == "crash p0"
		})
		slices.Sort(texts)
		if !slices.Equal(texts, tt.want) {
			t.Errorf("behind %q: %q, want %q", schedule, texts, tt.want)
		}
	}
}

// TestMatesFollow is the same where members stop one by one: whoever is left behind may stand still
// inside a step for nothing, and each who stands still stops alone, in any order.
func TestMatesFollow(t *testing.T) {
	toy := answersAndShows([][]core.Proc{{0}, {1, 2}})
	toy.on(2, 0, 3+toyStart, 0)
	toy.rules[1][0][0].sends = []toySend{{2, 1}}
	toy.rules[2][0][1] = toyRule{next: 1, output: true, sends: []toySend{{0, 1}}}
	m := fault.Model{Failures: 1, Staggered: true}
	if n, err := compareApart(t, toy.setup(), &m, 20_000); err != nil || n == 0 {
		t.Errorf("%d states apart: %v", n, err)
	}
	w, err := New(Config{Setup: toy.setup(), Model: m})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Replay([]string{"deliver p0->p1 k0, stands still after effect 1",
		"deliver p1->p2 k1, stands still after effect 1"})
	if err != nil {
		t.Fatal(err)
	}
	texts, _ := w.Enabled(run.last())
	for _, want := range []string{"stop p1", "stop p2"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no %q among %q", want, texts)
		}
	}
}

// TestGuestsFollow has p1 stand still, on whose node p2 runs: p2 goes on, whatever it is given,
// stands still for nothing, also where p2 itself may not be the victim of a failure, and stops with
// its node only.
func TestGuestsFollow(t *testing.T) {
	toy := answersAndShows(nil)
	toy.hosted = map[core.Proc]bool{2: false}
	toy.initiators = []core.Proc{2}
	toy.on(1, 0, 3+toyStart, 0)
	toy.rules[1][0][3+toyStart].adopts = []core.Proc{2}
	toy.on(2, 0, 3+toyStart, 0)
	toy.rules[1][0][0].sends = []toySend{{2, 1}}
	inside := toyRule{next: 1, output: true, sends: []toySend{{0, 1}}}
	toy.rules[2][0][1], toy.rules[2][0][3+toyAsked] = inside, inside
	for _, victims := range [][]core.Proc{nil, {1}} {
		m := fault.Model{Failures: 1, Checkpoints: 1, Victims: victims}
		if n, err := compareApart(t, toy.setup(), &m, 20_000); err != nil || n == 0 {
			t.Errorf("victims %v: %d states apart: %v", victims, n, err)
		}
		w, err := New(Config{Setup: toy.setup(), Model: m})
		if err != nil {
			t.Fatal(err)
		}
		for _, last := range []string{"deliver p1->p2 k1", "checkpoint p2"} {
			run, err := w.Replay([]string{"deliver p0->p1 k0, stands still after effect 1",
				last + ", stands still after effect 1"})
			if err != nil {
				t.Fatalf("victims %v: %v", victims, err)
			}
			texts, _ := w.Enabled(run.last())
			if slices.Contains(texts, "stop p2") || !slices.Contains(texts, "stop p1") {
				t.Errorf("victims %v: want the stop of p1 and not of p2 alone, among %q", victims,
					texts)
			}
		}
	}
}

// TestWritesOfTheStill: what who stands still has written becomes stable, or not, while it stands,
// and that is an event where somebody else is down who reads it. Nobody is told.
func TestWritesOfTheStill(t *testing.T) {
	toy := answersAndShows(nil)
	toy.rules[1][0][0].persist = true
	for _, read := range []bool{false, true} {
		if toy.reads = map[core.Proc][]core.Proc{1: {1}}; read {
			toy.reads[2] = []core.Proc{2, 1}
		}
		m := fault.Model{Failures: 2}
		if n, err := compareApart(t, toy.setup(), &m, 20_000); err != nil || n == 0 {
			t.Errorf("read %t: %d states apart: %v", read, n, err)
		}
		w, err := New(Config{Setup: toy.setup(), Model: m})
		if err != nil {
			t.Fatal(err)
		}
		schedule := []string{"crash p2", "deliver p0->p1 k0, stands still after effect 2"}
		run, err := w.Replay(schedule)
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := w.Enabled(run.last())
		if slices.Contains(texts, "written p1 s") != read ||
			slices.Contains(texts, "persisted p1 s") {
			t.Errorf("read %t: %q", read, texts)
		}
		if !read {
			continue
		}
		if run, err = w.Replay(append(schedule, "written p1 s")); err != nil {
			t.Fatal(err)
		}
		texts, _ = w.Enabled(run.last())
		if slices.Contains(texts, "written p1 s") || !slices.Contains(texts, "stop p1") {
			t.Errorf("behind the write: %q", texts)
		}
	}
}

// TestSettledInsideSteps: where a failure waits for the recovery from the last one, that may be one
// that stands still. Here the first recovery is over by then.
func TestSettledInsideSteps(t *testing.T) {
	toy := newToy(3, 2, 3)
	toy.initiators = []core.Proc{0}
	toy.on(0, 0, 3+toyAsked, 0, toySend{1, 0})
	toy.rules[1][0][0] = toyRule{next: 1, output: true, sends: []toySend{{2, 1}}}
	for _, settled := range []bool{false, true} {
		m := fault.Model{Failures: 3, Checkpoints: 1, Settled: settled}
		if n, err := compareApart(t, toy.setup(), &m, 20_000); err != nil || n == 0 {
			t.Errorf("settled %t: %d states apart: %v", settled, n, err)
		}
		w, err := New(Config{Setup: toy.setup(), Model: m})
		if err != nil {
			t.Fatal(err)
		}
		schedule := []string{"crash p2", "restart p2 incarnation 1", "checkpoint p0"}
		for _, tt := range []struct {
			next string
			may  bool // with settled
		}{
			{"", true}, {"deliver p0->p1 k0, stands still after effect 1", false},
			{"deliver p1->p2 k1", false}, {"stop p1", false}, {"restart p1 incarnation 1", true},
		} {
			if tt.next != "" {
				schedule = append(schedule, tt.next)
			}
			run, err := w.Replay(schedule)
			if err != nil {
				t.Fatal(err)
			}
			texts, _ := w.Enabled(run.last())
			if got := slices.Contains(texts, "crash p0"); got != (tt.may || !settled) {
				t.Errorf("settled %t, behind %q a crash is possible: %t, among %q", settled,
					schedule, got, texts)
			}
		}
	}
}
