package hydee

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// send executes a send of the program ([HydEE] Alg. 1 l. 5-9, Alg. 2 l. 11-20; R1). Inside a
// cluster the message just leaves; between clusters it is logged, and it leaves unless its receiver
// has had it since before a failure.
func (l *layer) send(in core.Input, out []core.Effect) []core.Effect {
	if l.s.Phase > l.s.Frontier {
		panic(fmt.Sprintf("invariant: a send waits for the frontier: rank %d phase %d frontier %s",
			l.rank, l.s.Phase, l.s.Frontier))
	}
	l.s.Date++
	if l.same(l.rank, in.To) {
		return l.sendApp(&in, out)
	}
	orphan := l.isOrphan(in.To)
	// Deviation: H14. Read as printed, orphans are not logged again, and the next failure of the
	// receiver loses them.
	if !orphan || !l.has(H14) {
		l.s.Channels.At(in.To).Log.Append(&l.Keeper,
			entry{Date: l.s.Date, Phase: l.s.Phase, Payload: in.Payload})
		var e *core.Effect
		out, e = core.Add(out, core.Declare)
		e.What, e.ID, e.To = trace.Logged, in.Payload.ID, in.To.Proc()
	}
	if orphan {
		return append(out, core.SendTo(l.recoveryProcess(),
			&Message{Kind: OrphanDone, Round: l.s.Round, To: in.To,
				Date: l.s.Date, Phase: l.s.Phase}))
	}
	return l.sendApp(&in, out)
}

// isOrphan reports whether the receiver has had the message of the current date since before a
// failure.
func (l *layer) isOrphan(to core.Rank) bool {
	last := l.peer(to).OrphanDate
	switch {
	case l.has(H20a):
		// Deviation: H20a, a restarted rank notifies instead of sending, whatever the date
		return l.s.RolledBack
	case l.has(H1):
		// Deviation: H1 reads the entry of the sender itself, which nobody sets
		last = l.peer(l.rank).OrphanDate
	}
	if l.has(H2) {
		return l.s.Date < last // Deviation: H2 excludes the last message received
	}
	return l.s.Date <= last
}

func (l *layer) appMessage(date Date, phase Phase, payload core.Payload) *Message {
	return &Message{Kind: App, Round: l.s.Round, Incarnation: l.s.Incarnation, Date: date,
		Phase: phase, Payload: payload}
}

// arrive takes an application message from the network (R2). What was sent before the round in
// which the channel was evaluated last is dropped: the sender's log has it, and only the log goes
// through the gate.
func (l *layer) arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if reason := l.refuse(from, m); reason != "" {
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, reason))
	}
	arrived := message{Date: m.Date, Phase: m.Phase, Payload: m.Payload}
	if l.same(l.rank, from) && !l.has(H19) { // Deviation: H19 saves no channel state
		l.s.Saving.Record(l, from, arrived)
	}
	p := l.peer(from)
	p.Arrived = append(p.Arrived, arrived)
	return out
}

// refuse gives the reason for which an arriving message is dropped, or "".
func (l *layer) refuse(from core.Rank, m *Message) string {
	var evaluation Round
	if p := l.s.Peers.Find(from); p != nil {
		evaluation = p.Evaluation
	}
	switch {
	case l.same(l.rank, from):
		if m.Incarnation != l.s.Incarnation {
			return "other incarnation of the cluster"
		}
	case l.has(H7b): // Deviation: H7b filters by date alone
		if m.Date <= l.s.Channels.At(from).LastDate {
			return "date already received"
		}
	case l.has(H7): // Deviation: H7 accepts whatever is still in flight
	case l.s.Unjoined:
		return "not yet in a round"
	case evaluation > 0 && evaluation == l.s.Round && !l.s.Evaluated && !l.has(H23):
		// Whoever sends in this round has been told that all of us have evaluated it: that was a
		// former life of ours.
		return "this life has not evaluated the round"
	case m.Round < evaluation:
		return "sent before this round"
	}
	return ""
}

// deliver hands the next message of a rank to the program ([HydEE] Alg. 1 l. 10-18; R3).
func (l *layer) deliver(from core.Rank, out []core.Effect) []core.Effect {
	p, ch := l.peer(from), l.s.Channels.At(from)
	m := core.Pop(&p.Arrived)
	if l.same(l.rank, from) {
		l.s.Phase = max(l.s.Phase, m.Phase)
	} else {
		l.s.Phase = max(l.s.Phase, m.Phase+1)
		ch.LastDate = m.Date
		ch.Received = append(ch.Received, reception{Date: m.Date, Phase: m.Phase})
	}
	l.s.Date++
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload, e.Stamp.Date, e.Stamp.Phase = from.Proc(), m.Payload, uint64(m.Date),
		uint64(m.Phase)
	return l.answer(from, out)
}
