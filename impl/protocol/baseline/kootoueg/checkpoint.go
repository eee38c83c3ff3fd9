package kootoueg

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// image is what is stable of a rank. What has arrived and was not received is in the logs of
// others.
type image struct {
	_        struct{}      `cbor:",toarray"`
	App      []byte        `json:"app"`
	Of       instance      `json:"of"`
	Own      instance      `json:"own"`
	Channels link.Channels `json:"channels"`
}

// tree is the part of a checkpoint that this rank knows: its own tentative image, and whom it has
// asked for theirs.
type tree struct {
	_       struct{}    `cbor:",toarray"`
	Image   point       `json:"image"`
	Parent  core.Rank   `json:"parent"` // who has asked this rank; itself at the root
	Waiting []core.Rank `json:"waiting"`
	Ranks   []core.Rank `json:"ranks"` // that have taken an image below this one
	Refused bool        `json:"refused"`
	Stable  bool        `json:"stable"`
	Said    bool        `json:"said"` // has answered its parent
	Writing bool        `json:"writing"`
}

// point is an image of the program with the channels of now.
func (l *layer) point(app []byte) point {
	sent, taken := l.s.Channels.Numbers()
	s, r := l.app.Position(app)
	return point{Sent: sent, Taken: taken, Position: [2]uint32{s, r}, Digest: core.Digest(app)}
}

// checkpoint begins one at its root (K1).
func (l *layer) checkpoint(out []core.Effect) []core.Effect {
	return l.tentative(l.rank, instance{Root: l.rank, Life: l.s.Life, Number: l.s.Last + 1}, out)
}

// tentative takes a tentative image, and asks those for theirs whose messages it holds and the
// permanent one does not (K2).
func (l *layer) tentative(parent core.Rank, of instance, out []core.Effect) []core.Effect {
	app := l.app.Image()
	l.s.Last++
	t := &tree{Image: l.point(app), Parent: parent}
	t.Image.Number, t.Image.Of = l.s.Last, of
	l.s.Tree = t
	img := image{App: app, Of: of, Own: l.s.Own, Channels: l.s.Channels.Clone(false)}
	out = append(out, snapshot.Persist(snapshot.ImageKey, l.s.Last, core.Encode(&img)))
	for _, n := range t.Image.Taken {
		if n.Value > l.s.Line.Taken.Of(n.Rank) {
			t.Waiting = append(t.Waiting, n.Rank)
			out = append(out, say(n.Rank, Control{Kind: Request, Of: of, Life: l.s.Life,
				Taken: n.Value}))
		}
	}
	if l.has(KT1) {
		t.Waiting = nil // Deviation: KT1 does not wait for those that it has asked
	}
	return out
}

// requested takes part in a checkpoint if the requester has received what the own permanent image
// has not sent (K2). Of two checkpoints that meet the one of the lower root goes on (K4).
func (l *layer) requested(from core.Rank, c Control, out []core.Effect) []core.Effect {
	if p := l.peer(from); p.Known && c.Life != p.Life {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another life"))
	}
	t := l.s.Tree
	answer := func(yes bool) []core.Effect {
		return append(out, say(from, Control{Kind: Answer, Of: c.Of, Yes: yes}))
	}
	switch {
	case c.Taken <= l.s.Line.Sent.Of(from) || t != nil && t.Image.Of == c.Of:
		return answer(true)
	case l.s.Mode != running:
		return answer(false) // it holds what is undone, and will hear of that
	case c.Of.behind(l.peer(c.Of.Root).Over) && l.peer(c.Of.Root).Over.Number > 0:
		return answer(false)
	case t == nil:
		return l.tentative(from, c.Of, out)
	case l.has(KT3):
		return answer(false) // Deviation: KT3 refuses whoever comes second
	case c.Of.Root > t.Image.Of.Root:
		return l.later(from, c, out)
	}
	return l.wound(l.later(from, c, out))
}

// wound asks for an end of the checkpoint under way; at its root it ends here.
func (l *layer) wound(out []core.Effect) []core.Effect {
	t := l.s.Tree
	if t.Image.Of.Root == l.rank {
		return l.decide(false, out)
	}
	return append(out, say(t.Image.Of.Root, Control{Kind: Ask, Of: t.Image.Of}))
}

// answered takes the answer of a rank that was asked. One that is not waited for, because this rank
// has gone back or the checkpoint has ended, is one to a checkpoint without a future.
func (l *layer) answered(from core.Rank, c Control, out []core.Effect) []core.Effect {
	t := l.s.Tree
	if t == nil || t.Image.Of != c.Of {
		yes := c.Of == l.s.Line.Of
		for _, q := range with(c.Ranks, from) {
			out = append(out, say(q, Control{Kind: Decision, Of: c.Of, Yes: yes}))
		}
		return out
	}
	t.Waiting = without(t.Waiting, from)
	t.Ranks = with(t.Ranks, c.Ranks...)
	t.Refused = t.Refused || !c.Yes
	return l.grown(out)
}

// grown goes on when all below this rank have answered and its own image is stable: the root
// decides, others answer.
func (l *layer) grown(out []core.Effect) []core.Effect {
	t := l.s.Tree
	if len(t.Waiting) > 0 || !t.Stable || t.Said || t.Writing {
		return out
	}
	if t.Parent == l.rank {
		return l.decide(!t.Refused, out)
	}
	t.Said = true
	return append(out, say(t.Parent, Control{Kind: Answer, Of: t.Image.Of, Yes: !t.Refused,
		Ranks: with(slices.Clone(t.Ranks), l.rank)}))
}

