package optimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// The checkpoint of a unit is package snapshot. What this protocol adds: an image is the recovery
// line only when nothing that it depends on can be undone any more, so no restart ever meets an
// image that is an orphan, and one image is enough.

// image is what a checkpoint of one rank holds.
type image struct {
	_        struct{}      `cbor:",toarray"`
	App      []byte        `json:"app"`
	Channels link.Channels `json:"channels"` // arrived: of mates alone
	Vector   Vector        `json:"vector"`
}

// Group implements snapshot.Member.
func (l *layer) Group() (members []core.Rank, self int) {
	mates := l.mates()
	return mates, slices.Index(mates, l.rank)
}

// Life implements snapshot.Member.
func (l *layer) Life() core.Incarnation { return core.Incarnation(l.life()) }

// life is what tells the notices of one incarnation of the unit from those of another.
func (l *layer) life() uint32 {
	if l.alone() {
		_, self := l.Group()
		return uint32(l.s.Lives[self])
	}
	return l.incarnation()
}

// checkpoint begins one, unless the rank recovers: then there has been one here, or will be.
func (l *layer) checkpoint(out []core.Effect) []core.Effect {
	if l.s.Mode != running || len(l.s.Replay) > 0 {
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{},
			"no checkpoint: it recovers"))
	}
	return l.s.Saving.Request(l, out)
}

// Image implements snapshot.Member. What has arrived from other units they will send again. What
// has arrived from mates will not be, so it is in the image even if it still waits for the
// beginning of an incarnation: its sender saves a state behind it, and the line is one only when
// nothing that this depends on can be undone.
func (l *layer) Image() *image {
	img := &image{App: l.app.Image(), Channels: l.s.Channels.Clone(false),
		Vector: slices.Clone(l.s.Vector)}
	for _, q := range l.mates() {
		img.Channels[q].Arrived = slices.Clone(l.s.Channels[q].Arrived)
	}
	for i := range l.s.Held {
		if h := &l.s.Held[i]; l.inside(h.From) {
			img.Channels.Accept(h.From, &h.Data)
		}
	}
	return img
}

// Close implements snapshot.Member: what was on its way in the unit is in the image.
func (l *layer) Close(img *image, cut snapshot.Cut[link.Data]) {
	for i, q := range l.mates() {
		for k := range cut[i].Messages {
			img.Channels.Accept(q, &cut[i].Messages[k])
		}
	}
}

// imagePersisted goes on with a checkpoint.
func (l *layer) imagePersisted(key string, out []core.Effect) []core.Effect {
	if l.s.Mode != running {
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{},
			"record of an older checkpoint"))
	}
	number := l.s.Saving.Committed + 1
	if img := l.s.Saving.Image; img != nil && key == snapshot.Record(snapshot.ImageKey, number) {
		l.s.Imaged = true
		sent, received := l.app.Position(img.App)
		if !l.alone() {
			l.s.Stable = max(l.s.Stable, img.Vector.interval(l.rank))
		}
		out = append(out, core.Imaged(trace.ImageBasic, uint64(number), 0, sent, received))
		return l.saved(l.answer(out))
	}
	return l.s.Saving.Persisted(l, key, out)
}

// saved says that the image under way is stable, when nothing that it depends on can be undone.
func (l *layer) saved(out []core.Effect) []core.Effect {
	if !l.s.Imaged {
		return out
	}
	if v := l.s.Saving.Image.Vector; !l.settled(v) && !l.has(OP13) { // Deviation: OP13
		return l.ask(v, out)
	}
	l.s.Imaged = false
	return l.s.Saving.Persisted(l, snapshot.Record(snapshot.ImageKey, l.s.Saving.Committed+1), out)
}

// Commit implements snapshot.Member: the image is the recovery line. What was received before it
// needs no record any more, and its senders need not keep it.
func (l *layer) Commit(img *image, out []core.Effect) []core.Effect {
	out = l.commit(img, out)
	interval := img.Vector.interval(l.rank)
	l.s.Logged = slices.DeleteFunc(l.s.Logged, func(r reception) bool {
		if r.Interval > interval {
			return false
		}
		out = append(out, core.Effect{Kind: core.Persist, Key: r.key()})
		return true
	})
	for _, q := range l.outside() {
		if taken := img.Channels[q].Taken; taken > l.s.Peers[q].Covered {
			l.s.Peers[q].Covered = taken
			out = say(out, q, Control{Kind: Covered, Line: taken})
		}
	}
	return out
}

// commit declares where the line is.
func (l *layer) commit(img *image, out []core.Effect) []core.Effect {
	l.s.Line.Sent, l.s.Line.Received = l.app.Position(img.App)
	if l.alone() {
		l.s.Shown = core.Digest(img.App)
	}
	return append(out, core.Effect{Kind: core.Commit, Sent: l.s.Line.Sent,
		Received: l.s.Line.Received})
}

// Holding implements core.Recycler: what has been delivered may still be in an image under way.
func (l *layer) Holding() bool { return l.s.Saving.Taking }

// Release implements core.Recycler.
func (l *layer) Release() { l.s.Channels.Release(&l.Keeper) }

// keeper gets the bytes of entries that leave a log, unless an image under way refers to them.
func (l *layer) keeper() *sendlog.Keeper {
	if l.s.Saving.Image == nil {
		return &l.Keeper
	}
	return nil
}
