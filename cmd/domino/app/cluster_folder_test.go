package app

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFolderNotBegun: what a run leaves that was killed before it had saved its plan does not keep
// the same command from its folder, and anything else does.
func TestFolderNotBegun(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		file string
		free bool
	}{{lockFile, true}, {planFile + ".0a1b2c3d.new", true}, {planFile, false}} {
		if err := os.WriteFile(filepath.Join(dir, tt.file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openFolder(dir, "", "")
		if (err == nil) != tt.free {
			t.Errorf("with %s: %v, want free %t", tt.file, err, tt.free)
		}
		if err == nil && (f.temporary || f.close(true) != nil) {
			t.Errorf("with %s: %+v", tt.file, f)
		}
	}
}
