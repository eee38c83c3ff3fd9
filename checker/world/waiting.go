package world

import "github.com/domino-check/domino/impl/core"

// Waiting is what a proc says that it waits for in a state, for reports; nil for one that is down
// or says nothing.
func (w *World) Waiting(state []uint32, p core.Proc) []core.Wait {
	number := w.localOf(state, p)
	if number == deadLocal {
		return nil
	}
	m := w.Setup.New(p)
	if core.DecodeState(w.locals.at(number).content, m) != nil {
		return nil
	}
	return core.WaitingOf(m)
}
