package tidy

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// foreign are the systems that the modules must build for, beside the one that tests run on.
var foreign = []string{"windows", "darwin"}

// TestForeignSystems type-checks this module, the nested ones and the worked example, with their
// tests, for each system: what a compiler for it would say, in a tenth of the time, as nothing is
// compiled, and of what others have written declarations are read only. What else vet looks for it
// has looked for on this system, but in the few files that are for others only.
func TestForeignSystems(t *testing.T) {
	effort.Seconds(t)
	root, err := findRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	sources := newSources()
	for _, dir := range append([]string{".", "impl/protocol/example/resend"}, nested...) {
		for _, system := range foreign {
			t.Run(dir+"/"+system, func(t *testing.T) {
				folder := filepath.Join(root, dir)
				own, found, err := sources.typeCheck(folder, system)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found {
					t.Error(f)
				}
				if own < 2 {
					t.Errorf("%d packages of its own, want 2 or more", own)
				}
			})
		}
	}
}

// TestForeignSystemsAreSeen has a module that on Windows lacks what it calls: in its code, in tests
// inside the package and outside, and calls behind a constraint, which are no mistakes.
func TestForeignSystemsAreSeen(t *testing.T) {
	effort.Seconds(t)
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.org/m\n\ngo 1.26\n")
	write(t, dir, "a/a.go", "package a\n\nimport \"syscall\"\n\nfunc Stop() error {\n\treturn "+
		"syscall.Kill(1, syscall.SIGTERM)\n}\n")
	write(t, dir, "a/fine_unix.go", "//go:build unix\n\npackage a\n\nimport \"syscall\"\n\n"+
		"var Parent = syscall.Getppid\n\nfunc group() int { return syscall.Getpgrp() }\n")
	write(t, dir, "a/a_test.go", "package a\n\nvar _ = group()\n")
	write(t, dir, "a/b_test.go", "package a_test\n\nimport \"example.org/m/a\"\n\nvar _ = a.None\n")
	for system, want := range map[string][]string{
		"linux": {"b_test.go:5:11: undefined: a.None"},
		"windows": {"a.go:6:17: undefined: syscall.Kill", "a_test.go:3:9: undefined: group",
			"b_test.go:5:11: undefined: a.None"},
	} {
		_, found, err := newSources().typeCheck(dir, system)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range found {
			found[i] = strings.TrimPrefix(f, filepath.Join(dir, "a")+string(filepath.Separator))
		}
		if !slices.Equal(found, want) {
			t.Errorf("%s: %q, want %q", system, found, want)
		}
	}
}

// sources are the files that type checks of several systems have read.
type sources struct {
	fset  *token.FileSet
	files map[string]*ast.File
}

// newSources returns sources of which nothing is read yet.
func newSources() *sources {
	return &sources{token.NewFileSet(), map[string]*ast.File{}}
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir string
	Standard        bool
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// typeCheck returns how many packages the module in a folder has for a system, those of tests
// apart, and what is wrong with their types, sorted.
func (s *sources) typeCheck(dir, system string) (own int, found []string, err error) {
	list := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Dir,Standard,GoFiles,"+
		"ImportMap,Module", "./...")
	list.Dir, list.Stderr = dir, os.Stderr
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		return 0, nil, fmt.Errorf("go list for %s: %w", system, err)
	}
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed // after all that it imports
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue // main of a test is generated
		}
		ours := p.Module != nil && p.Module.Main
		wrong, err := s.one(p, done, ours)
		if err != nil {
			return 0, nil, err
		}
		if ours {
			own++
			found = append(found, wrong...)
		}
	}
	slices.Sort(found)
	return own, slices.Compact(found), nil
}

// one type-checks a package, with bodies of functions where it is ours, and adds it to those that
// are done.
func (s *sources) one(p listed, done map[string]*types.Package, ours bool) ([]string, error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		name = filepath.Join(p.Dir, name)
		if s.files[name] == nil {
			f, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			s.files[name] = f
		}
		files = append(files, s.files[name])
	}
	var found []string
	config := types.Config{
		IgnoreFuncBodies: !ours,
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if mapped := p.ImportMap[path]; mapped != "" {
				path = mapped
			}
			if done[path] == nil {
				return nil, fmt.Errorf("%s is not listed before", path)
			}
			return done[path], nil
		}),
		Error: func(err error) { found = append(found, err.Error()) },
		Sizes: types.SizesFor("gc", "amd64"),
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	done[p.ImportPath], _ = config.Check(path, s.fset, files, nil)
	return found, nil
}

// importerFunc is a function that imports.
type importerFunc func(string) (*types.Package, error)

// Import calls it.
func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }
