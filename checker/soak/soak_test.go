package soak_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// ofRuns is a number of runs: as given in a long test.
func ofRuns(n int) int {
	few := max(2, n/5)
	if underRace && !effort.Huge() {
		return few
	}
	return effort.Cases(few, n)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// load is a scenario of the binary as a case, in another variant if one is named.
func load(t *testing.T, name, variant string) (*scenarios.Scenario, world.Case) {
	t.Helper()
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Name == name {
			if variant != "" {
				s.Variant = variant
			}
			return s, resolve(t, s)
		}
	}
	t.Fatalf("no scenario %s", name)
	return nil, world.Case{}
}

func resolve(t *testing.T, s *scenarios.Scenario) world.Case {
	t.Helper()
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	return world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model, Force: s.Force}
}

// TestScenariosHold runs every scenario whose protocol is repaired, one goroutine at a time and in
// parallel, with random failures within its budgets: no run breaks anything, and every run repeats
// in the world, step by step, to the same end. All protocols must have come up, and those that
// survive failures must have had some: when it has, the short form takes each tenth scenario.
func TestScenariosHold(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	failures, count, left := map[string]int{}, map[string]int{}, 0
	for i, s := range list {
		if s.Expect == "violated" {
			continue
		}
		if i%20 > 0 && failures[s.Protocol] > 0 && !effort.Long() {
			left++
			continue
		}
		c := resolve(t, s)
		for _, parallel := range []bool{false, true} {
			out, err := soak.Soak(t.Context(), c,
				soak.Options{Runs: ofRuns(3), Seed: 1, Parallel: parallel, Retrace: true})
			switch {
			case err != nil:
				t.Errorf("%s, parallel %t: %v", s.Name, parallel, err)
			case out.Found != nil:
				t.Errorf(
					"%s, parallel %t: run %d breaks %+v (in the world: %v)\nplan "+
						"%+v\nschedule:\n%s",
					s.Name, parallel, out.Found.Number,
					out.Found.Violation, out.Found.Stale, out.Found.Plan,
					strings.Join(out.Found.Local.Schedule, "\n"))
			case out.Verdict == spec.Unknown && out.Cut > 0:
				t.Errorf("%s, parallel %t: %d runs did not come to an end", s.Name, parallel,
					out.Cut)
			}
			if out != nil {
				failures[s.Protocol] += out.Failures
				count[s.Protocol] += out.Runs
			}
		}
	}
	t.Logf("runs %v\nfailures %v", count, failures)
	if left > 0 {
		t.Logf("%d scenarios are left out, all %s", left, effort.More)
	}
	for _, p := range all.Protocols() {
		survives := p.Errata != nil
		if count[p.Name] == 0 && p.Name != "none" || survives && failures[p.Name] == 0 {
			t.Errorf("%s: %d runs with %d failures", p.Name, count[p.Name], failures[p.Name])
		}
	}
}

// quick are scenarios, at least one of each protocol: few runs show their erratum, or what the
// published or broken variant does wrong. The properties are those that the shortest counterexample
// breaks, where runs that are found first break the same.
var quick = []struct{ scenario, breaks string }{
	{"h5", "terminates"}, {"h9-twice", ""}, {"h20-log", ""}, {"h12-dates", ""}, {"published", ""},
	{"causal-s1", "terminates"}, {"causal-s8", "prune-safe"}, {"camel-c1", "terminates"},
	{"camel-c9a", "log-minimal"}, {"camel-published", "log-available"},
	{"m7a", "prune-safe"}, {"m14", "legal-order"}, {"m14-rbml", "legal-order"},
	{"m11a", "prune-safe"},
	{"m26", "spare-once"}, {"m27", ""}, {"m28", ""}, {"m29", "hosted-somewhere"},
	{"m31", "kept-elsewhere"}, {"m33-hmpl", ""}, {"m34", "one-host"},
	{"paxos-stale", "linearizable"}, {"two-phase-hasty", "agreement"},
}

