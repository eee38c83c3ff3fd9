package recovery

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// What ranks in groups have beside the others: their images are coordinated (package snapshot),
// with one number for the group, and what is sent inside is neither logged nor told apart by
// rounds, but by the last round in which the group has gone back: a group that stays loses nothing.
// The first member has the records that say which checkpoint the group restarts from, so that all
// restart from one.

// saving is the coordinated checkpoint of a group.
type saving = snapshot.State[stored, link.Data]

// group is what a rank keeps about its group.
type group struct {
	_      struct{} `cbor:",toarray"`
	Base   Round    `json:"base"` // the round in which the group has gone back last
	Turn   Round    `json:"turn"` // the one that this life began behind
	Saving saving   `json:"saving"`
	Stable bool     `json:"stable"` // the image of the checkpoint under way is
	Why    string   `json:"why"`    // why that was asked for here; "" where it was not
	Asked  uint32   `json:"asked"`  // its number, as this rank knows it
	// first member, leaving: the turn is written down
	Written bool    `json:"written"`
	Early   []early `json:"early"` // of mates that go on already, in the order of arrival
}

// early is a message of a mate.
type early struct {
	_       struct{} `cbor:",toarray"`
	From    core.Rank
	Message Message
}

// mates are the members of the group, ascending; of a rank that is alone, itself.
func (l *Layer) mates() []core.Rank {
	if l.Mates == nil {
		return nil
	}
	return l.Mates[l.rank]
}

func (l *Layer) alone() bool { return len(l.mates()) < 2 }

// mate reports whether the rank is another member.
func (l *Layer) mate(q core.Rank) bool {
	if q == l.rank || l.Mates == nil {
		return false
	}
	_, mate := slices.BinarySearch(l.mates(), q)
	return mate
}

// first is the member that decides.
func (l *Layer) first() core.Rank {
	if l.alone() {
		return l.rank
	}
	return l.mates()[0]
}

// taking reports whether an image is under way.
func (l *Layer) taking() bool { return l.s.Writing != nil || l.s.Group.Saving.Taking }

// number is that of the last image.
func (l *Layer) number() uint32 { return l.s.Interval() - 1 }

// Interval is the number of the image that ends the present interval.
func (s *State) Interval() uint32 {
	if s.Group.Saving.Image != nil {
		return s.Group.Saving.Committed + 2
	}
	return max(s.Number, s.Group.Saving.Committed) + 1
}

// next is a number that no image has had, nor that of a checkpoint under way will have.
func (l *Layer) next() uint32 {
	if l.alone() {
		return l.s.Number + 1
	}
	return l.s.Group.Saving.Committed + 2
}

// restart goes on numbering behind what was ever used. In a group the records of the first member
// say that, alike to all; an image that was never committed is written anew.
func (l *Layer) restart(k *kept) {
	last := max(k.turn.Next, 1) - 1
	if l.alone() {
		l.s.Number = max(k.highest, last)
		return
	}
	l.s.Group.Saving.Committed = max(k.committed, last)
}

// candidates are the images that count: in a group also the one under way, when it is stable here,
// because the others may know of its commit.
func (l *Layer) candidates() []Image {
	list := slices.Clone(l.s.Images)
	if g := &l.s.Group; g.Stable {
		list = append(list, g.Saving.Image.Image)
	}
	return list
}

// request asks the first member for a checkpoint of the group, once for each.
func (l *Layer) request(why string, out []core.Effect) []core.Effect {
	g := &l.s.Group
	if g.Asked == g.Saving.Committed+1 {
		return out
	}
	g.Asked, g.Why = g.Saving.Committed+1, why
	return g.Saving.Request(l, out)
}

// Group implements snapshot.Member.
func (l *Layer) Group() (members []core.Rank, self int) {
	return l.mates(), snapshot.At(l.mates(), l.rank)
}

// Wires implements snapshot.Wired.
func (l *Layer) Wires() (into, out []core.Rank, ok bool) { return l.Wiring.Of(l.rank) }

// Life implements snapshot.Member.
func (l *Layer) Life() core.Incarnation { return l.s.Group.Base }

