package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// expression finds the mutants of an expression whose value is used.
func (f *finder) expression(e ast.Expr) {
	tv, known := f.info.Types[e]
	switch {
	case known && tv.IsType():
		return
	case known && tv.Value != nil:
		f.constant(e, tv)
		return
	case f.isCondition(e):
		f.boolean(e)
		return
	}
	f.operands(e)
	if b, ok := e.(*ast.BinaryExpr); ok {
		f.arithmetic(b)
	}
}

// operands finds the mutants of the parts of an expression.
func (f *finder) operands(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.expression(e.X)
	case *ast.UnaryExpr:
		f.expression(e.X)
	case *ast.BinaryExpr:
		f.expression(e.X)
		f.expression(e.Y)
	case *ast.StarExpr:
		f.expression(e.X)
	case *ast.SelectorExpr:
		f.expression(e.X)
	case *ast.IndexExpr:
		f.expression(e.X)
		f.expression(e.Index)
	case *ast.SliceExpr:
		for _, part := range []ast.Expr{e.X, e.Low, e.High, e.Max} {
			if part != nil {
				f.expression(part)
			}
		}
	case *ast.TypeAssertExpr:
		f.expression(e.X)
	case *ast.CallExpr:
		f.arguments(e)
		f.calling(e)
	case *ast.CompositeLit:
		f.literal(e)
	case *ast.FuncLit:
		outer := f.results
		f.results = e.Type
		f.block(e.Body.List)
		f.results = outer
	}
}

// constant finds the mutants of a literal.
func (f *finder) constant(e ast.Expr, tv types.TypeAndValue) {
	basic, ok := tv.Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped != 0 {
		return
	}
	name, spelt := f.spelled(tv.Type)
	if !spelt {
		return
	}
	generic := "[" + name + "]"
	switch e := e.(type) {
	case *ast.Ident:
		if (e.Name == "true" || e.Name == "false") && basic.Info()&types.IsBoolean != 0 {
			other := "true"
			if e.Name == "true" {
				other = "false"
			}
			f.pick(e, flip, generic, other)
		}
	case *ast.BasicLit:
		if e.Kind == token.INT && basic.Info()&types.IsInteger != 0 {
			value, exact := constant.Int64Val(tv.Value)
			if !exact {
				return
			}
			f.pick(e, number, generic, fmt.Sprint(value+1))
			if value > 0 {
				f.pick(e, number, generic, fmt.Sprint(value-1))
			}
		}
	}
}

// arithmetic finds the mutants of + and -, of integers without effects.
func (f *finder) arithmetic(e *ast.BinaryExpr) {
	t := f.info.TypeOf(e)
	basic, ok := t.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 || !f.pure(e) {
		return
	}
	switch e.Op {
	case token.ADD:
		f.pick(e, arith, "", f.text(e.X)+" - "+f.text(e.Y))
	case token.SUB:
		f.pick(e, arith, "", f.text(e.X)+" + "+f.text(e.Y))
	}
}

