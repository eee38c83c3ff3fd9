package epochs

import "github.com/domino-check/domino/impl/core"

// Commutes implements core.Commuter for a rank of the repaired protocol. When no failure,
// checkpoint or newer round is to come:
//
//   - a message of a program, of this round: it is appended to the queue of its source, of which
//     other steps take only the head. One of an older round is dropped whenever it comes.
//   - Begin at a restarted rank that is in no round: it does nothing before, and drops whatever
//     comes.
//   - Back, Resume, Frontier of this round: everybody is frozen before, so what can come is
//     messages of those that have resumed earlier, which queue. What leaves the log is seen by the
//     world, which then does not take it first.
//   - a receive that names its source: the phase is the same after any arrival. What it
//     acknowledges depends on the line, of which this rank must not be about to hear.
//
// An acknowledgement does not commute: what it takes out of the log, Resume and Frontier would have
// sent again (scenario b12 has an end more for it).
func (l *layer) Commutes(in core.Input) (round uint64, ok bool) {
	round = uint64(l.s.Round)
	if l.errata != 0 {
		return 0, false
	}
	if in.Kind == core.Advance {
		return round, !l.s.Frozen && len(l.s.Images) == 1 && l.s.Writing == nil
	}
	m := in.Message.(*message)
	switch m.Kind {
	case app:
		return round, !l.s.Unjoined && m.Data.Life <= l.s.Round
	case begin:
		return uint64(m.Round), l.s.Unjoined && m.Round > l.s.Round
	case back, resume:
		return round, l.mine(m)
	case opens:
		return round, m.Round == l.s.Round && !l.s.Frozen
	}
	return 0, false
}

// Commutes implements core.Commuter for the recovery process: what each rank reports, and that it
// is back, goes into a set; the last one shows itself by what is sent.
func (r *process) Commutes(in core.Input) (round uint64, ok bool) {
	if r.errata != 0 || r.s.Halted || in.Kind != core.Received {
		return 0, false
	}
	m := in.Message.(*message)
	return uint64(r.s.Round), m.Round == r.s.Round && (m.Kind == report ||
		m.Kind == there && r.s.Members[in.From].Awaited)
}
