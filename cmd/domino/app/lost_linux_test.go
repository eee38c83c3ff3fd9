package app

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestFullOutput has each command write its answer to a full device: the answer is lost, so the
// exit code is that of an error, and a message says so.
func TestFullOutput(t *testing.T) {
	for _, line := range []string{"list", "check h5 --save=", "check h5 --json --save=",
		"certify s6", "errata hydee H5 --save=", "run ping --runs 2 --save=", "volume",
		"fuzz rbml --runs 20 --corpus=", "minimise h5 --variant repaired+H5 --save=",
		"mutate hydee/H5 --methods exhaustive", "cluster run ping", "help"} {
		t.Run(line, func(t *testing.T) {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			c := exec.Command(os.Args[0], strings.Fields(line)...)
			c.Env = append(os.Environ(), "DOMINO_TEST_MAIN=1")
			var messages bytes.Buffer
			c.Stdout, c.Stderr = full, &messages
			_ = c.Run() // the exit code says it
			if code := c.ProcessState.ExitCode(); code != exitUsage ||
				!strings.Contains(messages.String(), "no space left on device") {
				t.Errorf("exit %d: %s", code, messages.String())
			}
		})
	}
}
