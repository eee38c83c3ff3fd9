package tidy

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxTextBytes bounds the files that are searched for words; what is longer is
// data, not text.
const maxTextBytes = 1 << 20

// tree is a module as the rules see it, read once.
type tree struct {
	fset    *token.FileSet
	std     types.Importer
	module  string    // module path from go.mod
	top     []string  // names at the root, sorted
	texts   []text    // every text file, Go or not, sorted by path
	folders []*folder // folders with parsed Go files, sorted
	broken  []finding // files that do not parse
}

// text is the content of a text file.
type text struct {
	path string
	data []byte
}

// folder is one folder of Go files: a package, with its tests.
type folder struct {
	dir   string // "." for the root
	files []*source
}

// source is one parsed Go file.
type source struct {
	path  string
	lines int
	data  []byte
	test  bool
	ast   *ast.File
}

// load reads the module at the root of fsys. Files that the go command does not
// build (in testdata, or with a leading dot or underscore) are text only.
func load(fsys fs.FS, std types.Importer) (*tree, error) {
	t := &tree{fset: token.NewFileSet(), std: std}
	gomod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	if t.module = modulePath(gomod); t.module == "" {
		return nil, errors.New("read the module: no module line in go.mod")
	}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	for _, entry := range entries {
		t.top = append(t.top, entry.Name())
	}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (skipped(name) || ownModule(fsys, name)):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		return t.read(fsys, name, entry)
	})
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	return t, nil
}

// modulePath returns the module path of a go.mod, or "".
func modulePath(gomod []byte) string {
	for line := range strings.Lines(string(gomod)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`)
		}
	}
	return ""
}

// ownModule tells whether a folder is a module of its own, with rules of its own: an example of
// what strangers write.
func ownModule(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, path.Join(name, "go.mod"))
	return name != "." && err == nil
}

// skipped tells the folders that hold no text of ours: git's own, and the inputs
// that a fuzzer stores, which are arbitrary bytes.
func skipped(dir string) bool {
	return path.Base(dir) == ".git" || strings.HasSuffix("/"+dir, "/testdata/fuzz") ||
		strings.HasSuffix("/"+dir, "/testdata/rapid")
}

// read adds one regular file to the tree.
func (t *tree) read(fsys fs.FS, name string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	goFile := built(name)
	if info.Size() > maxTextBytes && !goFile {
		return nil
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	if bytes.IndexByte(data, 0) < 0 {
		t.texts = append(t.texts, text{name, data})
	}
	if goFile {
		t.parse(name, data)
	}
	return nil
}

// built tells whether the go command looks at a file.
func built(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if element == "testdata" || element == "vendor" || element[0] == '.' || element[0] == '_' {
			return false
		}
	}
	return strings.HasSuffix(name, ".go")
}

// parse adds a Go file to its folder; a file with a syntax error is reported and
// left out, since the other rules would only repeat that error.
func (t *tree) parse(name string, data []byte) {
	parsed, err := parser.ParseFile(t.fset, name, data,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		line, message := 1, err.Error()
		if list := scanner.ErrorList(nil); errors.As(err, &list) && len(list) > 0 {
			line, message = list[0].Pos.Line, list[0].Msg
		}
		t.broken = append(t.broken, finding{file: name, line: line, message: message})
		return
	}
	s := &source{
		path:  name,
		lines: bytes.Count(data, []byte("\n")),
		data:  data,
		test:  strings.HasSuffix(name, "_test.go"),
		ast:   parsed,
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		s.lines++
	}
	dir := path.Dir(name)
	at, found := slices.BinarySearchFunc(t.folders, dir, func(f *folder, dir string) int {
		return strings.Compare(f.dir, dir)
	})
	if !found {
		t.folders = slices.Insert(t.folders, at, &folder{dir: dir})
	}
	t.folders[at].files = append(t.folders[at].files, s)
}

// folder returns the folder at dir, or nil if it holds no Go file.
func (t *tree) folder(dir string) *folder {
	for _, f := range t.folders {
		if f.dir == dir {
			return f
		}
	}
	return nil
}

// code returns the files of the package itself, without its tests.
func (f *folder) code() []*source {
	var files []*source
	for _, s := range f.files {
		if !s.test {
			files = append(files, s)
		}
	}
	return files
}

// checkSyntax reports the files that do not parse.
func checkSyntax(t *tree, report *reporter) {
	for _, b := range t.broken {
		report.line(b.file, b.line, "%s", b.message)
	}
}
