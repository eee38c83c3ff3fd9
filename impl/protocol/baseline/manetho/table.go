package manetho

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/spec/trace"
)

// entry is one determinant that is held here. Who holds it is known at first hand alone: its
// receiver, this rank, who has told it to this rank, and who has confirmed the message that told
// it. Nobody who held it once and is back from a failure does not hold it (answer), so nothing is
// ever taken out of these sets while this rank lives.
type entry struct {
	_       struct{} `cbor:",toarray"`
	Det     link.Det `json:"det"`
	Holders ranks    `json:"holders"`
	Sent    ranks    `json:"sent"` // it is on its way to them, or there
}

func item(d *link.Det) trace.Item {
	return trace.Item{Sort: trace.Determinant, Peer: d.Receiver.Proc(), Number: d.Place, ID: d.ID,
		Past: d.Past}
}

// told is a determinant that went with a message.
type told struct {
	_        struct{}  `cbor:",toarray"`
	Number   uint32    `json:"number"` // of the message
	Receiver core.Rank `json:"receiver"`
	Place    uint32    `json:"place"`
}

// find is the place of a determinant among those of its receiver.
func (l *layer) find(receiver core.Rank, place uint32) (at int, found bool) {
	return slices.BinarySearchFunc(l.s.Dets[receiver], place, func(e entry, place uint32) int {
		return cmp.Compare(e.Det.Place, place)
	})
}

// own is the determinant of one of our receptions, nil if it is not known.
func (l *layer) own(place uint32) *link.Det {
	at, found := l.find(l.rank, place)
	if !found {
		return nil
	}
	return &l.s.Dets[l.rank][at].Det
}

// last is the place of the last reception of ours of which a determinant is known.
func (l *layer) last() uint32 {
	if own := l.s.Dets[l.rank]; len(own) > 0 {
		return own[len(own)-1].Det.Place
	}
	return 0
}

// learn takes a determinant that holders have.
func (l *layer) learn(d *link.Det, holders ranks, out []core.Effect) []core.Effect {
	if d.Place <= l.s.Lines[d.Receiver] {
		return out // nobody will repeat that reception
	}
	holders |= only(l.rank) | only(d.Receiver)
	at, found := l.find(d.Receiver, d.Place)
	if found {
		known := &l.s.Dets[d.Receiver][at]
		if known.Det.Sender != d.Sender || known.Det.Number != d.Number {
			return append(out, core.Kept(item(d))) // two stories: the evidence shows it
		}
		known.Holders |= holders
		return out
	}
	l.s.Dets[d.Receiver] = slices.Insert(l.s.Dets[d.Receiver], at, entry{Det: *d, Holders: holders})
	for q := range l.settled {
		l.settled[q][d.Receiver] = min(l.settled[q][d.Receiver], at)
	}
	if l.keep == store && (d.Receiver == l.rank || !l.has(MN14)) {
		// Deviation: MN14 makes its own receptions stable, and not those that they depend on
		l.s.Store.Waiting = append(l.s.Store.Waiting, *d)
	}
	return append(out, core.Kept(item(d)))
}

// goes reports whether a determinant must go with the next message to a rank.
func (l *layer) goes(e *entry, to core.Rank) bool {
	return !(e.Holders | e.Sent).has(to) && e.Det.Place > l.s.Stable[e.Det.Receiver] &&
		l.count(e.Holders) <= l.f
}

// piggyback are the determinants that go with a message, valid until the next step.
func (l *layer) piggyback(to core.Rank, number uint32) []link.Det {
	first := len(l.room)
	for r := range l.s.Dets {
		if l.has(MN1) && core.Rank(r) != l.rank {
			continue // Deviation: MN1 passes nothing on
		}
		list := l.s.Dets[r]
		start := &l.settled[to][r] // no earlier one goes, now or ever
		for *start < len(list) && !l.goes(&list[*start], to) {
			*start++
		}
		for i := *start; i < len(list); i++ {
			e := &list[i]
			if !l.goes(e, to) {
				continue
			}
			e.Sent |= only(to)
			if l.has(MN2) {
				e.Holders |= only(to) // Deviation: MN2 counts who has not confirmed
			}
			l.room = append(l.room, e.Det)
			if l.keep == family {
				l.s.Told[to] = append(l.s.Told[to],
					told{Number: number, Receiver: e.Det.Receiver, Place: e.Det.Place})
			}
		}
	}
	return slices.Clip(l.room[first:])
}

// heard takes what a message tells of its sender by the way.
func (l *layer) heard(from core.Rank, tells uint32) {
	if l.keep == store {
		l.s.Stable[from] = max(l.s.Stable[from], tells)
		return
	}
	list := l.s.Told[from]
	n := 0
	for ; n < len(list) && list[n].Number <= tells; n++ {
		if at, found := l.find(list[n].Receiver, list[n].Place); found {
			l.s.Dets[list[n].Receiver][at].Holders |= only(from)
		}
	}
	l.s.Told[from] = append(list[:0], list[n:]...)
}

// tells is what we tell a rank of ourselves.
func (l *layer) tells(to core.Rank) uint32 {
	switch {
	case l.alone():
		return 0
	case l.keep == store:
		return l.s.Stable[l.rank]
	}
	return l.got(to)
}

// got is how many messages of a rank are here, without gaps.
func (l *layer) got(from core.Rank) uint32 {
	c := &l.s.Channels[from]
	n := c.Taken
	for i := 0; i < len(c.Arrived) && c.Arrived[i].Number == n+1; i++ {
		n++
	}
	return n
}

// cover notes what recovery lines hold: such receptions nobody repeats. Nor need it be known who
// was told of them, which a rank that sends us nothing never confirms.
func (l *layer) cover(lines []uint32, out []core.Effect) []core.Effect {
	moved := false
	for r, place := range lines {
		if place <= l.s.Lines[r] {
			continue
		}
		l.s.Lines[r], moved = place, true
		list := l.s.Dets[r]
		n := 0
		for ; n < len(list) && list[n].Det.Place <= place; n++ {
			out = append(out, core.Forgotten(item(&list[n].Det)))
		}
		l.s.Dets[r] = append(list[:0], list[n:]...)
		for q := range l.settled {
			l.settled[q][r] = max(0, l.settled[q][r]-n)
		}
	}
	for q := 0; moved && q < l.ranks; q++ {
		l.s.Told[q] = slices.DeleteFunc(l.s.Told[q], func(t told) bool {
			return t.Place <= l.s.Lines[t.Receiver]
		})
	}
	return out
}
