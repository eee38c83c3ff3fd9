package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// block finds the mutants of statements that stand in a list, so that each can be left out.
func (f *finder) block(list []ast.Stmt) {
	for _, s := range list {
		f.statement(s, true)
	}
}

// statement finds the mutants of one. It is free where an if may stand in its place.
func (f *finder) statement(s ast.Stmt, free bool) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		f.call(s, free)
	case *ast.AssignStmt:
		f.assignment(s, free)
	case *ast.IncDecStmt:
		f.target(s.X)
		if free {
			f.drop(s, statement)
		}
	case *ast.ReturnStmt:
		for _, r := range s.Results {
			f.expression(r)
		}
		if free && len(s.Results) == 0 && f.results.Results == nil {
			f.drop(s, jump)
		}
	case *ast.BranchStmt:
		if free && (s.Tok == token.CONTINUE || s.Tok == token.BREAK) {
			f.drop(s, jump)
		}
	case *ast.DeclStmt:
		f.variables(s.Decl)
	default:
		f.compound(s)
	}
}

// compound finds the mutants of a statement that has others in it.
func (f *finder) compound(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		f.block(s.List)
	case *ast.LabeledStmt:
		f.statement(s.Stmt, false)
	case *ast.IfStmt:
		f.branch(s)
	case *ast.ForStmt:
		f.optional(s.Init)
		if s.Cond != nil {
			f.condition(s.Cond, never)
		}
		f.optional(s.Post)
		f.block(s.Body.List)
	case *ast.RangeStmt:
		f.expression(s.X)
		f.block(s.Body.List)
	case *ast.SwitchStmt:
		f.choice(s)
	case *ast.TypeSwitchStmt:
		f.optional(s.Init)
		for _, c := range s.Body.List {
			f.block(c.(*ast.CaseClause).Body)
		}
	}
}

// optional finds the mutants of a statement that may be missing, and stands where no if may.
func (f *finder) optional(s ast.Stmt) {
	if s != nil {
		f.statement(s, false)
	}
}

// call finds the mutants of a call whose result is not used.
func (f *finder) call(s *ast.ExprStmt, free bool) {
	if isPanic(s.X) {
		return
	}
	f.expression(s.X)
	if free {
		f.drop(s, statement)
	}
}

// branch finds the mutants of an if: none where it is an assertion, or decided by an erratum.
func (f *finder) branch(s *ast.IfStmt) {
	f.optional(s.Init)
	if s.Else == nil && (invariant(s.Body) || f.refusal(s.Body.List)) {
		return
	}
	value, known := f.switches(s.Cond)
	if !known {
		f.condition(s.Cond, never, always)
	}
	if !known || value {
		f.block(s.Body.List)
	}
	if s.Else != nil && (!known || !value) {
		f.statement(s.Else, false)
	}
}

// choice finds the mutants of a switch.
func (f *finder) choice(s *ast.SwitchStmt) {
	f.optional(s.Init)
	if s.Tag != nil {
		f.expression(s.Tag)
	}
	for _, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		if f.refusal(c.Body) {
			continue
		}
		dead := len(c.List) > 0 && s.Tag == nil
		for _, e := range c.List {
			value, known := f.switches(e)
			dead = dead && known && !value
			switch {
			case s.Tag == nil && !known:
				f.condition(e, never)
			case s.Tag != nil:
				f.expression(e)
			}
		}
		if !dead {
			f.block(c.Body)
		}
	}
}

// assignment finds the mutants of an assignment; what declares a variable can not be left out.
func (f *finder) assignment(s *ast.AssignStmt, free bool) {
	if len(s.Lhs) == 1 && f.isPromises(s.Lhs[0]) {
		return
	}
	for _, left := range s.Lhs {
		if s.Tok != token.DEFINE {
			f.target(left)
		}
	}
	for _, right := range s.Rhs {
		if call, ok := right.(*ast.CallExpr); ok && free && s.Tok == token.ASSIGN &&
			f.builtin(call) == "append" && f.text(call.Args[0]) == f.text(s.Lhs[0]) {
			f.arguments(call) // to append nothing is to leave the statement out
			continue
		}
		f.expression(right)
		if call, ok := right.(*ast.CallExpr); ok && f.ignores(call) {
			return
		}
	}
	switch {
	case !free || s.Tok == token.DEFINE:
	case len(s.Lhs) > 1 && len(s.Lhs) == len(s.Rhs):
		f.parts(s)
	default:
		f.drop(s, statement)
	}
}

// parts leaves out each part of an assignment of several values.
func (f *finder) parts(s *ast.AssignStmt) {
	var mutants []*Mutant
	var without []string
	for i := range s.Lhs {
		var left, right []string
		for j := range s.Lhs {
			if j != i {
				left, right = append(left, f.text(s.Lhs[j])), append(right, f.text(s.Rhs[j]))
			}
		}
		rest := fmt.Sprintf("%s %s %s", strings.Join(left, ", "), s.Tok, strings.Join(right, ", "))
		mutants = append(mutants, f.mutant(s.Pos(), statement, f.text(s), rest))
		without = append(without, rest)
	}
	f.together(mutants)
	f.wrap(s, func(inner string) string {
		var b strings.Builder
		for i, m := range mutants {
			fmt.Fprintf(&b, "if %s.Is(%d) { %s } else ", calls, m.Number, without[i])
		}
		fmt.Fprintf(&b, "if %s.Off(%d, %d) { %s }", calls, mutants[0].Number,
			mutants[len(mutants)-1].Number, inner)
		return b.String()
	})
}

// target finds the mutants of an expression that is assigned to: those of its indices.
func (f *finder) target(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IndexExpr:
		f.target(e.X)
		f.expression(e.Index)
	case *ast.SelectorExpr:
		f.target(e.X)
	case *ast.StarExpr:
		f.target(e.X)
	case *ast.ParenExpr:
		f.target(e.X)
	case *ast.CallExpr:
		f.expression(e)
	}
}

// variables finds the mutants of the values of variables.
func (f *finder) variables(d ast.Decl) {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return
	}
	for _, s := range g.Specs {
		for _, v := range s.(*ast.ValueSpec).Values {
			f.expression(v)
		}
	}
}
