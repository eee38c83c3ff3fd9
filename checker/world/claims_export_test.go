package world

import "github.com/domino-check/domino/impl/core"

// Claimed are the labels of the steps that a reduced search may take in the state on the word of
// their protocol.
func (w *World) Claimed(state []uint32) (labels []uint64) {
	if w.Setup.Launched || !w.reducible(state) {
		return nil
	}
	newest, _, quiet := w.eager.quiet(w, state)
	if !quiet {
		return nil
	}
	for p := range core.Proc(w.procs) {
		pl := w.plan(p, state[procWord(p)])
		for _, s := range w.eagerSteps(pl) {
			if w.claimed(state, s, newest) {
				labels = append(labels, w.Label(state, uint64(pl.events[s.event].code)))
			}
		}
	}
	return labels
}

// Label names an event of a state as it is named in others, too: a step of a program by its choice,
// not by its place among those that are possible.
func (w *World) Label(state []uint32, number uint64) uint64 {
	c := eventCode(number)
	if c.kind() != advance {
		return number
	}
	p := c.proc()
	input := w.locals.at(w.localOf(state, p)).choices[c.arg()]
	return uint64(code(advance, p, int(w.inputs.at(input).Choice)))
}

// Acts reports whether the step with the label, which is possible in the state, does anything to
// others.
func (w *World) Acts(state []uint32, label uint64) bool {
	p := eventCode(label).proc()
	pl := w.plan(p, state[procWord(p)])
	for i := range pl.events {
		if e := &pl.events[i]; w.Label(state, uint64(e.code)) == label {
			return len(w.transitions.at(e.step).acts) > 0
		}
	}
	return false
}
