package boundary_test

import (
	"math"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// stamps are the mutants of what messages declare: dates, phases, gates. A phase or date of 0 means
// that there is none.
func stamps() []Mutant {
	return []Mutant{
		breaks("phase-order", "low-phase", "stamps each message with one phase too low",
			declares(func(_ *machine, s *core.Stamp) {
				s.Phase--
			})),
		nearly("phase-order", "high-phase",
			"stamps each message with twice its phase, which keeps the order",
			declares(func(_ *machine, s *core.Stamp) { s.Phase *= 2 })),
		breaks("stamp-determinism", "counts-into-date",
			"stamps each message with the number of inputs so far added to its date",
			countedDates()),
		nearly("stamp-determinism", "shifts-date",
			"stamps each message with a date that is 7 too high, in all runs alike",
			declares(func(_ *machine, s *core.Stamp) { s.Date += 7 })),
		breaks("gate-sound", "opens-gate", "announces at once that sends of all phases are allowed",
			habit{declare: openGate}),
		breaks("round-named", "forgets-round", "names no round on messages with a payload",
			declares(func(_ *machine, s *core.Stamp) { s.Round = 0 })),
		nearly("gate-sound", "repeats-gate", "announces every frontier two times",
			sends(repeatGate)),
	}
}

// declares changes the stamps of messages with a payload.
func declares(change func(*machine, *core.Stamp)) habit {
	return habit{declare: func(b *machine, m *envelope) {
		if m.carriesPayload() {
			change(b, &m.Wire.Stamp)
		}
	}}
}

func countedDates() habit {
	h := declares(func(b *machine, s *core.Stamp) { s.Date += uint64(memoryOf(b).Inputs) })
	h.input = count
	return h
}

func openGate(b *machine, m *envelope) {
	if meaning(b, m) == trace.Gate {
		m.Wire.Stamp.Phase = math.MaxUint64
	}
}

func repeatGate(b *machine, e core.Effect, m *envelope) []core.Effect {
	if meaning(b, m) == trace.Gate {
		return []core.Effect{e, e}
	}
	return []core.Effect{e}
}
