package app

import (
	"path/filepath"
	"testing"
)

// TestPlanRecorded plans a run as processes in which a rank was killed: what was sent again counts
// once, so the traffic is that of the programs. The clusters of the run are those of a plan.
func TestPlanRecorded(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	const kernel = "heat ranks=4 n=8 iterations=6 checkpoint=2"
	want := planOf(t, kernel, "--clusters", "2")
	dir := filepath.Join(t.TempDir(), "run")
	code, out, errors := domino(t.Context(), "cluster", "run", "--kernel", kernel, "--protocol",
		"hydee", "--clusters", want.Plan.Line, "--kill", "r2@20", "--dir", dir)
	if code != 0 {
		t.Fatalf("exit code %d, %s\n%s", code, errors, out)
	}
	for _, name := range []string{dir, filepath.Join(dir, runFile)} {
		got := planOf(t, name, "--clusters", "2")
		if got.Bytes != want.Bytes || got.Messages != want.Messages ||
			got.Channels != want.Channels || got.Plan.Line != want.Plan.Line {
			t.Errorf("%s: %+v, the programs send %+v", name, got, want)
		}
	}
}
