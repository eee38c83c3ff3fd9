package world

import (
	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
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

// mostProcs is how many procs a footprint can tell apart; with more, every step depends on all others.
const mostProcs = 64

// Footprint implements checker.Independence.
//
//   - A step of a proc writes what the proc owns. The rear of a channel belongs to its sender, so a send and a delivery on one channel are
//     independent once both are possible.
//   - A send reads the life of the receiver, where a crash loses what is on its way to the crashed proc; a delivery reads the life of the
//     sender, where a crash also takes back what is on its way from there.
//   - A crash writes all of its group and the notices of the watchers. It shares a budget with every other fault.
//   - A restart reads the lives of all: a new process is not told of who is up again, and waits for its mates; and the records
//     that it is handed.
//   - Where channels are sets, a loss depends on every step: the lost message may be sent again.
//   - A step that global properties look at depends on every other step: its verdict may depend on where it is taken.
func (w *World) Footprint(state []uint32, c uint64) checker.Footprint {
	k, p, _ := splitCode(c &^ (0xff << 32))
	if w.procs > mostProcs || c>>32&0xff != 0 || w.Model.Staggered || w.Model.Set && k == lose {
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
	case deliver, lose, duplicate:
		if w.Model.FromDead == fault.Nothing {
			box := w.inboxes.at(state[inboxWord(p)])
			_, _, a := splitCode(c)
			f.Reads[life] |= 1 << box.channels[box.head(a).channel].from
		}
	}
	if k == lose || k == duplicate || k == suspect || k == checkpoint {
		f.Writes[common] |= commonBudgets
	}
	w.addSends(&f, state, c)
	return f
}

// addSends adds what the effects of a local step touch.
func (w *World) addSends(f *checker.Footprint, state []uint32, c uint64) {
	k, p, a := splitCode(c)
	tr, ok := w.localStep(state, k, p, a)
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
		case actRollback:
			*f = checker.Everything()
			return
		}
	}
}

func (w *World) crashFootprint(state []uint32, c uint64) checker.Footprint {
	var f checker.Footprint
	f.Reads[common], f.Writes[common] = commonView, commonBudgets
	for _, q := range w.crashed(c) {
		f.Writes[own] |= 1 << q
		f.Writes[life] |= 1 << q
	}
	for _, q := range w.Setup.Watchers {
		f.Writes[notices] |= 1 << q
	}
	return f
}

// crashed are the procs that a crash stops.
func (w *World) crashed(c uint64) (procs []core.Proc) {
	_, p, a := splitCode(c)
	procs = w.victims([]core.Proc{p})
	for set := a >> 4; set > 0; set /= 64 {
		procs = append(procs, w.victims([]core.Proc{core.Proc(set%64 - 1)})...)
	}
	return procs
}
