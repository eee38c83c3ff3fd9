package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report"
)

// saved lets check write a replay file into a new folder and returns the file.
func saved(t *testing.T, args ...string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	code, out, err := domino(t.Context(), append(append([]string{"check"}, args...), "--save",
		folder)...)
	if code != 1 || err != "" {
		t.Fatalf("exit %d, want 1; errors %q\n%s", code, err, out)
	}
	files, globErr := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if globErr != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, globErr)
	}
	if !strings.Contains(out, "replay: domino replay "+files[0]) {
		t.Errorf("the file is not named in\n%s", out)
	}
	return files[0]
}

// change writes a changed copy of a file and returns it.
func change(t *testing.T, file string, edit func(string) string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := edit(string(data))
	if text == string(data) {
		t.Fatal("nothing changed")
	}
	changed := filepath.Join(t.TempDir(), "changed.txtar")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return changed
}

// TestReplay checks the answers to a replay file of a violation: it still fails; with the repaired
// protocol the run is stale or breaks nothing; when the file expects another property it fails
// otherwise.
func TestReplay(t *testing.T) {
	file := saved(t, "h1", "--variant", "repaired+H1", "--search", "bfs")
	code, out, err := domino(t.Context(), "replay", file)
	if code != 1 ||
		!strings.HasPrefix(err, "still fails: exactly-once: x is delivered to b a second time") ||
		!strings.Contains(out, "VIOLATED  exactly-once") {
		t.Errorf("exit %d, %q\n%s", code, err, out)
	}
	again, _, _ := domino(t.Context(), "replay", file, "--control")
	if again != 1 {
		t.Errorf("--control: exit %d", again)
	}
	repaired := change(t, file, func(s string) string {
		return strings.Replace(s, "variant: repaired+H1", "variant: repaired", 1)
	})
	code, _, err = domino(t.Context(), "replay", repaired)
	if fixed := code == 0 && strings.HasPrefix(err, "fixed: "); !fixed &&
		(code != 2 || !strings.HasPrefix(err, "stale: step ")) {
		t.Errorf("repaired: exit %d, %q", code, err)
	}
	otherwise := change(t, file, func(s string) string {
		return strings.Replace(s, "breaks: exactly-once", "breaks: fifo", 1)
	})
	code, _, err = domino(t.Context(), "replay", otherwise)
	if code != 1 || !strings.HasPrefix(err, "fails otherwise: exactly-once: ") ||
		!strings.Contains(err, "(the file expects fifo)") {
		t.Errorf("otherwise: exit %d, %q", code, err)
	}
}

// TestReplayStale checks that an event that can not happen is named with its step, and that a run
// without it is not called fixed.
func TestReplayStale(t *testing.T) {
	file := saved(t, "h5", "--variant", "repaired+H5")
	code, _, err := domino(t.Context(), "replay", change(t, file, func(s string) string {
		return strings.Replace(s, "-- schedule --\n", "-- schedule --\ncrash nobody\n", 1)
	}))
	if code != 2 || !strings.HasPrefix(err, `stale: step 1: "crash nobody" is not enabled`) {
		t.Errorf("exit %d, %q", code, err)
	}
}

// TestReplayRepaired checks that without its switch the shortest run of H5 is followed to its end
// and breaks nothing, or is stale.
func TestReplayRepaired(t *testing.T) {
	file := saved(t, "h5", "--variant", "repaired+H5", "--search", "bfs")
	code, _, err := domino(t.Context(), "replay", change(t, file, func(s string) string {
		return strings.Replace(s, "variant: repaired+H5", "variant: repaired", 1)
	}))
	if code != 0 && code != 2 {
		t.Errorf("exit %d, %q", code, err)
	}
}

