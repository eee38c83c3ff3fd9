package world

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// timed is a table-driven proc with timers: the next state and the timers to set, by state and name
// of the timer that fires. A message of any kind leads to state 9, where nothing is set again.
type timed struct {
	core.Service
	table map[string]string // "state timer" -> "state timer ..."
	s     toyState
}

func (m *timed) State() []any { return []any{&m.s} }

func (m *timed) Step(in core.Input, out []core.Effect) []core.Effect {
	event := "start"
	switch in.Kind {
	case core.Tick:
		event = in.Timer
	case core.Received:
		m.s.S = 9
		return out
	}
	words := strings.Fields(m.table[string(rune('0'+m.s.S))+" "+event])
	if len(words) == 0 {
		return out
	}
	m.s.S = int(words[0][0] - '0')
	for _, name := range words[1:] {
		out = append(out, core.Effect{Kind: core.SetTimer, Timer: name})
	}
	return out
}

// timedSetup is one proc with the table, and one that sends it a message when it starts, if it is
// wanted.
func timedSetup(table map[string]string, message bool) *core.Setup {
	toy := newToy(2, 1, 1)
	if message {
		toy.on(1, 0, 1+toyStart, 0, toySend{0, 0})
	}
	s := toy.setup()
	other := s.New
	s.New = func(p core.Proc) core.Machine {
		if p == 0 {
			return &timed{table: table}
		}
		return other(p)
	}
	return s
}

// TestEndlessTimers explores retries by timers: those that go on for ever, near misses out of which
// an event leads that is possible all the time, and some that end.
func TestEndlessTimers(t *testing.T) {
	tests := []struct {
		name    string
		table   map[string]string
		message bool
		loop    int // steps of the loop, 0 when there is no endless run
	}{
		{"retry for ever", map[string]string{"0 start": "0 a", "0 a": "0 a"}, false, 1},
		{"retry in turns", map[string]string{"0 start": "0 a", "0 a": "1 b", "1 b": "0 a"}, false,
			2},
		{"two timers, neither is put off", map[string]string{"0 start": "0 a b", "0 a": "0 a",
			"0 b": "0 b"}, false, 2},
		{"retry until a message arrives", map[string]string{"0 start": "0 a", "0 a": "0 a"}, true,
			0},
		{"retry although a message arrives", map[string]string{"0 start": "0 a", "0 a": "0 a",
			"9 a": "9 a"}, true, 1},
		{"retry three times", map[string]string{"0 start": "0 a", "0 a": "1 a", "1 a": "2 a",
			"2 a": "3"}, false, 0},
		{"retry until another timer fires", map[string]string{"0 start": "0 a b", "0 a": "0 a",
			"0 b": "1"}, false, 0},
		{"the other timer changes its place",
			map[string]string{"0 start": "0 a b", "0 a": "0 c", "0 c": "0 a", "0 b": "1"}, false,
			0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: timedSetup(tt.table, tt.message)})
			if err != nil {
				t.Fatal(err)
			}
			if plain := search.Explore(t.Context(), w,
				checker.Options{}); plain.Verdict != spec.Holds {
				t.Errorf("without a look at cycles: %v", plain.Verdict)
			}
			r := search.Explore(t.Context(), w, checker.Options{Lasso: true})
			if tt.loop == 0 {
				if r.Verdict != spec.Holds {
					t.Errorf("%v, %+v", r.Verdict, r.Found)
				}
				return
			}
			if r.Verdict != spec.Violated || r.Found[0].Property != "terminates" ||
				r.Found[0].Loop != tt.loop {
				t.Fatalf("%v, %+v, want a loop of %d steps", r.Verdict, r.Found, tt.loop)
			}
			loopReplays(t, w, r.Found[0])
		})
	}
}

// loopReplays repeats a run that does not end, by its codes and by its text; the text without its
// last step, or with a loop that is too short, must not pass for one.
func loopReplays(t *testing.T, w *World, f checker.Found) {
	t.Helper()
	run, err := w.FollowFound(f)
	if err != nil || run.Loop != f.Loop || run.Violation == nil ||
		run.Violation.Message != f.Message {
		t.Fatalf("%v, %+v", err, run)
	}
	again, err := w.Replay(run.Lines())
	if err != nil || again.Loop != f.Loop {
		t.Fatalf("%v, loop %d", err, again.Loop)
	}
	if d := cmp.Diff(run.Violation, again.Violation); d != "" {
		t.Error(d)
	}
	if len(again.States) != len(f.Path)+1 || !slices.Equal(again.States[len(f.Path)-f.Loop],
		again.last()) {
		t.Error("the loop does not lead back")
	}
	if again, err := w.Replay(run.Lines()[:len(run.Lines())-1]); f.Loop > 1 &&
		(err != nil || again.Loop != 0 || again.Violation != nil) {
		t.Errorf("part of a loop: %v, %+v", err, again.Violation)
	}
	if plain, err := w.Replay(run.Schedule); err != nil || plain.Loop != 0 ||
		plain.Violation != nil {
		t.Errorf("without the loop: %v, %+v", err, plain.Violation)
	}
}

