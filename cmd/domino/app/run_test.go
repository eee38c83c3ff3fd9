package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
)

// TestRun runs scenarios as goroutines through the command: an erratum is found, with exit code 1,
// the diagram, who waits for what, and a file that replays in the world and can be enforced on the
// goroutines; the repaired protocol is unknown, exit code 2, although nothing was found.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	code, out, err := domino(t.Context(), "run", "s1", "--variant", "published", "--save", folder)
	if code != 1 || err != "" {
		t.Errorf("exit %d, errors %q", code, err)
	}
	for _, want := range []string{"VIOLATED  terminates", " and waits for a message of ",
		"Steps\n   1  ", "replay: domino replay "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	file := filepath.Join(folder, "s1-published.txtar")
	for _, args := range [][]string{{"replay", file}, {"run", file, "--enforce"},
		{"run", file, "--enforce", "--json"}} {
		if code, out, err := domino(t.Context(), args...); code != 1 ||
			!strings.HasPrefix(err, "still fails: terminates") ||
			!strings.Contains(out, "can not go on") {
			t.Errorf("%v: exit %d, errors %q\n%s", args, code, err, out)
		}
	}
	for _, mode := range []string{"--seed=2", "--parallel", "--real", "--retrace"} {
		code, out, err := domino(t.Context(), "run", "s1", "--runs", "20", mode, "--save=")
		if code != exitSampled || strings.Contains(out, "!") ||
			err != "" || !strings.Contains(out,
			"run as goroutines until 20 runs: no violation, which proves nothing") {
			t.Errorf("%s: exit %d, errors %q\n%s", mode, code, err, out)
		}
	}
	// nothing may have run in the time
	if code, out, _ := domino(t.Context(), "run", "s1", "--for", "10ms",
		"--save="); code != exitSampled && code != exitCode(spec.Unknown) ||
		!strings.Contains(out, "time limit 10ms") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out, _ := domino(t.Context(), "run", "ping", "--runs", "1",
		"--show"); code != exitSampled ||
		!strings.Contains(out, "a and b end") || strings.Contains(out, "!") ||
		!strings.Contains(out, "1 sampled and nothing found") {
		t.Errorf("exit %d\n%s", code, out)
	}
	if code, out, _ := domino(t.Context(), "run", "outside-network", "--variant", "repaired",
		"--failures", "1"); code != 3 || !strings.Contains(out, "reliable channels") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestRunCutShort checks that a run in which a crash falls between two effects of a step can be
// replayed, enforced and minimised. Errata are tried with one seed after another until there is
// such a run.
func TestRunCutShort(t *testing.T) {
	folder := t.TempDir()
	for _, seed := range strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20") {
		for _, args := range [][]string{{"s1", "--variant", "published"},
			{"camel-c5", "--variant", "repaired+C5"}, {"causal-s1", "--variant", "repaired+S1"},
			{"m49", "--variant", "repaired+M49"}} {
			code, _, err := domino(t.Context(),
				append([]string{"run", "--seed", seed, "--save", folder}, args...)...)
			if code != 1 {
				t.Fatalf("%v with seed %s: exit %d, %s", args, seed, code, err)
			}
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), ", stands still after effect ") {
				continue
			}
			for _, args := range [][]string{{"replay", file}, {"run", file, "--enforce"},
				{"minimise", file, "--save="}} {
				if code, out, err := domino(t.Context(), args...); code != 1 {
					t.Errorf("%v: exit %d, %s\n%s\n%s", args, code, err, out, text)
				}
			}
			return
		}
	}
	t.Error("no run has a crash inside a step")
}

// TestRunRepeats checks that one seed gives one output but for times, and another seed another one.
func TestRunRepeats(t *testing.T) {
	output := func(seed string) string {
		_, out, _ := domino(t.Context(), "run", "m23", "m2", "--variant", "repaired", "--seed",
			seed, "--runs", "50", "--save=")
		// masked columns vary in width
		return regexp.MustCompile(`  +`).ReplaceAllString(
			strings.ReplaceAll(mask(out), " TIME", "  TIME"), "  ")
	}
	first := output("7")
	if diff := cmp.Diff(first, output("7")); diff != "" {
		t.Errorf("the same seed (-first +second):\n%s", diff)
	}
	if first == output("8") {
		t.Errorf("another seed gives the same:\n%s", first)
	}
}

// TestRunJSON checks what a program reads.
func TestRunJSON(t *testing.T) {
	code, out, err := domino(t.Context(), "run", "s1", "--variant", "published", "--seed", "3",
		"--json", "--save=")
	var r struct {
		Scenario, Verdict string
		Violation         struct{ Property string }
		Length            int
		Samples           struct {
			Runs, First, Faults int
			Seed                uint64
			Strategy            string
		}
	}
	if e := json.Unmarshal([]byte(out), &r); e != nil || code != 1 || err != "" {
		t.Fatalf("exit %d, %v, errors %q in %s", code, e, err, out)
	}
	if r.Scenario != "s1" || r.Verdict != "violated" || r.Violation.Property == "" ||
		r.Length == 0 || r.Samples.First != r.Samples.Runs || r.Samples.Faults == 0 ||
		r.Samples.Seed != 3 || r.Samples.Strategy != "goroutines" {
		t.Errorf("%+v", r)
	}
}

// TestRunOdd gives input that makes no sense; every answer says what is wrong, with exit code 4.
func TestRunOdd(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	scenario := "Odd\n-- scenario --\nprotocol: hydee\nfailures: 1\n-- program --\na: send b " +
		"x\nb: recv a\n-- schedule --\n"
	stale := write("stale.txtar", scenario+"step a send x to b\ncrash nobody\n")
	short := write("short.txtar", scenario+"step a send x to b\n")
	fine := write("fine.txtar",
		scenario+"step a send x to b\nstep a end\ndeliver a->b App x (date 1 phase 1 round "+
			"0.0)\nstep b receive x from a\nstep b end\n")
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"unknown scenario", []string{"s99"}, 4, `unknown scenario "s99"`},
		{"no runs", []string{"s1", "--runs", "0"}, 4,
			": want "},
		{"negative time", []string{"s1", "--for=-1s"}, 4, "--for -1s: want 0 or more"},
		{"budget", []string{"s1", "--failures", "99"}, 4, `want a number in [0, 15]`},
		{"negative budget", []string{"s1", "--checkpoints=-2"}, 4, `want a number in [0, 15]`},
		{"enforce and draw", []string{short, "--enforce", "--seed", "1"}, 4,
			"--enforce does what the schedule says: it contradicts --seed"},
		{"enforce nothing", []string{"--enforce"}, 4,
			"--enforce wants one replay file, got 0 arguments"},
		{"enforce no schedule", []string{write("none.txtar",
			strings.TrimSuffix(scenario, "-- schedule --\n")), "--enforce"}, 4,
			`has no section "-- schedule --"`},
		{"stale", []string{stale, "--enforce"}, 2, `stale: step 2: "crash nobody" is not possible`},
		{"short", []string{short, "--enforce"}, 2,
			"unknown: the run breaks nothing, but the schedule ends before the run does"},
		{"fine", []string{fine, "--enforce"}, 0, "fixed: the run breaks nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, err := domino(t.Context(), append([]string{"run"}, tt.args...)...)
			if code != tt.code || !strings.Contains(err, tt.want) {
				t.Errorf("exit %d, %q, want %d, %q", code, err, tt.code, tt.want)
			}
		})
	}
}
