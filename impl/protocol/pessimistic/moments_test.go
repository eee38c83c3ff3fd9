package pessimistic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// newWorld puts a protocol over a program into the modelled environment, with one failure.
func newWorld(t *testing.T, p pessimistic.Protocol, program string,
	o pessimistic.Options) *world.World {
	t.Helper()
	return newWorldWith(t, p, program, o, func(s *core.Setup) *core.Setup { return s })
}

// newWorldWith is the same with a setup that something has wrapped.
func newWorldWith(t *testing.T, p pessimistic.Protocol, program string, o pessimistic.Options,
	wrap func(*core.Setup) *core.Setup) *world.World {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := pessimistic.NewSetup(p, trace.Layout{Names: names, Ranks: len(names)}, programs,
		o)
	if err != nil {
		t.Fatal(err)
	}
	setup = wrap(setup)
	model := fault.Model{Failures: 1}
	w, err := world.New(world.Config{Setup: setup, Model: model,
		Facts: world.FactsOf(setup, &model, nil), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// finish follows the schedule, then takes the first event that is no fault, again and again, to the
// end of the run.
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
func pruned(e trace.Event) bool    { return e.Kind == trace.Pruned }

// The steps of [RADIC] Figs. 4.3 and 4.4, p is P1, q is P2, Lq is L2. t2 and t3 are one step in
// each machine, as are t4 and t5.
var figure43 = []string{
	"step p send m to q",           // t0: in the temporary buffer of p, then t1: on its way
	"deliver p->q Data m (ssn 1)",  // t2: at q
	"step q receive m from p",      // t3: received, the put is on its way
	"deliver q->Lq LogPut (rsn 1)", // t4, t5: stored, the acknowledgement is on its way
	"deliver Lq->q LogAck (rsn 1)", // t6: acknowledged, the confirmation is on its way
	"deliver q->p Confirm (ssn 1)", // t7: confirmed
	"step q go on 0",               // after t7
}

// moment is a failure of one proc after so many steps of Fig. 4.3, with what is cut off of what it
// had in flight, and what must follow.
type moment struct {
	name      string
	victim    string
	steps     int
	cut       string // a channel on which nothing more arrives
	received  int    // deliveries in the last life of q
	resent    int    // copies of M on the network after the first
	dropped   int    // of them that q refuses
	forgotten bool   // p has erased M before the failure
}

// The failure of the receiver is the one of the text ([RADIC] section 4.2.2); the sender and the
// logger at the same moments follow from sections 2.3.3 and 4.2.2.
var moments = []moment{
	{name: "t1, M is on its way", victim: "q", steps: 1, received: 1, resent: 1},
	{name: "t2, M has arrived", victim: "q", steps: 2, received: 1, resent: 1},
	{name: "t3, M is received and the put is lost", victim: "q", steps: 3, cut: "q->Lq",
		received: 1, resent: 1},
	{name: "t4 to t5, M is stored and the acknowledgement is lost", victim: "q", steps: 4,
		received: 1},
	{name: "t6, M is acknowledged and the confirmation is lost", victim: "q", steps: 5, cut: "q->p",
		received: 1},
	{name: "t7, M is confirmed", victim: "q", steps: 6, received: 1, forgotten: true},
	{name: "after t7, q has gone on", victim: "q", steps: 7, received: 1, forgotten: true},

	{name: "t1, M is lost with its sender, which sends it again", victim: "p", steps: 1,
		cut: "p->q", received: 1, resent: 1},
	{name: "t2, M has arrived and is sent again", victim: "p", steps: 2, received: 1, resent: 1,
		dropped: 1},
	{name: "t3, M is received and sent again", victim: "p", steps: 3, received: 1, resent: 1,
		dropped: 1},
	{name: "t4 to t5, M is stored and sent again", victim: "p", steps: 4, received: 1, resent: 1,
		dropped: 1},
	{name: "t6, the confirmation is lost with the sender, who need not send", victim: "p", steps: 5,
		received: 1},
	{name: "t7, M is confirmed and not sent again", victim: "p", steps: 6, received: 1,
		forgotten: true},

	{name: "t3, the put is lost with the logger", victim: "Lq", steps: 3, received: 1},
	{name: "t4 to t5, M is lost with the logger, the image of q has it", victim: "Lq", steps: 4,
		received: 1},
	{name: "t6, M is lost with the logger, the image of q has it", victim: "Lq", steps: 5,
		received: 1},
	{name: "t7, M is lost with the logger, the image of q has it", victim: "Lq", steps: 6,
		received: 1, forgotten: true},
}

// Aim: Figures 4.3 to 4.5, a failure at every moment t1 to t7, for HMPL and the repaired RBML.
// Method: the run is stopped after the steps, the victim crashes, its restart is given to the
// schedule before anything else can happen, and what is received, sent again, refused and erased is
// counted.
func TestFigure43(t *testing.T) {
	const p, q = core.Proc(0), core.Proc(1)
	isM := func(e trace.Event) bool { return e.ID == core.MsgID{From: 0, Number: 1} }
	for _, protocol := range []pessimistic.Protocol{pessimistic.HMPL, pessimistic.RBML} {
		for _, tt := range moments {
			t.Run(protocol.String()+" "+tt.victim+" fails at "+tt.name, func(t *testing.T) {
				w := newWorld(t, protocol,
					"p: send q m; loop 1; end\nq: recv p ordered; loop 1; end",
					pessimistic.Options{})
				schedule := append(slices.Clone(figure43[:tt.steps]), "crash "+tt.victim)
				if tt.cut != "" {
					schedule = append(schedule, "cut "+tt.cut)
				}
				if tt.victim == "p" {
					// What p asks q comes before it executes its send again.
					schedule = append(schedule, "restart p incarnation 1",
						"deliver p.1->Lp LogFetch", "deliver Lp->p LogData (life 1, 0 entries)",
						"deliver p.1->q Pull (life 1 has ssn 0)")
					if tt.steps > 4 {
						schedule = append(schedule, "deliver q->p Suppress (ssn 1)")
					}
				}
				r := finish(t, w, schedule...)
				life := 0
				if tt.victim == "q" {
					life = 1
				}
				in := func(e trace.Event) bool { return delivered(e) && int(e.Incarnation) == life }
				if got := count(r, q, false, in); got != tt.received {
					t.Errorf("the last life of q receives %d messages, want %d:\n%s", got,
						tt.received, strings.Join(r.Schedule, "\n"))
				}
				left := count(r, p, false, func(e trace.Event) bool {
					return e.Kind == trace.Emitted && isM(e)
				})
				if got := left - 1; got != tt.resent {
					t.Errorf("p sends M again %d times, want %d:\n%s", got, tt.resent,
						strings.Join(r.Schedule, "\n"))
				}
				if got := count(r, q, false, func(e trace.Event) bool {
					return e.Kind == trace.Dropped && isM(e)
				}); got != tt.dropped {
					t.Errorf("q refuses %d copies, want %d", got, tt.dropped)
				}
				erased := slices.IndexFunc(r.Trace.Events, func(e trace.Event) bool {
					return e.Proc == p && pruned(e)
				})
				crashed := slices.IndexFunc(r.Trace.Events, func(e trace.Event) bool {
					return e.Kind == trace.Crashed
				})
				if (erased >= 0 && erased < crashed) != tt.forgotten {
					t.Errorf("p erases M in event %d, the crash is event %d", erased, crashed)
				}
			})
		}
	}
}

// Aim: [RADIC] section 4.1.1, a message whose number the sender has recorded is replayed with it,
// one without is delivered again as new. Method: as above with the steps of Fig. 4.1; the place
// that the last record of p names is looked at.
func TestFigure41(t *testing.T) {
	const p, q = core.Proc(0), core.Proc(1)
	steps := []string{"step p send m to q", "deliver p->q Data m (ssn 1)",
		"step q receive m from p",
		"deliver q->p Order (ssn 1 is rsn 1)", "deliver p->q OrderOk (ssn 1 is rsn 1)"}
	for n := 1; n <= len(steps); n++ {
		t.Run(steps[n-1], func(t *testing.T) {
			w := newWorld(t, pessimistic.SBML, "p: send q m\nq: recv p ordered",
				pessimistic.Options{})
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
