package all_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// mostQuoted is how many words of a paper may stand in an erratum.
const mostQuoted = 25

// TestErrataText checks that each protocol names its switches, which are numbered in the order of
// the constants, as its text does: one constant an entry, in the same order; and that what is said
// to be printed is quoted, no quote is long, and a reading has another one.
func TestErrataText(t *testing.T) {
	texts, err := filepath.Glob("../*/errata.txt")
	if err != nil || len(texts) < 5 {
		t.Fatalf("errata of %q, %v: want those of five packages", texts, err)
	}
	for _, path := range texts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, e := range core.MustErrata(0, string(text)) {
			ids = append(ids, e.ID)
			if e.Place == "" || e.Class == "" || e.Switched == "" || e.Repaired == "" {
				t.Errorf("%s: %s says too little: %+v", path, e.ID, e)
			}
			if e.Class == core.ClassPrinted && e.Quote == "" {
				t.Errorf("%s: %s is printed, and the sentence is not quoted", path, e.ID)
			}
			if n := len(strings.Fields(e.Quote)); n > mostQuoted {
				t.Errorf("%s: %s quotes %d words, want %d at most", path, e.ID, n, mostQuoted)
			}
			if e.Class == core.ClassReading && e.Other == "" {
				t.Errorf("%s: %s is a reading, and there is no other one", path, e.ID)
			}
		}
		code := filepath.Join(filepath.Dir(path), "errata.go")
		if diff := cmp.Diff(constants(t, code), ids); diff != "" {
			t.Errorf("%s (-constants +text):\n%s", path, diff)
		}
	}
}

// constants are the exported names of the first group of constants of a file, in order.
func constants(t *testing.T, path string) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if group, ok := d.(*ast.GenDecl); ok && group.Tok == token.CONST {
			for _, spec := range group.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.IsExported() {
						names = append(names, name.Name)
					}
				}
			}
			return names
		}
	}
	t.Fatalf("%s has no constants", path)
	return nil
}
