package manetho

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
)

// Commutes implements core.Commuter for a rank of the repaired protocol. There are no rounds: a
// rank may still restart, so requests and answers of its recovery are among what may come before.
// When no failure and no checkpoint is to come:
//
//   - the end of the program: nothing looks at it but an image.
//   - a receive that is recorded: whoever asks is told of it before and after, nothing else can be
//     received in its place, and the last one alone ends the recovery. A new one adds a determinant
//     to what others are told.
//   - a message to a former life: it is dropped.
//   - a message that brings nothing new but itself: it goes into the queue of its source, of which
//     other steps take only its head. It must not be news that its sender lives, or what is stable
//     there. How many messages of its sender are here, that one is told with the next message to
//     it, and what it confirms travels no more (family): nothing is sent when the program has
//     ended, but what who restarts asks for, and then it is told everything. While determinants
//     are collected all are told, when another failure comes to light.
func (l *layer) Commutes(in core.Input) (round uint64, ok bool) {
	if l.errata != 0 {
		return 0, false
	}
	if in.Kind == core.Advance {
		_, receives := in.Choice.Source()
		return 0, !receives || l.own(l.s.RSN+1) != nil
	}
	m, from := in.Message.(*Message), core.Rank(in.From)
	if m.Link.Control != nil {
		return 0, false
	}
	if m.To != l.s.Life {
		return 0, true
	}
	d := &m.Link.Data
	silent := l.keep == store && d.Phase <= l.s.Stable[from] || l.keep == family && l.app.Ended()
	return 0, silent && !l.s.Collecting && d.Life == l.s.Lives[from] &&
		!slices.ContainsFunc(d.Dets, func(d link.Det) bool { return !l.knows(&d, from) })
}

// knows reports whether a determinant is here, and that the rank has it.
func (l *layer) knows(d *link.Det, from core.Rank) bool {
	at, found := l.find(d.Receiver, d.Place)
	return found && l.s.Dets[d.Receiver][at].Holders.has(from)
}
