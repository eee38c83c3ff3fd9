package farm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
)

// noSlurm is the exit code of .ci/slurm where there is no Slurm.
const noSlurm = 77

// arrays serves, has an array of two workers begin a campaign, cancels it, which sends SIGTERM as
// the time limit does, and has a second array end it.
const arrays = `
"$0" serve --dir farm >/dev/null 2>serve.log & server=$!
until grep -q 'serving at' serve.log; do sleep 0.1; done
workers() {
	sbatch --parsable --array=1-2 --output="$1-%a.log" \
		--wrap "exec $0 worker --nats farm/worker.json --slots 1"
}
first=$(workers first)
"$0" fuzz hydee --runs 6000 --seed 7 --corpus '' --for 0 --open 4 --nats farm/operator.json &
command=$!
until [ "$(cat first-*.log 2>/dev/null | grep -c 'worker of build')" = 2 ]; do sleep 0.1; done
sleep 1
scancel "$first"
workers second >/dev/null
wait $command; code=$?
kill $server
cat first-*.log >&2
exit $code`

// TestSlurm has workers that come and go as arrays of a real Slurm: the output is that of one
// process.
func TestSlurm(t *testing.T) {
	if !effort.Long() {
		t.Skip("Slurm takes seconds to start: " + effort.More)
	}
	t.Parallel()
	script, err := filepath.Abs("../../../.ci/slurm")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	code, want, _ := finish(t, folder, "fuzz", "hydee", "--runs", "6000", "--seed", "7", "--corpus",
		"", "--for", "0")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, script, "/bin/sh", "-c", arrays, self(t))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir, cmd.Env = folder, append(os.Environ(), asCommand+"=1")
	var out, shown bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &shown
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	got := cmd.ProcessState.ExitCode()
	if got == noSlurm {
		t.Skip(shown.String())
	}
	if diff := cmp.Diff(untimed(want), untimed(out.String())); diff != "" || got != code {
		t.Errorf("exit %d, want %d: %s%s", got, code, diff, shown.String())
	}
	if n := strings.Count(shown.String(), "what was not done is done by others"); n != 2 {
		t.Errorf("%d workers have ended by themselves, want 2: %s", n, shown.String())
	}
}
