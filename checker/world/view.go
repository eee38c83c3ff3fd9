package world

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// noProc is a view's self when nobody is in the middle of a step.
const noProc = core.Proc(1<<16 - 1)

// view shows a global state to properties; what is known of the proc in the middle of its step is
// given apart.
type view struct {
	world *World
	state []uint32 // nil while only local properties look
	self  core.Proc
	own   spec.Observed
	asked uint64 // others that were asked about, a bit each
}

func (v *view) Observed(p trace.Proc) spec.Observed {
	if p == v.self {
		return v.own
	}
	if v.state == nil {
		panic(fmt.Sprintf(
			"invariant: a local property reads only the proc of the event: %d, not %d", v.self, p))
	}
	v.asked |= 1 << p
	e := v.world.env(v.state, p)
	l := v.world.locals.at(v.world.localOf(v.state, p))
	return spec.Observed{Up: e.Up, Incarnation: core.Incarnation(e.Inc), History: l.history,
		Holding: l.holding, Line: v.world.line(e), Round: l.round, Evaluated: l.evaluated,
		Former: e.Former}
}

// surround adds what is seen of the proc in the middle of its step and is not part of the step.
func (w *World) surround(v *view) {
	e := w.env(v.state, v.self)
	v.own.Line, v.own.Former = w.line(e), e.Former
}

// Observed is what properties see of a proc in a state, between two steps.
func (w *World) Observed(state []uint32, p core.Proc) spec.Observed {
	return (&view{world: w, state: state, self: noProc}).Observed(p)
}

// judge is the number of the first violation that the local transition shows in this state, 0 for
// none.
func (w *World) judge(state []uint32, p core.Proc, tr uint32) int {
	t := w.transitions.at(tr)
	if t.violation != 0 || w.Facts == nil {
		return t.violation
	}
	if len(t.checks) > 0 {
		if v := w.judgeChecks(state, nil, p, tr); v != 0 {
			return v
		}
	}
	if !t.watched {
		return 0
	}
	return w.judgeObserved(state, p, tr, w.observe(state[w.monitors.word], tr))
}

// judgePlanned is judge for an event of a plan that is judged or watched, and what the monitors
// remember after it.
func (w *World) judgePlanned(state []uint32, plans []*plan, p core.Proc, e *event) (violation int,
	memories uint32) {
	if violation = int(e.violation); e.care&judged != 0 {
		violation = w.judgeChecks(state, plans, p, e.step)
	}
	if e.care&watched == 0 {
		return violation, 0
	}
	o := w.observe(state[w.monitors.word], e.step)
	if violation == 0 {
		violation = w.judgeObserved(state, p, e.step, o)
	}
	return violation, o.next
}

// judgeObserved is the number of the first violation that monitors see in a local step, 0 for none.
func (w *World) judgeObserved(state []uint32, p core.Proc, tr uint32, o *observation) int {
	if o.violation != 0 || len(o.looked) == 0 {
		return o.violation
	}
	return w.look(state, p, w.transitions.at(tr), o.looked)
}

// Relates reports whether the property compares runs, so that one run alone may not show that it is
// broken.
func (w *World) Relates(property string) bool {
	return slices.ContainsFunc(w.pairs, func(p spec.Property) bool { return p.Name == property })
}

// own reports whether the property comes from outside.
func (w *World) own(property string) bool {
	return slices.ContainsFunc(w.Facts.Own, func(p spec.Property) bool {
		return p.Name == property
	})
}

// fail notes that a property can not be judged.
func (w *World) fail(v spec.Violation, failure error) {
	if w.alone.trying {
		w.alone.troubled = true
		return
	}
	number := w.violation(v)
	w.judging.Lock()
	defer w.judging.Unlock()
	if w.failure == nil {
		w.broken.Store(int64(number))
		w.failure = failure
	}
}

// failed is the number of the violation by a property that has panicked, 0 for none.
func (w *World) failed() int { return int(w.broken.Load()) }

// Err says which property has panicked, nil if none has: then no answer of the world counts.
func (w *World) Err() error {
	w.judging.Lock()
	defer w.judging.Unlock()
	return w.failure
}
