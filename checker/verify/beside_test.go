package verify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// TestRepaired holds the first difference to the repaired protocol against a comparison that runs
// both from the start for every length of the schedule and writes all that it sees as one text.
// That of H10 is known from reading: the frontier differs behind step 26, which is the notice that
// it lets pass.
func TestRepaired(t *testing.T) {
	for _, tt := range []struct {
		scenario, erratum string
		same, of          int // 0: whatever the other comparison says
	}{{"hydee/h10", "H10", 25, 28}, {"hydee/h3-lost", "", 0, 0}, {"hydee/h13-early", "", 0, 0},
		{"hydee/h14", "", 0, 0}, {"manetho/*", "", 0, 0}} {
		for _, e := range errata(t, tt.scenario) {
			t.Run(e.Name, func(t *testing.T) {
				if strings.HasPrefix(tt.scenario, "hydee/") && tt.of == 0 {
					effort.Seconds(t)
				}
				e.Variant, e.Expect, e.Force = "repaired+"+e.Erratum, "violated", true
				a, err := verify.Check(context.Background(), all.Protocols(), e,
					verify.Options{Order: checker.BreadthFirst})
				if err != nil {
					t.Fatal(err)
				}
				if len(a.Outcome.Runs) == 0 {
					t.Fatalf("%s: %s", a.Verdict, a.Why)
				}
				run := a.Outcome.Runs[0]
				b, err := verify.Repaired(context.Background(), all.Protocols(), e,
					a.Outcome.World, run)
				if err != nil {
					t.Fatal(err)
				}
				if want := agreement(t, a.Scenario, b.Scenario, run.Schedule); b.Same != want {
					t.Errorf("the first %d of %d steps are the same, want %d", b.Same,
						len(run.Schedule), want)
				}
				if tt.of != 0 && (b.Same != tt.same || len(run.Schedule) != tt.of) {
					t.Errorf("the first %d of %d steps are the same, want %d of %d", b.Same,
						len(run.Schedule), tt.same, tt.of)
				}
			})
		}
	}
}

// TestRepairedOutside: what the repaired protocol would not take on is said, and why. By reading:
// the program of H16 is not send-deterministic, M25 fails two at a time, H10 is in the model.
func TestRepairedOutside(t *testing.T) {
	for _, tt := range []struct{ scenario, outside string }{
		{"hydee/h10", ""}, {"hydee/h16", "not send-deterministic"},
		{"sbml/m25", "1 failure at a time"},
	} {
		e := errata(t, tt.scenario)[0]
		e.Variant, e.Expect, e.Force = "repaired+"+e.Erratum, "violated", true
		a, err := verify.Check(t.Context(), all.Protocols(), e, verify.Options{})
		if err != nil || len(a.Outcome.Runs) == 0 {
			t.Fatalf("%s: %v", tt.scenario, err)
		}
		b, err := verify.Repaired(t.Context(), all.Protocols(), e, a.Outcome.World,
			a.Outcome.Runs[0])
		if err != nil {
			t.Fatal(err)
		}
		if (b.Outside == "") != (tt.outside == "") || !strings.Contains(b.Outside, tt.outside) {
			t.Errorf("%s is outside because %q, want %q", tt.scenario, b.Outside, tt.outside)
		}
	}
}

// errata are the scenarios of a pattern that show an erratum, not more than three.
func errata(t *testing.T, pattern string) (list []*scenarios.Scenario) {
	t.Helper()
	embedded, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	found, err := scenarios.Named(embedded, pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range found {
		if s.Erratum != "" && len(list) < 3 {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no scenario %s shows an erratum", pattern)
	}
	return list
}

// agreement is how long a schedule is the same in two variants.
func agreement(t *testing.T, a, b *scenarios.Scenario, schedule []string) int {
	t.Helper()
	for n := 1; n <= len(schedule); n++ {
		x, y := told(t, a, schedule[:n]), told(t, b, schedule[:n])
		if x == "" || x != y {
			return n - 1
		}
	}
	return len(schedule)
}

// told runs a schedule in a new world and writes down the events and the states, "" if it can not
// be run.
func told(t *testing.T, s *scenarios.Scenario, schedule []string) string {
	t.Helper()
	c := *s
	c.Force = true
	r, err := verify.Resolve(all.Protocols(), &c)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := world.Open(context.Background(), r.Case, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := w.Replay(schedule)
	if err != nil {
		return ""
	}
	var text strings.Builder
	for _, e := range run.Trace.Events {
		if e.Step > 0 {
			fmt.Fprintln(&text, e)
		}
	}
	for p := range r.Setup.Layout.Names {
		fmt.Fprintf(&text, "%s\n", w.LocalJSON(run.States[len(run.States)-1], core.Proc(p)))
	}
	return text.String()
}

// TestUndisturbed: a run without failures receives at each rank what the given run has received
// there; of two orders that are possible it takes that one. Worked out by hand: b receives from
// anybody, and in each of the two schedules the other message first.
func TestUndisturbed(t *testing.T) {
	for _, first := range []string{"a", "c"} {
		second := map[string]string{"a": "c", "c": "a"}[first]
		s, err := scenarios.Parse("two.txtar", []byte("Two\n-- scenario --\nprotocol: none\n"+
			"-- program --\na: send b m1\nb: recv *; recv *\nc: send b m1\n"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := verify.Resolve(all.Protocols(), s)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := world.Open(context.Background(), r.Case, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		order := func(run *world.Run) (list []string) {
			for _, e := range run.Trace.Events {
				if e.Kind == trace.Delivered {
					list = append(list, run.Trace.Layout.Name(e.Peer))
				}
			}
			return list
		}
		var schedule []string
		for _, prefix := range []string{"step " + first + " send", "deliver " + first,
			"step b receive"} {
			run, err := w.Replay(schedule)
			if err != nil {
				t.Fatal(err)
			}
			names, _ := w.Enabled(run.States[len(run.States)-1])
			i := slices.IndexFunc(names, func(name string) bool {
				return strings.HasPrefix(name, prefix)
			})
			if i < 0 {
				t.Fatalf("nothing begins with %q: %q", prefix, names)
			}
			schedule = append(schedule, names[i])
		}
		run := w.Attempt(schedule, "")
		if got := order(run); len(got) != 2 || got[0] != first {
			t.Fatalf("the given run receives from %q", got)
		}
		calm, err := verify.Undisturbed(all.Protocols(), s, w, run)
		if err != nil || calm == nil {
			t.Fatal(calm, err)
		}
		if got := order(calm.Run); len(got) != 2 || got[0] != first || got[1] != second {
			t.Errorf("it receives from %q, the given run from %s first", got, first)
		}
	}
}
