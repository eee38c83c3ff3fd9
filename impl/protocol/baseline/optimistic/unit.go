package optimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// A unit goes back as one, when one of its members has failed or is an orphan. Who has restarted
// tells the others, who make durable what they have not yet, and restart, too. They go on when all
// know of the same lives of all: then each has what every log can repeat, and finds the same cut.

// join tells the mates that this rank has restarted, what it knows and what it can repeat.
func (l *layer) join(out []core.Effect) []core.Effect {
	members, self := l.Group()
	for i, q := range members {
		if i != self {
			c := Control{Kind: Join, Lives: slices.Clone(l.s.Lives), Ends: l.s.Ends.Clone(),
				Begin: l.s.Tails[self].Begin, Number: l.s.Saving.Committed}
			for _, r := range l.s.Tails[self].List {
				c.Tail = append(c.Tail, r.bare())
			}
			out = say(out, q, c)
		}
	}
	return out
}

// joined takes the word of a mate that it has restarted. In a life that is new here it makes this
// rank go back as well, unless that has just restarted itself.
func (l *layer) joined(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	members, _ := l.Group()
	at := slices.Index(members, from)
	switch {
	case l.s.Mode == leaving || c.Lives[at] < l.s.Lives[at]:
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	case l.s.Mode != joining && c.Lives[at] > l.s.Lives[at]:
		return l.leave(from, out)
	case l.s.Mode != joining:
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "all have joined"))
	}
	if c.Number > l.s.Saving.Committed {
		// the checkpoint that was under way has become the line since this rank looked
		return append(out, core.Effect{Kind: core.Rollback})
	}
	news := false
	for i, life := range c.Lives {
		if life > l.s.Lives[i] {
			l.s.Lives[i], news = life, true
		}
	}
	if news {
		for i := range l.s.Tails {
			l.s.Tails[i].Here = false
		}
	}
	t := tail{Here: slices.Equal(c.Lives, l.s.Lives), Begin: c.Begin}
	for _, r := range c.Tail {
		r.Data.Vector = slices.Clone(r.Data.Vector)
		t.List = append(t.List, r)
	}
	l.s.Tails[at] = t
	if !l.has(VA3) { // Deviation: VA3 goes by its own table
		l.s.Ends.Merge(c.Ends)
	}
	if news {
		out = l.join(out)
	}
	return l.agree(out)
}

// agree goes on when all members know of the same lives.
func (l *layer) agree(out []core.Effect) []core.Effect {
	members, self := l.Group()
	for i := range members {
		if i != self && !l.s.Tails[i].Here && !l.has(VA1) { // Deviation: VA1 does not wait
			return out
		}
	}
	l.cut()
	for i, q := range members {
		t := &l.s.Tails[i]
		l.s.Ends[q] = append(l.s.Ends[q], t.Begin+uint32(len(t.List)))
	}
	l.s.Tails = nil
	if !l.has(OP1) { // Deviation: OP1 has orphans to repeat
		out = l.release(out)
	}
	return l.start(out)
}
