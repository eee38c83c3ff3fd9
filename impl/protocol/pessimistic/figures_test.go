package pessimistic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: Figure 2.5, a log ends the domino effect: only the failed rank rolls back, m1 is no orphan,
// m2 is not lost. Method: the run of the figure under each protocol, pn fails behind it; what p2
// and the next life of pn receive.
func TestFigure25(t *testing.T) {
	const pn, p2 = core.Proc(0), core.Proc(1)
	for _, protocol := range []pessimistic.Protocol{pessimistic.SBML, pessimistic.RBML,
		pessimistic.HMPL} {
		t.Run(protocol.String(), func(t *testing.T) {
			w := newWorld(t, protocol,
				"pn: checkpoint; send p2 m1; recv p2\np2: recv pn; send pn m2",
				pessimistic.Options{})
			free := finish(t, w)
			at := slices.IndexFunc(free.Schedule, func(s string) bool {
				return s == "step pn receive m2 from p2"
			})
			r := finish(t, w, append(slices.Clone(free.Schedule[:at+1]), "crash pn")...)
			if got := count(r, p2, true, func(trace.Event) bool { return true }); got != 0 {
				t.Errorf("p2 has rolled back: %d events of a later life", got)
			}
			if got := count(r, p2, false, delivered); got != 1 {
				t.Errorf("p2 receives %d messages, want m1 once:\n%s", got,
					strings.Join(r.Schedule, "\n"))
			}
			if got := count(r, pn, true, delivered); got != 1 {
				t.Errorf("the second life of pn receives %d messages, want m2 once:\n%s", got,
					strings.Join(r.Schedule, "\n"))
			}
		})
	}
}

// Aim: Figure 2.6. P3 loses m3 and m4 with its memory; m5 is sent again and is a duplicate; m6 is
// sent while P3 is down. Method: the run of the figure under HMPL and RBML, one failure; every
// message is received exactly once along the surviving past, and each copy of m5 is dropped.
func TestFigure26(t *testing.T) {
	const p2, p3 = core.Proc(1), core.Proc(2)
	program := "p1: send p3 m4; checkpoint\np2: send p3 m3; checkpoint; recv p3; checkpoint; " +
		"send p3 m6\n" +
		"p3: checkpoint; recv *; recv *; send p2 m5; recv p2"
	for _, protocol := range []pessimistic.Protocol{pessimistic.HMPL, pessimistic.RBML} {
		t.Run(protocol.String(), func(t *testing.T) {
			w := newWorld(t, protocol, program, pessimistic.Options{})
			schedule := []string{"step p3 go on 0", "deliver p3->Lp3 Save (rsn 0)",
				"deliver Lp3->p3 SaveOk (rsn 0)",
				"step p2 send m3 to p3", "step p1 send m4 to p3", "step p2 go on 0",
				"step p1 go on 0",
				"deliver p2->p3 Data m3 (ssn 1)", "step p3 receive m3 from p2",
				"deliver p3->Lp3 LogPut (rsn 1)", "deliver Lp3->p3 LogAck (rsn 1)",
				"deliver p1->p3 Data m4 (ssn 1)", "step p3 receive m4 from p1",
				"deliver p3->Lp3 LogPut (rsn 2)", "deliver Lp3->p3 LogAck (rsn 2)",
				"step p3 send m5 to p2", "deliver p3->p2 Confirm (ssn 1)",
				"deliver p3->p2 Data m5 (ssn 1)", "step p2 receive m5 from p3",
				"step p2 go on 0"}
			if protocol == pessimistic.RBML { // p2 may not send m6 before m5 is stable
				schedule = append(schedule, "deliver p2->Lp2 Save (rsn 0)",
					"deliver p2->Lp2 LogPut (rsn 1)", "deliver Lp2->p2 SaveOk (rsn 0)",
					"deliver Lp2->p2 LogAck (rsn 1)")
			}
			r := finish(t, w, append(schedule, "crash p3", "step p2 send m6 to p3")...)
			var order []core.MsgID
			for _, e := range r.Trace.Events {
				if e.Proc == p3 && e.Incarnation == 1 && delivered(e) {
					order = append(order, e.ID)
				}
			}
			if want := []core.MsgID{{From: 1, Number: 1}, {From: 0, Number: 1},
				{From: 1, Number: 2}}; !slices.Equal(order, want) {
				t.Errorf(
					"the second life of p3 receives %v, want %v: the order of its first life, "+
						"then the delayed message", order, want)
			}
			if got := count(r, p2, false, delivered); got != 1 {
				t.Errorf("p2 receives %d messages, want m5 once", got)
			}
			m5 := core.MsgID{From: 2, Number: 1}
			duplicates := count(r, p2, false, func(e trace.Event) bool {
				return e.Kind == trace.Dropped && e.ID == m5
			})
			sent := count(r, p3, true, func(e trace.Event) bool {
				return e.Kind == trace.Emitted && e.ID == m5
			})
			if duplicates != sent {
				t.Errorf("m5 leaves p3 %d times again, and %d copies are dropped", sent, duplicates)
			}
			if restored := count(r, p2, true, func(trace.Event) bool {
				return true
			}); restored != 0 {
				t.Error("p2 has rolled back")
			}
		})
	}
}

