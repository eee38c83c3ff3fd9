package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// start is a rank that is to be started from a snapshot, the bytes of which are being fetched: who
// has them is asked in order, always for the same snapshot.
type start struct {
	_       struct{}    `cbor:",toarray"`
	Rank    core.Rank   `json:"rank"`
	Snap    SnapID      `json:"snap"`
	File    File        `json:"file"`
	Sources []core.Proc `json:"sources"` // to be asked, the first one now
	Failed  []core.Proc `json:"failed"`
}

// stabilise stops the ranks that are declared failed, for they may run, and copies nothing any
// more: what is half copied must not be complete when somebody has looked.
func (d *daemon) stabilise(m *Message, out []core.Effect) []core.Effect {
	s := &d.s.Shelf
	s.Reads = slices.DeleteFunc(slices.Clone(s.Reads), func(r reading) bool {
		return r.Use == toCopy || r.Use == toStart
	})
	var here []core.Rank
	for _, r := range d.s.Hosts {
		// Deviation: A3, who is declared failed is taken for dead
		if slices.Contains(m.Ranks, r) && !d.has(A3) {
			here = append(here, r)
		}
	}
	return d.stop(StableAck, m, here, out)
}

// stop stops ranks, and answers when they have. A rank that is being stopped is not stopped again:
// it could be the next life that the second order finds.
func (d *daemon) stop(answer Kind, m *Message, ranks []core.Rank,
	out []core.Effect) []core.Effect {
	for _, r := range ranks {
		if !slices.ContainsFunc(d.s.Stops, func(s stop) bool {
			return slices.Contains(s.Left, r)
		}) {
			out = append(out, core.Effect{Kind: core.Kill, To: r.Proc()})
		}
	}
	d.s.Stops = append(d.s.Stops, stop{Answer: answer, Epoch: d.s.Epoch, Move: m.Move, Left: ranks})
	return d.stopped(out)
}

// killed is the news that a rank is stopped.
func (d *daemon) killed(r core.Rank, life core.Incarnation, out []core.Effect) []core.Effect {
	is := func(q core.Rank) bool { return q == r }
	d.s.Hosts = slices.DeleteFunc(slices.Clone(d.s.Hosts), is)
	d.s.Stops = slices.Clone(d.s.Stops)
	for i := range d.s.Stops {
		s := &d.s.Stops[i]
		if slices.Contains(s.Left, r) {
			s.Left = slices.DeleteFunc(slices.Clone(s.Left), is)
			s.Ranks, s.Lives = append(s.Ranks, r), append(s.Lives, life)
		}
	}
	return d.stopped(out)
}

// stopped answers the orders of which all ranks have stopped. Nobody waits for the answer to one of
// an episode that was overtaken.
func (d *daemon) stopped(out []core.Effect) []core.Effect {
	d.s.Stops = slices.DeleteFunc(slices.Clone(d.s.Stops), func(s stop) bool {
		if len(s.Left) > 0 {
			return false
		}
		if s.Epoch == d.s.Epoch {
			out = append(out, d.tell(&Message{Kind: s.Answer, Move: s.Move, Ranks: s.Ranks,
				Lives: s.Lives}))
		}
		return true
	})
	return out
}

// restart starts a rank from a snapshot, or from the beginning if there is none.
func (d *daemon) restart(m *Message, out []core.Effect) []core.Effect {
	r := m.Ranks[0]
	if m.Snap.None() {
		return d.launch(r, launch{Epoch: d.s.Epoch}, out)
	}
	t := start{Rank: r, Snap: m.Snap, File: m.File, Sources: m.Sources}
	d.s.Starts = slices.DeleteFunc(slices.Clone(d.s.Starts), func(t start) bool {
		return t.Rank == r
	})
	d.s.Starts = append(d.s.Starts, t)
	return d.next(r, out)
}

// next asks the next source for the file of a rank; without one the rank can not be started.
func (d *daemon) next(r core.Rank, out []core.Effect) []core.Effect {
	i := slices.IndexFunc(d.s.Starts, func(t start) bool { return t.Rank == r })
	t := d.s.Starts[i]
	switch {
	case len(t.Sources) == 0:
		return d.giveUp(i, out)
	case t.Sources[0] != d.self:
		return append(out, core.SendTo(t.Sources[0], &Message{Kind: Get, Epoch: d.s.Epoch,
			Snap: t.Snap, Ranks: []core.Rank{r}}))
	}
	return d.s.Shelf.read(reading{Use: toStart, Snap: t.Snap, Rank: r}, out)
}

// giveUp says that a rank can not be started from the snapshot: nobody has its file.
func (d *daemon) giveUp(i int, out []core.Effect) []core.Effect {
	t := d.s.Starts[i]
	// Deviation: W9, an older file of the rank will do
	if older := d.older(&t); d.has(W9) && !older.None() {
		j := d.s.Shelf.find(older, 0, t.Rank)
		d.s.Starts[i].Snap, d.s.Starts[i].File = older, d.s.Shelf.Files[j].File
		d.s.Starts[i].Sources = []core.Proc{d.self}
		return d.next(t.Rank, out)
	}
	d.s.Starts = slices.Delete(slices.Clone(d.s.Starts), i, i+1)
	return append(out, d.tell(&Message{Kind: RestartNak, Snap: t.Snap, Ranks: []core.Rank{t.Rank},
		Sources: t.Failed, Reason: "no source has a good file"}))
}

