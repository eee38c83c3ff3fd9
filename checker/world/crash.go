package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Where a crash between two effects of one step makes a difference: the crash of a proc right after
// a step may lose any suffix of each channel and any write in progress, whatever the others lose,
// so it covers every crash inside the step of which the effects are sends and writes; and reads,
// kills and launches, which are not even begun when their proc stops. It does not
// when the model keeps everything in flight, or when an effect can not be undone: an output, a
// deletion, a new recovery line. Only there (or with Config.Cuts) are crashes put inside steps.

// crashing adds the crashes of one state.
type crashing struct {
	*World
	state  []uint32
	x      *checker.Expansion
	putOff bool // leave out crashes that a successor has, too
}

// sets adds the crash of every set of at most n groups, in the order of their first procs.
func (c *crashing) sets(from core.Proc, chosen []core.Proc, n int) {
	for p := from; int(p) < c.procs; p++ {
		if !c.mayCrash(c.state, p) {
			continue
		}
		set := append(chosen[:len(chosen):len(chosen)], p)
		if (!c.Model.OneInstant || len(set) == c.Model.Failures) && !c.overlaps(c.state, set) {
			if victims := c.victims(c.state, set); c.putOff &&
				slices.ContainsFunc(victims, c.undoes) {
				c.x.LeftOut.Crashes++
			} else {
				c.crashVariants(c.state, victims, code(crash, p, 0), set, c.x)
			}
		}
		if n > 1 {
			c.sets(p+1, set, n-1)
		}
	}
}

// undoes reports whether p can take a step that its crash undoes without a trace: the same crash
// after the step leads to the same state, so it is enough to explore that one. The step takes a
// message, which the crash would lose anyway, or makes the program go on; it sends, writes and
// shows nothing, so it adopts nobody, and a state in which all recovery is over stays one. It can
// not be put off for ever, because messages and programs come to an end.
func (c *crashing) undoes(p core.Proc) bool {
	here := c.localOf(c.state, p)
	if here == deadLocal {
		return false
	}
	box := c.inbox(c.state, p)
	for i := range box.heads {
		if t := c.transitions.at(c.transition(here, box.heads[i].input)); c.silent(here, t) {
			return true
		}
	}
	for _, choice := range c.locals.at(here).choices {
		if t := c.transitions.at(c.transition(here, choice)); t.longer && c.silent(here, t) {
			return true
		}
	}
	return false
}

// silent reports whether a step changes nothing but the state of its machine.
func (w *World) silent(here uint32, t *transition) bool {
	return len(t.acts) == 0 && !t.visible && !t.watched && t.violation == 0 &&
		w.locals.at(t.next).round == w.locals.at(here).round
}

// mayCrash reports whether a crash may begin at p: it is a victim, the first of its group unless
// members stop one by one, and somebody of the group can be killed and nobody stands still.
func (w *World) mayCrash(state []uint32, p core.Proc) bool {
	members := w.group(p)
	if _, ok := w.crashes.one(w.budgets(state).faults, members[0]); !ok {
		return false
	}
	if w.Model.Staggered {
		return w.isVictim(p) && w.mortal(state, p)
	}
	return members[0] == p && slices.ContainsFunc(members, w.isVictim) &&
		w.standing(state, p) == noProc &&
		slices.ContainsFunc(members, func(q core.Proc) bool { return w.mortal(state, q) })
}

// mortal reports whether a proc has a process that can be killed: it is up, or has rolled back and
// not started again.
func (w *World) mortal(state []uint32, p core.Proc) bool {
	c := w.of(state, p)
	return c.there && !c.still
}

// overlaps reports whether more procs than the model allows would be down or recovering if the
// groups of the chosen ones stopped.
func (w *World) overlaps(state []uint32, chosen []core.Proc) bool {
	if w.Model.Overlap == 0 {
		return false
	}
	victims, n := append(w.victims(state, chosen), w.bound(state)...), 0
	for p := range core.Proc(w.procs) {
		h := w.locals.at(w.localOf(state, p)).history
		if !w.of(state, p).up || h != nil && h.Recovering ||
			slices.Contains(victims, p) {
			n++
		}
	}
	return n > w.Model.Overlap
}

func (w *World) isVictim(p core.Proc) bool {
	return w.Model.Victims == nil || slices.Contains(w.Model.Victims, p)
}

// victims are the procs that stop at once with the chosen ones: their groups, and what runs on
// their nodes.
func (w *World) victims(state []uint32, chosen []core.Proc) []core.Proc {
	if w.Model.Staggered {
		return w.withHosted(state, chosen)
	}
	return w.withHosted(state, w.members(chosen))
}

// members are all procs of the groups of the chosen ones.
func (w *World) members(chosen []core.Proc) []core.Proc {
	var list []core.Proc
	for _, p := range chosen {
		list = append(list, w.group(p)...)
	}
	return list
}