// raced is the run of Figure 4.6 up to the reception of M2 by the wildcard; M1 is logged before.
var raced = []string{"step p1 send m1 to p2", "deliver p1->p2 Data m1 (ssn 1)",
	"step p2 receive m1 from p1", "deliver p2->Lp2 LogPut (rsn 1)",
	"deliver Lp2->p2 LogAck (rsn 1)", "step p1 send m2 to p2", "step p3 send m2x to p2",
	"deliver p1->p2 Data m2 (ssn 2)", "step p2 receive m2 from p1"}

const figure46 = "p1: send p2 m1; send p2 m2\np2: recv p1 ordered; recv * ordered; send p4 m3; " +
	"recv *\np3: send p2 m2x\np4: recv p2 ordered"

// Aim: Figure 4.6. With the wildcard rule M3 can not leave before M2 is logged; without it the
// failure of P2 makes P4 an orphan. Method: the run of the figure; what P2 may do after R2, before
// and after the acknowledgement; then the whole figure without the rule, which a wrapper switches
// off.
func TestFigure46(t *testing.T) {
	const m3 = "step p2 send m3 to p4"
	enabled := func(o pessimistic.Options, protocol pessimistic.Protocol, schedule ...string) bool {
		w := newWorld(t, protocol, figure46, o)
		r, err := w.Replay(schedule)
		if err != nil {
			t.Fatal(err)
		}
		texts, _ := w.Enabled(r.States[len(r.States)-1])
		return slices.Contains(texts, m3)
	}
	logged := append(slices.Clone(raced), "deliver p2->Lp2 LogPut (rsn 2)",
		"deliver Lp2->p2 LogAck (rsn 2)")
	for _, protocol := range []pessimistic.Protocol{pessimistic.HMPL, pessimistic.RBML} {
		if enabled(pessimistic.Options{}, protocol, raced...) {
			t.Errorf("%s: p2 sends m3 before m2 is logged", protocol)
		}
		if !enabled(pessimistic.Options{}, protocol, logged...) {
			t.Errorf("%s: p2 can not send m3 when m2 is logged", protocol)
		}
	}
	w := newWorldWith(t, pessimistic.HMPL, figure46, pessimistic.Options{}, unheld(t))
	r, err := w.Replay(append(slices.Clone(raced), m3, "deliver p2->p4 Data m3 (ssn 1)",
		"step p4 receive m3 from p2", "crash p2", "cut p2->Lp2",
		"restart p2 incarnation 1", "deliver p2.1->Lp2 LogFetch",
		"deliver Lp2->p2 LogData (life 1, 1 entries)", "step p2 receive m1 from p1",
		"deliver p2.1->p3 Pull (life 1 has ssn 0)", "deliver p3->p2 Data m2x (ssn 1)",
		"step p2 receive m2x from p3", m3))
	if err != nil {
		t.Fatal(err)
	}
	if r.Violation == nil || r.Violation.Property != "no-orphan" {
		t.Errorf("without the rule p4 is no orphan: %+v", r.Violation)
	}
}

// unheld switches the wildcard rule off.
func unheld(t *testing.T) func(*core.Setup) *core.Setup {
	list, err := mutate.Parse("test", "unheld: ranks Wait nothing\n\twaits for no wildcard\n"+
		"\tat hmpl hmpl-wildcard\n")
	if err != nil {
		t.Fatal(err)
	}
	return func(s *core.Setup) *core.Setup { return list[0].Wrap(s, new(mutate.Tally)) }
}
