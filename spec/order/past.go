package order

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// A judge of a search does not have the trace but the surviving past of each rank. What follows is
// the same on those.

// Sends are the sends of what is received under a name: of a message or a multicast the one, of the
// result of a reduction, which has the name of the root's contribution, those of the contributions
// of all members to its round, by rank.
func Sends(l *trace.Layout, id trace.MsgID) []trace.MsgID {
	c, collective := l.Collectives[id]
	if !collective || c.Round == 0 {
		return []trace.MsgID{id}
	}
	var list []trace.MsgID
	for other, d := range l.Collectives { // sorted below
		if d.Joins(c) {
			list = append(list, other)
		}
	}
	slices.SortFunc(list, func(a, b trace.MsgID) int { return cmp.Compare(a.From, b.From) })
	return list
}

// Orphan is the first message that a rank has received of another one and that one has not sent, or
// zero: with it the two pasts are in no consistent cut.
func Orphan(l *trace.Layout, receiver *trace.History, from trace.Rank,
	sender *trace.History) trace.MsgID {
	for _, d := range receiver.Delivered {
		if l.Collectives[d.ID].Round == 0 { // no result
			if d.ID.From == from && d.ID.Number > sender.Sent {
				return d.ID
			}
			continue
		}
		for _, id := range Sends(l, d.ID) {
			if id.From == from && id.Number > sender.Sent {
				return id
			}
		}
	}
	return trace.MsgID{}
}

// Pasts is what is known of the pasts of ranks in one state of a run.
type Pasts struct {
	Layout *trace.Layout
	// History is the surviving past of a rank, nil while it is down.
	History func(trace.Proc) *trace.History
	// Known are the determinants of a reception, by number from 1, that somebody remembers: what
	// is left of a past that was cut off.
	Known func(receiver trace.Proc, number uint32) []trace.Item
}

// Dependence is the depend set of a rank by number: for each rank, on how many of its receptions
// the rank depends, through its own past, the pasts of others, and, for what a failure has cut off
// of those, the determinants that somebody remembers. How many receptions a send comes after is
// what the message says (Stamp.Date, Item.Past), but no fewer than its program has before it where
// that is the same in every run (Layout.Collectives).
func (s *Pasts) Dependence(of trace.Proc) []uint32 {
	depends := make([]uint32, s.Layout.Ranks)
	var visit func(q trace.Proc, upTo uint32)
	reception := func(id trace.MsgID, said uint32) {
		for _, send := range Sends(s.Layout, id) {
			past := s.Layout.Collectives[send].Past
			if send == id {
				past = max(past, said)
			}
			visit(send.From.Proc(), past)
		}
	}
	visit = func(q trace.Proc, upTo uint32) {
		h := s.History(q)
		for depends[q] < upTo {
			k := depends[q]
			depends[q]++
			if h != nil && int(k) < len(h.Delivered) {
				reception(h.Delivered[k].ID, uint32(h.Delivered[k].Stamp.Date))
				continue
			}
			for _, i := range s.Known(q, k+1) {
				reception(i.ID, i.Past)
			}
		}
	}
	if h := s.History(of); h != nil {
		visit(of, uint32(len(h.Delivered)))
	}
	return depends
}
