package recovery

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// received handles what the recovery process says, and what other ranks have saved.
func (l *Layer) received(from core.Proc, c *Control, out []core.Effect) []core.Effect {
	switch c.Kind {
	case Freeze:
		return l.freeze(c, out)
	case Target, Resume:
		if c.Round != l.s.Round || c.Life != l.s.Life || l.s.Phase != frozen {
			break
		}
		if c.Kind == Target {
			return l.told(c, out)
		}
		return l.resume(c, out)
	case Collect:
		return l.collect(c, out)
	case Turn:
		return l.turned(c, out)
	case Noticed:
		return l.noticed(core.Rank(from), c, out)
	case Trim:
		return l.s.Channels.Prune(&l.Keeper, core.Rank(from), c.Image, out)
	}
	return append(out, core.DropInput(l.process(), core.MsgID{}, "of another round or life"))
}

// freeze joins a round: the program stops, and what waits for it is forgotten, because who has sent
// it sends it again. Who is leaving reports in its next life.
func (l *Layer) freeze(c *Control, out []core.Effect) []core.Effect {
	if l.s.Group.Written && c.Round > l.s.Round {
		return l.written(out)
	}
	if c.Round <= l.s.Round || l.s.Phase == leaving {
		return append(out, core.DropInput(l.process(), core.MsgID{}, "of an older round"))
	}
	l.s.Round, l.s.Phase = c.Round, frozen
	l.clear()
	l.s.Group.Early = nil
	if l.s.Writing != nil {
		l.s.Owes = true
		return out
	}
	return l.report(out)
}

// report says what this rank has. An image under way is waited for, because it is in the present
// state that the line may take.
func (l *Layer) report(out []core.Effect) []core.Effect {
	l.s.Owes = false
	r := &Report{Lost: l.s.Lost, Images: l.candidates()}
	if !r.Lost {
		r.Now = l.present(l.app.Image())
	}
	return append(out, say(l.process(), Control{Kind: Told, Round: l.s.Round, Life: l.s.Life,
		Report: r}))
}

// told goes to the line, or is there.
func (l *Layer) told(c *Control, out []core.Effect) []core.Effect {
	if c.There {
		return append(out, say(l.process(), Control{Kind: Hello, Round: l.s.Round,
			Life: l.s.Life}))
	}
	if l.first() != l.rank {
		return out // it says so when that is written down
	}
	l.s.Phase, l.s.Target, l.s.Cause = leaving, c.Image, c.Cause
	t := turn{Round: l.s.Round, Image: c.Image, Next: l.next()}
	if l.has(ReusesNumbers) {
		t.Next = c.Image + 1 // Deviation: ReusesNumbers, images behind it have no number any more
	}
	return append(out, core.Effect{Kind: core.Persist, Key: LineKey, Value: core.Encode(&t)})
}

// resume goes on: everybody is at the line. What the line of others lacks is sent again.
func (l *Layer) resume(c *Control, out []core.Effect) []core.Effect {
	if l.s.Lost {
		l.s.Group.Base = l.s.Round
	}
	l.s.Phase, l.s.Lost = running, false
	for i := range l.s.Channels {
		q := l.s.Channels[i].Rank
		for _, e := range l.s.Channels.After(q, c.Counts.Of(q)) {
			e.Data.Life = l.s.Round
			out = append(out, core.SendTo(q.Proc(), &Message{Data: e.Data}))
		}
	}
	return l.force(l.replayEarly(out))
}

// collect forgets the images that no failure needs any more. From now on this rank never restarts
// behind the oldest one that is left, so nobody needs what that has received.
func (l *Layer) collect(c *Control, out []core.Effect) []core.Effect {
	at := 0
	for at < len(l.s.Images) && l.s.Images[at].Number < c.Image {
		at++
	}
	if at == len(l.s.Images) {
		return append(out, core.DropInput(l.process(), core.MsgID{}, "of an image that is void"))
	}
	for _, i := range l.s.Images[:at] {
		if i.Number > 0 {
			out = append(out, l.remove(i.Number)...)
		}
	}
	if at == 0 {
		return out
	}
	before := l.s.Images[0].Taken
	l.s.Images = slices.Clone(l.s.Images[at:])
	i := &l.s.Images[0]
	out = append(out, core.Effect{Kind: core.Commit, Sent: i.Sends, Received: i.Receives})
	for _, n := range i.Taken {
		if n.Value > before.Of(n.Rank) && !l.NoLog && !l.mate(n.Rank) {
			out = append(out, say(n.Rank.Proc(), Control{Kind: Trim, Image: n.Value}))
		}
	}
	return out
}
