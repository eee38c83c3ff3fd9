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
func spend(b budget, n int) uint32             { return uint32(n) << b }
func faultStep(c uint64) checker.Step          { return checker.Step{Code: c, Fault: true} }
func (w *World) group(p core.Proc) []core.Proc { return w.Setup.Group(p) }

// mayRestart reports whether no member of the group of p is still in an older life.
func (w *World) mayRestart(state []uint32, p core.Proc) bool {
	inc := w.envs.at(state[envWord(p)]).Inc
	return !slices.ContainsFunc(w.group(p), func(q core.Proc) bool {
		f := w.envs.at(state[envWord(q)])
		return f.Up && f.Inc < inc
	})
}

// restarts adds the restart of a proc that is down, if it is possible.
func (w *World) restarts(state []uint32, p core.Proc, x *checker.Expansion) {
	if !w.mayRestart(state, p) {
		return
	}
	tr := w.restore(state, p)
	w.step(state, p, tr, checker.Step{Code: code(restart, p, 0)}, x, cause{word: envWord(p), value: w.started(state, p)})
}

// started is the env of a proc that starts again. A new process has not known those who are up again by now.
func (w *World) started(state []uint32, p core.Proc) uint32 {
	number := state[envWord(p)]
	var useful uint32 // notices, by index
	for i, g := range w.envs.at(number).Pending {
		if slices.ContainsFunc(w.group(g), func(q core.Proc) bool { return !w.envs.at(state[envWord(q)]).Up }) {
			useful |= 1 << min(i, 31)
		}
	}
	key := pair(number, useful)
	if next, ok := w.starts.get(key); ok {
		return next
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := *w.envs.at(number)
	var pending []core.Proc
	for i, g := range e.Pending {
		if useful>>min(i, 31)&1 != 0 {
			pending = append(pending, g)
		}
	}
	e.apply(operation{Kind: opStart, Procs: pending})
	next := w.internEnv(e)
	if _, ok := w.starts.get(key); !ok {
		w.starts.put(key, next)
	}
	return next
}

// environmentSteps adds what the store, the detector and the timers do to a proc that is up, and the end of channels
// from dead incarnations.
func (w *World) environmentSteps(state []uint32, p core.Proc, x *checker.Expansion) {
	number, here := state[envWord(p)], state[localWord(p)]
	e := w.envs.at(number)
	if len(e.Writing) > 0 {
		tr := w.transition(here, w.persistedInput(number))
		w.step(state, p, tr, checker.Step{Code: code(persisted, p, 0)}, x, w.change(state, p, operation{Kind: opComplete}))
	}
	for i, g := range e.Pending {
		if (w.Model.Joint && i > 0) || !w.tellable(state, p, i) {
			continue
		}
		tr := w.transition(here, w.toldInput(number, i))
		w.step(state, p, tr, checker.Step{Code: code(told, p, int(g))}, x, w.change(state, p, operation{Kind: opTold, A: uint32(i), All: w.Model.Joint}))
	}
	for i := range e.Timers {
		tr := w.transition(here, w.tickInput(number, i))
		w.step(state, p, tr, checker.Step{Code: code(tick, p, i)}, x, w.change(state, p, operation{Kind: opTick, A: uint32(i)}))
	}
	if w.Model.FromDead != fault.Prefix {
		return
	}
	box := state[inboxWord(p)]
	channels := w.inboxes.at(box).channels
	for i := range channels {
		if c := &channels[i]; w.dead(state, c) {
			x.Add(checker.Step{Code: code(cut, p, c.name())})
			x.Set(inboxWord(p), w.without(box, c.from, c.inc))
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
	w.mu.Lock()
	defer w.mu.Unlock()
	inc := core.Incarnation(w.envs.at(state[envWord(p)]).Inc)
	from, input := w.blank(p, inc), w.internInput(core.Input{Kind: core.Restore, Incarnation: inc, Records: w.records(state, p)})
	tr := w.learn(pair(from, input), from, input)
	if _, ok := w.restores.get(key); known && !ok {
		w.restores.put(key, tr)
	}
	return tr
}

// Kinds of what the environment asks of a proc, in the keys of World.asked.
const (
	askPersisted = iota << 60
	askTold
	askTick
	askSuspect
	askCheckpoint
)

// persistedInput is the input that the oldest write of an env leads to.
func (w *World) persistedInput(number uint32) uint32 {
	return w.input(askPersisted|uint64(number), func() core.Input {
		return core.Input{Kind: core.Persisted, Key: w.envs.at(number).Writing[0].Key}
	})
}

// toldInput is the i-th notice of an env.
func (w *World) toldInput(number uint32, i int) uint32 {
	return w.input(askTold|uint64(i)<<32|uint64(number), func() core.Input {
		return core.Input{Kind: core.Down, Procs: w.notice(number, i)}
	})
}

func (w *World) tickInput(number uint32, i int) uint32 {
	return w.input(askTick|uint64(i)<<32|uint64(number), func() core.Input {
		return core.Input{Kind: core.Tick, Timer: w.envs.at(number).Timers[i]}
	})
}

func (w *World) suspectInput(q core.Proc) uint32 {
	return w.input(askSuspect|uint64(q), func() core.Input { return core.Input{Kind: core.Down, Procs: w.group(q)} })
}

func (w *World) checkpointInput() uint32 {
	return w.input(askCheckpoint, func() core.Input { return core.Input{Kind: core.Checkpoint} })
}

// change is a plain operation on the env of a proc.
func (w *World) change(state []uint32, p core.Proc, op operation) cause {
	return cause{word: envWord(p), value: w.envStep(state[envWord(p)], w.plain(op))}
}

// notice is who the detector reports to a proc with the env: the i-th group that failed, or all of them when it reports jointly.
func (w *World) notice(number uint32, i int) []core.Proc {
	pending := w.envs.at(number).Pending
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
	channels := w.inboxes.at(state[inboxWord(p)]).channels
	if len(channels) == 0 {
		return true
	}
	pending := w.envs.at(state[envWord(p)]).Pending
	if !w.Model.Joint {
		pending = pending[i : i+1]
	}
	for c := range channels {
		if w.dead(state, &channels[c]) && slices.ContainsFunc(pending, func(g core.Proc) bool { return slices.Contains(w.group(g), channels[c].from) }) {
			return false
		}
	}
	return true
}

// faults adds what the environment may do within its budgets, and the stops of half-stopped groups.
func (w *World) faults(state []uint32, reduce bool, x *checker.Expansion) {
	if n := left(state, failures); n > 0 {
		w.crashes(state, 0, nil, min(n, w.Model.Together()), x)
	}
	if w.Model.Staggered {
		for p := range core.Proc(w.procs) {
			if w.envs.at(state[envWord(p)]).Up && w.halfStopped(state, p) {
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
	input := w.checkpointInput()
	for _, p := range w.Setup.Initiators {
		if !w.envs.at(state[envWord(p)]).Up {
			continue
		}
		tr := w.transition(state[localWord(p)], input)
		if t := w.transitions.at(tr); len(t.acts) == 0 && t.next == state[localWord(p)] {
			continue // ignored: no use in spending the budget
		}
		w.step(state, p, tr, faultStep(code(checkpoint, p, 0)), x, cause{budget: spend(checkpoints, 1)})
	}
}

func (w *World) suspects(state []uint32, x *checker.Expansion) {
	for _, p := range w.Setup.Watchers {
		if !w.envs.at(state[envWord(p)]).Up {
			continue
		}
		for q := range core.Proc(w.procs) {
			g := w.group(q)
			if g[0] != q || slices.Contains(g, p) || !w.envs.at(state[envWord(q)]).Up {
				continue
			}
			tr := w.transition(state[localWord(p)], w.suspectInput(q))
			w.step(state, p, tr, faultStep(code(suspect, p, int(q))), x, cause{budget: spend(suspicions, 1)})
		}
	}
}

func (w *World) unreliable(state []uint32, x *checker.Expansion) {
	for p := range core.Proc(w.procs) {
		number := state[inboxWord(p)]
		box := w.inboxes.at(number)
		for i := range box.heads {
			h := &box.heads[i]
			if left(state, losses) > 0 {
				x.Add(faultStep(code(lose, p, h.name)))
				c := cause{word: inboxWord(p), value: w.pop(number, h), budget: spend(losses, 1)}
				c.apply(x)
			}
			if left(state, duplicates) > 0 && w.envs.at(state[envWord(p)]).Up {
				tr := w.transition(state[localWord(p)], h.input)
				w.step(state, p, tr, faultStep(code(duplicate, p, h.name)), x, cause{budget: spend(duplicates, 1)})
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
			w.crashVariants(state, w.victims(set), code(crash, p, 0), set, x)
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
		return w.isVictim(p) && w.envs.at(state[envWord(p)]).Up
	}
	return members[0] == p && slices.ContainsFunc(members, w.isVictim) &&
		slices.ContainsFunc(members, func(q core.Proc) bool { return w.envs.at(state[envWord(q)]).Up })
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
	inc := w.envs.at(state[envWord(p)]).Inc
	return slices.ContainsFunc(w.group(p), func(q core.Proc) bool {
		e := w.envs.at(state[envWord(q)])
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
			x.Add(s)
			w.crash(x, procs, outcomes)
			c := cause{budget: spend(failures, len(chosen)) + spend(torn, damaged)}
			c.apply(x)
			return
		}
		e := w.envs.at(state[envWord(procs[i])])
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
func (w *World) crash(x *checker.Expansion, procs []core.Proc, outcomes []operation) {
	for i, p := range procs {
		w.crashProc(x, p, outcomes[i])
	}
	for _, p := range procs {
		w.notify(x, p)
	}
}

func (w *World) crashProc(x *checker.Expansion, p core.Proc, outcome operation) {
	e := w.envs.at(x.At(envWord(p)))
	inc := e.Inc
	if e.Up {
		inc++
	}
	for _, q := range w.group(p) {
		f := w.envs.at(x.At(envWord(q)))
		if f.Up && !w.Model.Staggered {
			inc = max(inc, f.Inc+1)
		} else if !f.Up {
			inc = max(inc, f.Inc)
		}
	}
	if !e.Up {
		x.Set(envWord(p), w.envStep(x.At(envWord(p)), w.plain(operation{Kind: opRenumber, A: inc})))
		return
	}
	for _, q := range w.group(p) { // mates that are down already will be of the same life
		if f := w.envs.at(x.At(envWord(q))); !f.Up && f.Inc < inc {
			x.Set(envWord(q), w.envStep(x.At(envWord(q)), w.plain(operation{Kind: opRenumber, A: inc})))
		}
	}
	outcome.A, outcome.Round = inc, w.locals.at(x.At(localWord(p))).round
	x.Set(envWord(p), w.envStep(x.At(envWord(p)), w.plain(outcome)))
	x.Set(localWord(p), deadLocal)
	if !w.Model.KeepToDead {
		x.Set(inboxWord(p), emptyInbox)
	}
	if w.Model.FromDead == fault.Nothing {
		for q := range core.Proc(w.procs) {
			x.Set(inboxWord(q), w.without(x.At(inboxWord(q)), p, everyLife))
		}
	}
}

// notify lets the detector report the group of p, once all its members have left the old life.
func (w *World) notify(x *checker.Expansion, p core.Proc) {
	g := w.group(p)
	for _, q := range g {
		if w.envs.at(x.At(envWord(q))).Up && w.halfStopped(x.Now(), q) {
			return
		}
	}
	notice := w.plain(operation{Kind: opNotice, A: uint32(g[0])})
	for _, q := range w.Setup.Watchers {
		if !slices.Contains(g, q) {
			x.Set(envWord(q), w.envStep(x.At(envWord(q)), notice))
		}
	}
}

// cutShort adds the crashes inside a step: after each effect but the last.
func (w *World) cutShort(p core.Proc, tr uint32, c uint64, x *checker.Expansion, before cause) {
	t := w.transitions.at(tr)
	if len(t.acts) < 2 || w.Model.OneInstant || w.Model.Staggered || !(t.inside || w.Cuts || w.Model.FromDead == fault.Every) ||
		!slices.ContainsFunc(w.group(p), w.isVictim) {
		return
	}
	for cutAfter := 1; cutAfter < len(t.acts); cutAfter++ {
		x.Add(checker.Step{Code: c | uint64(cutAfter)<<32, Fault: true})
		before.apply(x)
		x.Set(localWord(p), t.next)
		for i := range cutAfter {
			w.act(x, p, &t.acts[i])
		}
		if t.watched {
			word := w.monitors.word
			x.Set(word, w.observePart(x.At(word), w.eventsOf(tr, cutAfter)))
		}
		members := w.group(p)
		w.crash(x, members, slices.Repeat([]operation{{Kind: opStop}}, len(members)))
		spent := cause{budget: spend(failures, 1)}
		spent.apply(x)
	}
}
