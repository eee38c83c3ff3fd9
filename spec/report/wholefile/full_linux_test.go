package wholefile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFull writes to a file system with room for little: the old file stays, no part of the new one
// is left, and what fits is written again.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("no file system that is small: ", err) // TestWrite has a body that fails
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	name := filepath.Join(dir, "file")
	if err := Write(name, []byte("old")); err != nil {
		t.Fatal(err)
	}
	if err := Write(name, bytes.Repeat([]byte("new"), 1<<16)); !errors.Is(err, syscall.ENOSPC) ||
		strings.Count(err.Error(), name) != 1 {
		t.Errorf("on a full disk: %v", err)
	}
	if got := content(t, name); got != "old" {
		t.Errorf("the old file has %d bytes", len(got))
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o666); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := Write(name, []byte("new")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a disk that others have filled: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if got := content(t, name); got != "old" {
		t.Errorf("the old file has %q", got)
	}
	if err := Write(name, []byte("new")); err != nil || content(t, name) != "new" {
		t.Errorf("with room again: %v", err)
	}
}