// TestErrataAreFound checks that a soak can fail: each of these errata is found, the run that shows
// it breaks the same property in the world, and when its schedule is enforced on the goroutines it
// breaks it again.
func TestErrataAreFound(t *testing.T) {
	for _, tt := range quick {
		t.Run(tt.scenario, func(t *testing.T) {
			s, _ := load(t, tt.scenario, "")
			if s.Erratum != "" {
				s.Variant = "repaired+" + s.Erratum
			}
			c := resolve(t, s)
			out, err := soak.Soak(t.Context(), c, soak.Options{Runs: 2000, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			f := out.Found
			if f == nil || out.Verdict != spec.Violated {
				t.Fatalf("%v: %s", out.Verdict, out.Reason)
			}
			t.Logf("run %d, %d steps: %s: %s", f.Number, len(f.Local.Schedule),
				f.Violation.Property, f.Violation.Message)
			if f.Stale != nil {
				t.Error(f.Stale)
			}
			if tt.breaks != "" && tt.breaks != f.Violation.Property {
				t.Errorf("breaks %s, want %s", f.Violation.Property, tt.breaks)
			}
			enforced(t, c, out.World, f.Run)
		})
	}
}

// enforced enforces a run of the world that breaks a property on the goroutines, and judges what
// they do.
func enforced(t *testing.T, c world.Case, w *world.World, run *world.Run) {
	t.Helper()
	r, err := local.Run(t.Context(), c.Setup, local.Config{Model: c.Model, Schedule: run.Schedule})
	if err != nil {
		t.Fatalf("%v\nschedule:\n%s", err, strings.Join(run.Schedule, "\n"))
	}
	if diff := cmp.Diff(run.Trace.Events, r.Trace.Events,
		cmpopts.IgnoreUnexported(trace.MsgID{}, trace.Stamp{})); diff != "" {
		t.Errorf("events (-world +goroutines):\n%s", diff)
	}
	j, err := soak.NewJudge(w.Facts)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := j.Run(r); err != nil || v == nil && !between(run.Violation.Property) || v != nil &&
		v.Property != run.Violation.Property {
		t.Errorf("goroutines break %+v, the world %+v", v, run.Violation)
	}
}

// between reports whether a property relates several runs, so that one alone does not break it.
func between(property string) bool {
	for _, p := range spec.Properties() {
		if p.Name == property {
			return p.Kind == spec.Pair
		}
	}
	return false
}

// TestCounterexamplesAreEnforced takes the shortest counterexamples that a search finds in the
// world for errata of every protocol: enforced on the goroutines, each breaks the same property.
func TestCounterexamplesAreEnforced(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	done, want := 0, 40
	if !effort.Long() || underRace {
		want = effort.Of(4, 8)
	}
	for _, s := range list {
		if s.Erratum == "" || done == want {
			continue
		}
		s.Variant = "repaired+" + s.Erratum
		c := resolve(t, s)
		out, err := world.Check(t.Context(), c,
			checker.Options{Order: checker.BreadthFirst, MaxStates: 2000})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Runs) == 0 {
			continue // too large for a test
		}
		done++
		t.Run(s.Name, func(t *testing.T) { enforced(t, c, out.World, out.Runs[0]) })
	}
	if done < want {
		t.Errorf("%d counterexamples, want %d", done, want)
	}
}

// TestSameSeedSameRuns checks that a soak of one goroutine at a time can be repeated.
func TestSameSeedSameRuns(t *testing.T) {
	_, c := load(t, "m23", "repaired+M23")
	var first string
	for range 2 {
		out, err := soak.Soak(t.Context(), c, soak.Options{Runs: 500, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(out.Runs, out.Steps, out.Failures, out.Found.Violation, out.Found.Plan,
			strings.Join(out.Found.Local.Schedule, "\n"))
		if first == "" {
			first = got
		} else if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("second soak (-first +second):\n%s", diff)
		}
	}
}

// TestVerdicts gives questions that are not answered by a violation.
func TestVerdicts(t *testing.T) {
	_, outside := load(t, "outside-network", "")
	_, fine := load(t, "ping", "")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		c       world.Case
		verdict spec.Verdict
		reason  string
	}{
		{"out of model", t.Context(), outside, spec.OutOfModel,
			"the protocol needs reliable channels"},
		{"fine", t.Context(), fine, spec.Unknown,
			"run as goroutines until 5 runs: no violation, which proves nothing"},
		{"cancelled", cancelled, fine, spec.Unknown, "interrupted"},
		{"no time", t.Context(), fine, spec.Unknown,
			"failure-free behaviour of the program: exploration ended early"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := soak.Soak(tt.ctx, tt.c,
				soak.Options{Runs: 5, MaxTime: map[string]time.Duration{"no time": 1}[tt.name]})
			if err != nil {
				t.Fatal(err)
			}
			if out.Verdict != tt.verdict || !strings.HasPrefix(out.Reason, tt.reason) {
				t.Errorf("%v: %s", out.Verdict, out.Reason)
			}
		})
	}
}

// TestRunsThatDiffer checks that runs are compared with each other: a program whose send depends on
// the order of two receptions, over a protocol that needs it not to, and a judge who does not know
// the failure-free behaviour. No run alone breaks anything.
func TestRunsThatDiffer(t *testing.T) {
	s, err := scenarios.Parse("race.txtar", []byte(
		"Race\n-- scenario --\nprotocol: hydee\n-- program --\na: send c x\nb: send c y\nc: recv "+
			"* ordered; recv *; send d z\nd: recv c\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := resolve(t, s)
	c.Baseline = nil
	out, err := soak.Soak(t.Context(), c, soak.Options{Runs: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f := out.Found; f == nil || f.Violation.Property != spec.SendDeterminism.Name ||
		f.Number < 2 || f.Stale != nil {
		t.Errorf("%v, %+v", out.Verdict, f)
	}
}
