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
	for _, name := range []string{dir, filepath.Join(dir, runFile),
		filepath.Join(dir, trafficFile)} {
		got := planOf(t, name, "--clusters", "2")
		if got.Bytes != want.Bytes || got.Messages != want.Messages ||
			got.Channels != want.Channels || got.Plan.Line != want.Plan.Line {
			t.Errorf("%s: %+v, the programs send %+v", name, got, want)
		}
	}
}

// TestPlanMeasured plans runs of programs of which sizes and receivers show when they run: groups,
// and a master that hands out blocks to whoever has none. Whoever gets how many, each of three
// workers gets a matrix of 6 times 6 numbers, and an empty block at the end; each of six rows is
// sent and comes back.
func TestPlanMeasured(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	record := func(kernel string, args ...string) string {
		dir := filepath.Join(t.TempDir(), "run")
		code, out, errors := domino(t.Context(), append([]string{"cluster", "run", "--kernel",
			kernel, "--dir", dir}, args...)...)
		if code != 0 {
			t.Fatalf("%s: exit code %d, %s\n%s", kernel, code, errors, out)
		}
		return dir
	}
	master := planOf(t, record("matmul-dynamic ranks=4 n=6 blocks=6", "--protocol", "rbml"))
	if master.Bytes != 3*8*36+2*6*8*6 || master.Messages != 3+3+2*6 || master.Channels != 6 {
		t.Errorf("%d bytes in %d messages over %d channels", master.Bytes, master.Messages,
			master.Channels)
	}
	const groups = "leanmd ranks=4 cx=2 cy=2 iterations=6"
	want := planOf(t, groups, "--clusters", "2")
	got := planOf(t, record(groups, "--protocol", "camel", "--kill", "r2@40"), "--clusters", "2")
	if got.Bytes != want.Bytes || got.Messages != want.Messages || got.Channels != want.Channels ||
		got.Plan.Line != want.Plan.Line {
		t.Errorf("%+v, the programs send %+v", got, want)
	}
}
