package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// Test checks a protocol from go test: it runs the failures of earlier tests again (sub-tests
// corpus/NAME), explores small programs exhaustively (exhaustive/NAME), and draws random scenarios
// (random). -short makes the last two short, -run chooses among them, and they end well before the
// deadline of the test. A failure is made small, printed with its program and its run, and kept as
// a file in the folder of the protocol and in the artifacts of the test, with the command that runs
// it again: commit the file, and it is a regression test.
//
// A pass says: the small programs hold within the bounds that -v prints, and that many random runs
// break nothing.
func Test(tb testing.TB, p protocol.Protocol) {
	tb.Helper()
	Trial{}.Test(tb, p)
}

// Test is the function Test with settings.
func (trial Trial) Test(tb testing.TB, p protocol.Protocol) {
	tb.Helper()
	target, err := trial.target(p)
	if err != nil {
		tb.Fatal(err)
	}
	e := entry{trial: trial, target: target, own: p.Properties, name: tb.Name()}
	e.corpus.Folder = filepath.Join(
		cmp.Or(trial.Folder, filepath.Join("testdata", "domino")), fileName(tb.Name()))
	list, _, err := e.corpus.Load()
	if err != nil {
		tb.Fatal(err)
	}
	if len(list) > 0 {
		sub(tb, "corpus", func(tb testing.TB) {
			tb.Helper()
			for _, s := range list {
				sub(tb, s.Name, func(tb testing.TB) {
					tb.Helper()
					e.again(tb, s)
				})
			}
		})
	}
	sub(tb, "exhaustive", func(tb testing.TB) {
		tb.Helper()
		for _, s := range e.small() {
			if e.misused {
				return // every other program would show it once more
			}
			sub(tb, s.Name, func(tb testing.TB) {
				tb.Helper()
				e.exhaustive(tb, s)
			})
		}
	})
	if !e.misused {
		sub(tb, "random", e.random)
	}
}

// sub is a sub-test where the test can have some.
func sub(tb testing.TB, name string, f func(testing.TB)) {
	tb.Helper()
	if t, ok := tb.(*testing.T); ok {
		t.Run(name, func(t *testing.T) {
			t.Helper()
			f(t)
		})
		return
	}
	f(tb)
}

// entry is what the parts of Test share.
type entry struct {
	trial  Trial
	target Target
	own    []spec.Property // of the author of the protocol
	name   string          // of the whole test
	corpus Corpus
	// a machine or the setup breaks the contract, in whatever program: it is said once
	misused bool
}

// again replays a failure of an earlier test.
func (e *entry) again(tb testing.TB, s *scenarios.Scenario) {
	tb.Helper()
	if len(s.Schedule) == 0 {
		e.exhaustive(tb, s)
		return
	}
	c, err := e.target.Resolve(s)
	if err != nil {
		tb.Fatal(err)
	}
	w, reason, err := world.Open(tb.Context(), Guard(c), openBounds())
	if err != nil || reason != "" {
		tb.Fatalf("%s: %v; out of model: %s", s.File, err, reason)
	}
	w.Attempt(nil, "")
	run, err := w.Replay(s.Schedule)
	switch {
	case run.Violation != nil:
		tb.Errorf("%s still breaks %s: %s\n%s", s.File, run.Violation.Property,
			run.Violation.Message, actions(s, run.Schedule))
	case err != nil:
		tb.Logf("%s: stale: %v; the run can not happen any more, remove the file or check it again",
			s.File, err)
	}
}

// small are programs that can be explored exhaustively.
func (e *entry) small() (list []*scenarios.Scenario) {
	add := func(name, program string) {
		s := e.target.Template
		s.Name, s.Program = name, program
		list = append(list, &s)
	}
	add("message", "a: send b m1\nb: recv a\n")
	add("answer", "a: send b m1; recv b\nb: recv a; send a m2\n")
	add("stream", "a: send b m1; send b m2\nb: recv a; recv a\n")
	add("chain", "a: send b m1\nb: recv a; send c m2\nc: recv b\n")
	if e.target.Shapes.Wildcards {
		add("anyone", "a: send c m1\nb: send c m2\nc: recv *; recv *\n")
	}
	switch e.target.Shapes.Checkpoints {
	case protocol.OwnCheckpoints:
		add("checkpoint", "a: send b m1; checkpoint; recv b\nb: recv a; send a m2\n")
	case protocol.TogetherCheckpoints:
		add("checkpoint", "a: send b m1; checkpoint; recv b\nb: recv a; checkpoint; send a m2\n")
	}
	return list
}

