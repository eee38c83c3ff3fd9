package enforce

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// doubled is the counterexample of H1: x arrives at b a second time, behind a crash of a.
const doubled = `The orphan test reads the wrong entry
-- scenario --
protocol: hydee
variant: repaired+H1
clusters: a | b
failures: 1
force: yes
expect: violated
breaks: exactly-once
-- program --
a: send b x; send b y
b: recv a; recv a
`

// counterexample finds the run that breaks it.
func counterexample(t *testing.T) (*world.World, *world.Run) {
	t.Helper()
	c, err := verify.NewCatalogue(all.Protocols()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse("doubled.txtar", []byte(doubled))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := world.Open(t.Context(), r.Case, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.Search(t.Context(), checker.Options{})
	if err != nil || len(out.Found) == 0 {
		t.Fatalf("%d counterexamples, %v", len(out.Found), err)
	}
	run, err := w.Follow(out.Found[0].Path)
	if err != nil || run.Violation == nil {
		t.Fatalf("the path breaks nothing: %v", err)
	}
	return w, run
}

// TestJudge judges what processes might leave of a course: only all of it, with the same evidence
// and the same property broken, is a counterexample that was enforced.
func TestJudge(t *testing.T) {
	w, run := counterexample(t)
	whole := run.Trace.Events
	last := slices.IndexFunc(whole, func(e trace.Event) bool { return e.Kind == trace.Delivered })
	tests := []struct {
		name   string
		change func(o *Outcome)
		want   Verdict
		reason string
	}{
		{"all", func(*Outcome) {}, Broken, "by the evidence"},
		{"a move less", func(o *Outcome) { o.Moves-- }, Stuck, "because"},
		{"an event less", func(o *Outcome) {
			o.Result.Trace.Events = slices.Delete(slices.Clone(whole), last, last+1)
		}, Differs, "want incarnation 0: "},
		{"another event", func(o *Outcome) {
			o.Result.Trace.Events = slices.Clone(whole)
			o.Result.Trace.Events[last].Incarnation = 7
		}, Differs, "got incarnation 7: "},
		{"a panic", func(o *Outcome) { o.Result.Panic = "oh" }, Otherwise, "got no-panic: oh"},
		{"nothing wanted", func(o *Outcome) { o.Want = nil }, Otherwise,
			"want nothing broken, got"},
		{"something else wanted", func(o *Outcome) {
			o.Want = &spec.Violation{Property: "terminates", Message: "it does not"}
		}, Otherwise, "want terminates: it does not, got exactly-once"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, reason := Course(w, run)
			if reason != "" || len(c.Moves) != len(run.Schedule) {
				t.Fatalf("%d moves of %d steps: %s", len(c.Moves), len(run.Schedule), reason)
			}
			tr := run.Trace
			o := &Outcome{Moves: len(c.Moves), Of: len(c.Moves), Want: run.Violation,
				Result: &cluster.Result{Trace: tr, Unmade: "because",
					Processes: &processes.Run{Layout: &tr.Layout}}}
			tt.change(o)
			if err := o.judge(w, run, c, nil); err != nil {
				t.Fatal(err)
			}
			if o.Verdict != tt.want || !strings.Contains(o.Reason, tt.reason) {
				t.Errorf("got %s: %s, want %s: %s", o.Verdict, o.Reason, tt.want, tt.reason)
			}
		})
	}
}

// TestCourse looks at what moves are made of: one a step, the crash of its procs with what becomes
// of their writes, and a digest of each message and state.
func TestCourse(t *testing.T) {
	w, run := counterexample(t)
	c, _ := Course(w, run)
	counts := map[course.What]int{}
	for i, m := range c.Moves {
		counts[m.What]++
		if m.Text != run.Schedule[i] || m.Why != "" || (m.State == 0) != (m.What == course.Crash) ||
			(m.Message != 0) != (m.What == course.Deliver) {
			t.Errorf("move %d: %+v", i+1, m)
		}
		if m.What == course.Crash && (!slices.Equal(m.Procs, []trace.Proc{0}) ||
			!slices.Equal(m.Kept, []int{0}) || len(m.Groups) != 1) {
			t.Errorf("the crash of a: %+v", m)
		}
	}
	if counts[course.Crash] != 1 || counts[course.Restart] != 1 || counts[course.Deliver] < 3 ||
		len(c.Begin) != 3 {
		t.Errorf("%v, %d begin", counts, len(c.Begin))
	}
}
