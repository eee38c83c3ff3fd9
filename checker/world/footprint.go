package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// The words of a footprint, a bit each proc, and the bits of the last word.
const (
	own     = iota // local state, env, and the front of every channel to the proc
	life           // whether the proc is up, and which incarnation
	notices        // failures that the proc has not been told of
	common

	commonView    = 1 << 0 // what global properties look at
	commonBudgets = 1 << 1
)

// mostProcs is how many procs a footprint can tell apart; with more, every step depends on all
// others.
const mostProcs = 64

// Footprint implements checker.Independence.
//
//   - A step of a proc writes what the proc owns. The rear of a channel belongs to its sender, so a
//     send and a delivery on one channel are independent once both are possible.
//   - A send reads the life of the receiver, where a crash loses what is on its way to the crashed
//     proc; a delivery reads the life of the sender, where a crash also takes back what is on its
//     way from there.
//   - A crash writes all of its group and the notices of the watchers. It shares a budget with
//     every other fault. Where a failure waits until all others are recovered from, it depends on
//     every step.
//   - A crash takes what its own group has adopted. A restart may wait until somebody adopts the
//     proc; global properties see both.
//   - A restart reads the lives of all: a new process is not told of who is up again, and waits for
//     its mates; and the records that it is handed.
//   - Where channels are sets, a loss depends on every step: the lost message may be sent again.
//   - A watchdog, when it starts and when it expires, reads the life of whom it is about.
//   - A delete that becomes stable by itself reads the lives of those who read the store.
//   - To stand still, and the stop that follows, depends on every step.
//   - A kill stops whoever it is about and what runs there, and takes starts away that the killer
//     has asked for; a launch reads whether its target is up, and writes what surrounds it. So does
//     the end of who has launched it.
//   - What happens to records by itself spends a budget, and belongs to whose records they are.
//   - A step that global properties look at depends on every other step: its verdict may depend on
//     where it is taken.
func (w *World) Footprint(state []uint32, number uint64) checker.Footprint {
	c := eventCode(number)
	k, p := c.kind(), c.proc()
	if w.procs > mostProcs || c.cut() != 0 || w.Model.Staggered || w.Model.Set && k == lose ||
		w.waits(state) && !w.budgets(state).over { // any step may be the last of a recovery
		return checker.Everything()
	}
	var f checker.Footprint
	f.Reads[common] = commonView
	f.Writes[own] = 1 << p
	switch k {
	case crash:
		return w.crashFootprint(state, c)
	case stop:
		return checker.Everything()
	case told:
		f.Writes[notices] = 1 << p
	case restart:
		f.Writes[life], f.Reads[life], f.Writes[notices] = 1<<p, ^uint64(0), 1<<p
		for _, q := range w.owners(p) {
			f.Reads[own] |= 1 << q
		}
	case erase:
		f.Reads[life] = ^uint64(0) // who is down, and reads it
	case kill:
		w.addKill(&f, state, c)
	case suspect:
		f.Reads[life] |= 1 << c.arg() // which life it says to be over
	case deliver, lose, duplicate:
		if w.Model.FromDead == fault.Nothing {
			box := w.inbox(state, p)
			f.Reads[life] |= 1 << box.channels[box.head(c.arg()).channel].from
		}
	}
	if k == expire {
		f.Reads[life] |= 1 << c.arg()
		if !w.isDue(state, p, core.Proc(c.arg())) {
			f.Writes[common] |= commonBudgets
		}
	}
	switch k {
	case lose, duplicate, suspect, checkpoint, refuse, vanish, spoil:
		f.Writes[common] |= commonBudgets
	}
	w.addSends(&f, state, c)
	return f
}

// addSends adds what the effects of a local step touch.
func (w *World) addSends(f *checker.Footprint, state []uint32, c eventCode) {
	tr, ok := w.localStep(state, c)
	if !ok {
		return
	}
	t := w.transitions.at(tr)
	if t.visible || t.violation != 0 {
		f.Writes[common] |= commonView
	}
	for i := range t.acts {
		switch t.acts[i].kind {
		case actSend:
			if !w.Model.KeepToDead {
				f.Reads[life] |= 1 << t.acts[i].to
			}
		case actWatch:
			f.Reads[life] |= 1 << t.acts[i].to
		case actLaunch:
			f.Reads[life] |= 1 << t.acts[i].to
			f.Writes[own] |= 1 << t.acts[i].to
		case actRollback, actExit, actRenew:
			*f = checker.Everything()
			return
		}
	}
}

