package replay

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
)

// restore begins a later life at the line of the group, and tells ranks outside what was received
// from them there: all of them or, of many ranks, those with whom this one exchanges messages. The
// others have nothing to send again and nothing to forget.
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset(in.Incarnation)
	s := &l.s
	img, err := s.Saving.Restore(l, in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	if img != nil {
		l.app.Load(img.App)
		s.Place, s.Line, s.Channels = img.Place, img.Place, img.Channels
		for i := range s.Channels {
			if ch := &s.Channels[i]; !l.same(ch.Rank, l.rank) {
				s.Covered.Set(ch.Rank, ch.Taken)
			}
		}
		out = l.lined(img, out)
	}
	if out, err = l.load(in.Records, out); err != nil {
		return append(out, core.Halted(err.Error()))
	}
	for _, q := range l.greeted(l.rank) {
		ch := s.Channels.Of(q)
		out = append(out, core.SendTo(q.Proc(), &Message{Control: &Control{Kind: Hello,
			Number: ch.Taken, Sent: ch.Sent, Covered: s.Covered.Of(q)}}))
	}
	return out
}

// told handles how far another rank is: it is sent what it lacks, as far as the log has that. What
// a rank that has restarted sent before its image can have been lost with it, so it is told what is
// here if that is not all. Nothing is agreed upon, and any of these messages may come late, or
// twice: numbers tell what is here already, and what is not logged yet will be sent when it is
// executed again.
func (l *layer) told(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	out = l.prune(from, c.Covered, out)
	for _, e := range l.s.Channels.After(from, c.Number) {
		out = append(out, core.SendTo(from.Proc(), &Message{Data: e.Data}))
	}
	ch := l.s.Channels.Of(from)
	number := here(&ch)
	if c.Kind != Hello || number >= c.Sent || l.has(SenderSilent) {
		return out
	}
	return append(out, core.SendTo(from.Proc(), &Message{Control: &Control{Kind: Answer,
		Number: number, Covered: l.s.Covered.Of(from)}}))
}

// here is the number up to which every message of a channel has arrived.
func here(ch *link.Channel) uint32 {
	number := ch.Taken
	for i := range ch.Arrived {
		if ch.Arrived[i].Number == number+1 {
			number++
		}
	}
	return number
}
