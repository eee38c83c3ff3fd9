package pessimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// arrive takes an application message from the network. Numbers order the channel: copies that are
// sent again and messages of former lives come in any order.
func (l *layer) arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	in := l.from(from)
	if l.inside(l.rank, from) && m.Life != l.s.Life {
		return append(out, core.DropInput(from.Proc(), m.Payload.ID,
			"other incarnation of the node"))
	}
	if l.known(in, m.SSN) {
		out = append(out, core.DropInput(from.Proc(), m.Payload.ID, "received before"))
		if m.SSN <= in.Stable && !l.inside(l.rank, from) {
			out = append(out, core.SendTo(from.Proc(), &Message{Kind: Confirm, SSN: m.SSN}))
		}
		return out
	}
	in.Highest = max(in.Highest, m.SSN)
	a := arrival{SSN: m.SSN, Number: m.Number, Payload: m.Payload}
	if l.inside(l.rank, from) {
		out = l.record(from, a, out)
	}
	if l.has(M5) || l.has(M14) {
		in.Arrived = append(slices.Clone(in.Arrived), a)
		return out
	}
	in.Arrived = inserted(in.Arrived, a)
	return out
}

// known reports whether a message with the number is delivered or waits already.
func (l *layer) known(in *incoming, ssn SSN) bool {
	if l.has(M5) {
		return ssn <= in.Highest // Deviation: M5, a table of the highest numbers
	}
	return ssn <= in.Taken && !l.bare(in, ssn) || slices.Contains(in.Extra, ssn) ||
		slices.ContainsFunc(in.Arrived, func(a arrival) bool { return a.SSN == ssn })
}

// bare reports whether a message waits in the replay as a determinant alone.
func (l *layer) bare(in *incoming, ssn SSN) bool {
	return slices.ContainsFunc(l.s.Replay, func(e Entry) bool {
		return e.Bare && e.Source == in.Rank && e.SSN == ssn
	})
}

// receive hands the next message of a rank to the program: from the replay, or a new one, which
// goes to the logger ([RADIC] Fig. 4.4 t2-t4).
//
// The wildcard rule of HMPL: what the program does next depends on which message it was, so nobody
// may see it before that can be repeated. [RADIC] section 4.2.3 does not let the receiver continue.
// Here it goes on, and receives, and only what others see, sends and outputs, waits: as under RBML,
// which otherwise would wait less, once before a send instead of once for each wildcard. Nothing
// more need wait. The logger acknowledges a delivery when it has that one and all before it, and
// hands the next life the log up to the first gap. So when the program sends, the last choice
// before the send is in the log with all that came before it; every delivery behind it names its
// source, and the next message of a channel is the same in every life, from the log or from the
// temporary buffer of its sender. What was received and is not in the log behind a choice that is
// not either, nobody has seen.
func (l *layer) receive(in core.Input, out []core.Effect) []core.Effect {
	s, from := &l.s, core.Rank(in.From)
	if len(s.Replay) > 0 && s.Replay[0].Source == from {
		return l.replay(out)
	}
	channel := l.from(from)
	a := core.Pop(&channel.Arrived)
	channel.take(a.SSN)
	out = append(out, core.Effect{Kind: core.Deliver, From: in.From, Payload: a.Payload})
	inside := l.inside(l.rank, from)
	if inside && l.has(M23) {
		return out // Deviation: M23, nothing inside a node is logged, not even the order
	}
	s.RSN++
	e := Entry{RSN: s.RSN, Source: from, SSN: a.SSN, Sent: s.Sent, Posted: in.Posted, Bare: inside,
		Payload: a.Payload}
	if inside {
		e.Payload.Data = nil
	}
	s.Unstable = append(s.Unstable, e)
	if in.Any && l.has(M7a) {
		s.Wild = append(s.Wild, e.RSN)
	}
	l.put[0], l.delivered = e, l.Copies()
	if l.protocol == HMPL && l.undetermined(in) {
		s.Wait = s.RSN // the wildcard rule
	}
	return append(out, core.SendTo(l.logger(l.rank),
		l.scratch.New(Message{Kind: LogPut, Life: s.Life, RSN: s.Acked, Entries: l.put[:]})))
}

// undetermined reports whether the receive could have had another outcome in a re-execution.
func (l *layer) undetermined(in core.Input) bool {
	if l.has(M3) {
		// Deviation: M3, completing one of several posted receives is not taken for a choice
		return in.Any
	}
	return in.Any || in.Posted
}

// replay delivers the head of the log.
func (l *layer) replay(out []core.Effect) []core.Effect {
	s := &l.s
	e := s.Replay[0]
	s.Replay = slices.Clone(s.Replay[1:])
	channel := l.from(e.Source)
	if e.Bare {
		e.Payload = channel.Arrived[0].Payload
		channel.Arrived = slices.Clone(channel.Arrived[1:])
	}
	s.RSN = e.RSN
	return l.recovered(append(out, core.Effect{Kind: core.Deliver, From: e.Source.Proc(),
		Payload: e.Payload}))
}

// take notes that a number is delivered.
func (in *incoming) take(ssn SSN) {
	if ssn != in.Taken+1 { // only where the order of arrival counts
		in.Extra = append(slices.Clone(in.Extra), ssn)
		return
	}
	in.Taken++
	for slices.Contains(in.Extra, in.Taken+1) {
		in.Taken++
		in.Extra = slices.DeleteFunc(slices.Clone(in.Extra), func(e SSN) bool {
			return e <= in.Taken
		})
	}
}

// logged makes deliveries stable that the logger has stored ([RADIC] Fig. 4.4 t6).
func (l *layer) logged(m *Message, out []core.Effect) []core.Effect {
	if m.Life != l.s.Life {
		return append(out, core.DropInput(l.logger(l.rank), core.MsgID{}, "about another life"))
	}
	l.s.Acked = max(l.s.Acked, m.RSN)
	return l.stable(m.RSN, out)
}

// stable takes deliveries from the receiver's buffer, and tells their senders.
func (l *layer) stable(upTo RSN, out []core.Effect) []core.Effect {
	s := &l.s
	rest := s.Unstable[:0]
	for _, u := range s.Unstable {
		if u.RSN > upTo || l.has(M12) && u.RSN < upTo {
			rest = append(rest, u)
			continue
		}
		out = l.tell(u, out)
	}
	clear(s.Unstable[len(rest):])
	s.Unstable = rest
	if s.Wait <= upTo {
		s.Wait = 0
	}
	return out
}

// tell confirms a stable delivery to its sender.
func (l *layer) tell(u Entry, out []core.Effect) []core.Effect {
	in := l.from(u.Source)
	in.Stable = max(in.Stable, u.SSN)
	if l.inside(l.rank, u.Source) || l.protocol == RBML && l.has(M16) {
		return out
	}
	out = append(out, core.SendTo(u.Source.Proc(),
		l.scratch.New(Message{Kind: Confirm, SSN: u.SSN})))
	if slices.Contains(l.s.Wild, u.RSN) {
		// Deviation: M7a, what other senders have begun to send to the same wildcard is erased,
		// too.
		for i := range l.s.In {
			q, a := l.s.In[i].Rank, l.s.In[i].Arrived
			if q != u.Source && len(a) > 0 {
				out = append(out, core.SendTo(q.Proc(), &Message{Kind: Confirm, SSN: a[0].SSN}))
			}
		}
	}
	return out
}
