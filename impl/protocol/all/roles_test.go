package all_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// carriers are kinds that no message on the network has: what they carry describes itself.
var carriers = []string{"Carried", "Notice", "Plain", "Raft"}

// TestRoles reads the code of all protocols: whatever a package calls its messages, in an array
// kindNames, has a role, and whatever it gives a role is the name of a message there or of one that
// it takes over from package snapshot or link.
func TestRoles(t *testing.T) {
	packages, found := kindsOf(t, ".."), 0
	notices := packages["../part/snapshot"]
	if notices == nil || len(notices.kinds) == 0 {
		t.Fatal("package snapshot has no notices")
	}
	for dir, p := range packages {
		if len(p.kinds) == 0 {
			continue
		}
		found++
		known := p.roles
		if p.snapshots {
			known = append(known, notices.roles...)
		}
		for _, kind := range p.kinds {
			if !slices.Contains(known, kind) && !slices.Contains(carriers, kind) {
				t.Errorf("%s: messages %q have no role", dir, kind)
			}
		}
		for _, kind := range p.roles {
			if !slices.Contains(p.kinds, kind) && !slices.Contains(p.plain, kind) {
				t.Errorf("%s: %q has a role, and is no kind of messages", dir, kind)
			}
		}
	}
	if found < 14 {
		t.Errorf("%d packages with messages, want 14 at least", found)
	}
}

// spoken is what a package says of its messages: their names, those that have a role, other words
// of kinds, and whether it takes over the notices of snapshots.
type spoken struct {
	kinds, roles, plain []string
	snapshots           bool
}

// kindsOf reads all packages below a folder.
func kindsOf(t *testing.T, root string) map[string]*spoken {
	packages := map[string]*spoken{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" ||
			strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if packages[dir] == nil {
			packages[dir] = &spoken{}
		}
		ast.Inspect(file, packages[dir].read)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// read takes what a node of the code says.
func (p *spoken) read(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		if n.Names[0].Name == "kindNames" && len(n.Values) == 1 {
			p.kinds = append(p.kinds, words(n.Values[0])...)
			return false
		}
	case *ast.KeyValueExpr: // trace.Wire{Kind: "Write"}
		if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Kind" {
			p.plain = append(p.plain, words(n.Value)...)
		}
	case *ast.SelectorExpr:
		if from, ok := n.X.(*ast.Ident); ok {
			p.snapshots = p.snapshots || from.Name == "snapshot" && n.Sel.Name == "Roles"
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "With" && len(n.Args) == 2 {
			p.roles = append(p.roles, words(n.Args[1])...)
		}
	}
	return true
}

// words are those of all strings in an expression.
func words(n ast.Node) (list []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, _ := strconv.Unquote(l.Value) // the parser has read it
			list = append(list, strings.Fields(text)...)
		}
		return true
	})
	return list
}
