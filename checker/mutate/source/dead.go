package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// switches says of an expression what it is in the repaired protocol, where no erratum is switched
// on: such a condition decides nothing, and what it guards may be dead.
func (f *finder) switches(e ast.Expr) (value, known bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.switches(e.X)
	case *ast.UnaryExpr:
		value, known = f.switches(e.X)
		return !value, known && e.Op == token.NOT
	case *ast.BinaryExpr:
		a, knownA := f.switches(e.X)
		b, knownB := f.switches(e.Y)
		switch {
		case e.Op == token.LAND:
			return a && b, knownA && knownB || knownA && !a || knownB && !b
		case e.Op == token.LOR:
			return a || b, knownA && knownB || knownA && a || knownB && b
		}
	case *ast.CallExpr: // has(H2): the argument is the number of an erratum
		for _, arg := range e.Args {
			if t := f.info.TypeOf(arg); t != nil && f.info.Types[arg].Value != nil &&
				strings.HasSuffix(types.Unalias(t).String(), "/impl/core.Switch") {
				return false, true
			}
		}
	}
	return false, false
}

// invariant reports whether a block only panics: its condition is an assertion.
func invariant(b *ast.BlockStmt) bool {
	if len(b.List) != 1 {
		return false
	}
	s, ok := b.List[0].(*ast.ExprStmt)
	return ok && isPanic(s.X)
}

// refuses reports whether all that a function does is to refuse what a setup is given. No scenario
// can expect that, as it could not be explored; tests give what must be refused.
func refuses(d *ast.FuncDecl) bool {
	if d.Recv != nil || d.Type.Results == nil || len(d.Type.Results.List) != 1 {
		return false
	}
	id, ok := d.Type.Results.List[0].Type.(*ast.Ident)
	return ok && id.Name == "error"
}

// refusal reports whether a block does nothing but return an error, in a function that has no
// machine: such as refuses.
func (f *finder) refusal(block []ast.Stmt) bool {
	if len(block) != 1 || f.method || f.results.Results == nil {
		return false
	}
	r, ok := block[0].(*ast.ReturnStmt)
	list := f.results.Results.List
	id, isError := list[len(list)-1].Type.(*ast.Ident)
	return ok && isError && id.Name == "error" && len(r.Results) > 0 &&
		!f.info.Types[r.Results[len(r.Results)-1]].IsNil()
}

// isPromises reports whether an expression is what a protocol promises, or a field of it. That is
// the specification: to promise less is no behaviour that could be noticed.
func (f *finder) isPromises(e ast.Expr) bool {
	t := f.info.TypeOf(e)
	if t != nil && strings.HasSuffix(types.Unalias(t).String(), "/spec/promise.Promises") {
		return true
	}
	sel, ok := e.(*ast.SelectorExpr)
	return ok && f.isPromises(sel.X)
}

// ignores reports whether a call appends nothing but the reason for which an input is ignored,
// which is text.
func (f *finder) ignores(call *ast.CallExpr) bool {
	if f.builtin(call) != "append" || len(call.Args) != 2 {
		return false
	}
	drop, ok := call.Args[1].(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := drop.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "DropInput"
}

func isPanic(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// beside reports whether a function is none of the behaviour: it makes text for people; it tells a
// search what it may leave out, which is tested against the search that leaves nothing out; or it
// is the short form of a message on a real network, or lends bytes to its pools, which no search
// does, and which is tested against the codec.
func beside(function string) bool {
	switch function[strings.LastIndexByte(function, '.')+1:] {
	case "String", "Describe", "MarshalText", "Error", "Commutes", "Content", "AppendHeader",
		"ParseHeader", "Background", "Holding", "Settle", "Release", "Tune", "UseMemory", "keeper":
		return true
	}
	return false
}

// textFile reports whether a file is tables, texts and wiring, also what only reports ask for
// (waiting.go), or, as quiet.go, nothing but the refusal of programs (refuses).
func textFile(name string) bool {
	switch name {
	case "doc.go", "errata.go", "mutants.go", "protocol.go", "protocols.go", "options.go",
		"quiet.go", "waiting.go":
		return true
	}
	return false
}

// textCall reports whether a call makes an error or a text.
func (f *finder) textCall(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	name, ok := f.info.Uses[id].(*types.PkgName)
	return ok && (name.Imported().Path() == "fmt" || name.Imported().Path() == "errors")
}
