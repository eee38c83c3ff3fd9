package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 2: Rolled Back Processes Algorithm.

// uponFailureHere is "Upon failure of process P ∈ Cluster_i".
func (l *layer) uponFailureHere(in core.Input, out []core.Effect) []core.Effect {
	p := l.Process
	l.reset() // Alg. 2 l. 1-3
	out, ok := p.Restart(in, out)
	if !ok {
		return out
	}
	l.s.RolledBack = true // Alg. 2 l. 5
	for _, k := range p.Outside(p.Rank) {
		out = append(out, core.SendTo(k.Proc(),
			&ground.Message{Kind: Rollback, Date: p.S.Date})) // Alg. 2 l. 6
	}
	l.s.Waiting, l.s.OwnPhase = true, p.S.Phase
	return append(out, core.SendTo(p.RecoveryProcess(),
		&ground.Message{Kind: OwnPhase, Phase: p.S.Phase})) // Alg. 2 l. 7
}

// awaitsLastDate is the second half of "wait until receiving (NotifySendMsg, Phase_i) from the
// recovery process and receiving (LastDate, date) from all P_k ∉ Cluster_i" (Alg. 2 l. 8).
func (l *layer) awaitsLastDate() bool {
	return l.s.RolledBack && slices.ContainsFunc(l.Outside(l.Rank), func(k core.Rank) bool {
		return !l.s.HasLastDate[k]
	})
}

// lastDate is "Upon receiving (LastDate, date) from P_j".
func (l *layer) lastDate(j core.Rank, m *ground.Message, out []core.Effect) []core.Effect {
	if !l.s.RolledBack {
		return append(out, core.DropInput(j.Proc(), core.MsgID{}, "no handler in Algorithm 3"))
	}
	l.s.OrphanDate[j], l.s.HasLastDate[j] = m.Date, true // Alg. 2 l. 9-10
	return out
}

// sendRolledBack is "Sending message msg to P_j".
func (l *layer) sendRolledBack(in core.Input, out []core.Effect) []core.Effect {
	p := l.Process
	p.S.Date++                  // Alg. 2 l. 12
	if !p.Same(p.Rank, in.To) { // Alg. 2 l. 13
		orphan := p.S.Date <= l.s.OrphanDate[in.To] // Alg. 2 l. 14
		out = p.Log(in.To, in.Payload, out)         // Alg. 2 l. 18
		if orphan {
			out = append(out, core.SendTo(p.RecoveryProcess(),
				&ground.Message{Kind: OrphanNotification, Phase: p.S.Phase})) // Alg. 2 l. 15
		} else { // Alg. 2 l. 16
			out = p.Send(in.To, in.Payload, out) // Alg. 2 l. 17
		}
	} else {
		out = p.Send(in.To, in.Payload, out) // Alg. 2 l. 19
	}
	above := func(k core.Rank) bool { return p.S.Date > l.s.OrphanDate[k] }
	if !slices.ContainsFunc(p.Outside(p.Rank), func(k core.Rank) bool { return !above(k) }) {
		l.s.RolledBack = false // Alg. 2 l. 21-22
	}
	return out
}

// Alg. 2 l. 23-24 and l. 25, "Upon Receiving message" and "Upon checkpoint in Cluster_i", use the
// functions of Algorithm 1.
