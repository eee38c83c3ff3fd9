package replay

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// image is what a checkpoint of one rank holds: the program, how many receptions it has had, and
// the channels with the logs. Of what has arrived only what came from the group is in it, with what
// was on its way there; the logs of the others have the rest.
type image struct {
	_        struct{}      `cbor:",toarray"`
	App      []byte        `json:"app"`
	Place    uint32        `json:"place"`
	Channels link.Channels `json:"channels"`
}

// Group implements snapshot.Member.
func (l *layer) Group() (members []core.Rank, self int) {
	mates := l.mates(l.rank)
	return mates, snapshot.At(mates, l.rank)
}

// Wires implements snapshot.Wired.
func (l *layer) Wires() (into, out []core.Rank, ok bool) { return l.wiring.Of(l.rank) }

// Life implements snapshot.Member.
func (l *layer) Life() core.Incarnation { return l.s.Life }

// Notice implements snapshot.Member.
func (l *layer) Notice(n snapshot.Notice) core.Message { return notice(n) }

// Style implements snapshot.Styled.
func (l *layer) Style() snapshot.Style { return l.Rules.Style }

// Image implements snapshot.Member. What a message of the group piggybacks is before the cut, as
// the message is, so it is not needed behind it.
func (l *layer) Image() *image {
	img := &image{App: l.app.Image(), Place: l.s.Place, Channels: l.s.Channels.Clone(true)}
	for q := range img.Channels {
		ch := &img.Channels[q]
		if !l.same(ch.Rank, l.rank) {
			ch.Arrived = nil
		}
		for i := range ch.Arrived {
			ch.Arrived[i] = bare(ch.Arrived[i])
		}
		if l.has(LogsUnsaved) {
			ch.Log = nil
		}
	}
	return img
}

// Close implements snapshot.Member.
func (l *layer) Close(img *image, cut snapshot.Cut[link.Data]) {
	for i, q := range l.wiring.Senders(l.rank, l.mates(l.rank)) {
		if messages := cut[i].Messages; len(messages) > 0 {
			ch := img.Channels.At(q)
			ch.Arrived = append(ch.Arrived, messages...)
		}
	}
}

// Commit implements snapshot.Member: the checkpoint is the line. The determinants before it go, and
// the ranks outside are told which messages it holds.
func (l *layer) Commit(img *image, out []core.Effect) []core.Effect {
	out = l.lined(img, out)
	for i := range img.Channels {
		q, taken := img.Channels[i].Rank, img.Channels[i].Taken
		if !l.same(q, l.rank) && taken > l.s.Covered.Of(q) {
			l.s.Covered.Set(q, taken)
			out = append(out, core.SendTo(q.Proc(),
				&Message{Control: &Control{Kind: Covered, Covered: taken}}))
		}
	}
	for place := l.s.Line + 1; place <= img.Place && l.recording(); place++ {
		out = append(out, snapshot.Persist(DetKey, place, nil))
	}
	l.s.Line = img.Place
	return out
}

// imaged declares that the image is stable: asked for at the first member of the group, drawn along
// at the others.
func (l *layer) imaged(key string, out []core.Effect) []core.Effect {
	number, img := l.s.Saving.Committed+1, l.s.Saving.Image
	if img == nil || key != snapshot.Record(snapshot.ImageKey, number) {
		return out
	}
	why := trace.ImageDrawn
	if l.mates(l.rank)[0] == l.rank {
		why = trace.ImageBasic
	}
	sent, received := l.app.Position(img.App)
	return append(out, core.Imaged(why, uint64(number), uint64(number), sent, received))
}

// lined declares the line.
func (l *layer) lined(img *image, out []core.Effect) []core.Effect {
	sent, received := l.app.Position(img.App)
	return append(out, core.Effect{Kind: core.Commit, Sent: sent, Received: received})
}

// prune drops what the line of a rank holds from the log for it. Its bytes stay where they are
// while an image that is being taken refers to them.
func (l *layer) prune(from core.Rank, number uint32, out []core.Effect) []core.Effect {
	var k *sendlog.Keeper
	if l.s.Saving.Image == nil {
		k = &l.Keeper
	}
	return l.s.Channels.Prune(k, from, number, out)
}