// TestEndlessToys explores random protocols in which messages cause messages for ever, under random
// failures: everything but endless runs is as in the plain search, and each endless run replays.
func TestEndlessToys(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	loops, none := 0, 0
	for n := range effort.Cases(60, 500) {
		toy := randomToy(r, toyFeatures{cyclic: true, crashes: n%2 == 0, restoreSends: n%5 == 0})
		m := randomModel(r, toy.procs, n%2)
		m.Loss = r.IntN(2)
		w, err := New(Config{Setup: toy.setup(), Model: m})
		if err != nil {
			t.Fatal(err)
		}
		plain := search.Explore(t.Context(), w, checker.Options{MaxStates: 3000})
		if plain.Bound != "" {
			continue
		}
		o := checker.Options{All: true, Lasso: true}
		got := search.Explore(t.Context(), w, o)
		if got.States != plain.States || got.Transitions != plain.Transitions ||
			got.Terminals != plain.Terminals {
			t.Errorf("case %d: %d states, %d transitions, %d ends; plain %d, %d, %d", n, got.States,
				got.Transitions, got.Terminals, plain.States,
				plain.Transitions, plain.Terminals)
		}
		none++
		for _, f := range got.Found {
			loops, none = loops+1, none-1
			loopReplays(t, w, f)
		}
	}
	t.Logf("%d protocols have an endless run, %d have none", loops, none)
	if enough := effort.Of(5, 20); loops < enough || none < enough {
		t.Errorf("%d and %d say little", loops, none)
	}
}

// patient is a recovery process that does not act when it is told of a failure but asks again after
// a while, so many times; with a negative number for ever.
type patient struct {
	core.Machine
	tries int
	s     patience
}

type patience struct {
	_     struct{} `cbor:",toarray"`
	Tries int
	Procs []core.Proc
}

func (m *patient) State() []any { return append(m.Machine.State(), &m.s) }

func (m *patient) Step(in core.Input, out []core.Effect) []core.Effect {
	switch {
	case in.Kind == core.Down:
		m.s.Procs = in.Procs
	case in.Kind == core.Tick && m.tries < 0:
	case in.Kind == core.Tick:
		if m.s.Tries++; m.s.Tries == m.tries {
			return m.Machine.Step(core.Input{Kind: core.Down, Procs: m.s.Procs}, out)
		}
	default:
		return m.Machine.Step(in, out)
	}
	return append(out, core.Effect{Kind: core.SetTimer, Timer: "again"})
}

// TestEndlessRecovery explores HydEE with a recovery process that retries before it acts: three
// times, which is no harm, or for ever. The search for the ends of runs alone sees nothing of the
// latter.
func TestEndlessRecovery(t *testing.T) {
	for _, tries := range []int{3, -1} {
		p := mustPair(t, "a: send b x; recv b\nb: recv a; send a y", []int{0, 1}, 0)
		s := *p.setup
		s.New = func(q core.Proc) core.Machine {
			if slices.Contains(s.Watchers, q) {
				return &patient{Machine: p.setup.New(q), tries: tries}
			}
			return p.setup.New(q)
		}
		c := Case{Setup: &s, Baseline: p.baseline,
			Model: fault.Model{Failures: 1, Victims: []core.Proc{0, 1}}}
		plain, err := Check(t.Context(), c, checker.Options{})
		if err != nil || plain.Verdict != spec.Holds {
			t.Fatalf("%d tries, ends of runs: %v, %v", tries, err, plain.Reason)
		}
		out, err := Check(t.Context(), c, checker.Options{Lasso: true})
		if err != nil {
			t.Fatal(err)
		}
		if tries > 0 {
			if out.Verdict != spec.Holds {
				t.Errorf("%d tries: %v, %v", tries, out.Verdict, out.Found)
			}
			continue
		}
		if out.Verdict != spec.Violated || out.Found[0].Loop == 0 ||
			out.Runs[0].Loop != out.Found[0].Loop ||
			!strings.Contains(out.Found[0].Message, "can not go on") {
			t.Fatalf("for ever: %v, %+v", out.Verdict, out.Found)
		}
		t.Log(strings.Join(out.Runs[0].Lines(), "\n"))
		loopReplays(t, out.World, out.Found[0])
	}
}
