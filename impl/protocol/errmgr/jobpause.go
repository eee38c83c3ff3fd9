package errmgr

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// standstill is a pause, for a snapshot or, if Move is not zero, for a migration. While it lasts
// the program does nothing. Nothing is on its way between two ranks when each has the marker of the
// other, so what has arrived by then belongs to the image.
type standstill struct {
	_     struct{}    `cbor:",toarray"`
	On    bool        `json:"on"`
	Still bool        `json:"still"` // all markers are here
	Snap  SnapID      `json:"snap"`
	Move  uint32      `json:"move"`
	Moves bool        `json:"moves"`  // this rank does
	Marks []core.Rank `json:"marked"` // whose marker is here, ascending
}

// early is a marker that has overtaken the order of the head.
type early struct {
	_    struct{}  `cbor:",toarray"`
	From core.Rank `json:"from"`
	Snap SnapID    `json:"snap"`
	Move uint32    `json:"move"`
}

// finished are the newest pauses that are over: a later marker of one is of somebody who did not
// know.
type finished struct {
	_    struct{} `cbor:",toarray"`
	Snap SnapID   `json:"snap"`
	Move uint32   `json:"move"`
}

// over reports whether a pause is over.
func (p *finished) over(s SnapID, move uint32) bool {
	if move > 0 {
		return move <= p.Move
	}
	return s.Compare(p.Snap) <= 0
}

// quiesce begins a pause. One that goes on is given up by it.
func (j *job) quiesce(m *Message, out []core.Effect) []core.Effect {
	if j.s.Over.over(m.Snap, m.Move) || j.s.Waits {
		return append(out, core.DropInput(j.head, core.MsgID{}, "the pause is over"))
	}
	j.s.Pause = standstill{On: true, Snap: m.Snap, Move: m.Move,
		Moves: m.Move > 0 && slices.Contains(m.Ranks, j.rank)}
	var later []early
	for _, e := range j.s.Early {
		switch {
		case e.Snap == m.Snap && e.Move == m.Move:
			j.s.Pause.mark(e.From)
		case !j.s.Over.over(e.Snap, e.Move):
			later = append(later, e)
		}
	}
	j.s.Early = later
	for q := range core.Rank(j.ranks) {
		if q != j.rank && !j.isDead(q) {
			out = append(out, core.SendTo(q.Proc(), &Message{Kind: Marker, Epoch: j.s.Epoch,
				Snap: m.Snap, Move: m.Move, Life: j.s.Life, ToLife: j.s.Lives[q]}))
		}
	}
	return j.still(out)
}

func (p *standstill) mark(from core.Rank) {
	if i, found := slices.BinarySearch(p.Marks, from); !found {
		p.Marks = slices.Insert(slices.Clone(p.Marks), i, from)
	}
}

// marked takes a marker.
func (j *job) marked(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	why := j.foreign(from, m)
	if why == "" && j.s.Over.over(m.Snap, m.Move) {
		why = "the pause is over"
	}
	if why != "" {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, why))
	}
	p := &j.s.Pause
	if !p.On || p.Snap != m.Snap || p.Move != m.Move {
		j.s.Early = append(j.s.Early, early{From: from, Snap: m.Snap, Move: m.Move})
		return out
	}
	p.mark(from)
	return j.still(out)
}

// still looks whether nothing is on its way any more, and takes the image then.
func (j *job) still(out []core.Effect) []core.Effect {
	p := &j.s.Pause
	if !p.On || p.Still {
		return out
	}
	for q := range core.Rank(j.ranks) {
		if _, marked := slices.BinarySearch(p.Marks, q); q != j.rank && !j.isDead(q) && !marked {
			return out
		}
	}
	p.Still, p.Marks = true, nil
	e := ruled(trace.RulePaused, j.rank.Proc(), j.s.Epoch)
	if p.Move > 0 && !p.Moves {
		return append(out, e, j.tell(&Message{Kind: Still, Move: p.Move}))
	}
	data, sent, received := j.image()
	s, word := p.Snap, trace.SnapTaken
	if p.Move > 0 {
		s, word = SnapID{Seq: p.Move}, trace.SnapImage
	} else {
		j.s.Last = p.Snap
		if j.covers() {
			j.s.Marks = append(j.s.Marks,
				mark{Snap: p.Snap, Sent: sent, Received: received, Clean: true})
		}
	}
	t := snapped(word, s, j.rank.Proc(), core.Digest(data))
	t.Sent, t.Received = sent, received
	return append(out, e, t, core.SendTo(j.s.Daemon, &Message{Kind: Save, Epoch: j.s.Epoch,
		Snap: p.Snap, Move: p.Move, Life: j.s.Life, Ranks: []core.Rank{j.rank}, Data: data}))
}

