package pessimistic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/apps"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/impl/pessimistic"
	"github.com/domino-check/domino/spec/trace"
)

// newWorld puts a protocol over a program into the modelled environment, with one failure.
func newWorld(t *testing.T, p pessimistic.Protocol, program string, o pessimistic.Options) *world.World {
	t.Helper()
	names, programs, err := apps.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := pessimistic.NewSetup(p, trace.Layout{Names: names, Ranks: len(names)}, programs, o)
	if err != nil {
		t.Fatal(err)
	}
	model := fault.Model{Failures: 1}
	w, err := world.New(world.Config{Setup: setup, Model: model, Facts: world.FactsOf(setup, &model, nil), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// finish follows the schedule, then takes the first event that is no fault, again and again, to the end of the run.
func finish(t *testing.T, w *world.World, schedule ...string) *world.Run {
	t.Helper()
	for {
		run, err := w.Replay(schedule)
		if err != nil {
			t.Fatalf("after %s: %v", strings.Join(schedule, "; "), err)
		}
		if run.Violation != nil {
			t.Fatalf("%s: %s", strings.Join(run.Schedule, "; "), run.Violation.Message)
		}
		texts, x := w.Enabled(run.States[len(run.States)-1])
		i := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return !s.Fault })
		if i < 0 {
			return run
		}
		schedule = append(slices.Clip(schedule), texts[i])
	}
}

// count is how many events of the proc, in any life or a later one, match.
func count(r *world.Run, p core.Proc, later bool, match func(trace.Event) bool) int {
	n := 0
	for _, e := range r.Trace.Events {
		if e.Proc == p && (!later || e.Incarnation > 0) && match(e) {
			n++
		}
	}
	return n
}

func delivered(e trace.Event) bool { return e.Kind == trace.Delivered }
func again(e trace.Event) bool     { return e.Kind == trace.Emitted && e.Again }
func pruned(e trace.Event) bool    { return e.Kind == trace.Pruned }

// The steps of [RADIC] Fig. 4.3, p is P1, q is P2, Lq is L2: M leaves, is received, is stored, is acknowledged, is confirmed.
var figure43 = []string{
	"step p send m to q",           // t0-t1
	"deliver p->q Data m (ssn 1)",  // t2, t3
	"step q receive m from p",      // t3, the put leaves
	"deliver q->Lq LogPut (rsn 1)", // t4, t5
	"deliver Lq->q LogAck (rsn 1)", // t6
	"deliver q->p Confirm (ssn 1)", // t7
	"step q go on 0",               // after it
}

// Aim: [RADIC] section 4.2.2, the failure of the receiver at every moment of Fig. 4.3, for HMPL and the repaired RBML. Method: the run is
// stopped after each step, q crashes, and what its next life receives is counted, with where it comes from.
func TestFailureMoments(t *testing.T) {
	const p, q = core.Proc(0), core.Proc(1)
	tests := []struct {
		name      string
		steps     int  // of Fig. 4.3 before the crash
		resent    int  // copies that p sends again from its temporary buffer
		forgotten bool // p has erased it before the crash
	}{
		{"t1, M is on its way and is lost", 1, 1, false},
		{"t3, M has arrived", 2, 1, false},
		{"t3 to t4, M is received and not stored", 3, 1, false},
		{"t4 to t6, M is stored and the acknowledgement is lost", 4, 0, false},
		{"t6, M is acknowledged and the confirmation is lost", 5, 0, false},
		{"t7, M is confirmed", 6, 0, true},
		{"after t7, q has gone on", 7, 0, true},
	}
	for _, protocol := range []pessimistic.Protocol{pessimistic.HMPL, pessimistic.RBML} {
		for _, tt := range tests {
			t.Run(protocol.String()+" "+tt.name, func(t *testing.T) {
				w := newWorld(t, protocol, "p: send q m\nq: recv p ordered; loop 1; end", pessimistic.Options{})
				schedule := append(slices.Clone(figure43[:tt.steps]), "crash q")
				if tt.steps == 5 { // the confirmation is cut off before anything else happens
					schedule = append(schedule, "cut q->p")
				}
				if tt.steps == 3 {
					schedule = append(schedule, "cut q->Lq")
				}
				r := finish(t, w, schedule...)
				if got := count(r, q, true, delivered); got != 1 {
					t.Errorf("the second life of q receives %d messages, want M once:\n%s", got, strings.Join(r.Schedule, "\n"))
				}
				if got := count(r, p, false, again); got != tt.resent {
					t.Errorf("p sends %d copies again, want %d:\n%s", got, tt.resent, strings.Join(r.Schedule, "\n"))
				}
				if got := count(r, p, false, pruned); got != 1 {
					t.Errorf("p erases M %d times, want once", got)
				}
				erased := slices.IndexFunc(r.Trace.Events, func(e trace.Event) bool { return e.Proc == p && pruned(e) })
				crashed := slices.IndexFunc(r.Trace.Events, func(e trace.Event) bool { return e.Kind == trace.Crashed })
				if (erased < crashed) != tt.forgotten {
					t.Errorf("p erases M in event %d, the crash is event %d", erased, crashed)
				}
			})
		}
	}
}

// Aim: [RADIC] section 4.1.1, a message whose number the sender has recorded is replayed with it, one without is delivered again as new.
// Method: as above with the steps of Fig. 4.1; the place that the last record of p names is looked at.
func TestFailureMomentsOfSenderBased(t *testing.T) {
	const p, q = core.Proc(0), core.Proc(1)
	steps := []string{"step p send m to q", "deliver p->q Data m (ssn 1)", "step q receive m from p",
		"deliver q->p Order (ssn 1 is rsn 1)", "deliver p->q OrderOk (ssn 1 is rsn 1)"}
	for n := 1; n <= len(steps); n++ {
		t.Run(steps[n-1], func(t *testing.T) {
			w := newWorld(t, pessimistic.SBML, "p: send q m\nq: recv p ordered", pessimistic.Options{})
			r := finish(t, w, append(slices.Clone(steps[:n]), "crash q")...)
			if got := count(r, q, true, delivered); got != 1 {
				t.Errorf("the second life of q receives %d messages, want M once", got)
			}
			places := 0
			for _, e := range r.Trace.Events {
				if e.Proc == p && e.Kind == trace.Logged && e.Received == 1 {
					places++
				}
			}
			if places == 0 {
				t.Error("p never records the place of M")
			}
		})
	}
}

// Aim: Figure 2.6. P3 loses m3 and m4 with its memory; m5 is sent again and is a duplicate; m6 is sent while P3 is down. Method: the run of
// the figure under HMPL, one failure; every message is received exactly once along the surviving past and m5 is dropped once.
func TestFigure26(t *testing.T) {
	program := "p1: send p3 m4; checkpoint\np2: send p3 m3; checkpoint; recv p3; checkpoint; send p3 m6\n" +
		"p3: checkpoint; recv *; recv *; send p2 m5; recv p2"
	w := newWorld(t, pessimistic.HMPL, program, pessimistic.Options{})
	r := finish(t, w, "step p3 go on 0", "deliver p3->Lp3 Save (rsn 0)", "deliver Lp3->p3 SaveOk (rsn 0)",
		"step p2 send m3 to p3", "step p1 send m4 to p3", "step p2 go on 0", "step p1 go on 0",
		"deliver p2->p3 Data m3 (ssn 1)", "step p3 receive m3 from p2", "deliver p3->Lp3 LogPut (rsn 1)", "deliver Lp3->p3 LogAck (rsn 1)",
		"deliver p1->p3 Data m4 (ssn 1)", "step p3 receive m4 from p1", "deliver p3->Lp3 LogPut (rsn 2)", "deliver Lp3->p3 LogAck (rsn 2)",
		"step p3 send m5 to p2", "deliver p3->p2 Confirm (ssn 1)", "deliver p3->p2 Data m5 (ssn 1)", "step p2 receive m5 from p3", "step p2 go on 0", "crash p3", "step p2 send m6 to p3")
	const p2, p3 = core.Proc(1), core.Proc(2)
	if got := count(r, p3, true, delivered); got != 3 {
		t.Errorf("the second life of p3 receives %d messages, want m3, m4 and m6", got)
	}
	var order []core.MsgID
	for _, e := range r.Trace.Events {
		if e.Proc == p3 && e.Incarnation == 1 && delivered(e) {
			order = append(order, e.ID)
		}
	}
	if want := []core.MsgID{{From: 1, Number: 1}, {From: 0, Number: 1}, {From: 1, Number: 2}}; !slices.Equal(order, want) {
		t.Errorf("it receives %v, want %v: the order of its first life, then the delayed message", order, want)
	}
	if got := count(r, p2, false, delivered); got != 1 {
		t.Errorf("p2 receives %d messages, want m5 once", got)
	}
	duplicates := count(r, p2, false, func(e trace.Event) bool { return e.Kind == trace.Dropped && e.ID == core.MsgID{From: 2, Number: 1} })
	sent := count(r, p3, true, func(e trace.Event) bool { return e.Kind == trace.Emitted && e.ID == core.MsgID{From: 2, Number: 1} })
	if duplicates != sent {
		t.Errorf("m5 leaves p3 %d times again, and %d copies are dropped", sent, duplicates)
	}
	if restored := count(r, p2, true, func(trace.Event) bool { return true }); restored != 0 {
		t.Error("p2 has rolled back")
	}
}
