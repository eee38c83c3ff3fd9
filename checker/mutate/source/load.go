package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Module is a program with everything that it is built of, as the go command knows it.
type Module struct {
	Main     string // import path of the program
	folder   string // where the go command runs
	packages map[string]*listed
	fset     *token.FileSet
	importer types.Importer
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, EmbedFiles     []string
	Deps                    []string
	Standard                bool
}

// switchboard is the package that mutated source calls.
const switchboard = "github.com/domino-check/domino/checker/mutate/source/mutant"

// Load asks the go command about a program, in a folder of its module.
func Load(ctx context.Context, folder, main string) (*Module, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("mutants of source are compiled, and there is no go command: %w",
			err)
	}
	m := &Module{Main: main, folder: folder, packages: map[string]*listed{},
		fset: token.NewFileSet()}
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles,EmbedFiles,Deps,Standard", main, switchboard)
	cmd.Dir = folder
	var wrong strings.Builder
	cmd.Stderr = &wrong
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("there is no source of %s here: run this in a checkout of its "+
			"module; go list says: %s", main, strings.TrimSpace(wrong.String()))
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(listed)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		m.packages[p.ImportPath] = p
	}
	m.importer = importer.ForCompiler(m.fset, "gc", m.export)
	return m, nil
}

// export opens what the compiler has written about a package.
func (m *Module) export(path string) (io.ReadCloser, error) {
	p := m.packages[path]
	if p == nil || p.Export == "" {
		return nil, fmt.Errorf("go list has no export data of %s", path)
	}
	return os.Open(p.Export)
}

// Named are the packages of the program whose paths end with the words of a name, outside the
// standard library.
func (m *Module) Named(name string) []string {
	var list []string
	for path, p := range m.packages {
		if !p.Standard && strings.HasSuffix(path, "/"+name) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// Uses reports whether a package is, or stands on, another one.
func (m *Module) Uses(path, other string) bool {
	p := m.packages[path]
	return path == other || p != nil && slices.Contains(p.Deps, other)
}

// Package is the source of one, with its mutants.
type Package struct {
	Path    string
	Mutants []*Mutant
	Left    []*Mutant // out, as they do not compile
	files   []*finder // those with mutants
	folder  string
}

// Package finds the mutants of a package; the first has the number.
func (m *Module) Package(path string, first int) (*Package, error) {
	p := m.packages[path]
	if p == nil {
		return nil, fmt.Errorf("%s is not built of package %s", m.Main, path)
	}
	var names []string
	var files []*ast.File
	texts := map[string]string{}
	for _, name := range p.GoFiles {
		data, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(m.fset, name, data, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		names, files, texts[name] = append(names, name), append(files, parsed), string(data)
	}
	pkg, info, err := m.check(path, files)
	if err != nil {
		return nil, err
	}
	r := &Package{Path: path, folder: p.Dir}
	for i, file := range files {
		if textFile(names[i]) {
			continue
		}
		f := &finder{fset: m.fset, info: info, source: texts[names[i]], path: path, pkg: pkg,
			imports: imported(file, pkg), file: names[i]}
		f.declarations(file)
		if len(f.mutants) > 0 {
			r.files = append(r.files, f)
		}
	}
	if err := m.compilable(r); err != nil {
		return nil, err
	}
	for _, f := range r.files {
		r.Mutants = append(r.Mutants, f.mutants...)
	}
	enumerate(r.Mutants, first)
	for _, f := range r.files {
		f.sites()
	}
	return r, nil
}

// check finds the types of a package.
func (m *Module) check(path string, files []*ast.File) (*types.Package, *types.Info, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: m.importer}).Check(path, m.fset, files, info)
	return pkg, info, err
}

// imported are the names of the packages that a file imports.
func imported(file *ast.File, pkg *types.Package) map[string]string {
	names := map[string]string{}
	for _, s := range file.Imports {
		path, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			continue // the parser has let only valid paths through
		}
		for _, p := range pkg.Imports() {
			if p.Path() == path {
				names[path] = p.Name()
			}
		}
		if s.Name != nil {
			names[path] = s.Name.Name
		}
		if names[path] == "_" || names[path] == "." {
			delete(names, path)
		}
	}
	return names
}