// KeepsOlder implements snapshot.Keeper: the garbage collection removes images.
func (l *Layer) KeepsOlder() bool { return true }

// Notice implements snapshot.Member. A marker says for which messages the image is, so that they
// force no other one elsewhere in the group.
func (l *Layer) Notice(n snapshot.Notice) core.Message {
	n.Life = l.Life() // of a request, too: one of another life is none
	c := &Control{Kind: Noticed, Notice: &n}
	if n.Kind == snapshot.Marker {
		c.Counts = slices.Clone(l.s.Cleared)
	}
	return &Message{Control: c}
}

// Image implements snapshot.Member.
func (l *Layer) Image() *stored {
	i := l.stored()
	i.Image.Number = l.s.Group.Saving.Committed + 1
	i.Image.Index = i.Image.Number
	i.Image.Why = l.s.Group.Why
	if i.Image.Why == "" {
		i.Image.Why = trace.ImageDrawn
	}
	return i
}

// Close implements snapshot.Member.
func (l *Layer) Close(i *stored, cut snapshot.Cut[link.Data]) {
	for m, q := range l.Wiring.Senders(l.rank, l.mates()) {
		if list := cut[m].Messages; len(list) > 0 {
			c := i.Channels.At(q)
			c.Arrived = append(c.Arrived, list...)
		}
	}
}

// Commit implements snapshot.Member.
func (l *Layer) Commit(i *stored, out []core.Effect) []core.Effect {
	l.s.Group.Stable, l.s.Group.Why = false, ""
	return l.force(l.saved(&i.Image, l.stable(&i.Image, out)))
}

// noticed handles what a mate says about a checkpoint.
func (l *Layer) noticed(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	n := *c.Notice
	if l.s.Lost {
		return l.early(from, &Message{Control: &Control{Kind: Noticed, Notice: &n,
			Counts: slices.Clone(c.Counts)}}, n.Life, out)
	}
	if n.Life != l.Life() {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	}
	if n.Kind == snapshot.Marker {
		for _, n := range c.Counts {
			l.s.Cleared.Raise(n.Rank, n.Value)
		}
	}
	return l.s.Group.Saving.Received(l, from, n, out)
}

// memberPersisted goes on when a record of the checkpoint under way is stable.
func (l *Layer) memberPersisted(which string, out []core.Effect) []core.Effect {
	g := &l.s.Group
	if g.Saving.Image != nil && which == key(g.Saving.Committed+1) {
		g.Stable = true
	}
	return g.Saving.Persisted(l, which, out)
}

// early puts a message of a mate that goes on already aside, until this rank does.
func (l *Layer) early(from core.Rank, m *Message, life Round, out []core.Effect) []core.Effect {
	if life != l.s.Round {
		return append(out, core.DropInput(from.Proc(), m.Data.Payload.ID, "of another round"))
	}
	l.s.Group.Early = append(l.s.Group.Early, early{From: from, Message: *m})
	return out
}

// replayEarly handles what was put aside.
func (l *Layer) replayEarly(out []core.Effect) []core.Effect {
	list := l.s.Group.Early
	l.s.Group.Early = nil
	for i := range list {
		m := &list[i].Message
		if m.Control == nil {
			out = l.arrive(list[i].From, &m.Data, out)
		} else {
			out = l.noticed(list[i].From, m.Control, out)
		}
	}
	return out
}

// written tells the recovery process that the turn is, and has it tell the group: a member that
// goes back may take with it what it has sent, and does not start again before all have stopped. A
// new recovery process is told again.
func (l *Layer) written(out []core.Effect) []core.Effect {
	return append(out, say(l.process(), Control{Kind: Written, Round: l.s.Round,
		Image: l.s.Target, Cause: l.s.Cause}))
}

// turned goes back with the group. What the first member has written is durable, so it holds
// whatever round has begun since; a life that began behind it has followed already.
func (l *Layer) turned(c *Control, out []core.Effect) []core.Effect {
	if c.Round <= l.s.Group.Turn {
		return append(out, core.DropInput(l.first().Proc(), core.MsgID{}, "of an older life"))
	}
	return l.leave(c.Image, c.Cause, c.Round, out)
}