// halfStopped reports whether a mate of p has already left p's life.
func (w *World) halfStopped(state []uint32, p core.Proc) bool {
	inc := w.of(state, p).inc
	return slices.ContainsFunc(w.group(p), func(q core.Proc) bool {
		e := w.env(state, q)
		return !e.Up && e.Inc > inc
	})
}

// crashVariants adds the crash of the procs with every outcome of their writes in progress.
// Spending is for a crash; a stop costs nothing.
func (w *World) crashVariants(state []uint32, procs []core.Proc, c eventCode, chosen []core.Proc,
	x *checker.Expansion) {
	variant, end := 0, 1<<othersShift
	if len(chosen) > 1 { // several groups at once: the code names the set by its members
		variant = setVariant(chosen)
		end = variant + 1<<(othersShift-otherBits*(len(chosen)-1))
	}
	gone := func(p core.Proc) bool { return w.losesDisk(state, p, procs) }
	w.outcomes(state, procs, gone, func(outcomes []operation, damaged int) {
		if variant >= end {
			panic("invariant: the outcomes of a crash can be counted")
		}
		s := c.variant(variant).step()
		s.Fault = chosen != nil
		variant++
		x.Add(s)
		w.crash(x, procs, outcomes)
		w.spent(x, spend(failures, len(chosen))+spend(torn, damaged)+
			w.spendCrashes(state, chosen), 0)
	})
}

// outcomes visits what may become of the writes in progress of procs that stop: some of the oldest
// became stable, the next one is absent or, within its budget and where tears says so, damaged. A
// read makes no difference. Of a disk that is gone nothing is left.
func (w *World) outcomes(state []uint32, procs []core.Proc, gone func(core.Proc) bool,
	visit func(outcomes []operation, damaged int)) {
	outcomes := make([]operation, len(procs))
	var choose func(i, damaged int)
	choose = func(i, damaged int) {
		if i == len(procs) {
			visit(outcomes, damaged)
			return
		}
		if gone(procs[i]) {
			outcomes[i] = operation{Kind: opStop, All: true}
			choose(i+1, damaged)
			return
		}
		e := w.env(state, procs[i])
		for kept := 0; kept <= len(e.Writing); kept++ {
			if kept < len(e.Writing) && e.Writing[kept].Read {
				continue // as behind it
			}
			outcomes[i] = operation{Kind: opStop, B: uint32(kept)}
			choose(i+1, damaged)
			if w.left(state, torn) > damaged && e.tears(kept) {
				outcomes[i].Torn = true
				choose(i+1, damaged+1)
			}
		}
	}
	choose(0, 0)
}

// losesDisk reports whether the stable records of a proc are gone when it crashes together with the
// others: they lie on the disk of its node, which crashes with it.
func (w *World) losesDisk(state []uint32, p core.Proc, crashed []core.Proc) bool {
	if w.Model.Disks != fault.GoWithNode || !slices.Contains(w.Setup.Local, p) {
		return false
	}
	host := w.env(state, p).Host
	return host == 0 || slices.Contains(crashed, core.Proc(host-1))
}

// spendCrashes is the part of the budget word that counts the crashes of the chosen groups.
func (w *World) spendCrashes(state []uint32, chosen []core.Proc) (sum uint32) {
	for _, p := range chosen {
		one, _ := w.crashes.one(w.budgets(state).faults, w.group(p)[0])
		sum += one
	}
	return sum
}

// A crash is named by its last group, and in the argument of the code by how many other groups
// there are, by these, and by the outcome of writes in progress.
const (
	othersShift = 28 // their number
	otherBits   = 6  // of each
	mostOthers  = 4
)

// setVariant is the argument of a crash of the groups, with outcome 0.
func setVariant(chosen []core.Proc) int {
	v := (len(chosen) - 1) << othersShift
	for i, p := range chosen[:len(chosen)-1] {
		v |= int(p) << (othersShift - otherBits*(i+1))
	}
	return v
}

// splitCrash is what the argument of a crash says: the other groups, and the outcome.
func splitCrash(a int) (others []core.Proc, outcome int) {
	n := a >> othersShift
	for i := range n {
		others = append(others, core.Proc(a>>(othersShift-otherBits*(i+1))&(1<<otherBits-1)))
	}
	return others, a & (1<<(othersShift-otherBits*n) - 1)
}

