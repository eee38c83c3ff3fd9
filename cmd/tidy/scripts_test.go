package tidy

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScripts has the TypeScript compiler check the types of the scripts of pages, which say them
// in JSDoc: those of one folder together, as one page has them. The compiler is the file that the
// variable DOMINO_TSC names, which .ci/run sets. A script with a mistake shows that it looks.
func TestScripts(t *testing.T) {
	compiler := os.Getenv("DOMINO_TSC")
	if compiler == "" {
		t.Skip("DOMINO_TSC names no tsc: the types of scripts are not checked")
	}
	root, err := findRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string][]string{}
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".js" {
			folders[filepath.Dir(name)] = append(folders[filepath.Dir(name)], name)
		}
		return err
	})
	if err != nil || len(folders) < 3 {
		t.Fatalf("scripts in %d folders, %v", len(folders), err)
	}
	types := func(files []string) string {
		out, err := exec.CommandContext(t.Context(), compiler, append([]string{"--allowJs",
			"--checkJs", "--noEmit", "--skipLibCheck", "--strict", "--target", "es2022", "--lib",
			"es2022,dom,dom.iterable"}, files...)...).CombinedOutput()
		if err != nil && len(out) == 0 {
			t.Fatal(err)
		}
		return string(out)
	}
	for _, files := range folders {
		if wrong := types(files); wrong != "" {
			t.Errorf("%.3000s", wrong)
		}
	}
	spoiled := filepath.Join(t.TempDir(), "spoiled.js")
	if err := os.WriteFile(spoiled, []byte("// @ts-check\n"+
		"const n = (/** @type {number} */ x) => x;\nn(\"one\");\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(types([]string{spoiled}), "not assignable") {
		t.Error("a script with a mistake is taken")
	}
}
