package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// calls is how the mutated source calls package mutant.
const calls = "mutant_"

// finder finds the mutants of one file. Its methods are in the files of what they look at.
type finder struct {
	fset     *token.FileSet
	info     *types.Info
	source   string
	path     string // of the package
	pkg      *types.Package
	imports  map[string]string // names in this file, by import path
	file     string
	function string
	results  *ast.FuncType // of the function at hand
	method   bool          // which is one
	mutants  []*Mutant
	edits    []edit
	groups   int          // that there are; one is the mutants and edits at one place
	without  map[int]bool // groups that do not compile
}

// text is the source of a node.
func (f *finder) text(n ast.Node) string { return f.source[f.offset(n.Pos()):f.offset(n.End())] }

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// mutant notes a mutant at a node.
func (f *finder) mutant(at token.Pos, operator, before, after string) *Mutant {
	f.groups++
	m := &Mutant{Package: f.path, File: f.file, Line: f.fset.Position(at).Line,
		Function: f.function, Operator: operator, Before: line(before), After: line(after),
		group: f.groups}
	f.mutants = append(f.mutants, m)
	return m
}

// wrap edits a node. Numbers of mutants are known when the edit is made.
func (f *finder) wrap(n ast.Node, how func(inner string) string) {
	f.edits = append(f.edits, edit{f.offset(n.Pos()), f.offset(n.End()), f.groups, how})
}

// insert puts a text before a place.
func (f *finder) insert(at token.Pos, what func() string) {
	f.edits = append(f.edits, edit{f.offset(at), f.offset(at), f.groups,
		func(string) string { return what() }})
}

// alternative is another text in the place of a node.
type alternative struct{ operator, text string }

// alternatives makes a condition choose among other conditions and itself.
func (f *finder) alternatives(e ast.Expr, list ...alternative) {
	if len(list) == 0 {
		return
	}
	var mutants []*Mutant
	for _, a := range list {
		mutants = append(mutants, f.mutant(e.Pos(), a.operator, f.text(e), a.text))
	}
	f.together(mutants)
	f.wrap(e, func(inner string) string {
		var b strings.Builder
		b.WriteString("(")
		for i, m := range mutants {
			fmt.Fprintf(&b, "%s.Is(%d) && (%s) || ", calls, m.Number, list[i].text)
		}
		fmt.Fprintf(&b, "%s.Off(%d, %d) && (%s))", calls, mutants[0].Number,
			mutants[len(mutants)-1].Number, inner)
		return b.String()
	})
}

// together notes that the mutants are alternatives at one place, of which the first stands for all
// where it is recorded what is reached.
func (f *finder) together(mutants []*Mutant) {
	for _, m := range mutants {
		m.group = f.groups
	}
}

// pick makes an expression without effects choose between itself and another one.
func (f *finder) pick(e ast.Expr, operator, generic, other string) {
	m := f.mutant(e.Pos(), operator, f.text(e), other)
	f.wrap(e, func(inner string) string {
		return fmt.Sprintf("%s.Pick%s(%d, %s, %s)", calls, generic, m.Number, inner, other)
	})
}

// drop makes a statement one that can be left out.
func (f *finder) drop(s ast.Stmt, operator string) {
	m := f.mutant(s.Pos(), operator, f.text(s), "")
	f.wrap(s, func(inner string) string {
		return fmt.Sprintf("if %s.Off(%d, %d) { %s }", calls, m.Number, m.Number, inner)
	})
}

// spelled is a type as this file can write it.
func (f *finder) spelled(t types.Type) (text string, ok bool) {
	ok = true
	text = types.TypeString(t, func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		name, known := f.imports[p.Path()]
		ok = ok && known
		return name
	})
	return text, ok
}

// declarations finds the mutants of all functions of a file.
func (f *finder) declarations(file *ast.File) {
	for _, d := range file.Decls {
		function, ok := d.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		f.function = nameOf(function)
		if beside(f.function) || refuses(function) {
			continue
		}
		f.body(function)
	}
}

