package radic_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// makeWorld is the world of a program under RADIC.
func makeWorld(t *testing.T, program string, p pessimistic.Protocol, below pessimistic.Options,
	o radic.Options, m fault.Model) *world.World {
	t.Helper()
	setup := parse(t, program, p, below)
	setup, err := radic.NewSetup(setup, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Config{Setup: setup, Model: m, Facts: world.FactsOf(setup, &m, nil)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// walk draws a run to its end; the events for which keep says no are left out.
func walk(t *testing.T, w *world.World, r *rand.Rand, schedule []string, most int,
	keep func(text string, s checker.Step) bool) *world.Run {
	t.Helper()
	replay := func() *world.Run {
		run, err := w.Replay(schedule)
		if err != nil {
			t.Fatal(err)
		}
		if run.Violation != nil {
			t.Fatalf("%s: %s\n%s", run.Violation.Property, run.Violation.Message,
				strings.Join(schedule, "\n"))
		}
		return run
	}
	run := replay()
	for state := run.States[len(run.States)-1]; ; {
		texts, x := w.Enabled(state)
		var list []int
		for i, text := range texts {
			if keep(text, x.Steps[i]) {
				list = append(list, i)
			}
		}
		if len(list) == 0 || len(schedule) >= most {
			return replay()
		}
		next := list[r.IntN(len(list))]
		schedule = append(slices.Clip(schedule), texts[next])
		if x.Steps[next].Violation > 0 {
			return replay()
		}
		state = x.State(next, nil)
	}
}

func anything(string, checker.Step) bool { return true }

// count counts the events of a run.
func count(run *world.Run, which func(trace.Event) bool) (n int) {
	for _, e := range run.Trace.Events {
		if which(e) {
			n++
		}
	}
	return n
}

// Aim: a maintenance swap replays nothing ([RADIC] section 2.3.3), whenever it begins. Method: 80
// runs drawn at random with a node that joins and one that leaves; every rank that moves resumes
// where it had stopped. A near miss, a crash at any time, must replay something in some run.
func TestSwapReplaysNothing(t *testing.T) {
	const program = "a: recv b; output; recv b\nb: send a m1; send a m2\nc:"
	replayed := func(run *world.Run) (n int) {
		before := map[trace.MsgID]bool{}
		for _, e := range run.Trace.Events {
			if e.Kind == trace.Delivered {
				if before[e.ID] {
					n++
				}
				before[e.ID] = true
			}
		}
		return n
	}
	for _, tt := range []struct {
		name    string
		options radic.Options
		model   fault.Model
		nothing bool
	}{
		{"a node is taken out", radic.Options{Joins: 1, Leaves: 1}, fault.Model{}, true},
		{"a node fails", radic.Options{Joins: 1}, fault.Model{Failures: 1, Victims: []core.Proc{6}},
			false},
	} {
		w, r := makeWorld(t, program, pessimistic.HMPL, pessimistic.Options{}, tt.options,
			tt.model), rand.New(rand.NewPCG(1, 2))
		total, moved := 0, 0
		for range 80 {
			run := walk(t, w, r, nil, 1000, anything)
			total += replayed(run)
			moved += count(run, func(e trace.Event) bool {
				return e.Kind == trace.Resumed && e.Proc == 0
			})
		}
		if (total == 0) != tt.nothing || moved == 0 {
			t.Errorf("%s: %d messages replayed in %d moves, nothing is wanted: %t", tt.name, total,
				moved, tt.nothing)
		}
	}
}

// Aim: Figure 6.1: one question finds a rank whose protector lives. Method: 200 runs drawn at
// random of a sender and a receiver whose node may fail; some ask, none asks twice.
func TestOneQuestion(t *testing.T) {
	model := fault.Model{Failures: 1, Victims: []core.Proc{5}}
	w := makeWorld(t, "a: send b m\nb: recv a", pessimistic.RBML, pessimistic.Options{},
		radic.Options{Nodes: 3, Spares: 1}, model)
	r, asked := rand.New(rand.NewPCG(3, 4)), 0
	for range 200 {
		run := walk(t, w, r, nil, 1000, anything)
		n := count(run, func(e trace.Event) bool {
			return e.Kind == trace.Emitted && e.Text == "WhereIs"
		})
		if asked += n; n > 1 {
			t.Fatalf("%d questions\n%s", n, strings.Join(run.Schedule, "\n"))
		}
	}
	if asked == 0 {
		t.Error("nobody ever asks")
	}
}

// Aim: with heartbeats as messages and watchdogs as timers a node that fails is found and its rank
// restarted, and a heartbeat in time keeps a watchdog quiet. Method: drawn runs in which a watchdog
// fires only when its node is down, as with clocks that are good enough, and each timer of
// heartbeats a few times; the rank ends on the spare as it does without heartbeats.
func TestHeartbeats(t *testing.T) {
	options := radic.Options{Nodes: 3, Spares: 1, Heartbeat: 2, Watchdog: 6}
	model := fault.Model{Failures: 1, Victims: []core.Proc{2}}
	w, r := makeWorld(t, "a: output", pessimistic.RBML, pessimistic.Options{}, options, model),
		rand.New(rand.NewPCG(5, 6))
	adopted, beats := 0, 0
	for range 40 {
		down, left := false, 25
		run := walk(t, w, r, nil, 400, func(text string, s checker.Step) bool {
			if text == "crash N1" {
				return true
			}
			if strings.HasSuffix(text, " heartbeat") {
				return left > 0 && r.IntN(3) == 0
			}
			return !strings.Contains(text, "watchdog") || down &&
				strings.HasSuffix(text, "watchdog 2")
		})
		// The crash strikes when nothing else is left to do: again, with watchdogs about the dead
		// node.
		if !slices.Contains(run.Schedule, "crash N1") {
			t.Fatalf("no crash:\n%s", strings.Join(run.Schedule, "\n"))
		}
		down, left = true, 0
		run = walk(t, w, r, run.Schedule, 600, func(text string, s checker.Step) bool {
			return !strings.HasSuffix(text, " heartbeat") &&
				(!strings.Contains(text, "watchdog") || strings.HasSuffix(text, "watchdog 2"))
		})
		beats += count(run, func(e trace.Event) bool {
			return e.Kind == trace.Arrived && e.Text == "Beat"
		})
		adopted += count(run, func(e trace.Event) bool {
			return e.Kind == trace.Adopted && e.Peer == 0 && e.Proc == 5
		})
		if n := count(run, func(e trace.Event) bool {
			return e.Kind == trace.Finished && e.Incarnation == 1
		}); n == 0 {
			t.Fatalf("a does not end in its second life:\n%s", strings.Join(run.Schedule, "\n"))
		}
	}
	if adopted != 40 || beats == 0 {
		t.Errorf("the spare has adopted the rank in %d of 40 runs, with %d heartbeats", adopted,
			beats)
	}
}

// Aim: checkpoints on full buffers go on under RADIC, also while ranks move. Method: 80 runs drawn
// at random with loggers that hold one entry; no property is broken, and loggers have commanded
// checkpoints.
func TestFullLoggers(t *testing.T) {
	model := fault.Model{Failures: 1, Victims: []core.Proc{5}}
	below := pessimistic.Options{Memory: pessimistic.Limit{Messages: 1},
		Full: pessimistic.CommandCheckpoint}
	w := makeWorld(t, "a: send b m1; send b m2\nb: recv a; recv a", pessimistic.HMPL, below,
		radic.Options{Nodes: 3}, model)
	r, commanded := rand.New(rand.NewPCG(7, 8)), 0
	for range 80 {
		run := walk(t, w, r, nil, 1000, anything)
		commanded += count(run, func(e trace.Event) bool {
			return e.Kind == trace.Emitted && e.Text == "LogFull"
		})
	}
	if commanded == 0 {
		t.Error("no logger was ever full")
	}
}

// Aim: what a former life has sent and comes back is not sent again by the next one, which has not
// sent it yet. Method: the beginning of the run that has shown it, with 40 ends drawn at random;
// the judge sees a message that leaves without a copy, and the bounce is dropped in every run.
func TestBounceOfFormerLife(t *testing.T) {
	model := fault.Model{Failures: 2, Victims: []core.Proc{4, 6}}
	w := makeWorld(t, "a: send b m\nb: recv a; output", pessimistic.HMPL, pessimistic.Options{},
		radic.Options{Nodes: 4}, model)
	beginning := []string{"crash N3", "step a send m to b", "expire N4 hears nothing of N3",
		"expire N4 hears nothing of N3", "deliver N4->N2 Link",
		"deliver N2->N4 Linked", "crash N1", "expire N2 hears nothing of N1",
		"expire N2 hears nothing of N1", "expire N2 hears nothing of N3",
		"expire N2 hears nothing of N3", "expire N4 hears nothing of N1",
		"expire N4 hears nothing of N1", "deliver N4->N2 Transfer (about 6)",
		"restart b incarnation 1", "deliver a->b Data m (ssn 1)"}
	r := rand.New(rand.NewPCG(9, 10))
	for range 40 {
		run := walk(t, w, r, beginning, 1000, anything)
		dropped := count(run, func(e trace.Event) bool {
			return e.Kind == trace.Dropped && e.Text == "sent by a former life"
		})
		if dropped != 1 {
			t.Fatalf("%d bounces dropped, want 1\n%s", dropped, strings.Join(run.Schedule, "\n"))
		}
	}
}

// Aim: a node that leaves and one that fails meanwhile. A message that was stable, and that comes
// back from where its receiver was, is sent again without a copy, while nobody keeps an image of
// the receiver: a copy would be of no use. Method: the beginning of the run in which the judge
// asked for one all the same, with 40 ends drawn at random; each ends well.
func TestLeaveAndFailure(t *testing.T) {
	model := fault.Model{Failures: 1, Victims: []core.Proc{5}}
	w := makeWorld(t, "a: recv b\nb: send a m", pessimistic.RBML, pessimistic.Options{},
		radic.Options{Nodes: 3, Spares: 1, Leaves: 1}, model)
	beginning := []string{
		"step N1 emit Save to a", "deliver N1->a Save", "step b send m to a", "step b end",
		"deliver b->a Data m (ssn 1)", "deliver a->La Save (rsn 0)",
		"deliver La->a SaveOk (rsn 0)", "deliver a->N1 Saved", "expire N2 hears nothing of N1",
		"expire N2 hears nothing of N1", "deliver N2->S1 Ask (about 4)", "deliver N2->N3 Link",
		"deliver S1->N2 Answer (true)", "deliver N2->S1 Transfer (about 4)",
		"restart a incarnation 1", "deliver a.1->La LogFetch",
		"deliver La->a LogData (life 1, 0 entries)", "deliver a.1->b Pull (life 1 has ssn 0)",
		"deliver b->a Data m (ssn 1)", "deliver a.1->La Save (rsn 0)", "step a receive m from b",
		"deliver a.1->La LogPut (rsn 1)", "deliver N3->N2 Linked",
		"deliver S1->N2 Adopted (about 4)", "deliver La->a SaveOk (rsn 0)", "crash N2",
		"expire N3 hears nothing of N2", "step a end", "deliver La->a LogAck (rsn 1)",
		"expire N3 hears nothing of N2", "deliver N3->S1 Ask (about 5)",
		"deliver S1->N3 Answer (false)", "expire N3 hears nothing of N1",
		"expire N3 hears nothing of N1", "restart b incarnation 1",
		"deliver a.1->b Confirm (ssn 1)", "deliver N3->S1 Census (about 4)",
		"deliver b.1->a Moved (Confirm)", "deliver b.1->Lb LogFetch",
		"deliver a.1->N3 WhereIs (about 1)", "deliver Lb->b LogData (life 1, 0 entries)",
		"deliver b.1->a Pull (life 1 has ssn 0)", "deliver b.1->Lb Save (rsn 0)",
		"step b send m to a", "deliver a.1->b Moved (Pull)",
		"deliver N3->a Where (about 1: located at 6)", "step b end",
		"deliver b.1->a Data m (ssn 1)", "expire b hears nothing of N2",
		"expire b hears nothing of N1", "deliver Lb->b SaveOk (rsn 0)",
		"deliver a.1->b Confirm (ssn 1)"}
	r := rand.New(rand.NewPCG(11, 12))
	for range 40 {
		run := walk(t, w, r, beginning, 1000, anything)
		again := count(run, func(e trace.Event) bool {
			return e.Kind == trace.Emitted && !e.ID.IsZero() && e.Proc == 1 && e.Incarnation == 1
		})
		if again < 2 {
			t.Fatalf("%d times m was sent by the later life, want its bounce, too\n%s", again,
				strings.Join(run.Schedule, "\n"))
		}
	}
}
