package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// daemon is the runtime on one node: it starts and stops the ranks there, and keeps files.
//
// A rank that moves has a body on its new node before the old one is stopped. As long as it is not
// released it does nothing and nobody knows of it, so it is nothing but its image, which the daemon
// there holds: a process that has read it and waits would be in the same state after the same
// crashes.
type daemon struct {
	core.Service
	*config
	self core.Proc
	s    daemonState
}

// daemonState is the state of a daemon.
type daemonState struct {
	_       struct{}    `cbor:",toarray"`
	Epoch   uint32      `json:"epoch"`
	Aborted bool        `json:"aborted"` // the job is given up
	Drains  bool        `json:"drains"`  // the node is given up when nothing is read any more
	Hosts   []core.Rank `json:"hosts"`   // ranks that were started here and not stopped, ascending
	Stops   []stop      `json:"stops"`
	Starts  []start     `json:"starts"`
	Images  []carried   `json:"images"` // of ranks that move, to here or from here
	Moved   uint32      `json:"moved"`  // the last move that is over: what comes now is late
	Shelf   shelf       `json:"shelf"`
}

// stop is an order to stop ranks, which is answered when all have.
type stop struct {
	_      struct{}           `cbor:",toarray"`
	Answer Kind               `json:"answer"`
	Epoch  uint32             `json:"epoch"`
	Move   uint32             `json:"move"`
	Left   []core.Rank        `json:"left"`
	Ranks  []core.Rank        `json:"ranks"` // that have stopped
	Lives  []core.Incarnation `json:"lives"`
}

// carried is the image of a rank that moves. At the old node it waits for the order to carry it, or
// the order for it; at the new one it waits to be released.
type carried struct {
	_    struct{}    `cbor:",toarray"`
	Move uint32      `json:"move"`
	Rank core.Rank   `json:"rank"`
	To   []core.Proc `json:"to"` // the order, when it has come first
	Data []byte      `json:"data"`
}

// State implements core.Machine.
func (d *daemon) State() []any { return []any{&d.s} }

// Step implements core.Machine.
func (d *daemon) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		for r, p := range d.placement {
			if p == d.self {
				d.s.Hosts = append(d.s.Hosts, core.Rank(r))
			}
		}
	case core.Received:
		out = d.received(in.From, in.Message.(*Message).own(), out)
	case core.Persisted:
		if f := d.s.Shelf.written(in.Key); f != nil {
			out = d.written(f, out)
		}
	case core.Refused:
		if f := d.s.Shelf.written(in.Key); f != nil {
			out = d.failed(f, "no room", out)
		}
	case core.Loaded:
		out = d.loaded(&in, out)
	case core.Killed:
		out = d.killed(core.Rank(in.From), in.Incarnation, out)
	}
	return d.drained(out)
}

// received dispatches a message.
func (d *daemon) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	drop := func(why string) []core.Effect {
		return append(out, core.DropInput(from, core.MsgID{}, why))
	}
	if d.s.Aborted {
		return drop("the job is given up")
	}
	switch m.Kind {
	case Save:
		return d.save(m, out)
	case Put:
		return d.put(m, out)
	case Get:
		return d.s.Shelf.read(reading{Use: toAnswer, Snap: m.Snap, Rank: m.Ranks[0],
			To: []core.Proc{from}}, out)
	case Got:
		return d.got(from, m, out)
	}
	if !d.isHead(from) {
		return drop("neither of a holder nor of the head")
	}
	if m.Epoch < d.s.Epoch {
		return drop("of a former episode")
	}
	return d.ordered(m, out)
}

// ordered carries out what the head says.
func (d *daemon) ordered(m *Message, out []core.Effect) []core.Effect {
	if m.Epoch > d.s.Epoch {
		d.s.Epoch = m.Epoch
		d.s.Starts = nil // of an episode that has been overtaken
	}
	switch m.Kind {
	case Stabilise:
		return d.stabilise(m, out)
	case Fence:
		return d.stop(FenceAck, m, slices.Clone(d.s.Hosts), out)
	case Copy:
		return d.s.Shelf.read(reading{Use: toCopy, Snap: m.Snap, Rank: m.Ranks[0], To: m.Nodes},
			out)
	case Keep:
		return d.keep(m.Snap, out)
	case Void, DropFile:
		return d.s.Shelf.drop(d.self, m.Snap, out)
	case Restart:
		return d.restart(m, out)
	case Carry:
		return d.meet(carried{Move: m.Move, Rank: m.Ranks[0], To: m.Nodes}, out)
	case Release:
		return d.release(m, out)
	case Drop:
		d.forget(m.Move)
	case Drain:
		d.s.Drains = true
	case AbortAll:
		d.s.Aborted, d.s.Starts, d.s.Images = true, nil, nil
		return d.stop(AbortAck, m, slices.Clone(d.s.Hosts), out)
	default:
		return append(out, core.DropInput(d.head, core.MsgID{}, "nothing that a daemon knows"))
	}
	return out
}

// tell is a message to the head.
func (d *daemon) tell(m *Message) core.Effect {
	m.Epoch = d.s.Epoch
	return core.SendTo(d.head, m)
}

// save takes the image of a rank of this node: for a snapshot it goes to the store at once, or to
// the disk of the node; for a move it waits here.
func (d *daemon) save(m *Message, out []core.Effect) []core.Effect {
	r := m.Ranks[0]
	switch {
	case m.Move > 0:
		return d.meet(carried{Move: m.Move, Rank: r, Data: m.Data}, out)
	case d.Store == sstore.Central:
		return append(out, core.SendTo(d.store, &Message{Kind: Put, Epoch: m.Epoch, Snap: m.Snap,
			Ranks: m.Ranks, File: sstore.Describe(m.Data), Data: m.Data}))
	}
	return d.s.Shelf.put(stored{Snap: m.Snap, Rank: r, Own: true, Epoch: m.Epoch,
		File: sstore.Describe(m.Data)}, m.Data, out)
}

