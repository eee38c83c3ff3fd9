package manetho

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// image is what a checkpoint of one rank holds: the program, the channels with the logs, of what
// has arrived what mates have sent, since nobody logs that, and the determinants that are held
// here: others count on that this rank holds them.
type image struct {
	_        struct{} `cbor:",toarray"`
	App      []byte
	RSN      uint32
	Channels link.Channels
	Dets     [][]entry
	Lines    []uint32
	Stable   []uint32
	Record   uint32 // last record of determinants: those are in the image
}

func (l *layer) Group() (members []core.Rank, self int) {
	list := l.members[l.rank]
	return list, slices.Index(list, l.rank)
}

func (l *layer) Life() core.Incarnation { return l.s.Life }

// Notice implements snapshot.Member.
func (l *layer) Notice(n snapshot.Notice) core.Message {
	return say(control{Kind: notice, Life: l.s.Life, Notice: n})
}

// Image implements snapshot.Member: what others log is not in it.
func (l *layer) Image() *image {
	img := &image{App: l.app.Image(), RSN: l.s.RSN, Channels: l.s.Channels.Clone(true)}
	for q := range img.Channels {
		if !l.mates(l.rank, core.Rank(q)) {
			img.Channels[q].Arrived = nil
		}
	}
	return img
}

// Close implements snapshot.Member: with what was on its way in the team, which came with
// determinants, the image is complete.
func (l *layer) Close(img *image, cut snapshot.Cut[link.Data]) {
	for i := range cut {
		c := &img.Channels[l.members[l.rank][i]]
		c.Arrived = append(c.Arrived, cut[i].Messages...)
	}
	img.Dets = make([][]entry, l.ranks)
	for r, list := range l.s.Dets {
		if core.Rank(r) != l.rank && l.has(MN9) {
			continue // Deviation: MN9 saves what it needs to repeat its own receptions
		}
		for _, e := range list {
			if core.Rank(r) != l.rank || e.Det.Place > img.RSN {
				img.Dets[r] = append(img.Dets[r], e)
			}
		}
	}
	img.Lines, img.Stable = slices.Clone(l.s.Lines), slices.Clone(l.s.Stable)
	// when it is read, it is our line: which one was before is forgotten
	img.Lines[l.rank], img.Stable[l.rank] = img.RSN, max(img.Stable[l.rank], img.RSN)
	img.Record = l.s.Store.Last
}

// persisted goes on when a record of a checkpoint is stable.
func (l *layer) persisted(key string, out []core.Effect) []core.Effect {
	s := &l.s.Saving
	if number := s.Committed + 1; s.Image != nil &&
		key == snapshot.Record(snapshot.ImageKey, number) {
		sent, received := l.app.Position(s.Image.App)
		out = append(out, core.Imaged(trace.ImageBasic, uint64(number), 0, sent, received))
	}
	return s.Persisted(l, key, out)
}

// Commit implements snapshot.Member: the image is the recovery line.
func (l *layer) Commit(img *image, out []core.Effect) []core.Effect {
	s := &l.s
	for q := range img.Channels {
		s.Covered[q] = img.Channels[q].Taken
	}
	l.stable(img.RSN)
	lines := make([]uint32, l.ranks)
	lines[l.rank] = img.RSN
	out = l.cover(lines, out)
	sent, received := l.app.Position(img.App)
	out = append(out, core.Effect{Kind: core.Commit, Sent: sent, Received: received})
	if l.keep == store {
		out = l.clean(img.Record, out)
	}
	if l.alone() || l.has(MN4) {
		return out
	}
	return l.announce(out)
}

// announce tells the others what they need not keep any more.
func (l *layer) announce(out []core.Effect) []core.Effect {
	for _, q := range l.others() {
		out = append(out, core.SendTo(q.Proc(), say(control{Kind: covered, Life: l.s.Life,
			Lines: slices.Clone(l.s.Lines), Taken: l.s.Covered[q]})))
	}
	return out
}

// forget removes what the recovery lines of others have made superfluous.
func (l *layer) forget(from core.Rank, c *control, out []core.Effect) []core.Effect {
	out = l.cover(c.Lines, out)
	return l.s.Channels.Prune(l.keeper(), from, c.Taken, out)
}

// load puts the recovery line in place.
func (l *layer) load(records []core.Record, out []core.Effect) ([]core.Effect, error) {
	s := &l.s
	img, err := s.Saving.Restore(l, records)
	if err != nil {
		return out, err
	}
	s.Store.First = 1
	if img != nil {
		l.app.Load(img.App)
		sent, received := l.app.Position(img.App)
		// 1. the record of the line is stable, and this rank fails before it hears of that
		out = append(out, core.Effect{Kind: core.Commit, Sent: sent, Received: received})
		s.RSN, s.Channels = img.RSN, img.Channels
		s.Lines, s.Stable = img.Lines, img.Stable
		s.Store.Last = img.Record
		s.Store.First = img.Record + 1 // of those before, whatever is there
		for q := range s.Channels {
			s.Covered[q] = s.Channels[q].Taken
			for i := range s.Channels[q].Log {
				id := s.Channels[q].Log[i].Data.Payload.ID
				out = append(out, core.Logged(id, core.Proc(q), 0))
			}
		}
		for _, list := range img.Dets {
			for i := range list {
				e := &list[i]
				out = l.learn(&e.Det, e.Holders, out)
			}
		}
	}
	if l.keep != store {
		return out, nil
	}
	return l.recall(records, out)
}