// builtin is the name of the builtin function that is called, or "".
func (f *finder) builtin(call *ast.CallExpr) string {
	id, ok := call.Fun.(*ast.Ident)
	if !ok {
		return ""
	}
	if b, ok := f.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// arguments finds the mutants of the arguments of a call.
func (f *finder) arguments(call *ast.CallExpr) {
	if f.textCall(call) {
		return
	}
	f.target(call.Fun)
	for _, a := range call.Args {
		f.expression(a)
	}
}

// calling finds the mutants of a call itself.
func (f *finder) calling(call *ast.CallExpr) {
	switch f.builtin(call) {
	case "append":
		f.appending(call)
	case "min", "max":
		other := map[string]string{"min": "max", "max": "min"}[f.builtin(call)]
		if f.pure(call) {
			f.pick(call, extreme, "", other+f.text(call)[len("max"):])
		}
	case "":
		if !f.textCall(call) && !f.info.Types[call.Fun].IsType() {
			f.swapping(call)
		}
	}
}

// appending finds the mutant of an append: nothing is.
func (f *finder) appending(call *ast.CallExpr) {
	t := f.info.TypeOf(call.Args[0])
	list, ok := t.Underlying().(*types.Slice)
	if last := call.Args[len(call.Args)-1]; !ok || len(call.Args) < 2 || f.ignores(call) ||
		call.Ellipsis.IsValid() && !types.Identical(f.info.TypeOf(last).Underlying(), list) {
		return
	}
	generic := ""
	name, spelt := f.spelled(t)
	if element, also := f.spelled(list.Elem()); spelt && also {
		generic = "[" + name + ", " + element + "]"
	}
	m := f.mutant(call.Pos(), effect, f.text(call), f.text(call.Args[0]))
	f.wrap(call.Fun, func(string) string { return calls + ".Append" + generic })
	f.insert(call.Args[0].Pos(), func() string { return fmt.Sprintf("%d, ", m.Number) })
}

// swapping finds the mutants of a call with two arguments of one type swapped, next to each other.
func (f *finder) swapping(call *ast.CallExpr) {
	if call.Ellipsis.IsValid() {
		return
	}
	for i := range len(call.Args) - 1 {
		a, b := call.Args[i], call.Args[i+1]
		s, t := f.info.TypeOf(a), f.info.TypeOf(b)
		if s == nil || t == nil || !types.Identical(s, t) || !f.pure(a) || !f.pure(b) ||
			f.info.Types[a].Value != nil || f.info.Types[b].Value != nil ||
			f.info.Types[a].IsNil() || f.text(a) == f.text(b) {
			continue
		}
		x, y := f.text(a), f.text(b)
		m := f.mutant(call.Pos(), swap, f.text(call), fmt.Sprintf("%s and %s swapped", x, y))
		pick := func(other string) func(string) string {
			return func(inner string) string {
				return fmt.Sprintf("%s.Pick(%d, %s, %s)", calls, m.Number, inner, other)
			}
		}
		f.wrap(a, pick(y))
		f.wrap(b, pick(x))
	}
}

// literal finds the mutants of a composite literal: each field left out.
func (f *finder) literal(e *ast.CompositeLit) {
	if f.isPromises(e) {
		return
	}
	t := f.info.TypeOf(e)
	if p, ok := t.Underlying().(*types.Pointer); ok { // an element of a list of pointers
		t = p.Elem()
	}
	fields, isStruct := t.Underlying().(*types.Struct)
	for _, element := range e.Elts {
		kv, keyed := element.(*ast.KeyValueExpr)
		if !keyed {
			f.expression(element)
			continue
		}
		f.expression(kv.Value)
		if key, ok := kv.Key.(*ast.Ident); ok && isStruct {
			f.leftOut(kv, key.Name, fields)
		}
	}
}

// leftOut finds the mutant of a literal without a field.
func (f *finder) leftOut(kv *ast.KeyValueExpr, name string, fields *types.Struct) {
	if literal, ok := kv.Value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		return // text
	}
	tv := f.info.Types[kv.Value]
	if tv.IsNil() || tv.Value != nil && (tv.Value.Kind() == constant.Bool ||
		constant.Sign(constant.ToInt(tv.Value)) == 0 && tv.Value.Kind() == constant.Int) {
		return // it is its zero value, or flip does the same
	}
	for i := range fields.NumFields() {
		if fields.Field(i).Name() != name {
			continue
		}
		generic := ""
		if t := fields.Field(i).Type(); tv.Value != nil || !types.Identical(tv.Type, t) {
			text, ok := f.spelled(t)
			if !ok {
				return
			}
			generic = "[" + text + "]"
		}
		m := f.mutant(kv.Pos(), field, f.text(kv), "")
		f.wrap(kv.Value, func(inner string) string {
			return fmt.Sprintf("%s.Zero%s(%d, %s)", calls, generic, m.Number, inner)
		})
	}
}

// pure reports whether an expression has no effects and can not panic where the original does not:
// names, their fields, constants, conversions and sums of these.
func (f *finder) pure(e ast.Expr) bool {
	if f.info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return f.pure(e.X)
	case *ast.SelectorExpr:
		return f.pure(e.X)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB) && f.pure(e.X) && f.pure(e.Y)
	case *ast.IndexExpr:
		return f.pure(e.X) && f.pure(e.Index)
	case *ast.CallExpr:
		name := f.builtin(e)
		if !f.info.Types[e.Fun].IsType() && name != "len" && name != "min" && name != "max" {
			return false
		}
		for _, a := range e.Args {
			if !f.pure(a) {
				return false
			}
		}
		return true
	}
	return false
}
