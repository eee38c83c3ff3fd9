package world

import (
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// What happens to stable records that nobody has done (fault.Model.Lose, Corrupt, Full). A record
// of a proc, up or down, is lost or corrupted, and nobody is told: whoever reads it, at a restart
// or back, gets what is there. A put is refused when its turn has come: then nothing is written,
// and the deletes before it are stable.
//
// The budgets are counters of four bits.
const (
	vanishing budget = 4 * iota
	spoiling
	refusing
)

func initialHarm(m *fault.Model) uint32 {
	return uint32(m.Lose)<<vanishing | uint32(m.Corrupt)<<spoiling | uint32(m.Full)<<refusing
}

// spoilArg is the argument of the corruption of a record.
func spoilArg(place, way int) int { return place*fault.Damages + way }

// splitSpoil is what the argument says.
func splitSpoil(arg int) (place, way int) { return arg / fault.Damages, arg % fault.Damages }

// harms adds what happens to records.
func (w *World) harms(state []uint32, x *checker.Expansion) {
	if w.budgets(state).harms == 0 {
		return
	}
	for p := range core.Proc(w.procs) {
		if !w.Model.Spoils(p) {
			continue
		}
		e := w.env(state, p)
		for i := range e.Store {
			w.damages(state, p, i, x)
		}
		if i := e.puts(); e.Up && i >= 0 && !e.Writing[i].Read && w.harmLeft(state, refusing) > 0 {
			tr := w.transition(w.localOf(state, p), w.refusedInput(w.envOf(state, p)))
			c := w.change(w.envOf(state, p), operation{Kind: opRefuse})
			c.harm = spend(refusing, 1)
			w.step(state, p, tr, code(refuse, p, 0).fault(), x, c)
		}
	}
}

// damages adds what happens to one stable record.
func (w *World) damages(state []uint32, p core.Proc, i int, x *checker.Expansion) {
	happen := func(c eventCode, op operation, b budget) {
		cause := w.change(w.envOf(state, p), op)
		cause.harm = spend(b, 1)
		w.happen(x, p, c.fault(), cause)
	}
	if w.harmLeft(state, vanishing) > 0 {
		happen(code(vanish, p, i), operation{Kind: opVanish, A: uint32(i)}, vanishing)
	}
	r := &w.env(state, p).Store[i]
	if w.harmLeft(state, spoiling) == 0 || r.Torn {
		return // the sum of the store tells anyway
	}
	for way := range fault.Damages {
		if _, ok := fault.Damaged(r.Value, way); ok {
			happen(code(spoil, p, spoilArg(i, way)),
				operation{Kind: opSpoil, A: uint32(i), B: uint32(way)}, spoiling)
		}
	}
}

// spoil is what happens to a record.
func (e *env) spoil(op operation) {
	if op.Kind == opVanish {
		e.Store = slices.Delete(e.Store, int(op.A), int(op.A)+1)
		return
	}
	e.Store[op.A].Value, _ = fault.Damaged(e.Store[op.A].Value, int(op.B))
}

// refusedInput is the input when the oldest put of an env is refused.
func (w *World) refusedInput(number uint32) uint32 {
	return w.input(askRefused|uint64(number), func() core.Input {
		e := w.envs.at(number)
		return core.Input{Kind: core.Refused, Key: e.Writing[e.puts()].Key}
	})
}
