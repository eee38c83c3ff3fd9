package coordinated

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// image is what a checkpoint of one rank holds: the program, and the channels with what was on its
// way to it.
type image struct {
	_        struct{}      `cbor:",toarray"`
	App      []byte        `json:"app"`
	Channels link.Channels `json:"channels"`
}

// Group implements snapshot.Member: everybody.
func (l *layer) Group() (members []core.Rank, self int) { return l.members, int(l.rank) }

// Life implements snapshot.Member: all restart together, as often.
func (l *layer) Life() core.Incarnation {
	if l.has(CO8) {
		return 0 // Deviation: CO8 takes one life for another
	}
	return l.s.Life
}

// Notice implements snapshot.Member.
func (l *layer) Notice(n snapshot.Notice) core.Message { return &Message{Control: &n} }

// Style implements snapshot.Styled.
func (l *layer) Style() snapshot.Style {
	if l.has(CO4) {
		return snapshot.Markers // Deviation: CO4 has the image of when the blocking began
	}
	return l.style
}

// Image implements snapshot.Member.
func (l *layer) Image() *image {
	return &image{App: l.app.Image(), Channels: l.s.Channels.Clone(true)}
}

// Close implements snapshot.Member: with markers, what was on its way has arrived after all that
// had arrived before.
func (l *layer) Close(img *image, cut snapshot.Cut[link.Data]) {
	if l.has(CO4) || l.has(CO6) {
		return // Deviation: CO4 has no state of channels, CO6 forgets it
	}
	for i, q := range l.wiring.Senders(l.rank, l.members) {
		if messages := cut[i].Messages; len(messages) > 0 {
			ch := img.Channels.At(q)
			ch.Arrived = append(ch.Arrived, messages...)
		}
	}
}

// Commit implements snapshot.Member: the checkpoint is the line (C3), and outputs that it holds may
// leave.
func (l *layer) Commit(img *image, out []core.Effect) []core.Effect {
	l.s.Line = core.Digest(img.App)
	sent, received := l.app.Position(img.App)
	return append(out, core.Effect{Kind: core.Commit, Sent: sent, Received: received})
}

// persisted goes on when a record is stable.
func (l *layer) persisted(key string, out []core.Effect) []core.Effect {
	number := l.s.Saving.Committed + 1
	if img := l.s.Saving.Image; img != nil && key == snapshot.Record(snapshot.ImageKey, number) {
		why := trace.ImageDrawn
		if l.rank == 0 {
			why = trace.ImageBasic
		}
		sent, received := l.app.Position(img.App)
		out = append(out, core.Imaged(why, uint64(number), uint64(number), sent, received))
	}
	out = l.s.Saving.Persisted(l, key, out)
	return l.early(snapshot.Notice{Kind: snapshot.Saved}, out)
}

// early is what CO2 does behind the word that an image is stable: with one more it has all.
func (l *layer) early(n snapshot.Notice, out []core.Effect) []core.Effect {
	s := &l.s.Saving
	if l.has(CO2) && n.Kind == snapshot.Saved && l.rank == 0 && s.Saved == len(l.members)-1 {
		// Deviation: CO2 commits on all but one
		out = s.Received(l, l.rank, snapshot.Notice{Kind: snapshot.Saved,
			Number: s.Committed + 1, Life: l.Life()}, out)
	}
	return out
}

// notices is the place where CO1 keeps markers back, and CO5 does not wait for the commit record.
func (l *layer) notices(out []core.Effect, first int) []core.Effect {
	kept := out[:first]
	for _, e := range out[first:] {
		m, ok := e.Message.(*Message)
		if ok && l.has(CO1) && l.rank == 0 && m.Control != nil &&
			m.Control.Kind == snapshot.Marker {
			l.s.Late = append(l.s.Late, core.Rank(e.To)) // Deviation: CO1
			continue
		}
		kept = append(kept, e)
	}
	record := snapshot.Record(snapshot.CommitKey, l.s.Saving.Committed+1)
	for _, e := range kept[first:] {
		if l.has(CO5) && e.Kind == core.Persist && e.Key == record {
			return l.s.Saving.Persisted(l, record, kept) // Deviation: CO5
		}
	}
	return kept
}

// restore begins a later life at the line, which everybody finds (C4).
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.begin()
	l.s.Life = in.Incarnation
	img, err := l.s.Saving.Restore(l, in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	if img == nil {
		return out // the initial state
	}
	l.app.Load(img.App)
	l.s.Channels = img.Channels
	return l.Commit(img, out)
}
