package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/fuzz"
)

// printedFuzz is what fuzz prints as JSON.
type printedFuzz struct {
	fuzz.Result
	Verdict string
	Files   []string
}

// fuzzOnce runs the command with JSON and returns what it printed.
func fuzzOnce(t *testing.T, want int, args ...string) (r printedFuzz) {
	t.Helper()
	code, out,
		errors := domino(t.Context(), append(
		[]string{"fuzz", "--json", "--for", "0", "--workers", "2"}, args...)...)
	if code != want {
		t.Fatalf("%v: exit %d, want %d: %s", args, code, want, errors)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return r
}

// TestFuzzCorpus finds an erratum, keeps the failure, and finds it again first; the file replays.
// With the repaired protocol the same corpus is run and holds, then drawing goes on, and on, where
// it ended: the runs in two parts are those of one.
func TestFuzzCorpus(t *testing.T) {
	folder := t.TempDir()
	runs := effort.Of(60, 400)
	at := []string{"hydee", "--corpus", folder, "--runs", strconv.Itoa(runs)}
	r := fuzzOnce(t, 1, append(at, "--variant", "repaired+H1")...)
	if len(r.Failures) != 1 || len(r.Files) != 1 || r.Failures[0].Property != "exactly-once" {
		t.Fatalf("%+v", r)
	}
	code, out, errors := domino(t.Context(), "replay", r.Files[0])
	if code != 1 || !strings.HasPrefix(errors, "still fails: exactly-once") ||
		!strings.Contains(out, "VIOLATED  exactly-once") {
		t.Errorf("replay: exit %d, %s", code, errors)
	}
	if code, _, _ := domino(t.Context(), "check", r.Files[0], "--save="); code != 0 {
		t.Errorf("check of the file: exit %d, want 0: it expects what it shows", code)
	}
	again := fuzzOnce(t, 1, append(at, "--variant", "repaired+H1")...)
	if again.Corpus != 1 || again.Cases != 0 || len(again.Failures) != 1 ||
		again.Failures[0].Strategy != "corpus" || again.Files[0] != r.Files[0] {
		t.Errorf("the corpus does not come first: %+v", again)
	}
	first := fuzzOnce(t, exitSampled, at...)
	second := fuzzOnce(t, exitSampled, at...)
	if first.Corpus != 1 || len(first.Failures) != 0 || second.Next <= first.Next {
		t.Errorf("repaired: %+v then %+v", first, second)
	}
	whole := fuzzOnce(t, exitSampled, "hydee", "--corpus", "", "--runs", strconv.Itoa(2*runs))
	if got := first.Cases + second.Cases; got < whole.Cases-3 ||
		first.Next+uint64(second.Cases) > whole.Next+3 {
		t.Errorf("%d scenarios in two parts, %d in one", got, whole.Cases)
	}
	fresh := fuzzOnce(t, exitSampled, append(at, "--fresh")...)
	if fresh.Next != first.Next || fresh.Steps != first.Steps {
		t.Errorf("--fresh draws other scenarios: %d steps to %d, had %d to %d", fresh.Steps,
			fresh.Next, first.Steps, first.Next)
	}
}

// TestFuzzText checks what is printed, and that several protocols are fuzzed one after another.
func TestFuzzText(t *testing.T) {
	code, out, errors := domino(t.Context(), "fuzz", "rbml", "sbml", "--runs", "100", "--for", "0",
		"--corpus=", "--mix", "pos=3,feedback", "--seed", "4")
	for _, want := range []string{"rbml (repaired), seed 4: unknown; 1",
		"sbml (repaired), seed 4: unknown; 1", "  strategy ", "  pos ", "  feedback "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if code != exitSampled || errors != "" || strings.Contains(out, "urw") {
		t.Errorf("exit %d, errors %q", code, errors)
	}
	code, out, _ = domino(t.Context(), "fuzz", "rbml", "--variant", "repaired+M16", "--runs", "100",
		"--for", "0", "--corpus=")
	if code != 1 || !strings.Contains(out, "failure 1: recoverable, found by ") ||
		!strings.Contains(out, "VIOLATED  recoverable") ||
		!strings.Contains(out, "domino fuzz rbml --variant repaired+M16 --seed 1 --fresh") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestFuzzInterrupted ends drawing from outside: what was drawn is kept, and the answer is unknown.
func TestFuzzInterrupted(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, errors := domino(ctx, "fuzz", "hydee", "--corpus", folder); code != 2 {
		t.Errorf("exit %d: %s", code, errors)
	}
	if code, out, _ := domino(t.Context(), "fuzz", "hydee", "--corpus", folder, "--for", "0",
		"--runs", "60", "--json"); code != exitSampled {
		t.Errorf("exit %d\n%s", code, out)
	}
	if _, state, err := (fuzz.Corpus{Folder: filepath.Join(folder, "hydee")}).Load(); err != nil ||
		state.Next == 0 || state.Seed != 1 {
		t.Errorf("state %+v, %v", state, err)
	}
}

// TestFuzzBadInput gives the command what it can not use: it says so, and what it would take, with
// exit code 4.
func TestFuzzBadInput(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		in := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Join(in, "hydee"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(in, "hydee",
			map[bool]string{true: "state.json", false: "x.txtar"}[name == "state"]), []byte(text),
			0o644); err != nil {
			t.Fatal(err)
		}
		return in
	}
	tests := []struct {
		name, want string
		args       []string
	}{
		{"protocol", `unknown protocol "hidee", did you mean "hydee"?`, []string{"hidee"}},
		{"no programs", "protocol paxos takes no programs", []string{"paxos"}},
		{"strategy", `unknown strategy "po", did you mean "pos"?`, []string{"--mix", "po=1"}},
		{"share", `weight "0", want a number in [1, 1000]`, []string{"--mix", "pos=0"}},
		{"twice", "strategy pos is given twice", []string{"--mix", "pos,pos"}},
		{"property", `unknown property "terminate", did you mean "terminates"?`,
			[]string{"--ignore", "terminate"}},
		{"variant", `unknown erratum "H99"`, []string{"hydee", "--variant", "repaired+H99"}},
		{"limit", "--runs -1: want 0 or more", []string{"--runs", "-1"}},
		{"corpus", "no section", []string{"hydee", "--corpus", write("bad", "nonsense")}},
		{"state", "state.json: invalid character",
			[]string{"hydee", "--corpus", write("state", "{x")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errors := domino(t.Context(),
				append([]string{"fuzz", "--runs", "50"}, tt.args...)...)
			if code != 4 || !strings.Contains(errors, tt.want) {
				t.Errorf("exit %d, errors %q, want %q", code, errors, tt.want)
			}
		})
	}
}
