package epochs

import "github.com/domino-check/domino/impl/core"

// Commutes implements core.Commuter for a rank of the repaired protocol. When no failure,
// checkpoint or newer round is to come:
//
//   - Begin at a restarted rank that is in no round: it does nothing before, and drops whatever
//     comes.
//   - Back, Resume, Frontier of this round: everybody is frozen before, so what can come is
//     messages of those that have resumed earlier, which queue. What leaves the log is seen by the
//     world, which then does not take it first.
//
// Neither the receives of a program nor the reports to the recovery process commute: when a rank
// has restarted, its Hello opens a newer round, which nobody who has not heard of it can know of.
// It freezes a program before a receive, and ends a round of which the last report is on its way.
//
// A message of a program does not commute: Back may take the rank to an image, and then the message
// finds nobody until the rank has restarted, and is dropped (scenario epochs-on-its-way).
//
// An acknowledgement does not commute: what it takes out of the log, Resume and Frontier would have
// sent again (scenario b12 has an end more for it).
func (l *layer) Commutes(in core.Input) (round uint64, ok bool) {
	round = uint64(l.s.Round)
	if l.errata != 0 || in.Kind != core.Received {
		return 0, false
	}
	m := in.Message.(*message)
	switch m.Kind {
	case begin:
		return uint64(m.Round), l.s.Unjoined && m.Round > l.s.Round
	case back, resume:
		return round, l.mine(m)
	case opens:
		return round, m.Round == l.s.Round && !l.s.Frozen
	}
	return 0, false
}
