package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Rehearsals is how many runs without failures are made before a search: what can happen first,
// what can happen last, and some orders between.
const Rehearsals = 8

// mostRehearsed bounds such a run: a protocol that does not come to rest without failures is for
// the search to find.
const mostRehearsed = 2000

// Rehearse makes runs in which nothing fails and the environment asks for its checkpoints at
// different moments, and judges what is promised for those (spec.FailureFree). It returns the first
// one that breaks something, nil if none does.
func (w *World) Rehearse() *Run {
	for k := range uint64(Rehearsals) {
		r := w.rehearse(k)
		if r.Violation == nil {
			continue
		}
		// a machine that does something else the second time is for the search to name
		if r, err := w.Follow(r.codes); err == nil && r.Violation != nil {
			return r
		}
	}
	return nil
}

// rehearse makes the k-th run, without the names of its steps.
func (w *World) rehearse(k uint64) *Run {
	r := w.begin()
	x := checker.NewExpansion(w.Words())
	for i := uint64(1); i <= mostRehearsed && r.Violation == nil; i++ {
		w.Expand(r.last(), checker.Unreduced, x)
		var steps, checkpoints []int
		for j, s := range x.Steps {
			switch {
			case !s.Fault:
				steps = append(steps, j)
			case eventCode(s.Code).kind() == checkpoint:
				checkpoints = append(checkpoints, j)
			}
		}
		if len(steps) == 0 {
			break
		}
		j := rehearsed(k, i, steps, checkpoints)
		w.take(r, "", x.Steps[j].Code, x.Steps[j].Violation, x.State(j, nil))
	}
	w.end(r)
	return r
}

// rehearsed is the i-th step of the k-th run. A checkpoint is asked for after every few steps, in
// each run after another number of them; otherwise it is the first step, the last one or any one.
func rehearsed(k, i uint64, steps, checkpoints []int) int {
	n := uint64(len(steps))
	switch {
	case k > 0 && i%(3*k+1) == 0 && len(checkpoints) > 0:
		return checkpoints[k%uint64(len(checkpoints))]
	case k == 1:
		return steps[n-1]
	case k%2 == 0:
		return steps[0]
	}
	return steps[core.Mix(k<<32+i)%n]
}

// judgeQuiet judges a complete run by what is promised for those without failures, if it is one.
func (w *World) judgeQuiet(r *Run) {
	if len(w.calm) == 0 || !w.isQuiet(r) {
		return
	}
	found, _ := spec.JudgeQuiet(w.Facts, w.quietOf(r), w.calm) // what panics is noted, see Err
	if len(found) > 0 {
		r.Violation = &found[0]
	}
}

// ofQuiet reports whether a property is about whole runs without failures.
func (w *World) ofQuiet(property string) bool {
	return slices.ContainsFunc(w.calm, func(p spec.Property) bool { return p.Name == property })
}

// isQuiet reports whether the environment does no harm in a run.
func (w *World) isQuiet(r *Run) bool {
	return spec.IsQuiet(&r.Trace) && !slices.ContainsFunc(r.codes, func(c uint64) bool {
		e := eventCode(c)
		return e.cut() != 0 || slices.Contains([]kind{crash, stop, restart, cut, lose, duplicate,
			suspect, expire, kill, refuse, vanish, spoil}, e.kind())
	})
}

// quietOf is what is known of a run without failures.
func (w *World) quietOf(r *Run) *spec.Quiet {
	q := &spec.Quiet{Trace: &r.Trace, Held: w.heldIn(r),
		Payloads: make([][]trace.MsgID, w.procs), Records: make([][]string, w.procs)}
	for p := range core.Proc(w.procs) {
		q.Payloads[p] = core.Payloads(w.Content(r.last(), p))
		q.Records[p] = w.env(r.last(), p).kept()
	}
	return q
}

// holds looks for the steps of programs that are held back.
type holds struct {
	world *World
	// by rank: what has arrived for its program and was not received, whether it has received from
	// anyone, and where it was held last
	arrived [][]trace.MsgID
	free    []bool
	at      []position
	list    []spec.Held
}

// position is a place in a program.
type position struct {
	held           bool
	sent, received int
}

// heldIn lists the steps of programs that protocols hold back in a run.
func (w *World) heldIn(r *Run) []spec.Held {
	ranks := w.layout.Ranks
	h := holds{world: w, arrived: make([][]trace.MsgID, ranks), free: make([]bool, ranks),
		at: make([]position, ranks)}
	next := 0
	for i, state := range r.States {
		for ; next < len(r.Trace.Events) && r.Trace.Events[next].Step <= i; next++ {
			h.event(&r.Trace.Events[next], r, i)
		}
		for p := range core.Proc(ranks) {
			h.look(state, p, i)
		}
	}
	return h.list
}

// event follows what has arrived and is received.
func (h *holds) event(e *trace.Event, r *Run, step int) {
	if int(e.Proc) >= len(h.arrived) || e.ID.IsZero() {
		return
	}
	switch list := &h.arrived[e.Proc]; e.Kind {
	case trace.Arrived:
		if _, collective := h.world.layout.Collectives[e.ID]; !collective &&
			e.ID.From.Proc() == e.Peer {
			*list = append(*list, e.ID)
		}
	case trace.Delivered:
		*list = slices.DeleteFunc(*list, func(id trace.MsgID) bool { return id == e.ID })
		op, _ := h.world.next(r.States[max(step-1, 0)], e.Proc)
		h.free[e.Proc] = h.free[e.Proc] || op.Kind != core.OpRecv || op.Any
	}
}

// look notes whether a rank is held in a state.
func (h *holds) look(state []uint32, p core.Proc, step int) {
	w := h.world
	l := w.locals.at(w.localOf(state, p))
	if len(l.choices) > 0 || l.history == nil || l.history.Done {
		return
	}
	at := position{true, int(l.history.Sent), len(l.history.Delivered)}
	op, ok := w.next(state, p)
	if !ok || h.at[p] == at {
		return
	}
	held := spec.Held{Step: step, Proc: p, Free: h.free[p]}
	switch op.Kind {
	case core.OpSend, core.OpMulticast, core.OpContribute:
	case core.OpRecv:
		i := slices.IndexFunc(h.arrived[p], func(id trace.MsgID) bool {
			return op.Any || id.From == op.Peer
		})
		if i < 0 || !w.Model.KeepsOrder() {
			return
		}
		held.Receive = h.arrived[p][i]
	default:
		return
	}
	h.at[p] = at
	h.list = append(h.list, held)
}

// next is the operation that the program of a rank is at.
func (w *World) next(state []uint32, p core.Proc) (op core.Op, ok bool) {
	number := w.localOf(state, p)
	if number == deadLocal {
		return core.Op{}, false
	}
	m := w.Setup.New(p)
	if err := core.DecodeState(w.locals.at(number).content, m); err != nil {
		return core.Op{}, false
	}
	host, ok := m.(interface{ Next() (core.Op, bool) })
	if !ok {
		return core.Op{}, false
	}
	return host.Next()
}
