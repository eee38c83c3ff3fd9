// Package tidy holds the house rules as code: who may import whom, what a
// deterministic core must not contain, how long files and functions may be,
// what must be documented, and how the tree is laid out.
//
//	go test ./cmd/tidy
//
// prints one finding a line, "file:line: rule: message", sorted, and is red as
// long as a rule is broken. All of it is test code: nothing else uses it.
//
// The rules read syntax, and types where a core needs them (resolve_test.go);
// they never run the code. Each rule is one file, <rule>_rule_test.go, and says
// in its comment what it cannot see. When a rule hurts, change the rule here,
// with the reason.
package tidy

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// findRoot returns the nearest folder at or above dir that holds a go.mod.
func findRoot(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the module root: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		_, err := os.Stat(filepath.Join(at, "go.mod"))
		if err == nil {
			return at, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("find the module root: %w", err)
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("find the module root: no go.mod in %s or above", start)
		}
	}
}

// standardLibrary imports packages of the standard library from their sources:
// it needs no compiled package. A test that is built with -trimpath does not
// know where they are; the go command does.
func standardLibrary() types.Importer {
	if build.Default.GOROOT == "" {
		if root, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
			build.Default.GOROOT = string(bytes.TrimSpace(root))
		}
	}
	return importer.ForCompiler(token.NewFileSet(), "source", nil)
}

// rule is one house rule: a name and a check over the whole tree.
type rule struct {
	name  string
	check func(t *tree, report *reporter)
}

// rules lists every rule, in the order of the house rules.
func rules() []rule {
	return []rule{
		{"syntax", checkSyntax},
		{"imports", checkImports},
		{"names", checkNames},
		{"cores", checkCores},
		{"globals", checkGlobals},
		{"sizes", checkSizes},
		{"width", checkWidth},
		{"docs", checkDocs},
		{"layout", checkLayout},
	}
}

// check runs every rule over the module at the root of fsys and returns the
// findings, sorted and without repetition. std imports the standard library.
func check(fsys fs.FS, std types.Importer) ([]finding, error) {
	t, err := load(fsys, std)
	if err != nil {
		return nil, err
	}
	var findings []finding
	for _, r := range rules() {
		report := &reporter{tree: t, rule: r.name}
		r.check(t, report)
		findings = append(findings, report.findings...)
	}
	slices.SortFunc(findings, func(a, b finding) int {
		return cmp.Or(
			cmp.Compare(a.file, b.file),
			cmp.Compare(a.line, b.line),
			cmp.Compare(a.rule, b.rule),
			cmp.Compare(a.message, b.message),
		)
	})
	return slices.Compact(findings), nil
}

// finding is one place where the tree breaks a rule.
type finding struct {
	file    string // slash-separated, relative to the module root
	line    int    // from 1
	rule    string
	message string
}

// String returns the finding as the test prints it.
func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.file, f.line, f.rule, f.message)
}

// reporter collects the findings of one rule.
type reporter struct {
	tree     *tree
	rule     string
	findings []finding
}

// at reports a finding at a position of a parsed file.
func (r *reporter) at(pos token.Pos, format string, args ...any) {
	p := r.tree.fset.Position(pos)
	r.line(p.Filename, p.Line, format, args...)
}

// line reports a finding at a line of any file.
func (r *reporter) line(file string, line int, format string, args ...any) {
	r.findings = append(r.findings, finding{file, line, r.rule, fmt.Sprintf(format, args...)})
}