// resume ends a pause, or lets a rank go that was launched.
func (j *job) resume(m *Message, out []core.Effect) []core.Effect {
	j.rewire(m)
	p := &j.s.Pause
	if m.Move > 0 {
		j.s.Over.Move = max(j.s.Over.Move, m.Move)
	} else if m.Snap.Compare(j.s.Over.Snap) > 0 {
		j.s.Over.Snap = m.Snap
	}
	j.s.Early = slices.DeleteFunc(slices.Clone(j.s.Early), func(e early) bool {
		return j.s.Over.over(e.Snap, e.Move)
	})
	stopped := j.stopped()
	episode := m.Snap.None() && m.Move == 0
	if j.s.Waits {
		j.s.Waits = false
		out = append(out, core.Effect{Kind: core.Declare, What: trace.Recovered})
	}
	if episode || p.Snap == m.Snap && p.Move == m.Move {
		*p = standstill{}
	}
	if stopped && !j.stopped() {
		j.s.Asked = false
		out = append(out, ruled(trace.RuleContinued, j.rank.Proc(), j.s.Epoch))
	}
	return out
}

// image is everything that the rank needs to go on from here in another life.
type image struct {
	_       struct{} `cbor:",toarray"`
	Program []byte
	Dead    []core.Rank
	In      [][]core.Payload
	Parts   [][]core.Payload
	Out     []uint32
	Got     []uint32
	Over    finished
	Beside  *beside
}

// beside is what a rank that moves takes along with its image. Who goes back to a snapshot needs
// none of it: what it had sent before is received everywhere, and what it sends again it keeps
// again. Which snapshots may cover its outputs is left behind: the news of them may have come to
// the body that was left, so who waits asks for a new one.
type beside struct {
	_     struct{} `cbor:",toarray"`
	Log   [][]logged
	Last  SnapID
	Dirty bool
}

// image is the present state, with its position. All channels are empty.
func (j *job) image() (data []byte, sent, received uint32) {
	program := j.app.Image()
	sent, received = j.app.Position(program)
	s := &j.s
	i := image{Program: program, Dead: s.Dead, In: s.In, Parts: s.Parts, Out: s.Out, Got: s.Got,
		Over: s.Over}
	if s.Pause.Move > 0 {
		i.Over.Move = s.Pause.Move // the other body goes on behind this pause
		i.Beside = &beside{Log: s.Log, Last: s.Last, Dirty: s.Dirty}
	} else {
		i.Over.Snap = s.Pause.Snap
	}
	return core.Encode(&i), sent, received
}

// launchKey is the key of the record with which a daemon starts a rank.
const launchKey = "launch"

// launch is that record. Without Data it is the initial state of the program.
type launch struct {
	_     struct{} `cbor:",toarray"`
	Epoch uint32
	Snap  SnapID
	Move  uint32
	Data  []byte
}

// launched begins another life, and waits. That it runs from its image is for the judge, whatever
// the bytes are; those that can not be read end it.
func (j *job) launched(in *core.Input, out []core.Effect) []core.Effect {
	j.s = j.blank()
	s := &j.s
	s.Life, s.Daemon, s.Waits = in.Incarnation, in.From, true
	s.Lives[j.rank] = s.Life
	var l launch
	if err := core.Decode(in.Records[0].Value, &l); err != nil {
		panic("invariant: a daemon launches with a record of its own: " + err.Error())
	}
	s.Epoch, s.Last = l.Epoch, l.Snap
	err := j.load(l.Data)
	id, word := l.Snap, trace.SnapRestored
	if l.Move > 0 {
		id, word = SnapID{Seq: l.Move}, trace.SnapMoved
	}
	digest := core.Digest(l.Data)
	e := snapped(word, id, j.rank.Proc(), digest)
	e.Stamp.Round = uint64(l.Epoch)
	e.Sent, e.Received = j.app.Position(j.app.Image())
	out = append(out, e)
	if err != nil {
		s.Halted = true
		return append(out, core.Halted(err.Error()))
	}
	for _, r := range s.Dead { // it was told before the image was taken
		out = append(out, ruled(trace.RuleSustained, r.Proc(), l.Epoch))
	}
	return append(out, j.tell(&Message{Kind: Restored, Snap: l.Snap, Move: l.Move,
		Digest: digest}))
}

// load takes over an image; an empty one is the initial state.
func (j *job) load(data []byte) (err error) {
	if len(data) == 0 {
		return nil
	}
	var i image
	if err := core.Decode(data, &i); err != nil {
		return err
	}
	if len(i.In) != len(j.s.In) || len(i.Parts) != len(j.s.Parts) || len(i.Out) != j.ranks ||
		len(i.Got) != j.ranks {
		return fmt.Errorf("errmgr: an image of %d ranks, want %d", len(i.In), j.ranks)
	}
	defer func() {
		if what := recover(); what != nil { // of the program, which trusts its bytes
			err = fmt.Errorf("errmgr: %v", what)
		}
	}()
	j.app.Load(i.Program)
	s := &j.s
	s.Dead, s.In, s.Parts, s.Out, s.Got, s.Over = i.Dead, i.In, i.Parts, i.Out, i.Got, i.Over
	if b := i.Beside; b != nil && len(b.Log) == j.ranks {
		s.Log, s.Last, s.Dirty = b.Log, b.Last, b.Dirty
	}
	return nil
}
