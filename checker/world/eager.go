package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Eager steps: a partial-order reduction by singleton persistent sets.
//
// In a quiet state nothing unexpected can happen any more: no fault budget is left, every watcher
// is up and has been told of every failure, no message of an older recovery round is in flight, no
// timer is set and nobody is watched, no write is in progress, and there are no checkpoints in
// scope at all. Then the only events that depend on a step of proc r are other steps of r, and, for
// a delivery from a dead incarnation, the loss of the rest of that channel: such a delivery is
// never taken first. A protocol may say of a message, at a local state, that handling it commutes
// with everything that can come before it (core.Commuter, with the argument at the method). If its
// step also shows nothing to global properties, and lets nobody else show less, exploring it alone
// keeps every terminal state and every violation: proofs/coq, search_finds_ends and
// search_finds_violations. What they assume, and why it is so:
//
//   - claim_possible: a step of a plan is possible.
//   - claim_commutes: of steps of other procs by the quiet state, of those of its own by the claim.
//     Nothing undoes it: that needs a failure.
//   - exchange_commutes, exchange_kept: the last of several reports shows something (it opens a
//     gate), whichever it is; the ones before it do nothing but be counted, and a path in which a
//     is the last is represented by the one in which another is, at the same place among the events
//     of other procs. This is what a claim must say of such steps.
//   - no_worse, in each of them: what a step of somebody else breaks when the eager one is put off
//     it breaks behind it, too. To commute is not enough for that (hidden_violation): global
//     properties look at other procs. A longer past, which is all that most eager steps leave, only
//     adds to what can be an orphan, and so does a newer round, which others have named before, to
//     what is judged. What a proc holds and remembers for others may save them, so a step that
//     changes that is not eager (hides).
//   - picked_claimed: only a step that is claimed is taken first, or a restart, which the rules
//     below claim; a claim of the theorem lasts until the step is taken, undone or exchanged.
//   - same_action: steps are compared by their codes.
//   - chains_end: below.
//
// What a proc has done in former lives (Observed.Former) is no part of a step, so an eager one does
// not change what others are shown of it. Steps that have no such argument are not taken first:
// Alone, which finds its own, is asked for by name.
//
// None of that is believed: an audit executes each hypothesis at every state of unreduced searches,
// for what protocols claim and for the rules here (audit.go; audit_test.go leaves out one of them
// after the other); reduced and unreduced searches are compared on thousands of cases
// (reduction_test.go), and a protocol that is switched to an erratum makes no claims.
//
// Beside steps that are taken alone, which are not taken on anybody's word, a claimed one is judged
// with them as far as the claim does not say it (aloneness).
//
// A restart is taken first when it sends nothing and reads only records that nobody can change
// meanwhile: nothing else can happen to a proc that is down.
//
// No event is put off for ever: an eager step takes a message from the network and sends nothing,
// or it makes the history of a program longer, or it is a restart. None of them can be part of a
// cycle that consists of eager steps.
type eagerness struct {
	claims      table // (local, input) -> 1 + index into rounds, 0 = does not commute
	rounds      store[uint32, uint64]
	checkpoints bool // there may be checkpoints: one may be under way without any budget left
	without     rule // a condition that is not asked: for tests
}

// rule is a condition on steps that are taken first. A test leaves out one after the other and
// expects that the audit finds a hypothesis false.
type rule uint8

const (
	noRule         rule = iota
	faultRule           // no fault can happen any more
	restlessRule        // store, detector and timers have nothing to do
	checkpointRule      // there are no checkpoints
	olderRule           // no message of an older round is on its way
	newestRule          // the claim is of the newest round
	beginRule           // the step begins no round
	lifeRule            // the life that its message is from is not over
	hidesRule           // it saves nobody from a violation
	watcherRule         // restarts: every watcher is up
	dependRule          // restarts: nobody is judged by what others have received until then
	ownerRule           // restarts: nobody else writes the records that are read
	sendsRule           // restarts: nothing is sent or stored
)