// put takes a file for a rank of another node, or the image of one that moves here.
func (d *daemon) put(m *Message, out []core.Effect) []core.Effect {
	r := m.Ranks[0]
	if m.Move == 0 {
		return d.s.Shelf.put(stored{Snap: m.Snap, Rank: r, Epoch: m.Epoch, File: m.File}, m.Data,
			out)
	}
	if m.Move <= d.s.Moved {
		return append(out, core.DropInput(r.Proc(), core.MsgID{}, "the move is over"))
	}
	answer := &Message{Kind: Carried, Move: m.Move, Ranks: m.Ranks, File: m.File}
	raw, err := m.File.Unpack(m.Data)
	if err != nil {
		answer.Missing, answer.Reason = true, err.Error()
		return append(out, d.tell(answer))
	}
	d.s.Images = append(d.s.Images, carried{Move: m.Move, Rank: r, Data: raw})
	return append(out, d.tell(answer))
}

// written goes on when a file is stable: it is read back.
func (d *daemon) written(f *stored, out []core.Effect) []core.Effect {
	if d.trusts(f) {
		f.Good = true
		return append(out, d.tell(&Message{Kind: CopyDone, Snap: f.Snap, Ranks: []core.Rank{f.Rank},
			File: f.File}))
	}
	return d.s.Shelf.read(reading{Use: toCheck, Snap: f.Snap, Rank: f.Rank}, out)
}

// failed says that a file could not be written, or is not what was written.
func (d *daemon) failed(f *stored, why string, out []core.Effect) []core.Effect {
	m := &Message{Kind: LocalDone, Snap: f.Snap, Ranks: []core.Rank{f.Rank}, Missing: true,
		Reason: why}
	if !f.Own {
		m.Kind = CopyDone
	}
	i := d.s.Shelf.find(f.Snap, f.Move, f.Rank)
	return append(d.s.Shelf.remove(i, out), d.tell(m))
}

// loaded goes on with a file that was read.
func (d *daemon) loaded(in *core.Input, out []core.Effect) []core.Effect {
	r, data, whole, waited := d.s.Shelf.loaded(in)
	if !waited {
		return out
	}
	switch r.Use {
	case toCheck:
		return d.checked(&r, data, whole, out)
	case toCopy:
		return d.copied(&r, data, whole, out)
	case toStart:
		return d.tried(d.self, r.Rank, data, whole, out)
	}
	return append(out, core.SendTo(r.To[0], &Message{Kind: Got, Epoch: d.s.Epoch, Snap: r.Snap,
		Ranks: []core.Rank{r.Rank}, Data: data, Missing: !whole}))
}

// checked says whether a file has been written well.
func (d *daemon) checked(r *reading, data []byte, whole bool, out []core.Effect) []core.Effect {
	f, raw, why := d.s.Shelf.stood(r, data, whole)
	switch {
	case f == nil:
		return out // it was deleted meanwhile
	case why != "":
		return d.failed(f, why, out)
	}
	f.Good = true
	m := &Message{Kind: LocalDone, Snap: f.Snap, Ranks: []core.Rank{f.Rank}, File: f.File}
	word := trace.SnapLocal
	if !f.Own {
		m.Kind, word = CopyDone, trace.SnapCopied
	}
	return append(out, snapped(word, f.Snap, f.Rank.Proc(), core.Digest(raw)), d.tell(m))
}

// copied sends a file to those who are to keep it, packed: the files of all ranks of the node have
// been written by now, and the program goes on meanwhile. The token is for this.
func (d *daemon) copied(r *reading, data []byte, whole bool, out []core.Effect) []core.Effect {
	f, raw, why := d.s.Shelf.stood(r, data, whole)
	ranks := []core.Rank{r.Rank}
	if why != "" {
		return append(out, d.tell(&Message{Kind: CopyDone, Snap: r.Snap, Ranks: ranks,
			Missing: true, Reason: why}))
	}
	file := f.File
	if f.Own {
		data, file = sstore.Pack(d.Codec, raw)
	}
	for _, to := range r.To {
		out = append(out, core.SendTo(to, &Message{Kind: Put, Epoch: d.s.Epoch, Snap: r.Snap,
			Ranks: ranks, File: file, Data: data}))
	}
	return out
}

// keep is the news that a snapshot is established: what the cache has no room for may go, but
// nothing newer. Where the files of nodes are the replicas, they stay until they are retired.
func (d *daemon) keep(s SnapID, out []core.Effect) []core.Effect {
	if d.Store != sstore.Stage {
		return out
	}
	var rank core.Rank
	newer := 0
	for i := len(d.s.Shelf.Files) - 1; i >= 0; i-- {
		f := d.s.Shelf.Files[i]
		if f.Rank != rank {
			rank, newer = f.Rank, 0
		}
		if newer++; newer > d.Cache && f.Snap.Compare(s) < 0 || d.Cache == 0 && f.Snap == s {
			out = d.s.Shelf.remove(i, out)
			out = append(out, snapped(trace.SnapEvicted, f.Snap, f.Rank.Proc(), 0))
		}
	}
	return out
}

// drained answers that nothing is going on here any more.
func (d *daemon) drained(out []core.Effect) []core.Effect {
	if !d.s.Drains || len(d.s.Shelf.Reads)+len(d.s.Stops)+len(d.s.Starts) > 0 {
		return out
	}
	d.s.Drains = false
	return append(out, d.tell(&Message{Kind: DrainAck}))
}
