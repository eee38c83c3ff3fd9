//go:build unix

package app

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRecheckPipe refuses a pipe, which nobody may ever write to.
func TestRecheckPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errors := domino(t.Context(), "recheck", pipe)
	if code != exitUsage || out != "" || !strings.Contains(errors, pipe+" is a pipe") {
		t.Errorf("exit %d, %s%s", code, out, errors)
	}
}
