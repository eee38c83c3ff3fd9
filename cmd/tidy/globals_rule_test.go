package tidy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// checkGlobals looks for package variables of cores that could change: state
// outside the machine would be shared between runs and missing from checkpoints.
//
// A variable is constant data if it starts as a composite literal, as the result
// of a call (errors.New, a table built once) or as a file that the compiler
// embeds, and nothing in its package writes to it: no assignment to it or into
// it, no ++ or --, no &, no call of a method with a pointer receiver on it, no
// clear, copy or delete. A variable named _ is an assertion to the compiler. Not
// seen: a write through an alias (a slice, map or pointer copied out of it), or
// by another package.
func checkGlobals(t *tree, report *reporter) {
	resolve := newResolver(t)
	for _, f := range t.folders {
		if !isCore(f.dir) {
			continue
		}
		g := globalCheck{report: report, info: resolve.core(f), globals: map[types.Object]bool{}}
		for _, s := range f.code() {
			for _, declaration := range s.ast.Decls {
				g.declare(declaration)
			}
		}
		for _, s := range f.code() {
			ast.Inspect(s.ast, func(n ast.Node) bool {
				g.node(n)
				return true
			})
		}
	}
}

// globalCheck is the state of checkGlobals in one package.
type globalCheck struct {
	report  *reporter
	info    *types.Info
	globals map[types.Object]bool
}

// declare notes the package variables of a declaration and reports those that do
// not start as constant data.
func (g *globalCheck) declare(declaration ast.Decl) {
	group, ok := declaration.(*ast.GenDecl)
	if !ok || group.Tok != token.VAR {
		return
	}
	for _, spec := range group.Specs {
		spec := spec.(*ast.ValueSpec) // a var group holds nothing else
		for i, name := range spec.Names {
			if name.Name == "_" {
				continue
			}
			if object := g.info.Defs[name]; object != nil {
				g.globals[object] = true
			}
			var value ast.Expr
			if len(spec.Values) > 0 {
				value = spec.Values[min(i, len(spec.Values)-1)]
			}
			if !constantData(value) && !embedded(group) {
				g.report.at(name.Pos(),
					"package variable %s in a core: make it a constant, or a table that nothing "+
						"changes", name.Name)
			}
		}
	}
}

// constantData tells whether an initialiser makes a table or a sentinel.
func constantData(value ast.Expr) bool {
	switch value := value.(type) {
	case *ast.CompositeLit, *ast.CallExpr:
		return true
	case *ast.ParenExpr:
		return constantData(value.X)
	}
	return false
}

// embedded tells whether the compiler puts a file into the variable.
func embedded(group *ast.GenDecl) bool {
	return group.Doc != nil && slices.ContainsFunc(group.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:embed ")
	})
}

// node reports a statement or expression that writes to a package variable, or
// that lets others write.
func (g *globalCheck) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, left := range n.Lhs {
				g.write(left, "assigns to")
			}
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			g.write(n.Key, "assigns to")
			g.write(n.Value, "assigns to")
		}
	case *ast.IncDecStmt:
		g.write(n.X, "assigns to")
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			g.write(n.X, "takes the address of")
		}
	case *ast.SelectorExpr:
		if g.pointerMethod(n) {
			g.write(n.X, "calls a pointer method on")
		}
	case *ast.CallExpr:
		if id := callee(n.Fun); id != nil && len(n.Args) > 0 {
			if b, ok := g.info.Uses[id].(*types.Builtin); ok {
				switch b.Name() {
				case "clear", "copy", "delete":
					g.write(n.Args[0], "changes the content of")
				}
			}
		}
	}
}

// write reports a write to what an expression denotes, if that is a package
// variable of this package or a part of one.
func (g *globalCheck) write(target ast.Expr, verb string) {
	for target != nil {
		switch at := target.(type) {
		case *ast.Ident:
			if g.globals[g.info.Uses[at]] {
				g.report.at(at.Pos(), "%s the package variable %s in a core", verb, at.Name)
			}
			return
		case *ast.ParenExpr:
			target = at.X
		case *ast.SelectorExpr:
			target = at.X
		case *ast.IndexExpr:
			target = at.X
		case *ast.SliceExpr:
			target = at.X
		case *ast.StarExpr:
			target = at.X
		case *ast.TypeAssertExpr:
			target = at.X
		default:
			return
		}
	}
}

// pointerMethod tells whether a selector takes the address of its operand to
// reach a method with a pointer receiver.
func (g *globalCheck) pointerMethod(n *ast.SelectorExpr) bool {
	selection := g.info.Selections[n]
	if selection == nil || selection.Kind() != types.MethodVal || selection.Indirect() {
		return false
	}
	method, ok := selection.Obj().(*types.Func)
	if !ok {
		return false
	}
	_, pointer := types.Unalias(method.Signature().Recv().Type()).(*types.Pointer)
	return pointer
}
