package hydee

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// begin handles the recovery process opening a round.
func (l *layer) begin(m *Message, out []core.Effect) []core.Effect {
	if reason := l.keepsOut(m); reason != "" {
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{}, reason))
	}
	return l.join(m, out)
}

// keepsOut gives the reason for which a rank does not join a round that is named to it, or "". A
// round that is not about a restarted rank was opened without knowing of the restart, and takes its
// former life for the present one, until a round has evaluated all its channels: for those that
// were opened before it, this rank is one that has failed.
func (l *layer) keepsOut(m *Message) string {
	switch {
	case m.Round <= l.s.Round:
		return "old round"
	case !l.about(m.Clusters, l.rank) && !l.settled():
		return "round of a former life"
	}
	return ""
}

// settled reports whether the present life is the one that others mean: it is the first, or has
// evaluated the round that was about its cluster.
func (l *layer) settled() bool {
	return !l.s.Unjoined && (l.s.Evaluated || !l.about(l.s.Clusters, l.rank))
}

// join enters a round (R6): close the gate, and for every channel that the round is about, forget
// the last evaluation and what is still undelivered, tell the rank at the other end the state of
// both directions. Rolled-back and other ranks do the same. Nothing of a channel between clusters
// that have not failed is lost: what is on its way arrives, and is not sent again.
func (l *layer) join(begin *Message, out []core.Effect) []core.Effect {
	round := begin.Round
	l.s.Round, l.s.Unjoined, l.s.Evaluated = round, false, false
	l.s.Clusters = slices.Clone(begin.Clusters)
	if !l.has(H17) { // Deviation: H17 leaves the gate open until the report is sent
		l.s.Frontier = 0
	}
	if !l.has(H12a) { // Deviation: H12a adds the orphans of this round to those of the last
		l.s.Orphans = nil
	}
	date := l.s.Date
	if l.has(H15) && l.s.RolledBack {
		date = l.s.RestartDate // Deviation: H15 repeats the date of the restart
	}
	for _, q := range l.outside(l.rank) {
		if !l.about(l.s.Clusters, l.rank) && !l.about(l.s.Clusters, q) {
			continue
		}
		p := l.peer(q)
		p.Resend, p.OrphanDate, p.Evaluation = nil, 0, round
		if !l.has(H12b) { // Deviation: H12b keeps the dates of the last round
			p.HasStatus, p.StatusDate, p.StatusLast, p.StatusLife = false, 0, 0, 0
		}
		if !l.has(H7) && !l.has(H7b) {
			for _, m := range p.Arrived {
				out = append(out, core.DropInput(q.Proc(), m.Payload.ID, "sent before this round"))
			}
			p.Arrived = nil
		}
		m := &Message{Kind: Status, Round: round, Clusters: l.s.Clusters,
			Incarnation: l.s.Incarnation, Date: date, Last: l.s.Channels.At(q).LastDate}
		if l.has(H11a) && l.s.RolledBack {
			m.Number = rolledBack
		}
		out = append(out, core.SendTo(q.Proc(), m))
	}
	return l.evaluate(out)
}

// rolledBack marks the Status of a rolled-back rank where erratum H11a needs to know.
const rolledBack = 1

// status takes the other end of a channel ([HydEE] Alg. 3 l. 20-21 and Alg. 2 l. 9-10 in one
// message).
func (l *layer) status(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.Round < l.s.Round {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "old round"))
	}
	if m.Round > l.s.Round {
		if reason := l.keepsOut(m); reason != "" {
			return append(out, core.DropInput(from.Proc(), core.MsgID{}, reason))
		}
		out = l.join(m, out)
	}
	if l.has(H11a) && l.s.RolledBack && m.Number == rolledBack {
		// Deviation: H11a, a rolled-back rank neither answers nor understands the rollback of
		// another cluster.
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"no handler for a rollback here"))
	}
	p := l.peer(from)
	p.HasStatus, p.StatusDate, p.StatusLast, p.StatusLife = true, m.Date, m.Last, m.Incarnation
	return l.evaluate(out)
}

// evaluate runs when the Status of the other end of every channel that the round is about is here
// ([HydEE] Alg. 3 l. 8-16; R7): which logged messages the others lack, which of theirs are orphans
// here.
func (l *layer) evaluate(out []core.Effect) []core.Effect {
	if !l.complete() {
		return out
	}
	ends := l.ends()
	lives, alike := l.lives(ends)
	if l.s.Evaluated || !alike {
		return out
	}
	l.s.Evaluated = true
	for _, q := range ends {
		p, ch := l.peer(q), l.s.Channels.At(q)
		p.OrphanDate = p.StatusLast
		have := p.StatusLast
		if l.has(H3) {
			have = p.StatusDate // Deviation: H3 compares a date of our clock with a date of theirs
		}
		if !l.has(H8) || !l.s.RolledBack { // Deviation: H8, rolled-back ranks resend nothing
			p.Resend = slices.Clone(sendlog.After(ch.Log, uint64(have)))
		}
		l.findOrphans(q)
	}
	l.s.Frontier = 0
	report := &Message{Kind: Report, Round: l.s.Round, Orphans: slices.Clone(l.s.Orphans),
		Lives: lives}
	if l.has(H18) {
		report.Phase = l.s.Phase // OwnPhase, which the repaired protocol does not need
	}
	return append(out, core.SendTo(l.recoveryProcess(), report))
}

