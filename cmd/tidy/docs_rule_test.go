package tidy

import (
	"bytes"
	"go/ast"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"
)

// minTodoRunes is the shortest text after a to-do mark that can say what is
// missing and what breaks meanwhile.
const minTodoRunes = 15

var (
	// neverLands matches the marks that no file may hold; they are spelled in
	// parts so that this file passes.
	neverLands = regexp.MustCompile(`\b(FIX` + `ME|XX` + `X)\b`)
	todoMark   = regexp.MustCompile(`\bTODO\b(.*)`)
	todoText   = regexp.MustCompile(`^(?:\([^)]*\))?:\s*(.*?)\s*(?:\*/)?$`)
)

// checkDocs reports what a reader of the documentation would miss: package
// comments, comments on exported names outside commands and tests, and marks of
// unfinished work without their text.
func checkDocs(t *tree, report *reporter) {
	for _, f := range t.folders {
		checkPackageDoc(report, f)
		for _, s := range f.files {
			checkTodos(t, report, s)
			if s.test || s.ast.Name.Name == "main" {
				continue
			}
			for _, declaration := range s.ast.Decls {
				checkDeclDoc(report, declaration)
			}
		}
	}
	for _, text := range t.texts {
		checkMarks(report, text)
	}
}

// checkPackageDoc wants the package comment where a reader looks first.
func checkPackageDoc(report *reporter, f *folder) {
	code := f.code()
	if len(code) == 0 {
		return
	}
	name := code[0].ast.Name.Name
	places := []string{"doc.go", name + ".go"}
	for _, s := range code {
		base := path.Base(s.path)
		if (base == places[0] || base == places[1]) && s.ast.Doc.Text() != "" {
			return
		}
	}
	report.at(code[0].ast.Package, "package %s has no package comment in %s or %s", name, places[0],
		places[1])
}

// checkDeclDoc wants a comment on every exported name of a top-level declaration.
func checkDeclDoc(report *reporter, declaration ast.Decl) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d.Recv) && d.Doc.Text() == "" {
			report.at(d.Name.Pos(), "exported function %s has no doc comment", d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			checkSpecDoc(report, d, spec)
		}
	}
}

// checkSpecDoc wants a comment on the exported names of one type, constant or
// variable, above it or at the end of its line. For constants, variables and
// aliases (whose meaning is told where they come from) that of their group is
// enough.
func checkSpecDoc(report *reporter, group *ast.GenDecl, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		shared := !group.Lparen.IsValid() || spec.Assign.IsValid()
		documented := spec.Doc.Text() != "" || spec.Comment.Text() != "" ||
			(shared && group.Doc.Text() != "")
		if spec.Name.IsExported() && !documented {
			report.at(spec.Name.Pos(), "exported type %s has no doc comment", spec.Name.Name)
		}
	case *ast.ValueSpec:
		if group.Doc.Text() != "" || spec.Doc.Text() != "" || spec.Comment.Text() != "" {
			return
		}
		for _, name := range spec.Names {
			if name.IsExported() {
				report.at(name.Pos(), "exported %s %s has no doc comment", group.Tok, name.Name)
			}
		}
	}
}

// exportedReceiver tells whether a function is none of an unexported type's.
func exportedReceiver(receiver *ast.FieldList) bool {
	if receiver == nil || len(receiver.List) == 0 {
		return true
	}
	at := receiver.List[0].Type
	for {
		switch t := at.(type) {
		case *ast.Ident:
			return t.IsExported()
		case *ast.ParenExpr:
			at = t.X
		case *ast.StarExpr:
			at = t.X
		case *ast.IndexExpr:
			at = t.X
		case *ast.IndexListExpr:
			at = t.X
		default:
			return true
		}
	}
}

// checkTodos wants a text on the line of every to-do mark in a comment.
func checkTodos(t *tree, report *reporter, s *source) {
	for _, group := range s.ast.Comments {
		for _, comment := range group.List {
			first := t.fset.Position(comment.Pos()).Line
			for i, line := range strings.Split(comment.Text, "\n") {
				mark := todoMark.FindStringSubmatch(line)
				if mark == nil {
					continue
				}
				text := todoText.FindStringSubmatch(mark[1])
				if text == nil || utf8.RuneCountInString(text[1]) < minTodoRunes {
					report.line(s.path, first+i,
						"TO"+"DO without a text: say what is missing and what breaks meanwhile")
				}
			}
		}
	}
}

// checkMarks reports the marks that must not land, in Go and in any other text.
func checkMarks(report *reporter, text text) {
	if !neverLands.Match(text.data) {
		return
	}
	line := 0
	for content := range bytes.Lines(text.data) {
		line++
		if mark := neverLands.Find(content); mark != nil {
			report.line(text.path, line, "%s must not land", mark)
		}
	}
}
