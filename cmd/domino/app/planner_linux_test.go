package app

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/domino-check/domino/checker/effort"
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
	effort.Seconds(t)
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

// TestPlanKept: a run in the clusters of a plan logs the bytes that the plan says.
func TestPlanKept(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	const kernel = "cg n=1400"
	want := planOf(t, kernel+" ranks=4", "--clusters", "2")
	code, out, errors := domino(t.Context(), "cluster", "perf", "--kernels", kernel, "--ranks", "4",
		"--protocols", "hydee", "--clusters", want.Plan.Line, "--rounds", "1", "--json")
	if code != 0 {
		t.Fatalf("exit code %d, %s\n%s", code, errors, out)
	}
	var got struct {
		Rows []struct{ Logged, Payload int64 }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != 1 || got.Rows[0].Logged != want.Plan.Logged || want.Plan.Logged == 0 ||
		got.Rows[0].Payload != want.Bytes {
		t.Errorf("%+v, planned are %d of %d bytes", got.Rows, want.Plan.Logged, want.Bytes)
	}
}
