package page

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestScripts: every file of scripts is in the page.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("asset/js/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".js"); !slices.Contains(concerns, name) {
			t.Errorf("no page has %s", f)
		}
	}
	if len(files) != len(concerns) {
		t.Errorf("%d files for %q", len(files), concerns)
	}
}
