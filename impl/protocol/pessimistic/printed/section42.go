package printed

import "github.com/domino-check/domino/impl/core"

// insert: "Before sending a message, FT of P1 inserts the message M with its SSN in its temporary
// buffer (TB)." A restarted process "will avoid resending unnecessary messages", and "the
// non-finished logging transmissions will be checked in order to erase messages" (4.2.4): what the
// receiver has confirmed already is finished.
func (l *observer) insert(to core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if m.SSN > s.Erased[to] {
		s.TB = append(s.TB, Entry{Peer: to, SSN: m.SSN, Payload: m.Payload})
		out = append(out, core.Logged(m.Payload.ID, to.Proc(), 0))
	}
	if m.SSN <= s.Current[to] {
		return out
	}
	return append(out, core.SendTo(to.Proc(), m))
}

// confirm: "once FT of P2 receives the confirmation that M has been correctly saved, it will erase
// M from its TB (t6 in Figure 4.4) and inform FT of P1 so it can erase M also from its TB (t7)".
// After a failure, "P2 will continue with the logging procedure where it stopped and will send the
// ACK".
func (l *observer) confirm(e Entry, out []core.Effect) []core.Effect {
	if !l.hybrid {
		return out
	}
	return append(out, core.SendTo(e.Peer.Proc(), &Message{Kind: Erase, SSN: e.SSN}))
}

// inform answers a duplicate: "the receiver can inform the sender of the current value of the SSN".
// A logging procedure that is over is confirmed again.
func (l *observer) inform(to core.Rank, out []core.Effect) []core.Effect {
	s := &l.s
	out = append(out, core.SendTo(to.Proc(), &Message{Kind: Current, SSN: s.Values[to]}))
	finished := s.Values[to]
	for _, e := range s.Unconfirmed {
		if e.Peer == to {
			finished = min(finished, e.SSN-1)
		}
	}
	if finished == 0 {
		return out
	}
	return append(out, core.SendTo(to.Proc(), &Message{Kind: Erase, SSN: finished}))
}

// ask: "After finishing with this, FT of P2 will ask P1's FT if it has a message in its TB and
// consume it. Then, the normal execution will continue, but when P2 has to receive the first
// message after recovery from a sender, P2's FT will ask if there are not messages in sender's TB."
// What receives name are such senders; the rule for wild cards "allows us to avoid the generation
// of requests to all processes temporary buffers when restarting" (4.2.3).
func (l *observer) ask(out []core.Effect) []core.Effect {
	for q := range core.Rank(l.ranks) {
		if l.named[l.rank][q] && q != l.rank {
			l.s.Asked[q] = true
			out = append(out, core.SendTo(q.Proc(), &Message{Kind: AskTB}))
		}
	}
	return out
}

// aboutBuffers dispatches messages about temporary buffers.
func (l *observer) aboutBuffers(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	switch m.Kind {
	case Erase:
		return l.erase(from, m.SSN, out)
	case Current:
		s.Current[from] = max(s.Current[from], m.SSN)
		return out
	case AskTB:
		give := &Message{Kind: GiveTB}
		for _, e := range s.TB {
			if e.Peer == from {
				give.Entries = append(give.Entries, e)
			}
		}
		return append(out, core.SendTo(from.Proc(), give))
	}
	if !s.Asked[from] {
		return append(out, drop(from.Proc(), "not asked for"))
	}
	s.Asked[from] = false
	s.Queue[from] = sequel(first(m.Entries, s.Queue[from]), s.Values[from])
	return out
}

// erase: FT of P1 erases M. "As different senders have probably initiated the communication to a
// wild card reception (M2, M2' and M2”), non-confirmed messages by the receiver will be erased from
// the TB of the senders after the receiver process confirms the reception of a subsequent message"
// (4.2.3): subsequent ones of the same sender, so that the older ones were received.
func (l *observer) erase(from core.Rank, upTo SSN, out []core.Effect) []core.Effect {
	s := &l.s
	s.Erased[from] = max(s.Erased[from], upTo)
	var kept []Entry
	for _, e := range s.TB {
		if e.Peer == from && e.SSN <= upTo {
			out = append(out, core.Pruned(e.Payload.ID, from.Proc()))
		} else {
			kept = append(kept, e)
		}
	}
	s.TB = kept
	return out
}
