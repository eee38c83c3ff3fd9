package recovery

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// The records: images, with their numbers behind the prefix, and where the rank has gone back to
// last.
const (
	ImageKey = "image/"
	LineKey  = "line"
)

// stored is an image on stable storage.
type stored struct {
	_        struct{} `cbor:",toarray"`
	Image    Image
	App      []byte
	Channels link.Channels
}

// turn is the record of a rank that has gone back: in which round, to which image, and that the
// numbers between that and the next one are void, for ever.
type turn struct {
	_     struct{} `cbor:",toarray"`
	Round Round
	Image uint32
	Next  uint32
}

func key(number uint32) string { return fmt.Sprint(ImageKey, number) }

// remove removes an image, and, where this rank decides for its group, that it was committed.
func (l *Layer) remove(number uint32) []core.Effect {
	out := []core.Effect{{Kind: core.Persist, Key: key(number)}}
	if !l.alone() && l.first() == l.rank {
		out = append(out, snapshot.Persist(snapshot.CommitKey, number, nil))
	}
	return out
}

// image takes an image, for messages with indices up to the highest or for its own sake. It counts
// when it is stable.
func (l *Layer) image(why string, highest uint32, out []core.Effect) []core.Effect {
	if !l.alone() {
		return l.request(why, out)
	}
	l.s.Number++
	l.s.Index = l.Index(&l.s, highest)
	i := l.stored()
	i.Image.Why = why
	l.s.Writing = &i.Image
	return append(out, core.Effect{Kind: core.Persist, Key: key(i.Image.Number),
		Value: core.Encode(i)})
}

// stored is the image of now.
func (l *Layer) stored() *stored {
	for q := range l.s.Channels {
		ch := &l.s.Channels[q]
		for i := range ch.Arrived {
			l.s.Cleared.Raise(ch.Rank, ch.Arrived[i].Index)
		}
	}
	i := &stored{App: l.app.Image(), Channels: l.s.Channels.Clone(true)}
	for q := range i.Channels {
		if !l.mate(i.Channels[q].Rank) {
			i.Channels[q].Arrived = nil
		}
	}
	i.Image = l.present(i.App)
	return i
}

// persisted goes on when a record is stable.
func (l *Layer) persisted(which string, out []core.Effect) []core.Effect {
	w := l.s.Writing
	switch {
	case which == LineKey && l.s.Phase == leaving:
		if l.alone() {
			return l.leave(l.s.Target, l.s.Cause, l.s.Round, out)
		}
		l.s.Group.Written = true
		return l.written(out)
	case which == LineKey:
	case !l.alone():
		return l.memberPersisted(which, out)
	case w != nil && which == key(w.Number):
		l.s.Writing = nil
		out = l.stable(w, out)
		if l.s.Owes {
			return l.report(out)
		}
		return l.force(l.saved(w, out))
	}
	return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "record of another life"))
}

// stable takes an image that counts from now on.
func (l *Layer) stable(i *Image, out []core.Effect) []core.Effect {
	l.s.Images = append(l.s.Images, *i)
	return append(out, core.Imaged(i.Why, uint64(i.Number), uint64(i.Index), i.Sends, i.Receives))
}

// saved tells the recovery process, for its garbage collection.
func (l *Layer) saved(i *Image, out []core.Effect) []core.Effect {
	return append(out, say(l.process(), Control{Kind: Saved, Round: l.s.Round,
		Report: &Report{Images: []Image{*i}}}))
}

// leave goes back: the record says where to. Images behind it are void, whether their removal
// outlives a crash or not.
func (l *Layer) leave(target uint32, cause core.Proc, round Round,
	out []core.Effect) []core.Effect {
	for _, i := range l.candidates() {
		if i.Number > target {
			out = append(out, l.remove(i.Number)...)
		}
		if i.Number == target {
			// Who has gone back and goes back farther, in the next round, says so again: it has not
			// failed. Whether it has, it does not know, so who has failed and goes behind its last
			// image says it, too.
			out = append(out, core.Undone(cause, uint64(round), i.Sends, i.Receives))
		}
	}
	return append(out, core.Effect{Kind: core.Rollback})
}

// kept is what a restarted rank finds: the turn, and the images by number; committed is the last
// number that its group has committed, as high as can be where it is alone.
type kept struct {
	turn      turn
	images    map[uint32]*stored
	highest   uint32
	committed uint32
}

// read reads the records: the images are its own, the rest is of the first member of its group.
func (l *Layer) read(records []core.Record) (k kept, err error) {
	k.images, k.committed = map[uint32]*stored{}, ^uint32(0)
	if !l.alone() {
		k.committed, _ = snapshot.Last(records, snapshot.CommitKey, l.first().Proc())
	}
	for _, r := range records {
		var n uint32
		if r.Key == LineKey && r.Owner == l.first().Proc() && !r.Torn {
			if err = core.Decode(r.Value, &k.turn); err != nil {
				return k, fmt.Errorf("record %s: %w", r.Key, err)
			}
		} else if found, _ := fmt.Sscanf(r.Key, ImageKey+"%d", &n); found == 1 &&
			r.Owner == l.rank.Proc() {
			k.highest = max(k.highest, n)
			if i := new(stored); !r.Torn {
				if err = core.Decode(r.Value, i); err != nil {
					return k, fmt.Errorf("record %s: %w", r.Key, err)
				}
				k.images[n] = i
			}
		}
	}
	return k, nil
}

// void reports whether an image was undone by the turn, or never became one of the group.
func (k *kept) void(n uint32) bool {
	return n > k.turn.Image && (n < k.turn.Next || n > k.committed)
}

// restore begins a later life at the last image that counts, in no round.
func (l *Layer) restore(in core.Input, out []core.Effect) []core.Effect {
	k, err := l.read(in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	l.reset()
	l.s.Life, l.s.Round, l.s.Phase, l.s.Lost = in.Incarnation, k.turn.Round, frozen, true
	l.s.Group.Turn = k.turn.Round
	l.restart(&k)
	for n := uint32(1); n <= k.highest; n++ {
		switch i := k.images[n]; {
		case i == nil:
		case k.void(n):
			out = append(out, l.remove(n)...) // a crash has undone the removal, or came before it
		default:
			l.s.Images = append(l.s.Images, i.Image)
		}
	}
	l.load(k.images)
	return append(out, say(l.process(), Control{Kind: Hello, Round: l.s.Round, Life: l.s.Life}))
}

// load begins at the last image that counts.
func (l *Layer) load(numbers map[uint32]*stored) {
	last := l.s.Images[len(l.s.Images)-1].Number
	if last == 0 {
		return
	}
	i := numbers[last]
	l.app.Load(i.App)
	l.s.Channels, l.s.Index, l.s.Vector = i.Channels, i.Image.Index, slices.Clone(i.Image.Vector)
}
