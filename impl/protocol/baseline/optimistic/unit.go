package optimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
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
	t := tail{Here: slices.Equal(c.Lives, l.s.Lives), Begin: c.Begin, Line: c.Number}
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
	if out = l.settle(out); l.s.Mode != joining {
		return out
	}
	for i, q := range members {
		t := &l.s.Tails[i]
		l.s.Ends[q] = append(l.s.Ends[q], t.Begin+uint32(len(t.List)))
	}
	l.s.Tails, l.s.Mode = nil, starting
	if !l.has(OP1) { // Deviation: OP1 has orphans to repeat
		out = l.release(out)
	}
	return l.start(out)
}

// settle puts the program where the unit restarts, and has it repeat the rest. The line is the one
// that the first member has found, who decides what is committed: 1. the images of a checkpoint
// are stable, and another member fails and finds the line before. 2. The checkpoint is committed.
// 3. The first member goes back because of the other one, and finds the new line.
func (l *layer) settle(out []core.Effect) []core.Effect {
	_, self := l.Group()
	own, img, line := l.s.Tails[self], l.s.Image, l.s.Tails[0].Line
	switch {
	case line == own.Line+1 && l.s.Next != nil:
		img, l.s.Saving.Committed = l.s.Next, line
		if own.Line > 0 {
			out = append(out, snapshot.Persist(snapshot.ImageKey, own.Line, nil))
		}
	case line != own.Line:
		l.s.Mode = blank
		return append(out, core.Halted(fmt.Sprintf("the line of the unit is checkpoint %d, and "+
			"this rank has %d", line, own.Line)))
	}
	if l.fetches() {
		resumed := core.Effect{Kind: core.Declare, What: trace.Resumed}
		if img != nil {
			resumed.Sent, resumed.Received = l.app.Position(img.App)
		}
		out = append(out, resumed)
	}
	out = l.load(img, out)
	l.s.Image, l.s.Next = nil, nil
	repeated := l.s.Vector.interval(l.rank) - own.Begin
	for _, r := range own.List[min(int(repeated), len(own.List)):] {
		if !l.inside(r.From) {
			l.s.Channels.Accept(r.From, &r.Data)
		}
		l.s.Replay = append(l.s.Replay, r.bare())
	}
	return out
}
