package causal

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Networks that lose order ([CAMEL] section 4). The paper leaves it to the program that messages
// may be received in any order. Here the order of each channel is restored at the receiver: what
// one life of a rank sends to one life of another is numbered, and a gap waits. Requests and
// answers of a recovery are not: they come before the first number, and name the life and the round
// that they are about.

// link is what a rank keeps about the order of the two channels between it and another rank.
type link struct {
	_        struct{}         `cbor:",toarray"`
	Rank     core.Rank        `cbor:"-" json:"-"`
	To       core.Incarnation `json:"to"`       // life to which was sent
	Sent     uint32           `json:"sent"`     // messages to it
	From     core.Incarnation `json:"from"`     // newest life of which something was received
	Received uint32           `json:"received"` // messages of it that were handled
	Held     []Message        `json:"held"`     // messages of it that wait for one before them
	Served   core.Incarnation `json:"served"`   // newest life to which the log was sent again
}

// links are by rank.
type links = core.ByRank[link, *link]

// About implements core.Ranked.
func (k *link) About() *core.Rank { return &k.Rank }

func numbered(k Kind) bool { return k != Recover && k != Answer }

// Step implements core.Layer.
func (l *Layer) Step(in core.Input, out []core.Effect) []core.Effect {
	l.begin()
	if !l.unordered {
		return l.step(in, out)
	}
	first := len(out)
	if m, ok := in.Message.(*Message); ok && numbered(m.Kind) {
		out = l.inOrder(core.Rank(in.From), m, out)
	} else {
		out = l.step(in, out)
	}
	for i := first; i < len(out); i++ {
		if m, ok := out[i].Message.(*Message); ok && numbered(m.Kind) {
			k := l.S.Links.At(core.Rank(out[i].To))
			if k.To != m.To {
				k.To, k.Sent = m.To, 0
			}
			k.Sent++
			m.Seq = k.Sent
		}
	}
	return out
}

// inOrder handles a message, and those that waited for it.
func (l *Layer) inOrder(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	k := l.S.Links.At(from)
	switch {
	case m.To != l.S.Inc:
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, "addressed to another life"))
	case m.Inc < max(k.From, l.Life(from)):
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, Dead))
	case m.Inc > k.From:
		k.From, k.Received, k.Held = m.Inc, 0, nil
		// 1. b restarts, and recovers, 2. a restarts, and hears of b for the first time by this
		// message, which has overtaken b's answer, 3. a reply to b's former life would be dropped.
		// What b has asked of our own former life, or asks yet, comes before the replay, as after a
		// request.
		if l.alive(from, m.Inc) && !l.S.Collecting {
			l.S.Muted = l.S.Muted.with(from)
		}
	}
	at, found := slices.BinarySearchFunc(k.Held, m.Seq, func(h Message, seq uint32) int {
		return int(h.Seq) - int(seq)
	})
	if found || m.Seq <= k.Received {
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, "received already"))
	}
	k.Held = slices.Insert(slices.Clone(k.Held), at, m.kept())
	for len(k.Held) > 0 && k.Held[0].Seq == k.Received+1 {
		next := k.Held[0]
		k.Held = k.Held[1:]
		k.Received++
		out = l.step(core.Input{Kind: core.Received, From: from.Proc(), Message: &next}, out)
	}
	return out
}

// served reports whether the log has been sent again to this life already, so that a late request
// changes nothing.
func (l *Layer) served(from core.Rank, life core.Incarnation) bool {
	return l.unordered && l.S.Links.At(from).Served >= life && life > 0
}
