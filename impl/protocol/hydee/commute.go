package hydee

import "github.com/domino-check/domino/impl/core"

// Commutes implements core.Commuter for a rank of the repaired protocol. When no failure,
// checkpoint or newer round is to come:
//
//   - Status of the present round, gate closed and not evaluated: it is put into a set. What the
//     last one triggers depends on logs and receptions of the channels that the round is about,
//     which do not change meanwhile: sends wait, and the receptions of the round begin only after
//     our own report. Frontier and messages of the round come after that report, too. Other
//     channels go on, and are not looked at.
//   - Begin that is ignored: no effect. Begin or Status of the newest round, which is about it, at
//     a restarted rank in no round: it receives nothing, and its mates send nothing before all have
//     joined, so its date does not change before it joins.
//   - Begin or Status of the newest round at a rank whose program has ended: nothing is sent or
//     received any more, and what arrives is dropped when the round is joined or after it.
//   - messages of dead incarnations: they are of older rounds, because the round was opened after
//     the notice, and are dropped.
//   - Frontier of the present round: it only raises a bound, of sends and of receptions; what it
//     sends again is seen by the world, which then does not take it first.
//   - a message that is taken, sent since its channel was evaluated last, or of the own cluster: it
//     is appended to the queue of its source, of which other steps take only the head.
//   - a receive that names its source, when evaluated: the date and phase that it gives the rank
//     are those that it gives after any arrival. It must not come before Begin, which is why a rank
//     that has joined no round of a recovery says so.
//   - the end of the program.
func (l *layer) Commutes(in core.Input) (round uint64, ok bool) {
	if l.errata != 0 || l.s.Saving.Taking {
		return 0, false
	}
	present := uint64(l.s.Round)
	if in.Kind == core.Advance {
		return present, !l.s.Unjoined && (l.s.Evaluated || l.s.Round == 0)
	}
	m := in.Message.(*Message)
	switch m.Kind {
	case App:
		if l.same(l.rank, core.Rank(in.From)) {
			return present, m.Incarnation == l.s.Incarnation && !l.s.Unjoined
		}
		return present, l.refuse(core.Rank(in.From), m) == ""
	case Begin, Status:
		if m.Round > l.s.Round {
			return uint64(m.Round), l.keepsOut(m) == "" &&
				(l.s.Unjoined && len(l.Sources(nil)) == 0 || l.app.Ended())
		}
		return present, m.Round == l.s.Round && l.s.Round != 0
	case Frontier:
		return present, m.Round == l.s.Round && l.s.Round != 0
	}
	return 0, false
}

// Commutes implements core.Commuter for the recovery process: reports of the present round go into
// a set; the last one shows itself by what it announces.
func (r *recoveryProcess) Commutes(in core.Input) (round uint64, ok bool) {
	if r.errata != 0 || r.s.Halted || in.Kind != core.Received {
		return 0, false
	}
	m := in.Message.(*Message)
	return uint64(r.s.Round), m.Round == r.s.Round && m.Kind == Report
}