// exhaustiveStates bounds the search of one small program.
const exhaustiveStates = 300_000

// exhaustive explores one program with one failure, then with two.
func (e *entry) exhaustive(tb testing.TB, s *scenarios.Scenario) {
	tb.Helper()
	ctx, cancel := within(tb, 0.8)
	defer cancel()
	for failures := 1; failures <= e.target.Shapes.Crashes(); failures++ {
		s := *s
		s.Model = fault.Model{Failures: failures}
		c, err := e.target.Resolve(&s)
		if err != nil {
			tb.Skipf("the protocol does not take the program: %v", err)
		}
		before := s.Model
		fit(&s.Model, c.Setup)
		if c.Model = s.Model; failures > 1 && s.Model.Failures < before.Failures {
			return // it promises to survive no more
		}
		o := checker.Options{MaxStates: exhaustiveStates}
		if testing.Short() {
			o.MaxStates /= 20
		}
		out, err := world.Check(ctx, Guard(c), o)
		if err != nil {
			e.misused = true
			tb.Fatal(err)
		}
		if out.Verdict == spec.Violated && len(out.Runs) > 0 {
			v := out.Found[0]
			s.Name, s.Expect, s.Breaks, s.Schedule = s.Name+"-"+v.Property, "violated", v.Property,
				out.Runs[0].Schedule
			e.fail(tb, &Failure{Property: v.Property, Message: v.Message, Scenario: &s,
				Strategy: "exhaustive search"})
			return
		}
		tb.Logf("%d failures: %s, %d states %s", failures, out.Verdict, out.States, out.Reason)
		if testing.Short() || out.Verdict != spec.Holds {
			return
		}
	}
}

// within is a context that ends when the given part of the time to the deadline of the test has
// passed.
func within(tb testing.TB, part float64) (context.Context, context.CancelFunc) {
	if t, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, some := t.Deadline(); some {
			return context.WithTimeout(tb.Context(), time.Duration(part*float64(time.Until(end))))
		}
	}
	return context.WithCancel(tb.Context())
}

// random draws scenarios.
func (e *entry) random(tb testing.TB) {
	tb.Helper()
	ctx, cancel := within(tb, 0.5)
	defer cancel()
	o := Options{Seed: e.trial.Seed, Runs: cmp.Or(e.trial.Runs, 4000)}
	if testing.Short() {
		o.Runs = max(1, o.Runs/10)
	}
	r, err := Run(ctx, e.target, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Logf("%d runs of %d scenarios, %d refused, %d out of model, %d too large, in %v", r.Runs,
		r.Cases, r.Refused, r.OutOfModel, r.TooLarge, r.Elapsed.Round(time.Millisecond))
	for i := range r.Failures {
		e.fail(tb, &r.Failures[i])
	}
}

// fail prints a failure and keeps it.
func (e *entry) fail(tb testing.TB, f *Failure) {
	tb.Helper()
	e.misused = e.misused || !slices.ContainsFunc(slices.Concat(spec.Properties(), e.own),
		func(p spec.Property) bool { return p.Name == f.Property })
	f.Scenario.Name = fileName(strings.TrimPrefix(f.Scenario.Name, "fuzz-"))
	again := "the file was not written"
	file, err := e.corpus.Add(f.Scenario)
	if err == nil {
		again = fmt.Sprintf(
			"kept in %s; in this folder, run it again with\n\tgo test -run '^%s$/^corpus$/^%s$' .",
			file, e.name, f.Scenario.Name)
	} else {
		again += ": " + err.Error()
	}
	if err := os.WriteFile(filepath.Join(tb.ArtifactDir(), f.Scenario.Name+".txtar"),
		scenarios.Format(f.Scenario), 0o644); err != nil {
		again += "\nno artifact: " + err.Error()
	}
	tb.Errorf("breaks %s: %s\nfound by %s\n%s%s", f.Property, f.Message, f.Strategy,
		actions(f.Scenario, f.Scenario.Schedule), again)
}

// actions are a scenario and a run of it for a reader.
func actions(s *scenarios.Scenario, schedule []string) string {
	var b strings.Builder
	c := *s
	c.Schedule, c.Title = nil, ""
	b.WriteString(strings.TrimLeft(string(scenarios.Format(&c)), "\n"))
	b.WriteString("the run:\n")
	for i, event := range schedule {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, event)
	}
	return b.String()
}

// fileName is a name without what files must not have.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' &&
			r <= 'z' {
			return r
		}
		return '_'
	}, name)
}
