package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
)

// Where a crash between two effects of one step makes a difference: the crash of a proc right after a step may lose any
// suffix of each channel and any write in progress, whatever the others lose, so it covers every crash inside the step
// of which the effects are sends and writes. It does not when the model keeps everything in flight, or when an
// effect can not be undone: an output, a deletion, a new recovery line. Only there (or with Config.Cuts) are crashes put inside steps.

// Budgets are counters of four bits in one word of the state.
type budget uint

const (
	failures budget = 4 * iota
	checkpoints
	losses
	duplicates
	suspicions
	torn
)

func initialBudget(m *fault.Model) uint32 {
	return uint32(m.Failures)<<failures | uint32(m.Checkpoints)<<checkpoints | uint32(m.Loss)<<losses |
		uint32(m.Duplicates)<<duplicates | uint32(m.Suspicions)<<suspicions | uint32(m.Torn)<<torn
}

func left(state []uint32, b budget) int        { return int(state[budgetWord] >> b & 15) }
func spend(state []uint32, b budget, n int)    { state[budgetWord] -= uint32(n) << b }
func faultStep(c uint64) checker.Step          { return checker.Step{Code: c, Fault: true} }
func (w *World) group(p core.Proc) []core.Proc { return w.Setup.Group(p) }

// mayRestart reports whether no member of the group of p is still in an older life.
func (w *World) mayRestart(state []uint32, p core.Proc) bool {
	if _, placed := w.layout.Hosted[p]; placed && !w.hasHost(state, p) {
		return false
	}
	inc := w.envInfo[state[envWord(p)]].Inc
	return !slices.ContainsFunc(w.group(p), func(q core.Proc) bool {
		f := &w.envInfo[state[envWord(q)]]
		return f.Up && f.Inc < inc
	})
}

// hasHost reports whether somebody who is up has adopted the proc.
func (w *World) hasHost(state []uint32, p core.Proc) bool {
	for q := range core.Proc(w.procs) {
		if m := w.localInfo[state[localWord(q)]].memory; m != nil && slices.Contains(m.Hosts, p) {
			return true
		}
	}
	return false
}

// withHosted adds the procs that run on the nodes of others and stop with them.
func (w *World) withHosted(state []uint32, procs []core.Proc) []core.Proc {
	list := procs
	for _, p := range procs {
		if m := w.localInfo[state[localWord(p)]].memory; m != nil {
			for _, q := range m.Hosts {
				if w.envInfo[state[envWord(q)]].Up && !slices.Contains(list, q) {
					list = append(list[:len(list):len(list)], q)
				}
			}
		}
	}
	return list
}

// restarts adds the restart of a proc that is down, if it is possible.
func (w *World) restarts(state []uint32, p core.Proc, x *checker.Expansion) {
	if !w.mayRestart(state, p) {
		return
	}
	e := &w.envInfo[state[envWord(p)]]
	tr := w.restore(state, p)
	// A new process has not known those who are up again by now.
	var pending []core.Proc
	for _, g := range e.Pending {
		if slices.ContainsFunc(w.group(g), func(q core.Proc) bool { return !w.envInfo[state[envWord(q)]].Up }) {
			pending = append(pending, g)
		}
	}
	w.step(state, p, tr, checker.Step{Code: code(restart, p, 0)}, x, w.changeEnv(p, operation{Kind: opStart, Procs: pending}))
}

// environmentSteps adds what the store, the detector and the timers do to a proc that is up, and the end of channels
// from dead incarnations.
func (w *World) environmentSteps(state []uint32, p core.Proc, x *checker.Expansion) {
	number := state[envWord(p)]
	here := state[localWord(p)]
	if len(w.envInfo[number].Writing) > 0 {
		tr := w.transition(here, w.persistedInput(number))
		w.step(state, p, tr, checker.Step{Code: code(persisted, p, 0)}, x, w.changeEnv(p, operation{Kind: opComplete}))
	}
	for i := range w.envInfo[number].Pending {
		if (w.Model.Joint && i > 0) || !w.tellable(state, p, i) {
			continue
		}
		tr := w.transition(here, w.internInput(core.Input{Kind: core.Down, Procs: w.notice(state, p, i)}))
		w.step(state, p, tr, checker.Step{Code: code(told, p, i)}, x, w.changeEnv(p, operation{Kind: opTold, A: uint32(i), All: w.Model.Joint}))
	}
	for i, timer := range w.envInfo[number].Timers {
		tr := w.transition(here, w.internInput(core.Input{Kind: core.Tick, Timer: timer}))
		w.step(state, p, tr, checker.Step{Code: code(tick, p, i)}, x, w.changeEnv(p, operation{Kind: opTick, A: uint32(i)}))
	}
	if w.Model.FromDead != fault.Prefix {
		return
	}
	box := state[inboxWord(p)]
	for i, c := range w.inboxInfo[box].channels {
		if w.dead(state, c) {
			next := x.Add(state, checker.Step{Code: code(cut, p, i)})
			next[inboxWord(p)] = w.without(box, func(d channel) bool { return d.from == c.from && d.inc == c.inc })
		}
	}
}