// TestReplayTruncated cuts a replay file after every byte: never a panic, and never "still fails"
// unless the whole schedule is there. A cut before the schedule is bad input.
func TestReplayTruncated(t *testing.T) {
	data, err := os.ReadFile(saved(t, "h5", "--variant", "repaired+H5", "--search", "bfs"))
	if err != nil {
		t.Fatal(err)
	}
	schedule := strings.Index(string(data), "-- schedule --\n") + len("-- schedule --\n")
	for n := 0; n < len(data)-1; n += 3 {
		file := filepath.Join(t.TempDir(), "cut.txtar")
		if err := os.WriteFile(file, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, text := domino(t.Context(), "replay", file)
		switch {
		case n <= schedule && (code != exitUsage || !strings.HasPrefix(text, "domino replay: ")):
			t.Errorf("first %d bytes, before the schedule: exit %d, %q", n, code, text)
		case code == 1:
			t.Errorf("first %d of %d bytes: exit %d, %q", n, len(data), code, text)
		}
	}
}

// TestReplayWithoutEnd checks that a schedule that lost its last events is not taken for a repaired
// run.
func TestReplayWithoutEnd(t *testing.T) {
	file := saved(t, "h5", "--variant", "repaired+H5", "--search", "bfs")
	code, _, err := domino(t.Context(), "replay", change(t, file, func(s string) string {
		lines := strings.SplitAfter(strings.TrimSuffix(s, "\n"), "\n")
		return strings.Join(lines[:len(lines)-2], "")
	}))
	if code == 0 {
		t.Errorf("exit %d, %q", code, err)
	}
}

// TestSavedFile checks that the replay file is a scenario that expects the violation.
func TestSavedFile(t *testing.T) {
	s, err := scenarios.Load(saved(t, "s1", "--variant", "published"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "s1-published" || s.Variant != "published" || s.Expect != "violated" ||
		s.Breaks != "terminates" || len(s.Schedule) == 0 {
		t.Errorf("saved %+v", s)
	}
	code, out, text := domino(t.Context(), "check", saved(t, "s1", "--variant", "published"),
		"--save=")
	if code != 0 {
		t.Errorf("check of the saved file: exit %d, %q\n%s", code, text, out)
	}
}

// TestSaveFolderNotWritable checks that a replay file that can not be written is a warning: the
// verdict is shown all the same.
func TestSaveFolderNotWritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, err := domino(t.Context(), "check", "h5", "s1", "--variant", "published", "--save",
		filepath.Join(file, "below"))
	if code != 1 || strings.Count(err, "domino: replay file not saved: ") != 2 ||
		!strings.Contains(out, "2 scenarios, 0 as expected") {
		t.Errorf("exit %d, %q\n%s", code, err, out)
	}
	if strings.Contains(out, "replay: domino replay") {
		t.Errorf("a file is named that does not exist\n%s", out)
	}
}

// TestEvidence: replay --json says all that the text does, and check and errata print the same run
// when they are asked to.
func TestEvidence(t *testing.T) {
	file := saved(t, "h1", "--variant", "repaired+H1", "--search", "bfs")
	code, text, _ := domino(t.Context(), "replay", file, "--json")
	var run struct {
		Schema, Title, Command string
		Property               struct{ Name, Doc string }
		Violation              struct {
			Step  int
			About []struct{ Role string }
		}
		Steps []struct {
			Event   string
			Changes []struct{ Proc, Path, What string }
		}
		Events []struct{ Life *int }
	}
	if err := json.Unmarshal([]byte(text), &run); err != nil || code != 1 {
		t.Fatalf("exit %d, %v\n%s", code, err, text)
	}
	if !strings.Contains(run.Title, " (hydee, repaired+H1): ") || run.Schema != report.Schema ||
		!strings.HasSuffix(run.Command, " replay "+file) || run.Property.Name != "exactly-once" ||
		run.Property.Doc == "" || run.Violation.Step != len(run.Steps) ||
		len(run.Violation.About) == 0 || len(run.Steps[0].Changes) == 0 ||
		run.Events[0].Life == nil {
		t.Errorf("not all there: %+v", run)
	}
	valid(t, []byte(text))
	_, more, _ := domino(t.Context(), "replay", file, "--json", "--enabled")
	valid(t, []byte(more))
	var steps struct {
		Steps []struct {
			Event, State string
			Enabled      []string
		}
	}
	if err := json.Unmarshal([]byte(more), &steps); err != nil {
		t.Fatal(err)
	}
	for i, s := range steps.Steps {
		if !slices.Contains(s.Enabled, s.Event) || len(s.State) != 16 {
			t.Errorf("step %d is %q in state %q, of %q", i+1, s.Event, s.State, s.Enabled)
		}
	}
	for _, line := range [][]string{
		{"check", "h1", "--variant", "repaired+H1", "--search", "bfs", "--json", "--evidence",
			"--save", filepath.Dir(file)},
		{"errata", "hydee", "H1", "--json", "--evidence", "--save", filepath.Dir(file)},
	} {
		_, out, errors := domino(t.Context(), line...)
		var answer struct{ Evidence map[string]any }
		if err := json.Unmarshal([]byte(out), &answer); err != nil {
			t.Fatalf("%v: %v\n%s%s", line, err, out, errors)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		for _, only := range []string{"title", "scope"} { // its name, what a search said
			delete(want, only)
			delete(answer.Evidence, only)
		}
		if diff := cmp.Diff(want, answer.Evidence); diff != "" {
			t.Errorf("%v (-replay +evidence):\n%s", line, diff)
		}
	}
	if code, _, err := domino(t.Context(), "check", "h1", "--evidence"); code != 4 ||
		!strings.Contains(err, "--json") {
		t.Errorf("--evidence alone: exit %d, %s", code, err)
	}
}