// crash stops procs that are there, with the given outcomes of their writes, and lets the detector
// know of every group that has stopped for good, but for those who stop because their node does.
func (w *World) crash(x *checker.Expansion, procs []core.Proc, outcomes []operation) {
	if b := *w.budgets(x.Now()); b.over {
		b.over = false
		x.Set(budgetWord, w.budgetNumber(b))
	}
	var noticed []core.Proc
	for i, p := range procs {
		outcomes[i].All = w.losesDisk(x.Now(), p, procs)
		if host := w.env(x.Now(), p).Host; host == 0 ||
			!slices.Contains(procs, core.Proc(host-1)) {
			noticed = append(noticed, p)
		}
	}
	for i, p := range procs {
		w.crashProc(x, p, outcomes[i])
	}
	for _, p := range noticed {
		w.notify(x, p)
	}
}

// lifeAfter is the incarnation that a proc will be of when its present life is over: that of its
// mates, too, and newer than that of any.
func (w *World) lifeAfter(state []uint32, p core.Proc) uint32 {
	e := w.env(state, p)
	inc := e.Inc
	if e.Up {
		inc++
	}
	for _, q := range w.group(p) {
		f := w.env(state, q)
		if f.Up && !w.Model.Staggered {
			inc = max(inc, f.Inc+1)
		} else if !f.Up {
			inc = max(inc, f.Inc)
		}
	}
	return inc
}

func (w *World) crashProc(x *checker.Expansion, p core.Proc, outcome operation) {
	e := w.env(x.Now(), p)
	inc := w.lifeAfter(x.Now(), p)
	if !e.there() {
		w.touch(x, p, w.plainDeed(operation{Kind: opRenumber, A: inc}))
		return
	}
	for _, q := range w.group(p) { // mates that are down already will be of the same life
		if f := w.env(x.Now(), q); !f.Up && f.Inc < inc {
			w.touch(x, q, w.plainDeed(operation{Kind: opRenumber, A: inc}))
		}
	}
	own := *w.of(x.Now(), p)
	outcome.A, outcome.Round = inc, w.locals.at(own.local).round
	own.local, own.env = deadLocal, w.envStep(own.env, w.plain(outcome))
	if !w.Model.KeepToDead {
		own.inbox = emptyInbox
	}
	w.put(x, p, own)
	w.endTickets(x, p)
	if w.Model.FromDead == fault.Nothing {
		for q := range core.Proc(w.procs) {
			w.touch(x, q, lossDeed(p))
		}
	}
}

// notify lets the detector report the group of p, once all its members have left the old life.
func (w *World) notify(x *checker.Expansion, p core.Proc) {
	if w.layout.Hosted[p] {
		return // its node is told of, or starts it again by itself
	}
	g := w.group(p)
	for _, q := range g {
		if c := w.of(x.Now(), q); c.still || c.up && w.halfStopped(x.Now(), q) {
			return
		}
	}
	op := operation{Kind: opNotice, A: uint32(g[0])}
	if w.Setup.Launched {
		op.B = w.of(x.Now(), g[0]).inc // the next one; the life that has failed, plus 1
	}
	notice := w.plainDeed(op)
	for _, q := range w.Setup.Watchers {
		if !slices.Contains(g, q) {
			w.touch(x, q, notice)
		}
	}
}

// divisible reports whether crashes inside a step make a difference.
func (w *World) divisible(p core.Proc, t *transition) bool {
	return len(t.acts) > 1 && w.Model.Failures > 0 && !w.Model.OneInstant &&
		(t.inside || w.Cuts || w.Model.FromDead == fault.Every) &&
		(w.mayBegin(p) || len(w.layout.Hosted) > 0)
}

// mayBegin reports whether a failure may begin at a proc, or at the group that stops with it.
func (w *World) mayBegin(p core.Proc) bool {
	return slices.ContainsFunc(w.unit(p), w.isVictim)
}

// cutShort adds the crashes inside a step: after each effect but the last the proc stands still
// (still.go). Who is bound to stop may do so for free.
func (w *World) cutShort(state []uint32, p core.Proc, tr uint32, c eventCode, x *checker.Expansion,
	before cause) {
	t := w.transitions.at(tr)
	if !w.divisible(p, t) {
		return
	}
	price := uint32(0)
	if !slices.Contains(w.bound(state), p) {
		digit, ok := w.crashes.one(w.budgets(x.Now()).faults, w.group(p)[0])
		if !ok || !w.mayBegin(p) || w.left(state, failures) == 0 || !w.mayFail(state) ||
			w.overlaps(state, []core.Proc{p}) {
			return
		}
		price = spend(failures, 1) + digit
	}
	var adopted []core.Proc
	if !w.Setup.Launched {
		adopted = w.hosts(state, p)
	}
	for effects := 1; effects < len(t.acts); effects++ {
		part := c.cutAfter(effects)
		x.Add(part.fault())
		w.performPart(x, p, t, effects, before.begin(w, x, p))
		if t.watched {
			word := w.monitors.word
			x.Set(word, w.observePart(x.At(word), w.eventsOf(tr, effects)))
		}
		w.standStill(x, p, adopted)
		w.spent(x, price, 0)
	}
}