// restore is the local step with which a proc that is down starts again. It depends on the envs of p and of whose records it
// reads; up to two of them it is remembered.
func (w *World) restore(state []uint32, p core.Proc) uint32 {
	owners := w.owners(p)
	key := pair(uint32(p)<<24|state[envWord(p)], state[envWord(owners[0])])
	known := len(owners) == 1 || len(owners) == 2 && owners[1] == p
	known = known && state[envWord(p)] < 1<<24 && p < 1<<8
	if known {
		if tr, ok := w.restores.get(key); ok {
			return tr
		}
	}
	inc := core.Incarnation(w.envInfo[state[envWord(p)]].Inc)
	tr := w.transition(w.blank(p, inc), w.internInput(core.Input{Kind: core.Restore, Incarnation: inc, Records: w.records(state, p)}))
	if known {
		w.restores.put(key, tr)
	}
	return tr
}

// persistedInput is the input that the oldest write of an env leads to.
func (w *World) persistedInput(number uint32) uint32 {
	if n, ok := w.completions.get(uint64(number)); ok {
		return n
	}
	n := w.internInput(core.Input{Kind: core.Persisted, Key: w.envInfo[number].Writing[0].Key})
	w.completions.put(uint64(number), n)
	return n
}

func (w *World) changeEnv(p core.Proc, op operation) func([]uint32) {
	return func(next []uint32) { next[envWord(p)] = w.envStep(next[envWord(p)], op) }
}

// notice is who the detector reports to p: the i-th group that failed, or all of them when it reports jointly.
func (w *World) notice(state []uint32, p core.Proc, i int) []core.Proc {
	pending := w.envInfo[state[envWord(p)]].Pending
	if !w.Model.Joint {
		return w.group(pending[i])
	}
	var procs []core.Proc
	for _, g := range pending {
		procs = append(procs, w.group(g)...)
	}
	return procs
}

// tellable reports whether the detector may give p its i-th notice now: at any time, or after the last message that arrives
// from the dead incarnations, as the end of a TCP stream does.
func (w *World) tellable(state []uint32, p core.Proc, i int) bool {
	if w.Model.DetectAny {
		return true
	}
	members := w.notice(state, p, i)
	return !slices.ContainsFunc(w.inboxInfo[state[inboxWord(p)]].channels, func(c channel) bool {
		return slices.Contains(members, c.from) && w.dead(state, c)
	})
}

// settled reports whether everybody is up, nothing is on its way (no message, notice or write), and whoever has restarted has gone as far
// as it can without the others, so that every recovery is over.
func (w *World) settled(state []uint32) bool {
	for p := range core.Proc(w.procs) {
		e := &w.envInfo[state[envWord(p)]]
		if !e.Up && !w.mayRestart(state, p) {
			continue // for good
		}
		if !e.Up || len(e.Pending) > 0 || len(e.Writing) > 0 || state[inboxWord(p)] != emptyInbox ||
			e.Inc > 0 && len(w.localInfo[state[localWord(p)]].choices) > 0 {
			return false
		}
	}
	return true
}

// faults adds what the environment may do within its budgets, and the stops of half-stopped groups.
func (w *World) faults(state []uint32, x *checker.Expansion) {
	if n := left(state, failures); n > 0 && (!w.Model.Settled || n == w.Model.Failures || w.settled(state)) {
		w.crashes(state, 0, nil, min(n, w.Model.Together()), x)
	}
	if w.Model.Staggered {
		for p := range core.Proc(w.procs) {
			if w.envInfo[state[envWord(p)]].Up && w.halfStopped(state, p) {
				w.crashVariants(state, []core.Proc{p}, code(stop, p, 0), nil, x)
			}
		}
	}
	if left(state, checkpoints) > 0 {
		w.spontaneous(state, x)
	}
	if left(state, suspicions) > 0 {
		w.suspects(state, x)
	}
	if left(state, losses) > 0 || left(state, duplicates) > 0 {
		w.unreliable(state, x)
	}
}