// complete reports whether the Status of the other end of every channel that the round is about is
// here. They come in the order of ranks, more or less, so whose is missing is sought from the last
// one on: from the first one on, a thousand of them take half a million looks.
func (l *layer) complete() bool {
	for i := len(l.s.Peers) - 1; i >= 0; i-- {
		if p := &l.s.Peers[i]; !p.HasStatus && p.Evaluation == l.s.Round &&
			!l.same(l.rank, p.Rank) {
			return false
		}
	}
	return true
}

// ends are the ranks at the other ends of those channels.
func (l *layer) ends() (list []core.Rank) {
	for i := range l.s.Peers {
		if p := &l.s.Peers[i]; p.Evaluation == l.s.Round && !l.same(l.rank, p.Rank) {
			list = append(list, p.Rank)
		}
	}
	return list
}

// lives are the incarnations, by cluster, of the own cluster and of those at the other ends; alike
// is false while two ranks of one of them have said different ones: the Status of the later life of
// the other is still to come.
func (l *layer) lives(ends []core.Rank) (lives []core.Incarnation, alike bool) {
	lives = make([]core.Incarnation, len(l.members))
	lives[l.clusters[l.rank]] = l.s.Incarnation
	known := make([]bool, len(l.members))
	for _, q := range ends {
		k, life := l.clusters[q], l.peer(q).StatusLife
		if known[k] && lives[k] != life && !l.has(H23) {
			return nil, false
		}
		lives[k], known[k] = life, true
	}
	return lives, true
}

// findOrphans adds the messages of q that were received here and are not sent in q's state ([HydEE]
// Alg. 3 l. 13-14).
func (l *layer) findOrphans(q core.Rank) {
	if l.has(H11b) && l.s.RolledBack {
		return // Deviation: H11b, a rolled-back rank reports no orphans
	}
	for _, r := range l.s.Channels.At(q).Received {
		if r.Date <= l.peer(q).StatusDate {
			continue
		}
		samePhase := func(o Orphan) bool { return o.Phase == r.Phase }
		if l.has(H4) && slices.ContainsFunc(l.s.Orphans, samePhase) {
			continue // Deviation: H4 reads the list of orphan phases as a set
		}
		l.s.Orphans = append(l.s.Orphans, Orphan{Source: q, To: l.rank, Date: r.Date,
			Phase: r.Phase})
	}
}

// frontier opens the gate up to a phase ([HydEE] Alg. 3 l. 18 and 22-24; R9). Logged messages leave
// first, in date order and once each, so that no new message overtakes them.
func (l *layer) frontier(m *Message, out []core.Effect) []core.Effect {
	if m.Round != l.s.Round {
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{}, "old round"))
	}
	if (!l.s.Evaluated || m.Incarnation != l.s.Incarnation) && !l.has(H6) && !l.has(H23) {
		// The report that it goes by was one of our former life: the notice of its failure will
		// open a new round.
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{},
			"round of a former life"))
	}
	if m.Part&releaseLogs != 0 {
		out = l.resend(m.Phase, out)
	}
	if m.Part&openGate != 0 {
		l.open(m)
	}
	return out
}

// open raises the frontier of this rank; at the infinite one its part in the recovery is over.
func (l *layer) open(m *Message) {
	switch {
	case l.has(H18) && Phase(m.Last) != l.s.Phase:
		// Deviation: H18 waits for a notification of exactly the phase that the rank is in when it
		// arrives.
	case l.has(H10) && l.s.Phase <= m.Phase:
		l.s.Frontier = infinite // Deviation: H10 gates only the first send
	default:
		l.s.Frontier = max(l.s.Frontier, m.Phase)
	}
	if l.s.Frontier == infinite && !l.has(H20a) {
		l.s.RolledBack = false
	}
}

// resend puts the logged messages up to a phase on the network, stamped as they were and with the
// current round.
func (l *layer) resend(phase Phase, out []core.Effect) []core.Effect {
	for i := range l.s.Peers {
		p := &l.s.Peers[i]
		if l.same(l.rank, p.Rank) {
			continue
		}
		var kept []entry
		list := p.Resend
		if l.has(H9b) {
			list = slices.Clone(list)
			slices.Reverse(list) // Deviation: H9b iterates over a set, in whatever order
		}
		for _, e := range list {
			if e.Phase > phase {
				kept = append(kept, e)
				continue
			}
			out = append(out, core.SendTo(p.Rank.Proc(), l.appMessage(e.Date, e.Phase, e.Payload)))
		}
		// Deviation: H9a removes nothing, so the next notification sends it all again
		if !l.has(H9a) {
			p.Resend = kept
		}
	}
	return out
}
