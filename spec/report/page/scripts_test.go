package page

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestScripts: every file of scripts is in the page, the one that unpacks the others beside them.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("asset/js/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".js")
		if !slices.Contains(concerns, name) && name != "load" {
			t.Errorf("no page has %s", f)
		}
	}
	if len(files) != len(concerns)+1 {
		t.Errorf("%d files for %q", len(files), concerns)
	}
}