func (w *World) spontaneous(state []uint32, x *checker.Expansion) {
	input := w.internInput(core.Input{Kind: core.Checkpoint})
	for _, p := range w.Setup.Initiators {
		if !w.envInfo[state[envWord(p)]].Up {
			continue
		}
		tr := w.transition(state[localWord(p)], input)
		if len(w.transitionInfo[tr].acts) == 0 && w.transitionInfo[tr].next == state[localWord(p)] {
			continue // ignored: no use in spending the budget
		}
		w.step(state, p, tr, faultStep(code(checkpoint, p, 0)), x, func(next []uint32) { spend(next, checkpoints, 1) })
	}
}

func (w *World) suspects(state []uint32, x *checker.Expansion) {
	for _, p := range w.Setup.Watchers {
		if !w.envInfo[state[envWord(p)]].Up {
			continue
		}
		for q := range core.Proc(w.procs) {
			g := w.group(q)
			if g[0] != q || slices.Contains(g, p) || !w.envInfo[state[envWord(q)]].Up {
				continue
			}
			tr := w.transition(state[localWord(p)], w.internInput(core.Input{Kind: core.Down, Procs: g}))
			w.step(state, p, tr, faultStep(code(suspect, p, int(q))), x, func(next []uint32) { spend(next, suspicions, 1) })
		}
	}
}

func (w *World) unreliable(state []uint32, x *checker.Expansion) {
	for p := range core.Proc(w.procs) {
		box := state[inboxWord(p)]
		for i := range w.inboxInfo[box].heads {
			if left(state, losses) > 0 {
				next := x.Add(state, faultStep(code(lose, p, i)))
				next[inboxWord(p)] = w.pop(box, i)
				spend(next, losses, 1)
			}
			if left(state, duplicates) > 0 && w.envInfo[state[envWord(p)]].Up {
				tr := w.transition(state[localWord(p)], w.inboxInfo[box].heads[i].input)
				w.step(state, p, tr, faultStep(code(duplicate, p, i)), x, func(next []uint32) { spend(next, duplicates, 1) })
			}
		}
	}
}

// crashes adds the crash of every set of at most n groups, in the order of their first procs.
func (w *World) crashes(state []uint32, from core.Proc, chosen []core.Proc, n int, x *checker.Expansion) {
	for p := from; int(p) < w.procs; p++ {
		if !w.mayCrash(state, p) {
			continue
		}
		set := append(chosen[:len(chosen):len(chosen)], p)
		if !w.Model.OneInstant || len(set) == w.Model.Failures {
			w.crashVariants(state, w.withHosted(state, w.victims(set)), code(crash, p, 0), set, x)
		}
		if n > 1 {
			w.crashes(state, p+1, set, n-1, x)
		}
	}
}

// mayCrash reports whether a crash may begin at p: it is a victim, the first of its group unless members stop one by one,
// and somebody of the group is up.
func (w *World) mayCrash(state []uint32, p core.Proc) bool {
	members := w.group(p)
	if w.Model.Staggered {
		return w.isVictim(p) && w.envInfo[state[envWord(p)]].Up
	}
	return members[0] == p && slices.ContainsFunc(members, w.isVictim) &&
		slices.ContainsFunc(members, func(q core.Proc) bool { return w.envInfo[state[envWord(q)]].Up })
}

func (w *World) isVictim(p core.Proc) bool {
	return w.Model.Victims == nil || slices.Contains(w.Model.Victims, p)
}

// victims are the procs that stop at once with the chosen ones.
func (w *World) victims(chosen []core.Proc) []core.Proc {
	if w.Model.Staggered {
		return chosen
	}
	var list []core.Proc
	for _, p := range chosen {
		list = append(list, w.group(p)...)
	}
	return list
}

// halfStopped reports whether a mate of p has already left p's life.
func (w *World) halfStopped(state []uint32, p core.Proc) bool {
	inc := w.envInfo[state[envWord(p)]].Inc
	return slices.ContainsFunc(w.group(p), func(q core.Proc) bool {
		e := &w.envInfo[state[envWord(q)]]
		return !e.Up && e.Inc > inc
	})
}

// crashVariants adds the crash of the procs with every outcome of their writes in progress: some of the oldest became
// stable, the next one is absent or, within its budget, damaged. Spending is for a crash; a stop costs nothing.
func (w *World) crashVariants(state []uint32, procs []core.Proc, c uint64, chosen []core.Proc, x *checker.Expansion) {
	outcomes := make([]operation, len(procs))
	variant := 0
	var choose func(i, damaged int)
	choose = func(i, damaged int) {
		if i == len(procs) {
			s := checker.Step{Code: c | uint64(variant), Fault: chosen != nil}
			variant++
			next := x.Add(state, s)
			w.crash(next, procs, outcomes)
			spend(next, failures, len(chosen))
			spend(next, torn, damaged)
			return
		}
		e := &w.envInfo[state[envWord(procs[i])]]
		for kept := 0; kept <= len(e.Writing); kept++ {
			outcomes[i] = operation{Kind: opStop, B: uint32(kept)}
			choose(i+1, damaged)
			if kept < len(e.Writing) && left(state, torn) > damaged {
				outcomes[i].Torn = true
				choose(i+1, damaged+1)
			}
		}
	}
	if len(chosen) > 1 { // several groups at once: the code names the set by its members
		variant = setVariant(chosen)
	}
	choose(0, 0)
}