// addKill adds what a kill touches besides what the killer owns.
func (w *World) addKill(f *checker.Footprint, state []uint32, c eventCode) {
	q, _ := splitKill(c.arg())
	for _, s := range append(w.killed(state, c.proc(), q), q) {
		f.Writes[own] |= 1 << s
		f.Writes[life] |= 1 << s
		w.addTickets(f, state, s)
	}
	if w.left(state, torn) > 0 {
		f.Writes[common] |= commonBudgets
	}
}

// addTickets adds whom a proc has launched that has not started yet: its end takes that back.
func (w *World) addTickets(f *checker.Footprint, state []uint32, by core.Proc) {
	for p := range core.Proc(w.procs) {
		if _, found := w.env(state, p).ticket(by); found {
			f.Writes[own] |= 1 << p
		}
	}
}

func (w *World) crashFootprint(state []uint32, c eventCode) checker.Footprint {
	if w.Model.Settled {
		return checker.Everything() // it waits until nothing is on its way
	}
	var f checker.Footprint
	f.Reads[common], f.Writes[common] = commonView, commonBudgets
	if w.Model.Overlap > 0 {
		f.Reads[own] = ^uint64(0) // who is down or recovering
	}
	for _, q := range w.crashed(state, c) {
		f.Writes[own] |= 1 << q
		f.Writes[life] |= 1 << q
		w.addTickets(&f, state, q)
	}
	for _, q := range w.Setup.Watchers {
		f.Writes[notices] |= 1 << q
	}
	return f
}

// crashed are the procs that a crash stops.
func (w *World) crashed(state []uint32, c eventCode) (procs []core.Proc) {
	others, _ := splitCrash(c.arg())
	return w.victims(state, append(others, c.proc()))
}

// Hinges implements checker.Hinged: the steps of a proc that are no faults; its faults, which share
// budgets with other ones; its restart; the crashes of each set of groups. That a violation of a
// global property makes a step depend on all others changes nothing: it is visible, so it does
// anyhow.
func (w *World) Hinges() (families []checker.Footprint) {
	if w.Model.Overlap > 0 || w.Model.Settled || len(w.layout.Hosted) > 0 || w.Setup.Watchdogs ||
		w.Model.Set || w.Model.KeepsIgnored() {
		// whether a step is possible depends on more
		return slices.Repeat([]checker.Footprint{checker.Everything()}, mostFamilies)
	}
	for p := range core.Proc(w.procs) {
		var f checker.Footprint
		f.Reads[own], f.Reads[notices] = 1<<p, 1<<p // what has failed since can keep a notice back
		if w.Model.Failures > 0 {
			for _, q := range w.group(p) { // whether it is bound to stop, and what that leaves
				f.Reads[own] |= 1 << q
			}
		}
		if w.Model.FromDead == fault.Nothing {
			f.Reads[life] = ^uint64(0)
		}
		families = append(families, f)
		f.Reads[common] = commonBudgets
		families = append(families, f)
		if w.Setup.Reads != nil {
			var r checker.Footprint
			r.Reads[own] = 1 << p
			for _, q := range w.owners(p) {
				r.Reads[own] |= 1 << q // their records say what the restart does
			}
			families = append(families, r)
		}
	}
	var sets func(from core.Proc, chosen []core.Proc)
	sets = func(from core.Proc, chosen []core.Proc) {
		for p := from; int(p) < w.procs && len(families) < mostFamilies; p++ {
			if members := w.group(p); members[0] != p || !slices.ContainsFunc(members, w.isVictim) {
				continue
			}
			set := append(chosen[:len(chosen):len(chosen)], p)
			var f checker.Footprint
			f.Reads[common] = commonBudgets
			for _, q := range w.members(set) {
				f.Reads[own] |= 1 << q
			}
			families = append(families, f)
			if len(set) < min(w.Model.Failures, w.Model.Together()) {
				sets(p+1, set)
			}
		}
	}
	if w.Model.Failures > 0 {
		sets(0, nil)
	}
	return families
}

// mostFamilies is more than a search makes use of.
const mostFamilies = 64
