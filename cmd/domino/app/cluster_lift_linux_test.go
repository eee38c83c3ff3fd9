package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// TestClusterLift finds a run with a kill again in the world, at once and from its folder; what it
// saves replays. Evidence of which a step is taken away is not found, and says where.
func TestClusterLift(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), "run")
	code, out, errors := domino(t.Context(), "cluster", "run", "s1", "--kill", "x@1", "--lift",
		"--dir", dir)
	if code != 0 || !strings.Contains(out, "\nlifted: ") {
		t.Fatalf("exit code %d, %s\n%s", code, errors, out)
	}
	code, out, errors = domino(t.Context(), "cluster", "lift", dir, "--json")
	var got liftReport
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 ||
		got.Verdict != "lifted" || got.Explained != got.Of || got.Of < 10 {
		t.Fatalf("exit code %d, %v %s\n%s", code, err, errors, out)
	}
	code, _, errors = domino(t.Context(), "replay", filepath.Join(dir, liftedFile))
	if code != 0 {
		t.Errorf("replay: exit code %d, %s", code, errors)
	}
	if code, out, _ = domino(t.Context(), "cluster", "lift", dir, "--places", "3"); code != 2 ||
		!strings.Contains(out, "the search was ended after 3 places") {
		t.Errorf("bounded: exit code %d\n%s", code, out)
	}
	next, err := filepath.Glob(filepath.Join(dir, "run", "p*", "evidence-1"))
	if err != nil || len(next) == 0 {
		t.Fatalf("nobody has a second life, %v", err)
	}
	first := strings.TrimSuffix(next[0], "1") + "0"
	whole, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(first, whole[:len(whole)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errors = domino(t.Context(), "cluster", "lift", dir); code != exitUsage ||
		!strings.Contains(errors, first+" ends at byte") {
		t.Errorf("evidence without its end: exit code %d, %s", code, errors)
	}
	if err := os.WriteFile(first, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	deeds := filepath.Join(dir, "run", "supervisor.jsonl")
	text, err := os.ReadFile(deeds)
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.Replace(string(text), `"what":"failed"`, `"what":"fooled"`, 1))
	if err := os.WriteFile(deeds, text, 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, _ = domino(t.Context(), "cluster", "lift", dir)
	if code != 1 || !strings.Contains(out, "fits nowhere behind them") ||
		!strings.Contains(out, "the world offers: ") {
		t.Errorf("without the failure: exit code %d\n%s", code, out)
	}
}

// TestClusterLiftErrors gives cluster lift what it must refuse.
func TestClusterLiftErrors(t *testing.T) {
	empty := t.TempDir()
	for _, tt := range []struct{ args, want string }{
		{"", "got 0 arguments"},
		{"a b", "got 2 arguments"},
		{empty, "plan.json: no such file"},
		{empty + " --places 0", "--places"},
	} {
		code, _, errors := domino(t.Context(),
			append([]string{"cluster", "lift"}, strings.Fields(tt.args)...)...)
		if code != exitUsage || !strings.Contains(errors, tt.want) {
			t.Errorf("lift %s: exit code %d, %q, want %q", tt.args, code, errors, tt.want)
		}
	}
}

// TestTortureLift finds every run of torture again.
func TestTortureLift(t *testing.T) {
	effort.Seconds(t)
	t.Setenv("DOMINO_TEST_MAIN", "1")
	t.Setenv("TMPDIR", t.TempDir())
	const runs = "8"
	code, out, errors := domino(t.Context(), "cluster", "torture", "--lift", "--runs", runs,
		"--kernel", "none", "--dir", filepath.Join(t.TempDir(), "wrong"))
	if code != exitSampled || !strings.Contains(out, runs+" runs were found again in the world, "+
		"of 0 that is unknown") {
		t.Errorf("exit code %d, %s\n%s", code, errors, out)
	}
}
