package cluster

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Channel is what the programs have sent from one rank to another: payloads, as they were measured
// when they were sent. A send to a group counts along the edges of its tree.
type Channel struct {
	From, To        core.Rank
	Bytes, Messages int64
}

// sentTo is one send of a rank.
type sentTo struct {
	to    core.Proc
	bytes uint32
}

// outbox is what the program of a rank has sent in all its lives, by number. What a failure has
// undone does not count, and what was sent again then counts once, as it was sent the last time.
type outbox struct {
	sends map[uint32]sentTo
	valid uint32 // those up to here stand
}

// take adds a piece of evidence.
func (o *outbox) take(k *piece) {
	sizes := k.Sizes
	for i := range k.Events {
		switch e := &k.Events[i]; e.Kind {
		case trace.Sent:
			o.sends[e.ID.Number], sizes = sentTo{e.Peer, sizes[0]}, sizes[1:]
			o.valid = e.ID.Number
		case trace.Restored, trace.Resumed: // an image that comes later may stand for more again
			o.valid = e.Sent
		}
	}
}

// traffic adds up what all ranks have sent, by sender, then receiver.
func (s *supervisor) traffic() (list []Channel) {
	for _, p := range s.procs[:s.setup.Layout.Ranks] {
		o := outbox{sends: map[uint32]sentTo{}}
		for _, r := range p.readers {
			for i := range r.pieces {
				o.take(&r.pieces[i])
			}
		}
		list = append(list, o.channels(&s.setup.Layout, core.Rank(p.id))...)
	}
	return joined(list)
}

// channels adds up what one rank has sent.
func (o *outbox) channels(l *trace.Layout, rank core.Rank) (list []Channel) {
	for number, m := range o.sends {
		if number > o.valid {
			continue
		}
		l.Hops(core.MsgID{From: rank, Number: number}, m.to, func(from, to core.Rank) {
			list = append(list, Channel{from, to, int64(m.bytes), 1})
		})
	}
	return joined(list)
}

// joined sorts channels and adds up those between the same ranks.
func joined(list []Channel) []Channel {
	slices.SortFunc(list, func(a, b Channel) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	into := 0
	for _, c := range list {
		if into > 0 && list[into-1].From == c.From && list[into-1].To == c.To {
			list[into-1].Bytes += c.Bytes
			list[into-1].Messages += c.Messages
			continue
		}
		list[into] = c
		into++
	}
	return list[:into]
}
