package fuzz_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/protocol/example/subject"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/protocol"
)

// recorder is a test that remembers what went wrong instead of failing.
type recorder struct {
	testing.TB
	errors, logs []string
	artifacts    string
}

func (r *recorder) Name() string { return "TestOfMine/deep" }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatal(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) ArtifactDir() string { return r.artifacts }

// mine is the example, for one message a program at most, so that only random programs show what is
// wrong.
func mine(folder string) fuzz.Trial { return fuzz.Trial{Folder: folder, Runs: 400} }

// TestEntryPoint tests the first attempt of the example: each part that finds something prints it
// with its program and its run and the command that runs it again, and keeps it as a file and as an
// artifact. The next test runs the files first and says that they still fail; the repaired protocol
// passes with the same files.
func TestEntryPoint(t *testing.T) {
	folder := t.TempDir()
	first := &recorder{TB: t, artifacts: t.TempDir()}
	mine(folder).Test(first, subject.Protocol(true))
	all := strings.Join(first.errors, "\n")
	for _, want := range []string{"breaks legal-order: ", "found by exhaustive search\n",
		"-- program --\na: send b m1; send b m2", "the run:\n   1  step a send m1 to b\n",
		"run it again with\n\tgo test -run '^TestOfMine/deep$/^corpus$/^stream-legal-order$' ."} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	files, _ := filepath.Glob(filepath.Join(folder, "TestOfMine_deep", "*.txtar"))
	artifacts, _ := filepath.Glob(filepath.Join(first.artifacts, "*.txtar"))
	if len(files) < 2 || len(files) != len(first.errors) || len(artifacts) != len(files) {
		t.Errorf("%d failures, %d files, %d artifacts", len(first.errors), len(files),
			len(artifacts))
	}
	again := &recorder{TB: t, artifacts: t.TempDir()}
	mine(folder).Test(again, subject.Protocol(true))
	if n := strings.Count(strings.Join(again.errors, "\n"),
		" still breaks legal-order: "); n != len(files) {
		t.Errorf("%d files still fail, want %d", n, len(files))
	}
	repaired := &recorder{TB: t}
	mine(folder).Test(repaired, subject.Protocol(false))
	if len(repaired.errors) > 0 || !strings.Contains(strings.Join(repaired.logs, "\n"), "holds") {
		t.Errorf("the repaired protocol: %v\n%v", repaired.errors, repaired.logs)
	}
}

// TestEntryPointRefuses gives the entry point what it can not use.
func TestEntryPointRefuses(t *testing.T) {
	bad := subject.Protocol(false)
	bad.Shapes.MinRanks = 99
	damaged := mine(t.TempDir())
	if err := os.MkdirAll(filepath.Join(damaged.Folder, "TestOfMine_deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged.Folder, "TestOfMine_deep", "x.txtar"),
		[]byte("nonsense"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, test := range map[string]func(testing.TB){
		"ranks in [99, 99]": func(tb testing.TB) { fuzz.Test(tb, bad) },
		"no section":        func(tb testing.TB) { damaged.Test(tb, subject.Protocol(false)) },
	} {
		r := &recorder{TB: t, artifacts: t.TempDir()}
		func() {
			defer func() { _ = recover() }() // Fatal would have ended the test
			test(r)
		}()
		if len(r.errors) == 0 || !strings.Contains(r.errors[0], want) {
			t.Errorf("errors %v, want %q", r.errors, want)
		}
	}
}

// TestWorkers checks that the number of workers does not show, and that a run in two parts is one
// run: scenarios are independent of each other.
func TestWorkers(t *testing.T) {
	target := targetOf(t, "rbml", "repaired")
	run := func(o fuzz.Options) *fuzz.Result {
		o.Seed = 9
		r, err := fuzz.Run(t.Context(), target, o)
		if err != nil {
			t.Fatal(err)
		}
		r.Elapsed = 0
		return r
	}
	half := effort.Of(40, 200) // whole cases of 40 runs
	one, three := run(fuzz.Options{Runs: 2 * half}), run(fuzz.Options{Runs: 2 * half, Workers: 3})
	if d := cmp.Diff(one, three); d != "" {
		t.Errorf("one worker, three workers:\n%s", d)
	}
	first := run(fuzz.Options{Runs: half})
	second := run(fuzz.Options{Runs: half, First: first.Next})
	if first.Steps+second.Steps != one.Steps || second.Next != one.Next {
		t.Errorf("in two parts %d+%d steps to %d, in one %d to %d", first.Steps, second.Steps,
			second.Next, one.Steps, one.Next)
	}
}

// TestMix reads portfolios and checks that each strategy gets about its share of the runs.
func TestMix(t *testing.T) {
	mix, err := fuzz.ParseMix("pos=3, feedback")
	if d := cmp.Diff([]fuzz.Share{{Strategy: "pos", Weight: 3}, {Strategy: "feedback", Weight: 1}},
		mix); d != "" || err != nil {
		t.Errorf("%v %s", err, d)
	}
	target, err := fuzz.TargetOf(protocol.List{subject.Protocol(false)}, "resend", "repaired")
	if err != nil {
		t.Fatal(err)
	}
	r, err := fuzz.Run(t.Context(), target, fuzz.Options{Seed: 2, Runs: 600})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range fuzz.DefaultMix() {
		y := r.Strategies[i]
		if share := 100 * y.Runs / r.Runs; share < s.Weight-7 || share > s.Weight+7 ||
			y.Strategy != s.Strategy || y.Steps == 0 || y.New == 0 || y.New > y.Runs {
			t.Errorf("%+v of %d runs, want %d %%", y, r.Runs, s.Weight)
		}
	}
}