// decide is the decision of the root (K3). One to go on counts when it is durable; without a record
// the answer is no.
func (l *layer) decide(yes bool, out []core.Effect) []core.Effect {
	if yes {
		return l.commit(out)
	}
	of, ranks := l.s.Tree.Image.Of, l.s.Tree.Ranks
	out = l.abort(out)
	for _, q := range ranks {
		out = append(out, say(q, Control{Kind: Decision, Of: of}))
	}
	return l.drain(out)
}

// commit makes it durable that the tentative image is permanent.
func (l *layer) commit(out []core.Effect) []core.Effect {
	l.s.Tree.Writing = true
	out = append(out, snapshot.Persist(snapshot.CommitKey, l.s.Tree.Image.Number, []byte{1}))
	if l.has(KT2) && l.s.Tree.Parent == l.rank {
		return l.tell(out) // Deviation: KT2 tells it before it is durable
	}
	return out
}

// abort gives the tentative image up. That it does not count is written down and not only that it
// is gone: a rank that goes back may find it again, would ask about it, and go back once more.
func (l *layer) abort(out []core.Effect) []core.Effect {
	number := l.s.Tree.Image.Number
	l.over()
	return append(l.void(number, out), snapshot.Persist(snapshot.ImageKey, number, nil))
}

// over forgets the checkpoint under way, but that it has ended: a request that comes late would
// begin it again, and its root, which has forgotten it, would never end it.
func (l *layer) over() {
	of := l.s.Tree.Image.Of
	l.peer(of.Root).Over, l.s.Tree = of, nil
}

// void writes down that an image does not count.
func (l *layer) void(number uint32, out []core.Effect) []core.Effect {
	l.s.Voids++
	return append(out, core.Effect{Kind: core.Persist, Key: voidKey, Value: core.Encode(number)})
}

// tell is what the root says when it has decided to go on.
func (l *layer) tell(out []core.Effect) []core.Effect {
	for _, q := range l.s.Tree.Ranks {
		out = append(out, say(q, Control{Kind: Decision, Of: l.s.Tree.Image.Of, Yes: true}))
	}
	return out
}

// decided ends a checkpoint, or the doubt about one.
func (l *layer) decided(from core.Rank, c Control, out []core.Effect) []core.Effect {
	t := l.s.Tree
	switch {
	case t == nil || t.Image.Of != c.Of:
		if c.Yes && c.Of == l.s.Line.Of { // told twice, because the root has gone back
			return append(out, say(c.Of.Root, Control{Kind: Done, Of: c.Of}))
		}
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another checkpoint"))
	case c.Yes:
		return l.commit(out)
	case l.s.Mode == doubtful:
		// It has to be durable that the image does not count before the one below is gone to.
		t.Writing = true
		return l.void(t.Image.Number, out)
	}
	return l.drain(l.abort(out))
}

// asked answers about a checkpoint of which this rank is the root. One that is not decided is
// decided now.
func (l *layer) asked(from core.Rank, c Control, out []core.Effect) []core.Effect {
	t := l.s.Tree
	if t != nil && t.Image.Of == c.Of && t.Image.Of.Root == l.rank {
		t.Ranks = with(t.Ranks, from)
		return l.decide(false, out)
	}
	return append(out, say(from, Control{Kind: Decision, Of: c.Of, Yes: c.Of == l.s.Own}))
}

// persisted goes on when a record is stable.
func (l *layer) persisted(key string, out []core.Effect) []core.Effect {
	t := l.s.Tree
	if key == voidKey {
		return l.voided(out)
	}
	if t == nil {
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "record of the past"))
	}
	switch key {
	case snapshot.Record(snapshot.ImageKey, t.Image.Number):
		t.Stable = true
		why := trace.ImageDrawn
		if t.Parent == l.rank {
			why = trace.ImageBasic
		}
		out = append(out, core.Imaged(why, uint64(t.Image.Number), 0, t.Image.Position[0],
			t.Image.Position[1]))
		return l.grown(out)
	case snapshot.Record(snapshot.CommitKey, t.Image.Number):
		return l.permanent(out)
	}
	return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "record of the past"))
}

// permanent makes the tentative image the one to go back to (K3): the root tells the others, those
// tell the root that they will not ask any more, and whose messages the image holds forgets them.
func (l *layer) permanent(out []core.Effect) []core.Effect {
	t, old := l.s.Tree, l.s.Line
	root := t.Image.Of.Root == l.rank
	if root {
		l.s.Own, l.s.Acks = t.Image.Of, slices.Clone(t.Ranks)
		if !l.has(KT2) {
			out = l.tell(out)
		}
	} else {
		out = append(out, say(t.Image.Of.Root, Control{Kind: Done, Of: t.Image.Of}))
	}
	l.s.Line = t.Image
	l.over()
	out = append(out, core.Effect{Kind: core.Commit, Sent: l.s.Line.Position[0],
		Received: l.s.Line.Position[1]})
	for _, n := range l.s.Line.Taken {
		if n.Value > old.Taken.Of(n.Rank) {
			out = append(out, say(n.Rank, Control{Kind: Covered, Taken: n.Value}))
		}
	}
	if old.Number > 0 {
		out = append(out, snapshot.Persist(snapshot.ImageKey, old.Number, nil),
			snapshot.Persist(snapshot.CommitKey, old.Number, nil))
	}
	if l.s.Mode == doubtful {
		out = l.announce(out)
	}
	return l.drain(out)
}
