package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Watchdogs, without heartbeats. A proc that runs sends its heartbeats in time, so a watchdog about
// it is always started again before it expires and nothing of that is an event; when it has stopped
// none comes any more, and the watchdog expires at any later time: it is due. What delays and
// losses do to heartbeats is a budget: the watchdog about a proc that runs may expire, a false
// suspicion. It strikes the victims of the model only, as crashes do.
//
// This shows every order in which expiries can fall among other events, so it shows what a run with
// explicit heartbeats shows, but for heartbeats that are late more often than the budget of
// suspicions says.

// watchedLife is the life that a watchdog about the proc is about when it starts now: of one that
// is down, the life that has ended.
func (w *World) watchedLife(state []uint32, q core.Proc) uint32 {
	up, inc := w.seems(state, q)
	if !up {
		return inc - 1
	}
	return inc
}

// watching is the operation that starts a watchdog about the proc.
func (w *World) watching(state []uint32, q core.Proc) uint32 {
	return w.plain(operation{Kind: opWatch, A: uint32(q), B: w.watchedLife(state, q)})
}

// due reports whether the watched life is over, so that the watchdog will expire.
func (w *World) due(state []uint32, v watch) bool {
	e := w.env(state, v.About)
	return !e.Up || e.Inc != v.Inc
}

// isDue is due for the watchdog of p about q.
func (w *World) isDue(state []uint32, p, q core.Proc) bool {
	return slices.ContainsFunc(w.env(state, p).Watches, func(v watch) bool {
		return v.About == q && w.due(state, v)
	})
}

// heardOut reports whether p may be told that q is silent: at any time, or after the last message
// from its dead incarnations.
func (w *World) heardOut(state []uint32, p, q core.Proc) bool {
	if w.Model.DetectAny {
		return true
	}
	channels := w.inbox(state, p).channels
	for i := range channels {
		if c := &channels[i]; c.from == q && w.dead(state, c) {
			return false
		}
	}
	return true
}

// expiry adds the step in which the watchdog of p about q expires.
func (w *World) expiry(state []uint32, p, q core.Proc, s checker.Step, x *checker.Expansion,
	spent uint32) {
	tr := w.transition(w.localOf(state, p), w.silenceInput(q))
	c := w.change(w.envOf(state, p), operation{Kind: opUnwatch, A: uint32(q)})
	c.budget = spent
	w.step(state, p, tr, s, x, c)
}

// falseExpiries adds the expiries that are not due.
func (w *World) falseExpiries(state []uint32, x *checker.Expansion) {
	for p := range core.Proc(w.procs) {
		for _, v := range w.env(state, p).Watches {
			if !w.due(state, v) && w.isVictim(v.About) {
				w.expiry(state, p, v.About, code(expire, p, int(v.About)).fault(), x,
					spend(suspicions, 1))
			}
		}
	}
}

func (w *World) silenceInput(q core.Proc) uint32 {
	return w.input(askSilence|uint64(q), func() core.Input {
		return core.Input{Kind: core.Tick, Timer: core.Silence, From: q}
	})
}

// renew records that a proc which has been declared dead, but lives, has been started elsewhere:
// for the judge it has crashed and is restored, blank. What is left of the former incarnation is
// part of its machine and shows in nothing but messages, which are on their way from a life that is
// over.
func (r *recorder) renew() {
	events := r.evidence.Renewed()
	ended := r.round
	r.from.inc, r.round, r.evaluated = r.evidence.Incarnation, 0, 0
	if h := r.evidence.After; h != nil {
		r.history = *h
	}
	if r.holding != nil {
		*r.holding = trace.Holding{}
	}
	r.t.acts = append(r.t.acts, act{kind: actRenew, value: r.world.internOperation(
		operation{Kind: opRenew, A: uint32(r.from.inc), Round: ended})})
	r.t.events = append(r.t.events, events...)
	r.t.checks = append(r.t.checks, check{event: events[1]})
	r.t.visible = true
}

// sendFormer puts a message of what is left of the former incarnation on its way.
func (r *recorder) sendFormer(e *core.Effect, number messageNumber) {
	k := r.world.internPacket(packet{from: r.from.proc, inc: r.evidence.Sender(e), message: number})
	r.t.acts = append(r.t.acts, act{kind: actSend, to: e.To, value: uint32(k)})
	if event, ok := r.evidence.Of(e); ok {
		r.judge(event)
		r.t.events = append(r.t.events, event)
	}
}
