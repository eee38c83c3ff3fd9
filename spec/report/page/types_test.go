package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTypes lets TypeScript look at the scripts with what their comments say of types. The variable
// DOMINO_TSC names its compiler, which .ci/run sets.
func TestTypes(t *testing.T) {
	compiler := os.Getenv("DOMINO_TSC")
	if compiler == "" {
		t.Skip("no TypeScript: types of scripts are not looked at")
	}
	file := filepath.Join(t.TempDir(), "page.js")
	text := "(() => {\n" + strings.Join(scripts(), "") + "})();\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(compiler, "--noEmit", "--checkJs", "--allowJs", "--strict", "--target",
		"es2022", "--lib", "es2022,dom,dom.iterable", file).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

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
