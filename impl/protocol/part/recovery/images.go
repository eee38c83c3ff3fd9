package recovery

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
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

func (l *Layer) remove(number uint32) core.Effect {
	return core.Effect{Kind: core.Persist, Key: key(number)}
}

// image takes an image, for messages with indices up to the highest or for its own sake. It counts
// when it is stable.
func (l *Layer) image(why string, highest uint32, out []core.Effect) []core.Effect {
	l.s.Number++
	l.s.Index = l.Index(&l.s, highest)
	for q := range l.s.Channels {
		for _, d := range l.s.Channels[q].Arrived {
			l.s.Cleared[q] = max(l.s.Cleared[q], d.Index)
		}
	}
	app := l.app.Image()
	i := l.present(app)
	i.Why = why
	l.s.Writing = &i
	return append(out, core.Effect{Kind: core.Persist, Key: key(i.Number), Value: core.Encode(
		&stored{Image: i, App: app, Channels: l.s.Channels.Clone(false)})})
}

// persisted goes on when a record is stable.
func (l *Layer) persisted(which string, out []core.Effect) []core.Effect {
	switch w := l.s.Writing; {
	case which == LineKey && l.s.Phase == leaving:
		return l.leave(out)
	case w != nil && which == key(w.Number):
		l.s.Writing = nil
		l.s.Images = append(l.s.Images, *w)
		out = append(out, core.Imaged(w.Why, uint64(w.Number), uint64(w.Index), w.Sends,
			w.Receives))
		if l.s.Owes {
			return l.report(out)
		}
		return l.force(append(out, say(l.process(), Control{Kind: Saved, Round: l.s.Round,
			Report: &Report{Images: []Image{*w}}})))
	}
	return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "record of another life"))
}

// leave goes back: the record says where to. Images behind it are void, whether their removal
// outlives a crash or not.
func (l *Layer) leave(out []core.Effect) []core.Effect {
	at := l.find(l.s.Target)
	for _, i := range l.s.Images[at+1:] {
		out = append(out, l.remove(i.Number))
	}
	// Who has gone back and goes back farther, in the next round, says so again: it has not failed.
	// Whether it has, it does not know, so who has failed and goes behind its last image says it,
	// too.
	i := &l.s.Images[at]
	return append(out, core.Undone(l.s.Cause, uint64(l.s.Round), i.Sends, i.Receives),
		core.Effect{Kind: core.Rollback})
}

// restore begins a later life at the last image that counts, in no round.
func (l *Layer) restore(in core.Input, out []core.Effect) []core.Effect {
	var last turn
	numbers := map[uint32]*stored{}
	highest := uint32(0)
	for _, r := range in.Records {
		var n uint32
		if r.Key == LineKey && !r.Torn {
			if err := core.Decode(r.Value, &last); err != nil {
				return append(out, core.Halted(fmt.Sprintf("record %s: %v", r.Key, err)))
			}
		} else if found, _ := fmt.Sscanf(r.Key, ImageKey+"%d", &n); found == 1 {
			highest = max(highest, n)
			if i := new(stored); !r.Torn && core.Decode(r.Value, i) == nil {
				numbers[n] = i
			}
		}
	}
	l.reset()
	l.s.Life, l.s.Round, l.s.Phase, l.s.Lost = in.Incarnation, last.Round, frozen, true
	l.s.Number = max(highest, max(last.Next, 1)-1)
	for n := uint32(1); n <= highest; n++ {
		i := numbers[n]
		switch {
		case i == nil:
		case n > last.Image && n < last.Next:
			out = append(out, l.remove(n)) // a crash has undone the removal, or came before it
		default:
			l.s.Images = append(l.s.Images, i.Image)
		}
	}
	l.load(numbers)
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
