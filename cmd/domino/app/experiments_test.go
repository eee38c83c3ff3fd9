package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExperiments lists experiments, runs one with its table, ratios and figure, and refuses what
// is none.
func TestExperiments(t *testing.T) {
	code, out, _ := domino(t.Context(), "experiments")
	if code != 0 || !strings.Contains(out, "recovery") || strings.Count(out, "\n") < 8 {
		t.Errorf("exit code %d, listed:\n%s", code, out)
	}
	dir := t.TempDir()
	code, out, errors := domino(t.Context(), "experiments", "light", "--plot", dir)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errors)
	}
	for _, want := range []string{"light(4) autor abort", "jump at MaxGroup", "inside"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	for _, name := range []string{"light.png", "light.svg"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() < 1000 {
			t.Errorf("%s: %v", name, err)
		}
	}
	code, _, errors = domino(t.Context(), "experiments", "lihgt")
	if code != exitUsage || !strings.Contains(errors, "light") {
		t.Errorf("exit code %d: %s", code, errors)
	}
}
