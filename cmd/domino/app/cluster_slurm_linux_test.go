package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// underSlurm is a command under a Slurm of its own, with four virtual nodes; it skips the test
// where there can be none.
func underSlurm(t *testing.T, args ...string) (out, shown string, code int) {
	t.Helper()
	script, err := filepath.Abs("../../../.ci/slurm")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, script, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "DOMINO_TEST_MAIN=1") // the command is this program
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if code = cmd.ProcessState.ExitCode(); code == noSlurm {
		t.Skip(e.String())
	}
	return o.String(), e.String(), code
}

// noSlurm is the exit code of the script where there is no Slurm.
const noSlurm = 77

// TestSlurm runs a scenario with a failure over four nodes of a real Slurm: each process is a step
// of its node, the failure is one, the digests are as without it, nobody is told of the end that
// was asked for, and nothing stays, neither a step nor a folder.
func TestSlurm(t *testing.T) {
	if !effort.Long() {
		t.Skip("Slurm takes seconds to start: " + effort.More)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, shown, code := underSlurm(t, "salloc", "--quiet", "--nodes=4", "/bin/sh", "-c",
		`"$0" cluster run s1 --hosts slurm --kill x@1 --json; code=$?; ls >&2; `+
			`squeue --steps --noheader >&2; exit $code`, self)
	var got struct {
		Verdict   string
		Digests   []string
		Crashes   []struct{ Procs []core.Proc }
		Placement []cluster.Place
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 0 ||
		got.Verdict != "fine" || len(got.Digests) != 3 {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, shown)
	}
	// x and y stop together, so they share a node, as RP does with the first of the others
	want := []cluster.Place{{Host: "n1", Procs: []core.Proc{0, 1, 3}}, {Host: "n2"},
		{Host: "n3", Procs: []core.Proc{2}}, {Host: "n4"}}
	if diff := cmp.Diff(want, got.Placement); diff != "" || len(got.Crashes) != 1 {
		t.Errorf("%+v (-want +got):\n%s", got.Crashes, diff)
	}
	if shown != "" {
		t.Errorf("something is left, or was said: %s", shown)
	}
}