// older is the newest snapshot before the one of a start of which a file of the rank is here.
func (d *daemon) older(t *start) (s SnapID) {
	for _, f := range d.s.Shelf.Files {
		if f.Rank == t.Rank && f.Own && f.Good && f.Snap.Compare(t.Snap) < 0 {
			s = f.Snap
		}
	}
	return s
}

// got is the answer of a source.
func (d *daemon) got(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	return d.tried(from, m.Ranks[0], m.Data, !m.Missing, out)
}

// tried starts a rank from the bytes that a source has given, if they are those that the head
// named, and asks the next source otherwise.
func (d *daemon) tried(from core.Proc, r core.Rank, data []byte, whole bool,
	out []core.Effect) []core.Effect {
	i := slices.IndexFunc(d.s.Starts, func(t start) bool { return t.Rank == r })
	if i < 0 || len(d.s.Starts[i].Sources) == 0 || d.s.Starts[i].Sources[0] != from {
		return append(out, core.DropInput(from, core.MsgID{}, "nobody waits for it"))
	}
	t := d.s.Starts[i]
	raw, err := opened(&t.File, data)
	if d.has(W7) && from == d.self { // Deviation: W7, the cache is believed
		raw, err = data, nil
	}
	if whole && err == nil {
		d.s.Starts = slices.Delete(slices.Clone(d.s.Starts), i, i+1)
		return d.launch(r, launch{Epoch: d.s.Epoch, Snap: t.Snap, Data: raw}, out)
	}
	d.s.Starts = slices.Clone(d.s.Starts)
	d.s.Starts[i].Failed = append(slices.Clone(t.Failed), from)
	d.s.Starts[i].Sources = slices.Clone(t.Sources[1:])
	return d.next(r, out)
}

// launch starts a rank here.
func (d *daemon) launch(r core.Rank, l launch, out []core.Effect) []core.Effect {
	i, found := slices.BinarySearch(d.s.Hosts, r)
	if !found {
		d.s.Hosts = slices.Insert(slices.Clone(d.s.Hosts), i, r)
	}
	return append(out, core.Effect{Kind: core.Launch, To: r.Proc(), Key: launchKey,
		Value: core.Encode(&l)}, ruled(trace.RuleReleased, r.Proc(), d.s.Epoch))
}

// meet hands the image of a rank that moves to its new node, by the store if that is the way, when
// both are here: the image, of the rank, and the order, of the head.
func (d *daemon) meet(c carried, out []core.Effect) []core.Effect {
	if c.Move <= d.s.Moved {
		return append(out, core.DropInput(c.Rank.Proc(), core.MsgID{}, "the move is over"))
	}
	i := d.image(c.Move, c.Rank)
	if i < 0 {
		d.s.Images = append(d.s.Images, c)
		return out
	}
	if c.To == nil {
		c.To = d.s.Images[i].To
	} else {
		c.Data = d.s.Images[i].Data
	}
	d.s.Images = slices.Delete(slices.Clone(d.s.Images), i, i+1)
	m := &Message{Kind: Put, Epoch: d.s.Epoch, Move: c.Move, Ranks: []core.Rank{c.Rank},
		File: sstore.Describe(c.Data), Data: c.Data}
	if d.Direct {
		return append(out, core.SendTo(c.To[0], m))
	}
	m.Data, m.File = sstore.Pack(d.Codec, c.Data)
	m.Nodes = c.To
	return append(out, core.SendTo(d.store, m))
}

// image is the place of the image of a rank that moves, -1 if it is not here.
func (d *daemon) image(move uint32, r core.Rank) int {
	return slices.IndexFunc(d.s.Images, func(c carried) bool {
		return c.Move == move && c.Rank == r
	})
}

// forget lets go of the images of a move that is over.
func (d *daemon) forget(move uint32) {
	d.s.Moved = max(d.s.Moved, move)
	d.s.Images = slices.DeleteFunc(slices.Clone(d.s.Images), func(c carried) bool {
		return c.Move == move
	})
}

// release makes a move final: the old bodies of the ranks are stopped, or the new ones started.
func (d *daemon) release(m *Message, out []core.Effect) []core.Effect {
	if m.Missing {
		d.forget(m.Move)
		return d.stop(ReleaseAck, m, slices.Clone(m.Ranks), out)
	}
	for _, r := range m.Ranks {
		i := d.image(m.Move, r)
		if i < 0 {
			return append(out, core.DropInput(d.head, core.MsgID{}, "the image is not here"))
		}
		out = d.launch(r, launch{Epoch: d.s.Epoch, Move: m.Move, Data: d.s.Images[i].Data}, out)
		// no other: each mover has a message of its own, and two may come to one node
		d.s.Images = slices.Delete(slices.Clone(d.s.Images), i, i+1)
	}
	d.s.Moved = max(d.s.Moved, m.Move)
	return out
}
