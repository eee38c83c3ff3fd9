package hydee

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// oweAcks has the next message of every outside rank answered with what a checkpoint covers. Of
// ranks that nothing is known of it covers nothing (peer).
func (l *layer) oweAcks(img *image) {
	l.s.AckDate = img.Date
	for i := range l.s.Peers {
		if p := &l.s.Peers[i]; !l.same(l.rank, p.Rank) {
			p.OwesAck, p.AckLast = true, 0
		}
	}
	for i := range img.Channels {
		if ch := &img.Channels[i]; !l.same(l.rank, ch.Rank) {
			p := l.peer(ch.Rank)
			p.OwesAck, p.AckLast = true, ch.LastDate
		}
	}
}

// answer acknowledges the first message received from an outside rank after a checkpoint ([HydEE]
// section III-E; R3).
func (l *layer) answer(from core.Rank, out []core.Effect) []core.Effect {
	p := l.peer(from)
	if !p.OwesAck {
		return out
	}
	p.OwesAck = false
	date, last := l.s.AckDate, p.AckLast
	if l.has(H13b) {
		date = l.s.Date // Deviation: H13b gives the current date, which a failure takes back
	}
	if l.has(H13c) {
		// Deviation: H13c acknowledges what was received since the checkpoint
		last = l.s.Channels.At(from).LastDate
	}
	return append(out, core.SendTo(from.Proc(),
		&Message{Kind: Acknowledge, Date: date, Last: last}))
}

// acknowledged prunes what no restart of the sender of the Acknowledge can need again (R11). The
// last date stays.
func (l *layer) acknowledged(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	ch := l.s.Channels.At(from)
	last := m.Last
	if l.has(H13a) {
		last = m.Date // Deviation: H13a compares a date of their clock with dates of ours
	}
	ch.Log.Prune(l.keeper(from), func(e *entry) bool {
		if e.Date > last {
			return false
		}
		out = append(out, core.Pruned(e.Payload.ID, from.Proc()))
		return true
	})
	ch.Received = slices.DeleteFunc(ch.Received, func(r reception) bool { return r.Date <= m.Date })
	return out
}
