package pessimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// deliveredIn has one element for each delivery in an image: receive numbers may have holes, so
// they do not count deliveries.
func (l *sender) deliveredIn(i *senderImage) []struct{} {
	_, received := l.app.Position(i.App)
	return make([]struct{}, received)
}

// restore begins a later life under SBML: the image is in stable storage, the log at the senders.
func (l *sender) restore(in core.Input, out []core.Effect) []core.Effect {
	s := &l.s
	l.acked = 0
	*s = senderState{Life: in.Incarnation, Streams: core.NewByRank[stream](l.ranks)}
	for _, r := range in.Records {
		if r.Key == imageKey && !r.Torn {
			i := l.decode(r.Value)
			l.app.Load(i.App)
			s.Sent, s.RSN = i.Sent, i.RSN
			for k := range i.Last {
				t := s.Streams.At(named(i.Ranks, k))
				t.Last, t.Taken, t.Covered, t.Log = i.Last[k], i.Taken[k], i.Taken[k], i.Logs[k]
			}
			out = append(out, core.Effect{Kind: core.Commit, Sent: i.Sent,
				Received: uint32(len(l.deliveredIn(i)))})
		}
	}
	for q := range s.Streams {
		for _, r := range s.Streams[q].Log {
			out = append(out, core.Logged(r.Payload.ID, s.Streams[q].Rank.Proc(), uint32(r.RSN)))
		}
	}
	for _, q := range l.peers(l.rank) {
		t := s.Streams.At(q)
		t.Waiting = true
		out = append(out, core.SendTo(q.Proc(),
			&Message{Kind: Recall, Life: s.Life, SSN: t.Taken, RSN: s.RSN}))
		for _, r := range t.Log {
			// Deviation: M19 waits for an answer that was lost with the former life
			if r.RSN == 0 && !l.has(M19) {
				out = append(out, core.SendTo(q.Proc(),
					&Message{Kind: Data, Life: s.Life, SSN: r.SSN, Payload: r.Payload}))
			}
		}
	}
	if !l.waiting() { // there is nobody to ask
		out = l.recovered(out)
	}
	return out
}

// recall answers a restarted receiver with what it has to deliver again. What its image holds is
// collected.
func (l *sender) recall(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	q := l.s.Streams.At(from)
	first := m.Life > q.PeerLife
	q.PeerLife = max(q.PeerLife, m.Life)
	if !l.has(M21) {
		out = l.collect(from, m.SSN, out)
	}
	answer := &Message{Kind: Recalled, Life: m.Life}
	for _, r := range q.Log {
		answer.Entries = append(answer.Entries,
			Entry{RSN: r.RSN, Prev: r.Prev, Source: l.rank, SSN: r.SSN, Sent: r.Sent,
				Posted: r.Posted, Payload: r.Payload})
	}
	out = append(out, core.SendTo(from.Proc(), answer))
	for i := range l.s.Table {
		// Also what the former life has acknowledged, which is not recorded any more: the image of
		// the sender may be older, and hold the place that a former life of ours gave. Deviation:
		// M50 repeats nothing, so neither that nor an acknowledgement that was lost with the former
		// life is ever made good.
		if p := &l.s.Table[i]; p.Source == from && first && !l.has(M50) {
			p.Acked, l.acked = false, 0
			out = append(out, l.tell(*p))
		}
	}
	if q.Covered > 0 && !l.has(M63) {
		// Deviation: M63 said so once, and the image of the sender brings back what it had removed.
		out = append(out, core.SendTo(from.Proc(), &Message{Kind: Collect, SSN: q.Covered}))
	}
	// What we asked its former life may be lost. Once for each life of the other is enough: what is
	// sent now reaches that life, or it fails and the next one asks. If every Recall made one, two
	// ranks that restart together would answer each other for as long as the answers are on their
	// way, one Recall more for each that arrives.
	if q.Waiting && first {
		out = append(out, core.SendTo(from.Proc(),
			&Message{Kind: Recall, Life: l.s.Life, SSN: q.Taken, RSN: l.s.RSN}))
	}
	return out
}

// recalled takes one sender's part of the log; the last one completes it.
func (l *sender) recalled(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if m.Life != s.Life || !s.Streams.At(from).Waiting {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "not asked for in this life"))
	}
	s.Streams.At(from).Waiting = false
	s.Parts = append(slices.Clone(s.Parts), m.Entries...)
	if !l.waiting() {
		l.assemble()
		out = l.recovered(out)
	}
	return out
}

// assemble puts the log together: messages with a known place are replayed in order as far as each
// follows the one before, the others are delivered again in the order of each channel. Behind the
// first gap nothing counts: the order of what is missing was not recorded, so the program has sent
// nothing since. New numbers come above all old ones, so that an old place is never taken for a new
// one.
func (l *sender) assemble() {
	s := &l.s
	parts := s.Parts
	s.Parts = nil
	for _, e := range parts {
		s.Top = max(s.Top, e.RSN)
	}
	s.Replay = follow(s.RSN, parts)
	if l.has(M62) {
		// Deviation: M62 replays every message with a known place first, also behind a gap that the
		// program can not pass without what is missing.
		s.Replay = slices.DeleteFunc(slices.Clone(parts), func(e Entry) bool { return e.RSN == 0 })
		slices.SortFunc(s.Replay, func(a, b Entry) int { return int(a.RSN) - int(b.RSN) })
	}
	for _, e := range s.Replay {
		q := s.Streams.At(e.Source)
		q.Taken = max(q.Taken, e.SSN)
	}
	for _, e := range parts {
		q := s.Streams.At(e.Source)
		waits := slices.ContainsFunc(q.Arrived, func(a arrival) bool { return a.SSN == e.SSN })
		switch {
		case e.SSN <= q.Taken || waits && !l.has(M18):
		case l.has(M5) && e.RSN == 0 && e.SSN < q.Highest:
			// Deviation: M5, it is below the highest number that has come
		case l.has(M18):
			// Deviation: M18 replays partially logged messages of one sender in any order, here the
			// last one first
			q.Arrived = slices.Insert(slices.Clone(q.Arrived), 0,
				arrival{SSN: e.SSN, Payload: e.Payload})
		default:
			q.Arrived = inserted(q.Arrived, arrival{SSN: e.SSN, Payload: e.Payload})
		}
	}
	for q := range s.Streams {
		t := &s.Streams[q]
		t.Arrived = slices.DeleteFunc(slices.Clone(t.Arrived), func(a arrival) bool {
			return a.SSN <= t.Taken
		})
	}
}

// follow is the chain of deliveries from a number on.
func follow(from RSN, parts []Entry) (chain []Entry) {
	for {
		next := -1
		for i, e := range parts {
			if e.RSN > from && e.Prev == from && (next < 0 || e.RSN > parts[next].RSN) {
				next = i
			}
		}
		if next < 0 {
			return chain
		}
		chain, from = append(chain, parts[next]), parts[next].RSN
	}
}

// recovered declares the end of a recovery, when everything that has a known place is delivered
// again.
func (l *sender) recovered(out []core.Effect) []core.Effect {
	if len(l.s.Replay) > 0 {
		return out
	}
	return append(out, core.Effect{Kind: core.Declare, What: trace.Recovered})
}
