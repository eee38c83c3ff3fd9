package pessimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// flush is what a rank knows of checkpoints that flush all channels. Only M32 takes such ones.
type flush struct {
	_      struct{}    `cbor:",toarray"`
	Ours   bool        `json:"ours"`   // a checkpoint of this rank is under way
	Open   []core.Rank `json:"open"`   // channels to it that are not flushed yet
	Frozen []core.Rank `json:"frozen"` // who wants nothing to be sent to it
}

// checkpoint answers a request of the program or of the environment. Deviation: M32 empties all
// channels first ([RADIC] section 2.3.4): "all communication channels are flushed and remain unused
// until the checkpointing operation finishes". A peer that is down does not answer.
func (l *layer) checkpoint(out []core.Effect) []core.Effect {
	s := &l.s
	if !l.has(M32) || s.Fetching || s.Halted || s.Flush.Ours {
		return l.save(out)
	}
	s.Flush.Ours, s.Flush.Open = true, nil
	for q := range core.Rank(l.ranks) {
		if q != l.rank {
			s.Flush.Open = append(s.Flush.Open, q)
			out = append(out, core.SendTo(q.Proc(), &Message{Kind: Freeze}))
		}
	}
	return out
}

// aboutFlush dispatches the messages of such a checkpoint. Channels keep order, so what comes
// before the answer is all that was on its way.
func (l *layer) aboutFlush(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	f := &l.s.Flush
	same := func(q core.Rank) bool { return q == from }
	switch m.Kind {
	case Freeze:
		f.Frozen = append(slices.DeleteFunc(slices.Clone(f.Frozen), same), from)
		return append(out, core.SendTo(from.Proc(), &Message{Kind: Flushed}))
	case Thaw:
		f.Frozen = slices.DeleteFunc(slices.Clone(f.Frozen), same)
		return out
	}
	f.Open = slices.DeleteFunc(slices.Clone(f.Open), same)
	if len(f.Open) > 0 || !f.Ours {
		return out
	}
	return l.save(out)
}

// thaw lets the others send again when the image is stored.
func (l *layer) thaw(out []core.Effect) []core.Effect {
	if !l.s.Flush.Ours {
		return out
	}
	l.s.Flush.Ours = false
	for q := range core.Rank(l.ranks) {
		if q != l.rank {
			out = append(out, core.SendTo(q.Proc(), &Message{Kind: Thaw}))
		}
	}
	return out
}

// flushing reports whether a checkpoint of this rank is under way that uses no channel.
func (l *layer) flushing() bool { return l.s.Flush.Ours }

// frozen reports whether the rank wants nothing to be sent to it.
func (l *layer) frozen(to core.Rank) bool { return slices.Contains(l.s.Flush.Frozen, to) }
