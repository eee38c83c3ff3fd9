package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSamples draws runs through the command: an erratum is found, with exit code 1 and a file that
// replays; the repaired protocol is unknown, exit code 2, although nothing was found; the same seed
// gives the same figures.
func TestSamples(t *testing.T) {
	for _, search := range []string{"random", "pos", "pctcp", "urw"} {
		folder := t.TempDir()
		code, out, err := domino(t.Context(), "check", "h1", "--variant", "repaired+H1", "--search",
			search, "--save", folder)
		if code != 1 || err != "" || !strings.Contains(out, "VIOLATED  exactly-once") ||
			!strings.Contains(out, "runs/s") {
			t.Errorf("%s: exit %d, errors %q\n%s", search, code, err, out)
		}
		files, _ := os.ReadDir(folder)
		if len(files) != 1 {
			t.Fatalf("%s: %d replay files", search, len(files))
		}
		code, _, err = domino(t.Context(), "replay", filepath.Join(folder, files[0].Name()))
		if code != 1 || !strings.HasPrefix(err, "still fails: exactly-once") {
			t.Errorf("%s: replay: exit %d, %q", search, code, err)
		}
	}
	if _, out, _ := domino(t.Context(), "check", "s1", "--search", "urw", "--runs", "30",
		"--max-steps", "5", "--save="); !strings.Contains(out, "30 runs were cut off") {
		t.Errorf("not cut off:\n%s", out)
	}
	first, second := drawn(t, "7"), drawn(t, "7")
	if first != second || first == drawn(t, "8") {
		t.Errorf("the same seed gives %v and %v", first, second)
	}
	if first.Verdict != "unknown" || first.Samples.Runs != 500 || first.Samples.Strategy != "pos" ||
		first.Samples.Steps < 5000 || first.States != 0 {
		t.Errorf("%+v", first)
	}
}

// drawnRow is what the JSON of a sampled scenario must have.
type drawnRow struct {
	Verdict, Why string
	States       int
	Samples      struct {
		Runs, Steps, Longest, Terminals, Faults, Cut int
		Strategy                                     string
	}
}

func drawn(t *testing.T, seed string) (r drawnRow) {
	t.Helper()
	code, out, _ := domino(t.Context(), "check", "s1", "--search", "pos", "--runs", "500", "--seed",
		seed, "--json", "--save=")
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitSampled ||
		!strings.Contains(out, "proves nothing") {
		t.Errorf("exit %d, %v in %s", code, err, out)
	}
	return r
}
