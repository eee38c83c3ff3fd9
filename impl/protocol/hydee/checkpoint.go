package hydee

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Keys of stable records: image/K of every member, commit/K of the first rank of the cluster.
const (
	imageKey  = "image/"
	commitKey = "commit/"
)

// recording is the state of one channel inside the cluster while a checkpoint is taken, by index of
// the mate.
type recording struct {
	_        struct{}  `cbor:",toarray"`
	Open     bool      `json:"open"`     // no marker yet: what arrives was sent before the line
	Messages []message `json:"messages"` // arrived since our own image
}

// saving is the coordinated checkpoint of the cluster: markers on FIFO channels (Chandy and Lamport
// 1985), then two phases: all images stable, then the commit record of the first rank. The papers
// assume such a protocol without naming one.
type saving struct {
	_         struct{}    `cbor:",toarray"`
	Committed uint32      `json:"committed"` // number of the recovery line, 0 is the initial state
	Taking    bool        `json:"taking"`    // checkpoint Committed+1 is under way
	Image     *image      `json:"image"`     // ours, until it is committed
	Recording []recording `json:"recording"` // by index in the cluster
	Saved     int         `json:"saved"`     // first rank: members whose image is stable
}

// requestSave starts a checkpoint of the cluster at its first rank, or passes the request on. A
// request while one is under way is ignored.
func (l *layer) requestSave(out []core.Effect) []core.Effect {
	if first := l.first(l.rank); first != l.rank {
		return append(out, core.SendTo(first.Proc(), &Message{Kind: SaveRequest}))
	}
	if l.s.Saving.Taking {
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "a checkpoint is under way"))
	}
	return l.take(out)
}

// take saves the image of this rank and sends the markers.
func (l *layer) take(out []core.Effect) []core.Effect {
	sv := &l.s.Saving
	sv.Taking, sv.Saved = true, 0
	img := &image{App: l.app.Image(), Date: l.s.Date, Phase: l.s.Phase,
		Channels: make([]channel, l.ranks)}
	for q, ch := range l.s.Channels {
		img.Channels[q] = channel{Log: slices.Clone(ch.Log), LastDate: ch.LastDate,
			Received: slices.Clone(ch.Received)}
	}
	for i, q := range l.mates(l.rank) {
		img.Waiting = append(img.Waiting, waiting{From: q,
			Messages: slices.Clone(l.s.Peers[q].Arrived)})
		sv.Recording[i] = recording{Open: q != l.rank}
		if q != l.rank {
			out = append(out, core.SendTo(q.Proc(),
				&Message{Kind: Marker, Number: sv.Committed + 1, Incarnation: l.s.Incarnation}))
		}
	}
	sv.Image = img
	if l.has(H13d) {
		l.oweAcks(img) // Deviation: H13d acknowledges before the cluster has committed
	}
	return l.finishImage(out)
}

// record keeps a message of a mate that belongs to the channel state of the checkpoint under way.
func (l *layer) record(from core.Rank, m *Message) {
	sv := &l.s.Saving
	i := slices.Index(l.mates(l.rank), from)
	if sv.Taking && sv.Recording[i].Open && !l.has(H19) { // Deviation: H19 saves no channel state
		sv.Recording[i].Messages = append(sv.Recording[i].Messages,
			message{Date: m.Date, Phase: m.Phase, Payload: m.Payload})
	}
}

// marker closes one channel of the checkpoint; the first marker begins it here.
func (l *layer) marker(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	sv := &l.s.Saving
	if m.Incarnation != l.s.Incarnation {
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"other incarnation of the cluster"))
	}
	if m.Number == sv.Committed+2 {
		out = l.commit(out) // its sender has seen the commit that is still on its way to us
	}
	if m.Number != sv.Committed+1 {
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"marker of another checkpoint"))
	}
	if !sv.Taking {
		out = l.take(out)
	}
	sv.Recording[slices.Index(l.mates(l.rank), from)].Open = false
	return l.finishImage(out)
}

// finishImage stores the image when every channel is closed.
func (l *layer) finishImage(out []core.Effect) []core.Effect {
	sv := &l.s.Saving
	if slices.ContainsFunc(sv.Recording, func(r recording) bool { return r.Open }) {
		return out
	}
	for i := range sv.Recording {
		w := &sv.Image.Waiting[i]
		w.Messages = append(w.Messages, sv.Recording[i].Messages...)
		sv.Recording[i].Messages = nil
	}
	return append(out, core.Effect{Kind: core.Persist,
		Key: fmt.Sprintf("%s%d", imageKey, sv.Committed+1), Value: core.Encode(sv.Image)})
}

// persisted goes on when a record is stable.
func (l *layer) persisted(key string, out []core.Effect) []core.Effect {
	sv := &l.s.Saving
	switch key {
	case fmt.Sprintf("%s%d", imageKey, sv.Committed+1):
		m := &Message{Kind: Saved, Number: sv.Committed + 1, Incarnation: l.s.Incarnation}
		if first := l.first(l.rank); first != l.rank {
			return append(out, core.SendTo(first.Proc(), m))
		}
		return l.saved(m, out)
	case fmt.Sprintf("%s%d", commitKey, sv.Committed+1):
		for _, q := range l.mates(l.rank) {
			if q != l.rank {
				out = append(out, core.SendTo(q.Proc(),
					&Message{Kind: CommitNotice, Number: sv.Committed + 1,
						Incarnation: l.s.Incarnation}))
			}
		}
		return l.commit(out)
	}
	return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "record of an older checkpoint"))
}

// saved counts stable images at the first rank; the last one lets it write the commit record.
func (l *layer) saved(m *Message, out []core.Effect) []core.Effect {
	sv := &l.s.Saving
	if !sv.Taking || m.Number != sv.Committed+1 || m.Incarnation != l.s.Incarnation {
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{},
			"image of another checkpoint"))
	}
	if sv.Saved++; sv.Saved < len(l.mates(l.rank)) {
		return out
	}
	return append(out, core.Effect{Kind: core.Persist,
		Key: fmt.Sprintf("%s%d", commitKey, m.Number), Value: []byte{1}})
}

// commitNotice moves the recovery line of a member.
func (l *layer) commitNotice(m *Message, out []core.Effect) []core.Effect {
	sv := &l.s.Saving
	if !sv.Taking || m.Number != sv.Committed+1 || m.Incarnation != l.s.Incarnation {
		return append(out, core.DropInput(l.first(l.rank).Proc(), core.MsgID{},
			"commit of another checkpoint"))
	}
	return l.commit(out)
}

// commit makes the checkpoint under way the recovery line and removes the one before.
func (l *layer) commit(out []core.Effect) []core.Effect {
	sv := &l.s.Saving
	old, img := sv.Committed, sv.Image
	sv.Taking, sv.Image, sv.Saved = false, nil, 0
	out = l.line(old+1, img, out)
	if old > 0 {
		out = append(out, core.Effect{Kind: core.Persist, Key: fmt.Sprintf("%s%d", imageKey, old)})
		if l.first(l.rank) == l.rank {
			out = append(out, core.Effect{Kind: core.Persist,
				Key: fmt.Sprintf("%s%d", commitKey, old)})
		}
	}
	return out
}
