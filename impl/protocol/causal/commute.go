package causal

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Commutes implements core.Commuter for a rank of the repaired protocol, and of one that is built
// on it. There are no rounds: a rank may still restart, so requests, answers and replays of its
// recovery are among what may come before. When no failure and no checkpoint is to come:
//
//   - the end of the program: nothing looks at how far the program is but its own steps.
//   - a receive that names its source, of a rank that has recovered, or is not at the last recorded
//     reception yet: then who declares the end of the recovery, and what has been received by then,
//     does not depend on when it happens. It takes the head of a queue, and adds a determinant of
//     its own; what others ask for is theirs, and acknowledgements name older ones. It must stay
//     its turn: of our own receptions nobody tells us any more when the program runs, unless
//     messages carry determinants of third parties (f > 1) and we have restarted. What we send of
//     our own accord carries determinants, too: a contribution of a subtree, to which we have
//     added ours, may become complete before.
//   - a message of a program, and a multicast at a leaf of its tree, that brings no determinant: it
//     goes to the end of a queue, of which other steps take only the head, or is dropped whenever
//     it comes. It must not be news who lives, which is asked for when we send or answer. Nobody
//     but its sender, behind it, sends the message again: to a rank that has restarted a root and
//     those between them send the same multicast.
//   - what is addressed to another life of this rank: it is dropped.
//   - that rounds are complete, at a leaf that has contributed to them: it takes contributions from
//     the log, which the parent alone may want again, and has asked for before on the same channel.
//
// Acknowledgements decide what the next send carries, and answers and replays which request counts
// and when the recovery ends. Contributions are kept in the order in which they come.
func (l *Layer) Commutes(in core.Input) (round uint64, ok bool) {
	if l.errata != 0 || l.unordered {
		return 0, false
	}
	if in.Kind == core.Advance {
		source, receives := in.Choice.Source()
		return 0, !receives || l.receivesAnyTime(source)
	}
	m, from := in.Message.(*Message), core.Rank(in.From)
	other := m.To != l.S.Inc
	known := m.Inc == l.Life(from) && len(m.Dets) == 0
	switch m.Kind {
	case App:
		later := func(e Entry) bool { return e.SSN > m.SSN }
		c := l.S.Channels.Find(from)
		return 0, other || known && (c == nil || !slices.ContainsFunc(c.Arrived, later))
	case Multicast:
		return 0, other || known && l.S.Inc == 0
	case Completed:
		g := l.S.Groups.Find(core.Rank(m.Group) - 1)
		return 0, g != nil && m.Number <= g.Started
	case Ack, Holding, ReplayEnd, Contribution:
		return 0, other
	}
	return 0, false
}

// receivesAnyTime reports whether a receive commutes with all that may come before it.
func (l *Layer) receivesAnyTime(source core.Rank) bool {
	parts := RSN(1)
	if g, ok := core.SourceGroup(source); ok {
		parts = RSN(max(1, len(l.extension.Children(g)))) // of a result
	}
	if l.S.Recovering && l.S.RSN+parts >= l.last() || l.f > 1 && l.S.Inc != 0 {
		return false
	}
	for i := range l.S.Groups {
		if slices.ContainsFunc(l.S.Groups[i].Open, l.contributed) {
			return false
		}
	}
	return true
}

// contributed reports whether this rank's own part of a round is here.
func (l *Layer) contributed(r Round) bool {
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Child == l.Rank })
}
