package app

import (
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersion reads the build of this test, then builds that are made up: of a checkout, and of a
// command in another module.
func TestVersion(t *testing.T) {
	code, out, _ := domino(t.Context(), "--version")
	if code != 0 || !strings.HasPrefix(out, "domino ") || !strings.Contains(out, "go1") {
		t.Errorf("exit %d, %q", code, out)
	}
	code, out, _ = domino(t.Context(), "version", "--json")
	var b build
	if err := json.Unmarshal([]byte(out), &b); err != nil || code != 0 || b != thisBuild() {
		t.Errorf("exit %d, %v, %q", code, err, out)
	}
	b = buildOf(&debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Path: module,
		Version: "(devel)"}, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"},
		{Key: "vcs.modified", Value: "true"}}})
	if got := b.String(); got != "(devel) abc modified" {
		t.Errorf("a checkout: %q", got)
	}
	b = buildOf(&debug.BuildInfo{Main: debug.Module{Path: "example.com/mine"},
		Deps: []*debug.Module{{Path: module, Version: "v1.2.3"}}})
	if b.Version != "v1.2.3" || b.Command != "example.com/mine" {
		t.Errorf("another module: %+v", b)
	}
}
