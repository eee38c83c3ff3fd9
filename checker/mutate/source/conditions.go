package source

import (
	"go/ast"
	"go/token"
	"go/types"
)

// condition finds the mutants of what is decided by: those of a condition, and whether it is
// decided at all.
func (f *finder) condition(e ast.Expr, whole ...string) {
	f.expression(e)
	var list []alternative
	for _, w := range whole {
		switch w {
		case never:
			list = append(list, alternative{never, "false"})
		case always:
			list = append(list, alternative{always, "true"})
		}
	}
	f.alternatives(e, list...)
}

// isCondition reports whether an expression is of type bool, and may be in parentheses.
func (f *finder) isCondition(e ast.Expr) bool {
	t := f.info.TypeOf(e)
	if t == nil {
		return false
	}
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// boolean finds the mutants of a condition that is not constant.
func (f *finder) boolean(e ast.Expr) {
	if _, known := f.switches(e); known {
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		f.boolean(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			f.junction(e)
			return
		}
		f.comparison(e)
	case *ast.UnaryExpr: // !x: the opposite is x
		f.alternatives(e, alternative{negate, f.text(e.X)})
		if _, junction := ast.Unparen(e.X).(*ast.BinaryExpr); junction {
			f.boolean(e.X)
		} else {
			f.operands(e.X)
		}
	default:
		f.operands(e)
		f.alternatives(e, alternative{negate, "!" + f.text(e)})
	}
}

// junction finds the mutants of && and ||. An operand that an erratum decides is none.
func (f *finder) junction(e *ast.BinaryExpr) {
	_, knownX := f.switches(e.X)
	_, knownY := f.switches(e.Y)
	f.boolean(e.X)
	f.boolean(e.Y)
	if knownX || knownY {
		return
	}
	x, y, other := f.text(e.X), f.text(e.Y), token.LOR
	if e.Op == token.LOR {
		other = token.LAND
	}
	f.alternatives(e,
		alternative{logic, grouped(e.X, x, other) + " " + other.String() + " " +
			grouped(e.Y, y, other)},
		alternative{operand, x}, alternative{operand, y})
}

// grouped is the text of an operand, in parentheses where another operator would take it apart.
func grouped(e ast.Expr, text string, op token.Token) string {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op.Precedence() < op.Precedence() {
		return "(" + text + ")"
	}
	return text
}

// comparison finds the mutants of ==, < and the like.
func (f *finder) comparison(e *ast.BinaryExpr) {
	f.expression(e.X)
	f.expression(e.Y)
	with := func(operator string, op token.Token) alternative {
		return alternative{operator, f.text(e.X) + " " + op.String() + " " + f.text(e.Y)}
	}
	switch e.Op {
	case token.EQL:
		f.alternatives(e, with(negate, token.NEQ))
	case token.NEQ:
		f.alternatives(e, with(negate, token.EQL))
	case token.LSS:
		f.alternatives(e, with(boundary, token.LEQ), with(negate, token.GEQ))
	case token.LEQ:
		f.alternatives(e, with(boundary, token.LSS), with(negate, token.GTR))
	case token.GTR:
		f.alternatives(e, with(boundary, token.GEQ), with(negate, token.LEQ))
	case token.GEQ:
		f.alternatives(e, with(boundary, token.GTR), with(negate, token.LSS))
	}
}