// nameOf is the name of a function with its receiver.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	for {
		switch at := t.(type) {
		case *ast.StarExpr:
			t = at.X
		case *ast.IndexExpr:
			t = at.X
		case *ast.IndexListExpr:
			t = at.X
		case *ast.Ident:
			return at.Name + "." + d.Name.Name
		default:
			return d.Name.Name
		}
	}
}

// body finds the mutants of a function.
func (f *finder) body(d *ast.FuncDecl) {
	f.results, f.method = d.Type, d.Recv != nil
	answer, ok := f.early(d.Type)
	for i, s := range d.Body.List {
		if ok && f.worth(d, i, answer) {
			f.returns(s, answer)
		}
	}
	f.block(d.Body.List)
}

// worth reports whether a return before a statement of a function says anything new.
func (f *finder) worth(d *ast.FuncDecl, i int, answer string) bool {
	switch s := d.Body.List[i].(type) {
	case *ast.ReturnStmt:
		var results []string
		for _, r := range s.Results {
			if call, ok := r.(*ast.CallExpr); ok && f.builtin(call) == "append" {
				return false // another operator drops what is appended
			}
			results = append(results, f.text(r))
		}
		return strings.Join(results, ", ") != answer && !f.negligible(s)
	case *ast.IfStmt:
		_, known := f.switches(s.Cond)
		return !invariant(s.Body) && !known && !f.refusal(s.Body.List)
	case *ast.DeclStmt:
		return false
	}
	return true
}

// negligible reports whether a return statement is one of a condition or a number, which have
// operators of their own.
func (f *finder) negligible(s *ast.ReturnStmt) bool {
	for _, r := range s.Results {
		if b, ok := f.info.TypeOf(r).Underlying().(*types.Basic); ok &&
			b.Info()&types.IsBoolean != 0 {
			return true
		}
	}
	return false
}

// returns puts a return before a statement.
func (f *finder) returns(s ast.Stmt, answer string) {
	what := strings.TrimSpace("return " + answer)
	m := f.mutant(s.Pos(), early, firstLine(f.text(s)), what)
	f.insert(s.Pos(), func() string {
		return fmt.Sprintf("if %s.At(%d) { %s }\n", calls, m.Number, what)
	})
}

// firstLine is the first line of a text, which tells enough of a statement.
func firstLine(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	if rest != "" {
		first += " ..."
	}
	return first
}

// early is what a function returns early: the effects so far, where it is given them, and zero
// values otherwise.
func (f *finder) early(t *ast.FuncType) (answer string, ok bool) {
	if t.Results == nil {
		return "", true
	}
	var list []string
	for _, r := range t.Results.List {
		value, ok := f.given(t, f.info.TypeOf(r.Type))
		if !ok {
			value, ok = f.zero(f.info.TypeOf(r.Type))
		}
		if !ok {
			return "", false
		}
		for range max(1, len(r.Names)) {
			list = append(list, value)
		}
	}
	return strings.Join(list, ", "), true
}

// given is the parameter with a slice that a function returns with more in it.
func (f *finder) given(t *ast.FuncType, result types.Type) (name string, ok bool) {
	if _, slice := result.Underlying().(*types.Slice); !slice {
		return "", false
	}
	for _, p := range t.Params.List {
		for _, n := range p.Names {
			if n.Name != "_" && types.Identical(f.info.TypeOf(p.Type), result) {
				name, ok = n.Name, true
			}
		}
	}
	return name, ok
}

// zero is the zero value of a type.
func (f *finder) zero(t types.Type) (text string, ok bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false", true
		case u.Info()&types.IsNumeric != 0:
			return "0", true
		case u.Info()&types.IsString != 0:
			return `""`, true
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface, *types.Signature, *types.Chan:
		if _, parameter := t.(*types.TypeParam); !parameter {
			return "nil", true
		}
	}
	text, ok = f.spelled(t)
	return "*new(" + text + ")", ok
}