// asks reports whether a condition counts.
func (g *eagerness) asks(r rule) bool { return g.without != r }

// reducible reports whether no fault can happen any more, and nobody is bound to stop.
func (w *World) reducible(state []uint32) bool {
	return (!w.mayFault(state) && !w.stillness(state) || !w.eager.asks(faultRule)) &&
		w.Model.KeepsOrder() && !w.Model.Staggered
}

// restless reports whether the store, the detector or the timers have something to do for a proc,
// or it is down and is to be told of failures.
func (w *World) restless(p core.Proc, e *env) bool {
	return len(e.Pending) > 0 || len(e.Timers) > 0 || len(e.Watches) > 0 || e.puts() >= 0 ||
		!e.Up && slices.Contains(w.Setup.Watchers, p)
}

// expand puts a single eager step into x, if there is one.
func (g *eagerness) expand(w *World, state []uint32, x *checker.Expansion) bool {
	if w.Setup.Launched || !w.reducible(state) {
		return false // who is launched may be stopped at any time, without any budget
	}
	newest, up, quiet := g.quiet(w, state)
	if !up && w.eagerRestart(state, x) {
		return true
	}
	if !quiet {
		return false
	}
	for p := range core.Proc(w.procs) {
		pl := w.plan(p, state[procWord(p)])
		for _, s := range w.eagerSteps(pl) {
			if w.claimed(state, s, newest) && (!w.alone.on || w.trustsClaim(state, pl, s.event)) {
				w.takes(p, pl, &pl.events[s.event], x)
				x.Reduced = true
				return true
			}
		}
	}
	return false
}

// quiet reports the newest recovery round, whether all procs are up, and whether nothing unexpected
// can happen any more when no fault can.
func (g *eagerness) quiet(w *World, state []uint32) (newest uint64, up, quiet bool) {
	oldest := ^uint64(0)
	up, quiet = true, true
	for p := range core.Proc(w.procs) {
		c := w.of(state, p)
		up, quiet = up && c.up, quiet && !c.restless
		newest = max(newest, c.round)
		if c.oldest != 0 {
			oldest = min(oldest, c.oldest)
		}
	}
	// with a message of an older round somebody may still join that round
	return newest, up, (quiet || !g.asks(restlessRule)) &&
		(!g.checkpoints || !g.asks(checkpointRule)) &&
		(oldest >= newest || !g.asks(olderRule))
}

// claimed reports whether the claim of a step is of the newest round, the step begins no newer one,
// and the life that its message is from is not over.
func (w *World) claimed(state []uint32, s eagerStep, newest uint64) bool {
	g := &w.eager
	return (s.round == newest || !g.asks(newestRule)) &&
		(s.after <= newest || !g.asks(beginRule)) &&
		(s.from == noProc || s.inc >= w.of(state, s.from).inc || !g.asks(lifeRule))
}

// eagerStep is an event of a plan that may be taken first while no round is newer, if the life that
// its message is from is not over.
type eagerStep struct {
	event int
	from  core.Proc // noProc: it takes no message
	inc   uint32
	round uint64
	after uint64 // the one that its proc is in then
}

// eagerSteps are those of a plan, found when they are asked for first.
func (w *World) eagerSteps(pl *plan) []eagerStep {
	if list := pl.eager.Load(); list != nil {
		return *list
	}
	var list []eagerStep
	for i := range pl.events {
		e := &pl.events[i]
		s := eagerStep{event: i, from: noProc}
		switch e.code.kind() {
		case deliver:
			s.from, s.inc = core.Proc(e.code.arg()>>16), uint32(e.code.arg()&0xffff)
		case advance:
			if len(w.locals.at(w.transitions.at(e.step).from).choices) > 1 {
				continue
			}
		default:
			continue
		}
		if claim := w.claim(w.transitions.at(e.step)); claim != 0 {
			s.round = *w.eager.rounds.at(claim - 1)
			s.after = w.locals.at(w.transitions.at(e.step).next).round
			list = append(list, s)
		}
	}
	pl.eager.Store(&list)
	return list
}

