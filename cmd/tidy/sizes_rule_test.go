package tidy

import (
	"go/ast"
)

// Limits in lines. The line of the func keyword and that of the closing brace
// count, doc comments do not.
const (
	maxFileLines     = 500
	maxTestFileLines = 800
	maxFuncLines     = 60
	maxTestFuncLines = 150
)

// checkSizes reports files and functions that are too long to be read at once.
// A function may be longer if it is nothing but a flat switch.
func checkSizes(t *tree, report *reporter) {
	for _, f := range t.folders {
		for _, s := range f.files {
			fileLimit, functionLimit := maxFileLines, maxFuncLines
			if s.test {
				fileLimit, functionLimit = maxTestFileLines, maxTestFuncLines
			}
			if s.lines > fileLimit {
				report.line(s.path, fileLimit+1, "file of %d lines, the limit is %d", s.lines,
					fileLimit)
			}
			ast.Inspect(s.ast, func(n ast.Node) bool {
				return checkFunctionSize(t, report, n, functionLimit)
			})
		}
	}
}

// checkFunctionSize reports n if it is a function that is too long; it returns
// whether to look inside.
func checkFunctionSize(t *tree, report *reporter, n ast.Node, limit int) bool {
	var name string
	var body *ast.BlockStmt
	switch n := n.(type) {
	case *ast.FuncDecl:
		name, body = n.Name.Name, n.Body
	case *ast.FuncLit:
		name, body = "literal", n.Body
	}
	if body == nil {
		return true
	}
	lines := t.fset.Position(body.Rbrace).Line - t.fset.Position(n.Pos()).Line + 1
	if lines <= limit || flatSwitch(body) {
		return true
	}
	report.at(n.Pos(), "function %s of %d lines, the limit is %d", name, lines, limit)
	return false
}

// flatSwitch tells whether a body only dispatches: one switch, then at most one
// return or panic, and in the cases no loop, switch, select or function literal.
func flatSwitch(body *ast.BlockStmt) bool {
	switch len(body.List) {
	case 1:
	case 2:
		if !endsFunction(body.List[1]) {
			return false
		}
	default:
		return false
	}
	var cases *ast.BlockStmt
	switch s := body.List[0].(type) {
	case *ast.SwitchStmt:
		cases = s.Body
	case *ast.TypeSwitchStmt:
		cases = s.Body
	default:
		return false
	}
	flat := true
	ast.Inspect(cases, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt,
			*ast.FuncLit:
			flat = false
		}
		return flat
	})
	return flat
}

// endsFunction tells whether a statement is a return or a panic.
func endsFunction(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			id := callee(call.Fun)
			return id != nil && id.Name == "panic"
		}
	}
	return false
}
