package app

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/scenarios"
)

// TestMinimise minimises a scenario and compares what is printed with a golden file; the file that
// is saved still fails when it is replayed, and minimising it again takes nothing more out.
func TestMinimise(t *testing.T) {
	folder := t.TempDir()
	code, out, err := domino(t.Context(), "minimise", "s3", "--variant", "repaired+H17", "--save",
		folder)
	if code != 1 || err != "" {
		t.Fatalf("exit %d, want 1; errors %q\n%s", code, err, out)
	}
	golden(t, "minimise", mask(strings.ReplaceAll(out, folder, "FOLDER")))
	file := filepath.Join(folder, "s3-repaired-H17-min.txtar")
	code, _, err = domino(t.Context(), "replay", file)
	if code != 1 || !strings.HasPrefix(err, "still fails: causal-replay: ") {
		t.Errorf("replay: exit %d, %q", code, err)
	}
	code, out, err = domino(t.Context(), "minimise", file, "--save=")
	if code != 1 || err != "" || !strings.HasPrefix(out,
		"s3-repaired-H17-min (repaired+H17): nothing could be taken out\n") {
		t.Errorf("again: exit %d, %q\n%s", code, err, out)
	}
}

// TestMinimiseFile takes a run that check has saved, found depth first, and prints JSON: the same
// property, fewer of everything.
func TestMinimiseFile(t *testing.T) {
	file := saved(t, "s1", "--variant", "published")
	s, err := scenarios.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	code, out, text := domino(t.Context(), "minimise", file, "--json", "--save=")
	var m minimised
	if err := json.Unmarshal([]byte(out), &m); err != nil || code != 1 || text != "" {
		t.Fatalf("exit %d, %q, %v\n%s", code, text, err, out)
	}
	if m.Violation.Property != s.Breaks || m.Before.Steps != len(s.Schedule) ||
		m.After.Steps != len(m.Schedule) || !m.Minimal ||
		m.After.Ranks > m.Before.Ranks || m.After.Messages > m.Before.Messages ||
		m.After == m.Before || m.Replay != "" {
		t.Errorf("%+v", m)
	}
}

// TestMinimiseErrors gives what can not be minimised, with the beginning of the error.
func TestMinimiseErrors(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "want one scenario or replay file, got 0 arguments"},
		{"two", []string{"s1", "s2"}, "want one scenario or replay file, got 2 arguments"},
		{"pattern", []string{"h13*"}, `pattern "h13*" fits 4 scenarios, want one`},
		{"unknown", []string{"s99"}, `unknown scenario "s99". See: domino list scenarios`},
		{"holds", []string{"h5"}, "h5 breaks nothing, so there is nothing to make smaller"},
		{"other property", []string{"h5", "--variant", "repaired+H5", "--breaks", "fifo"},
			"h5 breaks property fifo in no run"},
		{"unknown property", []string{"h5", "--breaks", "fife"},
			`unknown property "fife", did you mean "fifo"?`},
		{"unknown variant", []string{"h5", "--variant", "repaired+H99"}, "hydee/h5.txtar:"},
		{"bound", []string{"h5", "--max-states", "0"}, "--max-states 0: want 1 or more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, err := domino(t.Context(),
				append(append([]string{"minimise"}, tt.args...), "--save=")...)
			if code != exitUsage || out != "" ||
				!strings.HasPrefix(err, "domino minimise: "+tt.want) {
				t.Errorf("exit %d, %q\n%s", code, err, out)
			}
		})
	}
}

// TestMinimiseInterrupted gives no time for the first run: that is unknown, and says so.
func TestMinimiseInterrupted(t *testing.T) {
	file := saved(t, "h5", "--variant", "repaired+H5", "--search", "bfs")
	code, out, err := domino(t.Context(), "minimise", file, "--timeout", "1ns", "--save=")
	if code != 2 || out != "" || !strings.Contains(err, "--timeout came before") {
		t.Errorf("--timeout: exit %d, %q\n%s", code, err, out)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if code, _, err := domino(ctx, "minimise", "h5", "--variant", "repaired+H5",
		"--save="); code != 2 || !strings.Contains(err, "interrupted") {
		t.Errorf("cancelled: exit %d, %q", code, err)
	}
}

// TestMinimiseKernel minimises a run of a kernel: the program stays as it is, everything else gets
// smaller, and the saved file still fails.
func TestMinimiseKernel(t *testing.T) {
	folder := t.TempDir()
	code, out, err := domino(t.Context(), "minimise", "kernel-heat", "--variant", "repaired+H3",
		"--save", folder)
	if code != 1 || err != "" {
		t.Fatalf("exit %d, want 1; errors %q\n%s", code, err, out)
	}
	file := filepath.Join(folder, "kernel-heat-repaired-H3-min.txtar")
	if s, err := scenarios.Load(file); err != nil ||
		s.Shape != "kernel heat ranks=2 n=2 iterations=1 checkpoint=1" || s.Program != "" {
		t.Errorf("saved: %+v, %v", s, err)
	}
	code, _, err = domino(t.Context(), "replay", file)
	if code != 1 || !strings.HasPrefix(err, "still fails: ") {
		t.Errorf("replay: exit %d, %q", code, err)
	}
}
