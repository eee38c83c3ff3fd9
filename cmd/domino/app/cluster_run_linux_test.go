package app

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/spec"
)

// TestClusterOwnProperty breaks a property that the author of the protocol brings: runs of many
// processes are judged by it, too.
func TestClusterOwnProperty(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())   // where the run that is not fine stays
	p, err := all.Protocols().Find("hydee")
	if err != nil {
		t.Fatal(err)
	}
	mine := *p
	mine.Properties = []spec.Property{{Name: "own-final", Kind: spec.Final, Doc: "no run ends",
		End: func(*spec.Facts, spec.View) string { return "it ends" }}}
	for _, args := range [][]string{{"cluster", "run", "ring3"},
		{"cluster", "torture", "ring3", "--for", "5s", "--seed", "1"}} {
		t.Chdir(t.TempDir())
		var o, e bytes.Buffer
		code := start(t.Context(), args, streams{out: &o, err: &e}, mine)
		if code != 1 || !strings.Contains(o.String()+e.String(), "own-final: it ends") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, o.String(), e.String())
		}
	}
}

// TestClusterRun kills a rank of a kernel as a user would: the text names the failure, the rollback
// and the verdict, and the folder goes; then the same in JSON.
func TestClusterRun(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	args := []string{"cluster", "run", "--kernel", "heat ranks=4 n=8 iterations=6 checkpoint=2",
		"--protocol", "hydee", "--clusters", "r0 r1 | r2 r3", "--kill", "r2@20"}
	code, out, errors := domino(t.Context(), args...)
	if code != 0 || errors != "" {
		t.Fatalf("exit code %d, %s\n%s", code, errors, out)
	}
	for _, line := range []string{`failure 1: r2 r3 at .* reaped after .* told after`,
		`  r2 rolls back by \d+ sends and \d+ deliveries: .* caught up \d`,
		`digests: as in the failure-free run`, `fine: this run breaks nothing`} {
		if !regexp.MustCompile(line).MatchString(out) {
			t.Errorf("no line %q in\n%s", line, out)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if !effort.Long() {
		t.Log("in JSON, which other tests read: " + effort.More)
		return
	}
	_, out, _ = domino(t.Context(), "cluster", "run", "ring3", "--json")
	var parsed struct {
		Verdict string
		Digests []string
	}
	if err := json.Unmarshal([]byte(out), &parsed); err != nil || parsed.Verdict != "fine" ||
		len(parsed.Digests) != 3 {
		t.Errorf("%+v %v in %s", parsed, err, out)
	}
}

// TestClusterRunErrors gives cluster run what it must refuse before any process starts.
func TestClusterRunErrors(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the guard is this program
	t.Setenv("TMPDIR", t.TempDir())
	for _, tt := range []struct{ args, want string }{
		{"run", "want one scenario or a --kernel"},
		{"run ring3 ring4", "got 2"},
		{"run nothing", `unknown scenario "nothing"`},
		{"run ring3 --kill z@1", `there is no proc "z"`},
		{"run ring3 --kill a", "want PROC@MOMENT"},
		{"run ring3 --kill a@z:3", `no proc "z"`},
		{"run ring3 --kill a@-3", "number of effects"},
		{"run ring3 --timeout 0s", "cluster run: --timeout 0s: want more than 0"},
		{"run ring3 --stop a", "want PROC@MOMENT"},
		{"run ring3 --stop z@1", `there is no proc "z"`},
		{"run ring3 --stop a@1+x", "no time to be stopped"},
		{"run ring3 --stop a@1+-1s", "no time to be stopped"},
		{"run ring3 --stop a@b", "number of effects"},
		{"run ring3 --stop a@z:1", `no proc "z"`},
		{"run ring3 --stop a@-1ms", "negative"},
		{"run ring3 --silence -1s", "--silence -1s: want 0 or more"},
		{"run ring3 --silence 1ms", "want at least"},
		{"run ring3 --protocol hydra", `did you mean "hydee"`},
		{"run ring3 --address 1:2:3", "too many colons"},
		{"run --kernel bt", "no number of ranks"},
		{"run ring3 --child-of-domino", "no instructions"},
	} {
		code, _, errors := domino(t.Context(),
			append([]string{"cluster"}, strings.Fields(tt.args)...)...)
		if code != exitUsage || !strings.Contains(errors, tt.want) {
			t.Errorf("%s: exit code %d, %q, want %q", tt.args, code, errors, tt.want)
		}
	}
	if code, _, errors := domino(t.Context(), "cluster", "run", "--kernel",
		"bt ranks=5"); code != exitUsage || !strings.Contains(errors, "want a square") {
		t.Errorf("more ranks than the shape: exit code %d, %q", code, errors)
	}
}

// TestClusterStop stops a node as a user would, which is suspected, given up, and goes on; what a
// protocol does not promise to survive is refused with the exit code of that; a node that dies with
// its protector leaves a rank that gives up, which is no wrong end.
func TestClusterStop(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	tests := []struct {
		args  string
		code  int
		lines []string
	}{
		{"radic-hmpl-zombie --stop N1@b:1+20ms", 0,
			[]string{`stop 1: N1 a at .*: stopped after .*, suspected after .*, went on \d`,
				`digests: as in the failure-free run\n`, `fine: `}},
		{"radic-rbml-spare --stop N1@a:1 --stop N2@a:1", 3,
			[]string{"out of model: the protocol survives 1 false suspicion, the model has 2"}},
		{"causal-s1 --stop a@1", 3, []string{"out of model: .* nobody suspects anybody"}},
		{"radic-hmpl-any-two --kill N1+N2@a:0", 0,
			[]string{`failure 1: N1 N2 a La`, "of the ranks that have ended: somebody gave up"}},
		{"radic-hmpl-adjacent --kill N1+N2@a:0", 3,
			[]string{"out of model: this run breaks nothing, but"}},
		{"radic-rbml-swap", 0, []string{`exit 1: N1 a`}},
	}
	for i, tt := range tests {
		if i != 1 && i != 4 && !effort.Long() { // one that is refused, one that runs
			t.Log(tt.args + ": " + effort.More)
			continue
		}
		code, out, errors := domino(t.Context(),
			append([]string{"cluster", "run"}, strings.Fields(tt.args)...)...)
		if code != tt.code {
			t.Errorf("%s: exit code %d, want %d: %s\n%s", tt.args, code, tt.code, errors, out)
		}
		for _, line := range tt.lines {
			if !regexp.MustCompile(line).MatchString(out + errors) {
				t.Errorf("%s: no line %q in\n%s%s", tt.args, line, errors, out)
			}
		}
	}
}

// TestTorture makes a few runs with random failures, none of them wrong; then a run that can not
// end in time is, and all that is known of it is kept.
func TestTorture(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir() + "/wrong"
	code, out, errors := domino(t.Context(), "cluster", "torture", "ring3", "causal-s1", "--runs",
		"2", "--dir", dir)
	if code != exitSampled || errors != "" || !regexp.MustCompile(
		`^2 runs of 2 scenarios .* [1-9]\d* failures, none wrong`).MatchString(out) {
		t.Errorf("exit code %d, %s\n%s", code, errors, out)
	}
	code, out, errors = domino(t.Context(), "cluster", "torture", "ring3", "--timeout", "1ms",
		"--dir", dir)
	if code != 2 || !strings.Contains(out, "of ring3 is wrong") {
		t.Errorf("exit code %d, %s\n%s", code, errors, out)
	}
	for _, name := range []string{"plan.json", "scenario.txtar", "trace.txt", "files"} {
		if _, err := os.Stat(dir + "/" + name); err != nil {
			t.Error(err)
		}
	}
	if code, _, errors := domino(t.Context(), "cluster", "torture", "ring3", "--dir",
		dir); code != exitUsage || !strings.Contains(errors, "has files already") {
		t.Errorf("exit code %d, %s, want that nothing is written over", code, errors)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	for _, tt := range []struct{ args, want string }{
		{"--runs 0", "cluster torture: --runs 0: want 1 or more"},
		{"ring3 --dir /dev/null/x", "could not be saved"},
		{"--protocols hydra", `did you mean "hydee"`},
		{"s1 --protocols causal", "no scenario is left"},
	} {
		code, _, errors := domino(t.Context(),
			append([]string{"cluster", "torture"}, strings.Fields(tt.args)...)...)
		if code != exitUsage || !strings.Contains(errors, tt.want) {
			t.Errorf("%s: exit code %d, %q, want %q", tt.args, code, errors, tt.want)
		}
	}
}
