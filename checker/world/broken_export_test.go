package world

import "github.com/domino-check/domino/impl/core"

// Emptied is the word of a proc in the state when nothing is on its way to it.
func (w *World) Emptied(state []uint32, p core.Proc) uint32 {
	c := *w.of(state, p)
	c.inbox = emptyInbox
	return w.configuration(p, c)
}

// Unwritten is the word of a proc in the state when its stable records are those of another state.
func (w *World) Unwritten(state, before []uint32, p core.Proc) uint32 {
	c, e := *w.of(state, p), *w.env(state, p)
	e.Store = w.env(before, p).Store
	c.env = w.internEnv(e)
	return w.configuration(p, c)
}

// ProcWord is the word of a proc.
func ProcWord(p core.Proc) int { return procWord(p) }

// BudgetWord is the word of what faults are left.
const BudgetWord = budgetWord