// claim is 1 + the place of the round that a step commutes in, 0 if it may not be taken first.
func (w *World) claim(t *transition) uint32 {
	quiet := len(t.acts) == 0 && w.inputs.at(t.input).Kind == core.Received
	if t.visible || !quiet && !t.longer || slices.ContainsFunc(t.acts, func(a act) bool {
		return a.kind != actSend
	}) || w.hides(t) && w.eager.asks(hidesRule) {
		return 0
	}
	key := pair(t.from, t.input)
	if claim, known := w.eager.claims.get(key); known {
		return claim
	}
	return w.eager.claims.once(key, func() uint32 { return w.eager.ask(w, t.from, t.input) })
}

// hides reports whether a property that a step of another proc breaks may hold when this step has
// been taken before: the proc holds something else for others, or remembers more of them.
func (w *World) hides(t *transition) bool {
	here, next := w.locals.at(t.from), w.locals.at(t.next)
	if !w.sameHolding(t.from, t.next) {
		return true
	}
	if here.history == nil || next.history == nil {
		return here.history != next.history
	}
	return slices.ContainsFunc(next.history.Memory, func(i trace.Item) bool {
		return i.Peer != here.proc && !slices.Contains(here.history.Memory, i)
	})
}

// ask lets the machine claim.
func (g *eagerness) ask(w *World, here, input uint32) (claim uint32) {
	l := w.locals.at(here)
	m := w.Setup.New(l.proc)
	if c, ok := m.(core.Commuter); ok && core.DecodeState(l.content, m) == nil {
		if round, ok := c.Commutes(*w.inputs.at(input)); ok {
			claim = g.rounds.add(round) + 1
		}
	}
	return claim
}

// eagerRestart puts a single restart into x, if one is possible that sends nothing and reads only
// records of its own, or of mates that promise to write none of them before all are up, while every
// watcher is up. It enables no restart of a mate that was not enabled before. What a global
// property sees of it, the recovery line, is compared with mates that have done nothing since their
// own restart: the strictest moment. Not so where others are judged by what they have received
// until then: those are to go on first, too.
func (w *World) eagerRestart(state []uint32, x *checker.Expansion) bool {
	if w.Setup.Watchdogs || w.wide {
		return false // which life a watchdog is about may depend on whether the proc is up again
	}
	g := &w.eager
	if f := w.Facts; f != nil && (spec.NoOrphanProcess.Applies(f) ||
		spec.Recoverable.Applies(f) && !f.Fetches) && g.asks(dependRule) {
		return false
	}
	for _, p := range w.Setup.Watchers {
		if !w.of(state, p).up && g.asks(watcherRule) {
			return false
		}
	}
	for p := range core.Proc(w.procs) {
		if w.of(state, p).up || !w.mayRestart(state, p) {
			continue
		}
		foreign := func(q core.Proc) bool {
			return q != p && !(w.Setup.Promises.RestartTogether && slices.Contains(w.group(p), q))
		}
		if slices.ContainsFunc(w.owners(p), foreign) && g.asks(ownerRule) {
			continue
		}
		t := w.transitions.at(w.restore(state, p, noProc))
		if (t.watched || slices.ContainsFunc(t.acts, w.sendsOrStores) ||
			slices.ContainsFunc(t.events, halts)) && g.asks(sendsRule) {
			continue
		}
		w.restarts(state, p, x)
		x.Reduced = true
		return true
	}
	return false
}

// sendsOrStores reports whether an act does more than to name the recovery line.
func (w *World) sendsOrStores(a act) bool {
	return a.kind != actChange || w.operations.at(a.value).Kind != opLine
}

func halts(e trace.Event) bool { return e.Kind == trace.Halted }