// setVariant leaves room for 16 write outcomes below a number for the set of groups.
func setVariant(chosen []core.Proc) int {
	v := 0
	for _, p := range chosen[:len(chosen)-1] {
		v = v*64 + int(p) + 1
	}
	return v << 4
}

// crash stops procs that are up, with the given outcomes of their writes, and lets the detector know of every group that
// has stopped for good.
func (w *World) crash(next []uint32, procs []core.Proc, outcomes []operation) {
	for i, p := range procs {
		e := &w.envInfo[next[envWord(p)]]
		inc := e.Inc
		if e.Up {
			inc++
		}
		for _, q := range w.group(p) {
			f := &w.envInfo[next[envWord(q)]]
			if f.Up && !w.Model.Staggered {
				inc = max(inc, f.Inc+1)
			} else if !f.Up {
				inc = max(inc, f.Inc)
			}
		}
		if !e.Up {
			next[envWord(p)] = w.envStep(next[envWord(p)], operation{Kind: opRenumber, A: inc})
			continue
		}
		for _, q := range w.group(p) { // mates that are down already will be of the same life
			if f := &w.envInfo[next[envWord(q)]]; !f.Up && f.Inc < inc {
				next[envWord(q)] = w.envStep(next[envWord(q)], operation{Kind: opRenumber, A: inc})
			}
		}
		op := outcomes[i]
		op.A, op.Round = inc, w.localInfo[next[localWord(p)]].round
		next[envWord(p)] = w.envStep(next[envWord(p)], op)
		next[localWord(p)] = deadLocal
		if !w.Model.KeepToDead {
			next[inboxWord(p)] = emptyInbox
		}
		if w.Model.FromDead == fault.Nothing {
			for q := range core.Proc(w.procs) {
				next[inboxWord(q)] = w.without(next[inboxWord(q)], func(c channel) bool { return c.from == p })
			}
		}
	}
	for _, p := range procs {
		w.notify(next, p)
	}
}

// notify lets the detector report the group of p, once all its members have left the old life.
func (w *World) notify(next []uint32, p core.Proc) {
	if w.layout.Hosted[p] {
		return // its node is told of, or starts it again by itself
	}
	g := w.group(p)
	for _, q := range g {
		if w.envInfo[next[envWord(q)]].Up && w.halfStopped(next, q) {
			return
		}
	}
	for _, q := range w.Setup.Watchers {
		if !slices.Contains(g, q) {
			next[envWord(q)] = w.envStep(next[envWord(q)], operation{Kind: opNotice, A: uint32(g[0])})
		}
	}
}

// cutShort adds the crashes inside a step: after each effect but the last.
func (w *World) cutShort(state []uint32, p core.Proc, tr uint32, c uint64, x *checker.Expansion, before func([]uint32)) {
	acts := w.transitionInfo[tr].acts
	if left(state, failures) == 0 || w.Model.Settled && left(state, failures) < w.Model.Failures || len(acts) < 2 || w.Model.OneInstant || w.Model.Staggered || !w.insideMatters(acts) ||
		!slices.ContainsFunc(w.group(p), w.isVictim) {
		return
	}
	for cutAfter := 1; cutAfter < len(acts); cutAfter++ {
		next := x.Add(state, checker.Step{Code: c | uint64(cutAfter)<<32, Fault: true})
		if before != nil {
			before(next)
		}
		next[localWord(p)] = w.transitionInfo[tr].next
		for i := range cutAfter {
			w.act(next, p, &w.transitionInfo[tr].acts[i])
		}
		members := w.withHosted(state, w.group(p))
		w.crash(next, members, slices.Repeat([]operation{{Kind: opStop}}, len(members)))
		spend(next, failures, 1)
	}
}

func (w *World) insideMatters(acts []act) bool {
	return w.Cuts || w.Model.FromDead == fault.Every || slices.ContainsFunc(acts, irrevocable)
}

// irrevocable reports whether a crash right after the step can not take the effect back.
func irrevocable(a act) bool {
	return a.kind == core.Output || a.kind == core.Commit || a.kind == core.Persist && a.op.Value == nil
}
