package tidy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// notCores are the folders under impl whose code may have clocks, threads,
// sockets and disks, or only runs before a run starts. Every other folder under
// impl holds machines, which must be deterministic.
var notCores = []string{"impl/protocol/all", "impl/protocol/camel/volume",
	"impl/protocol/errmgr/figures", "impl/papers", "impl/performability", "impl/runtime"}

// bannedInCores are the imports through which time, chance, the scheduler or the
// outside could reach a machine. What lies below a path is banned with it.
var bannedInCores = []string{
	"context", "crypto/rand", "hash/maphash", "log", "math/rand", "net", "os", "sync", "time",
	"unsafe",
}

// isCore tells whether the code in dir must be deterministic.
func isCore(dir string) bool {
	return below(dir, "impl") && !slices.ContainsFunc(notCores, func(not string) bool {
		return below(dir, not)
	})
}

// bannedImport tells whether a core must not import a path.
func bannedImport(imported string) bool {
	return slices.ContainsFunc(bannedInCores, func(banned string) bool {
		return below(imported, banned)
	})
}

// checkCores looks for what makes the code of a core depend on anything but its
// input: banned imports, goroutines, channels, and the order of a map. Tests of
// cores are free.
//
// The order of a map is seen where a map, or a type parameter that may be one,
// is ranged over, and where maps.Keys, maps.Values or maps.All is used without
// being sorted (slices.Sorted, slices.SortedFunc, slices.SortedStableFunc) or put
// into a map again (maps.Collect, maps.Insert). A range over a value of unknown
// type is reported too. It is not seen through reflection, through fmt (which
// sorts), in a callback of maps.DeleteFunc, in a comparison function for which
// different elements are equal, or in a package that the core calls.
func checkCores(t *tree, report *reporter) {
	resolve := newResolver(t)
	for _, f := range t.folders {
		if !isCore(f.dir) {
			continue
		}
		c := coreCheck{report: report, info: resolve.core(f), sorted: map[*ast.Ident]bool{}}
		for _, s := range f.code() {
			c.imports(s)
			ast.Inspect(s.ast, func(n ast.Node) bool {
				c.node(n)
				return true
			})
		}
	}
}

// coreCheck is the state of checkCores in one package.
type coreCheck struct {
	report *reporter
	info   *types.Info
	sorted map[*ast.Ident]bool // map iterators seen inside a call that forgets their order
}

// imports reports the banned imports of one file.
func (c *coreCheck) imports(s *source) {
	for _, spec := range s.ast.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil && bannedImport(imported) {
			c.report.at(spec.Pos(), "import of %s in a core", imported)
		}
	}
}

// node reports a banned construct. Parents come before their children, so a
// sorting call is known before the iterator in it is met.
func (c *coreCheck) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		c.report.at(n.Pos(), "go statement in a core")
	case *ast.ChanType:
		c.report.at(n.Pos(), "channel type in a core")
	case *ast.SendStmt:
		c.report.at(n.Arrow, "channel send in a core")
	case *ast.SelectStmt:
		c.report.at(n.Pos(), "select statement in a core")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.report.at(n.Pos(), "channel receive in a core")
		}
	case *ast.RangeStmt:
		c.rangeOver(n)
	case *ast.CallExpr:
		c.call(n)
	case *ast.Ident:
		if name := c.mapIterator(n); name != "" && !c.sorted[n] {
			c.report.at(n.Pos(),
				"%s gives map order: wrap it in slices.Sorted or slices.SortedFunc", name)
		}
	}
}

// rangeOver reports a range over a map, over what may be one, or over a channel.
func (c *coreCheck) rangeOver(n *ast.RangeStmt) {
	t, operand := c.info.TypeOf(n.X), types.ExprString(n.X)
	if isUnknown(t) {
		c.report.at(n.Pos(), "range over %s, whose type is unknown: it may be a map", operand)
		return
	}
	if isMap(t) {
		c.report.at(n.Pos(), "range over the map %s: range over slices.Sorted(maps.Keys(...))",
			operand)
	}
	if _, ok := t.Underlying().(*types.Chan); ok {
		c.report.at(n.Pos(), "range over the channel %s in a core", operand)
	}
}

// call notes the map iterators among the arguments of a call that sorts them or
// puts them into a map again.
func (c *coreCheck) call(n *ast.CallExpr) {
	switch c.function(n.Fun) {
	case "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc", "maps.Collect",
		"maps.Insert":
	default:
		return
	}
	for _, argument := range n.Args {
		if inner, ok := ast.Unparen(argument).(*ast.CallExpr); ok {
			c.sorted[callee(inner.Fun)] = true
		}
	}
}

// function returns "path.Name" of the package function that an expression calls,
// or "".
func (c *coreCheck) function(fun ast.Expr) string {
	if id := callee(fun); id != nil {
		return functionName(c.info.Uses[id])
	}
	return ""
}

// mapIterator returns the name of the function of package maps that an identifier
// means, if that function yields in map order.
func (c *coreCheck) mapIterator(id *ast.Ident) string {
	switch name := functionName(c.info.Uses[id]); name {
	case "maps.Keys", "maps.Values", "maps.All":
		return name
	}
	return ""
}

// functionName returns "path.Name" of a package function, or "".
func functionName(object types.Object) string {
	f, ok := object.(*types.Func)
	if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
		return ""
	}
	return f.Pkg().Path() + "." + f.Name()
}

// callee returns the identifier that names the called function, or nil if the
// function is computed.
func callee(fun ast.Expr) *ast.Ident {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	case *ast.IndexExpr:
		return callee(fun.X)
	case *ast.IndexListExpr:
		return callee(fun.X)
	}
	return nil
}
