package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// walk adds the events of a proc, of which the plans are at hand; failing says that a proc may
// stop, lives that the first life of some proc is over.
func (w *World) walk(state []uint32, p core.Proc, plans []*plan, failing, lives bool,
	x *checker.Expansion) {
	word, pl := procWord(p), plans[p]
	if run := w.alone.run.Load(); pl.run.Load() != run {
		pl.run.Store(run)
	}
	for i := range pl.events {
		e := &pl.events[i]
		violation, memories := int(e.violation), uint32(0)
		if e.care != 0 {
			switch {
			case e.care&cutting != 0:
				if !lives {
					return // no channel ends, and no other event is behind these
				}
				w.endChannel(p, e, plans, x)
				continue
			case e.care&(open|looking) != 0:
				w.walkOpen(state, p, plans, e, x)
				continue
			case e.care&consequent != 0 && !w.consequence(state, p, pl, e):
				continue
			case e.care&(judged|watched) != 0:
				violation, memories = w.judgePlanned(state, plans, p, e)
			}
		}
		x.Add(checker.Step{Code: uint64(e.code), Violation: violation})
		x.Set(word, e.next)
		for _, d := range pl.does[e.first:e.last] {
			w.touch(x, d.proc, d.deed)
		}
		if e.care&watched != 0 {
			x.Set(w.monitors.word, memories)
		}
		if e.care&divisible != 0 && failing {
			w.cutShort(state, p, e.step, e.code, x, pl.causes[e.cause])
		}
	}
}

// takes adds an event that is shown to nobody else, of a plan.
func (w *World) takes(p core.Proc, pl *plan, e *event, x *checker.Expansion) {
	x.Add(checker.Step{Code: uint64(e.code), Violation: int(e.violation)})
	x.Set(procWord(p), e.next)
	for _, d := range pl.does[e.first:e.last] {
		w.touch(x, d.proc, d.deed)
	}
}

// restartable is mayRestart for a proc that nobody launches, by the plans.
func (w *World) restartable(p core.Proc, plans []*plan) bool {
	if w.placed[p] && !slices.ContainsFunc(plans, func(pl *plan) bool {
		return slices.Contains(pl.hosts, p)
	}) {
		return false
	}
	for _, q := range w.group(p) {
		if pl := plans[q]; lags(pl.up, pl.still, pl.inc, plans[p].inc) {
			return false
		}
	}
	return true
}

// endChannel adds the end of a channel if the life that it is from is over.
func (w *World) endChannel(p core.Proc, e *event, plans []*plan, x *checker.Expansion) {
	if from := e.code.arg() >> 16; plans[from].inc > e.step {
		x.Add(e.code.step())
		w.touch(x, p, deed(e.next))
	}
}

// consequence reports whether anything at all comes of a delivery that leaves its proc as it is.
func (w *World) consequence(state []uint32, p core.Proc, pl *plan, e *event) bool {
	if e.next != state[procWord(p)] {
		return true // it sends to itself
	}
	for _, d := range pl.does[e.first:e.last] {
		here := state[procWord(d.proc)]
		if w.touched(d.proc, here, d.deed) != here {
			return true
		}
	}
	if e.care&watched != 0 && w.observe(state[w.monitors.word], e.step).next !=
		state[w.monitors.word] {
		return true
	}
	return e.care&(judged|watched) != 0 && w.judge(state, p, e.step) != 0
}

// consequenceFor is consequence for an event that looks at other procs.
func (w *World) consequenceFor(state []uint32, p core.Proc, e *event) bool {
	x := checker.NewExpansion(w.Words())
	x.Begin(state)
	x.Add(checker.Step{})
	w.perform(x, p, e.step, *w.of(state, p))
	return !slices.Equal(x.Now(), state) || w.judge(state, p, e.step) != 0
}

// walkOpen adds an event that looks at other procs, if it is possible.
func (w *World) walkOpen(state []uint32, p core.Proc, plans []*plan, e *event,
	x *checker.Expansion) {
	s := e.code.step()
	if e.care&open == 0 {
		if e.care&consequent != 0 && !w.consequenceFor(state, p, e) {
			return
		}
		w.step(state, p, e.step, s, x, plans[p].causes[e.cause])
		return
	}
	switch a := e.code.arg(); e.code.kind() {
	case restart:
		if w.launched(p) {
			w.launches(state, p, x)
		} else if w.restartable(p, plans) {
			w.startsAgain(state, p, x)
		}
	case erase:
		if w.erases(state, p) {
			w.happen(x, p, s, w.change(w.envOf(state, p), operation{Kind: opErase}))
		}
	case told:
		if i := w.pendingIndex(state, p, a); w.tellable(state, p, i) {
			w.step(state, p, w.transition(w.localOf(state, p), w.toldInput(state, p, i)), s, x,
				w.change(w.envOf(state, p),
					operation{Kind: opTold, A: uint32(i), All: w.Model.Joint}))
		}
	case expire: // if the watched life is over
		about := plans[a]
		if (!about.up || about.inc != e.step) && w.heardOut(state, p, core.Proc(a)) {
			w.expiry(state, p, core.Proc(a), s, x, 0)
		}
	case kill:
		w.kills(state, p, x)
	case stop:
		w.falls(state, p, x)
	}
}
