package hydee

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// The coordinated checkpoint of a cluster: the papers assume such a protocol without naming one.
// Here it is package snapshot, with what this one adds: an image, and the recovery line, for which
// garbage.go acknowledges what was received from outside.

// image is what a checkpoint of one rank holds ([HydEE] Alg. 1 l. 21): the program, the channels,
// and the messages inside the cluster that were sent before the line and received after it.
// Messages between clusters in flight are never in it: the sender's log has them.
type image struct {
	_        struct{}  `cbor:",toarray"`
	App      []byte    `json:"app"`
	Date     Date      `json:"date"`
	Phase    Phase     `json:"phase"`
	Channels channels  `json:"channels"`
	Waiting  []waiting `json:"waiting"` // ascending ranks
}

// waiting is the channel content from one mate.
type waiting struct {
	_        struct{}  `cbor:",toarray"`
	From     core.Rank `json:"from"`
	Messages []message `json:"messages"`
}

func (l *layer) Group() (members []core.Rank, self int) {
	mates := l.mates(l.rank)
	return mates, slices.Index(mates, l.rank)
}

func (l *layer) Life() core.Incarnation { return l.s.Incarnation }

// Notice implements snapshot.Member: its kinds are the last ones here, in the same order.
func (l *layer) Notice(n snapshot.Notice) core.Message {
	return &Message{Kind: SaveRequest + Kind(n.Kind), Number: n.Number, Incarnation: n.Life}
}

// noticed handles a message about a checkpoint.
func (l *layer) noticed(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	return l.s.Saving.Received(l, from, snapshot.Notice{Kind: snapshot.Kind(m.Kind - SaveRequest),
		Number: m.Number, Life: m.Incarnation}, out)
}

func (l *layer) Image() *image {
	img := &image{App: l.app.Image(), Date: l.s.Date, Phase: l.s.Phase,
		Channels: slices.Clone(l.s.Channels)}
	for i := range img.Channels {
		ch := &img.Channels[i]
		ch.Log, ch.Received = slices.Clone(ch.Log), slices.Clone(ch.Received)
	}
	for _, q := range l.mates(l.rank) {
		w := waiting{From: q}
		if p := l.s.Peers.Find(q); p != nil {
			w.Messages = slices.Clone(p.Arrived)
		}
		img.Waiting = append(img.Waiting, w)
	}
	if l.has(H13d) {
		l.oweAcks(img) // Deviation: H13d acknowledges before the cluster has committed
	}
	return img
}

func (l *layer) Close(img *image, cut snapshot.Cut[message]) {
	for i := range cut {
		w := &img.Waiting[i]
		w.Messages = append(w.Messages, cut[i].Messages...)
	}
}

// Commit implements snapshot.Member: the checkpoint is the recovery line of this rank (R4, R10).
// The next message of every outside rank will be answered with what it covers.
func (l *layer) Commit(img *image, out []core.Effect) []core.Effect {
	l.oweAcks(img)
	sent, received := l.app.Position(img.App)
	return append(out, core.Effect{Kind: core.Commit, Sent: sent, Received: received})
}
