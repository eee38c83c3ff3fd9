package optimistic

import (
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// What is stable, and who knows that. An interval is stable when its rank would be restored to it:
// an image or the log holds it and all before it. A state of which every interval that it depends
// on is stable can never be undone. Ranks ask for what they must know, and nobody is told else.

// settled reports whether all that a vector names is known to be stable.
func (l *layer) settled(v Vector) bool {
	if l.alone() {
		return true // whoever could undo it goes back with it
	}
	if _, own := v.At(l.rank); own > l.s.Stable {
		return false
	}
	if l.has(OP8) {
		return true // Deviation: OP8 looks at its own log alone
	}
	for q := range core.Rank(l.ranks) {
		if q != l.rank && !l.knownStable(q, v) {
			return false
		}
	}
	return true
}

// knownStable reports whether the interval of another rank is known to be stable: it was told, or
// the rank has been restored to it.
func (l *layer) knownStable(q core.Rank, v Vector) bool {
	incarnation, interval := v.At(q)
	if !l.s.Ends.Known(q, incarnation) || l.s.Ends.Lost(q, incarnation, interval) {
		return false
	}
	return interval <= max(l.s.Ends.Begin(q), l.s.Peers[q].Stable)
}

// ask asks for what is missing of a vector, each interval once in the life of who would answer.
func (l *layer) ask(v Vector, out []core.Effect) []core.Effect {
	for q := range core.Rank(l.ranks) {
		incarnation, interval := v.At(q)
		if q == l.rank || l.knownStable(q, v) || l.s.Peers[q].Asked >= interval {
			continue
		}
		l.s.Peers[q].Asked = interval
		out = say(out, q, Control{Kind: Ask, Incarnation: incarnation, Interval: interval})
	}
	return out
}

// asked notes what another rank wants to know, and answers when it is so. Who asks about a lost
// interval is told of its end.
func (l *layer) asked(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	if l.s.Mode != running || l.s.Ends.Lost(l.rank, c.Incarnation, c.Interval) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "will be announced"))
	}
	l.s.Peers[from].Wants = max(l.s.Peers[from].Wants, c.Interval)
	return l.answer(out)
}

// answer tells those who wait for that how far the log is stable.
func (l *layer) answer(out []core.Effect) []core.Effect {
	for q := range l.s.Peers {
		if p := &l.s.Peers[q]; p.Wants > 0 && p.Wants <= l.s.Stable {
			p.Wants = 0
			out = say(out, core.Rank(q), Control{Kind: Stable, Incarnation: l.incarnation(),
				Interval: l.s.Stable})
		}
	}
	return out
}

// stable notes how far the log of another rank is stable.
func (l *layer) stable(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	if l.s.Mode != running || int(c.Incarnation) != len(l.s.Ends[from]) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another incarnation"))
	}
	l.s.Peers[from].Stable = max(l.s.Peers[from].Stable, c.Interval)
	return l.saved(out)
}

// persisted goes on when a record is stable.
func (l *layer) persisted(key string, out []core.Effect) []core.Effect {
	if strings.HasPrefix(key, snapshot.ImageKey) || strings.HasPrefix(key, snapshot.CommitKey) {
		return l.imagePersisted(key, out)
	}
	l.s.Writing--
	if interval, ok := loggedAs(key); ok {
		l.s.Stable = max(l.s.Stable, interval)
		out = l.early(interval, out)
	}
	switch {
	case l.s.Mode == starting && l.s.Writing == 0:
		return l.begin(out)
	case l.s.Mode == leaving:
		return l.goBack(out)
	case l.s.Mode == running:
		return l.saved(l.answer(out))
	}
	return out
}

// early is what OP11 does: it takes what is stable for settled.
func (l *layer) early(interval uint32, out []core.Effect) []core.Effect {
	if !l.has(OP11) {
		return out
	}
	for i := range l.s.Logged {
		if r := &l.s.Logged[i]; r.Interval == interval {
			out = say(out, r.From, Control{Kind: Covered, Line: r.Data.Number}) // Deviation: OP11
		}
	}
	return out
}

// covered forgets messages that the recovery line of their receiver holds.
func (l *layer) covered(from core.Rank, line uint32, out []core.Effect) []core.Effect {
	return l.s.Channels.Prune(l.keeper(), from, line, out)
}
