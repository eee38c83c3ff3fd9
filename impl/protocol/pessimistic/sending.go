package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// spillKey is the prefix of records of messages beyond the limit of the temporary buffer.
const spillKey = "spill/"

func spillRecord(to core.Rank, ssn SSN) string { return fmt.Sprintf("%s%d/%d", spillKey, to, ssn) }

// send executes a send of the program ([RADIC] Fig. 4.4 t0-t2). Inside a node the message just
// leaves; between nodes it is in the temporary buffer until its receiver confirms that it is stable
// there.
func (l *layer) send(in core.Input, out []core.Effect) []core.Effect {
	o := l.to(in.To)
	o.Last++
	l.s.Sent++
	data := l.scratch.New(Message{Kind: Data, Life: l.s.Life, SSN: o.Last, Payload: in.Payload})
	if l.inside(l.rank, in.To) {
		data.Number = l.s.Node.Number
		return append(out, core.SendTo(in.To.Proc(), data))
	}
	if o.Last <= o.Has {
		return out // stable over there since before our failure: neither sent nor kept
	}
	if l.protocol == RBML && l.has(M16) {
		// Deviation: M16, the sender keeps nothing
		return append(out, core.SendTo(in.To.Proc(), data))
	}
	out = l.buffer(in.To, o, in.Payload, out)
	return append(out, core.SendTo(in.To.Proc(), data))
}

// buffer puts a message into the temporary buffer. Deviation: M11a overwrites the oldest message
// when it is full; the repaired protocol keeps it on the local disk, because a full buffer that
// blocks (M11b) can stop ranks that send to each other first.
func (l *layer) buffer(to core.Rank, o *outgoing, payload core.Payload,
	out []core.Effect) []core.Effect {
	for l.has(M11a) && l.full(len(payload.Data)) {
		out = l.overwrite(out)
	}
	m := saved{SSN: o.Last, Payload: payload, Spilled: l.full(len(payload.Data))}
	o.Buffer.Append(&l.Keeper, m)
	if m.Spilled {
		out = append(out, core.Effect{Kind: core.Persist, Key: spillRecord(to, m.SSN),
			Value: payload.Data})
	}
	return append(out, core.Logged(payload.ID, to.Proc(), 0))
}

// overwrite removes the oldest message of the buffer.
func (l *layer) overwrite(out []core.Effect) []core.Effect {
	var oldest *outgoing
	var to core.Rank
	for q := range l.s.Out {
		o := &l.s.Out[q]
		if len(o.Buffer) > 0 && (oldest == nil ||
			o.Buffer[0].Payload.ID.Number < oldest.Buffer[0].Payload.ID.Number) {
			oldest, to = o, o.Rank
		}
	}
	out = append(out, core.Pruned(oldest.Buffer[0].Payload.ID, to.Proc()))
	oldest.Buffer = slices.Clone(oldest.Buffer[1:])
	return out
}

// confirmed erases a message that is stable at its receiver ([RADIC] Fig. 4.4 t7).
func (l *layer) confirmed(from core.Rank, ssn SSN, out []core.Effect) []core.Effect {
	return l.erase(from, func(m *saved) bool { return m.SSN == ssn }, out)
}

// erase removes messages from the temporary buffer.
func (l *layer) erase(to core.Rank, which func(*saved) bool, out []core.Effect) []core.Effect {
	l.to(to).Buffer.Prune(l.keeper(), func(m *saved) bool {
		if !which(m) {
			return false
		}
		if m.Spilled {
			out = append(out, core.Effect{Kind: core.Persist, Key: spillRecord(to, m.SSN)})
		}
		out = append(out, core.Pruned(m.Payload.ID, to.Proc()))
		return true
	})
	return out
}

// pull answers a restarted receiver ([RADIC] Fig. 4.5): what is not stable there is sent again, in
// the order of numbers.
func (l *layer) pull(from core.Rank, p *Message, out []core.Effect) []core.Effect {
	l.s.Flush.Frozen = slices.DeleteFunc(l.s.Flush.Frozen, func(q core.Rank) bool {
		return q == from // the life that asked for it is over
	})
	out = l.erase(from, func(m *saved) bool { return m.SSN <= p.SSN }, out)
	out = l.resend(from, l.has(M2), out)
	in := l.from(from)
	has := in.Stable
	if l.has(M10) {
		// Deviation: M10 tells what has been received, so the sender keeps no copy of what may
		// still be lost here.
		has = in.Taken
		for _, a := range in.Arrived {
			has = max(has, a.SSN)
		}
	}
	if has > 0 && !l.inside(l.rank, from) {
		out = append(out, core.SendTo(from.Proc(),
			&Message{Kind: Suppress, Life: p.Life, SSN: has}))
	}
	return out
}

// resend puts every message of the temporary buffer on the network again.
func (l *layer) resend(to core.Rank, one bool, out []core.Effect) []core.Effect {
	for _, m := range l.to(to).Buffer {
		out = append(out, core.SendTo(to.Proc(),
			&Message{Kind: Data, Life: l.s.Life, SSN: m.SSN, Payload: m.Payload}))
		if one {
			break // Deviation: M2 asks for one message
		}
	}
	return out
}

// suppress notes what a receiver does not need again after our failure.
func (l *layer) suppress(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.Life != l.s.Life {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "about another life"))
	}
	o := l.to(from)
	o.Has = max(o.Has, m.SSN)
	return l.erase(from, func(m *saved) bool { return m.SSN <= o.Has }, out)
}
