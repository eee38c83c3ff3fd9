package kootoueg

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// mode is what a rank is at, beside checkpoints.
type mode uint8

// The modes.
const (
	running    mode = iota
	doubtful        // restarted, at an image of which only its root knows whether it counts
	recovering      // restarted, until all others have answered
	prepared        // lives, and will go back: nothing moves any more
	leaving         // prepared, and told to go
)

// peer is what is known of another rank.
type peer struct {
	_     struct{}         `cbor:",toarray"`
	Rank  core.Rank        `cbor:"-" json:"-"`
	Known bool             `json:"known"`
	Life  core.Incarnation `json:"life"` // the only one whose messages count
	Back  bool             `json:"back"` // that life has begun, and has said so
	Over  instance         `json:"over"` // the last checkpoint of it that has ended here
}

// About implements core.Ranked.
func (p *peer) About() *core.Rank { return &p.Rank }

// peers is what is known of others, by rank. Who is not there, with more ranks than core.Dense, is
// known in the first life and not in later ones: see layer.peer.
type peers = core.ByRank[peer, *peer]

// point is an image, without the image.
type point struct {
	_        struct{}     `cbor:",toarray"`
	Number   uint32       `json:"number"` // 0 is the initial state
	Of       instance     `json:"of"`
	Sent     link.Numbers `json:"sent"`  // messages to each rank, the labels of [KT]
	Taken    link.Numbers `json:"taken"` // messages of each rank
	Position [2]uint32    `json:"position"`
	Digest   uint64       `json:"digest"` // of the program's image
}

// asker is a rank whose Back is to be answered.
type asker struct {
	Rank     core.Rank        `json:"rank"`
	Life     core.Incarnation `json:"life"`
	Prepared bool             `json:"prepared"`
}

// deferred is a control message that waits until a checkpoint is decided.
type deferred struct {
	_       struct{} `cbor:",toarray"`
	From    core.Rank
	Control Control
}

// state is a rank's layer. Channels and Own are saved in images.
type state struct {
	_        struct{}         `cbor:",toarray"`
	Life     core.Incarnation `json:"life"`
	Mode     mode             `json:"mode"`
	Channels link.Channels    `json:"channels"`
	Peers    peers            `json:"peers"`
	Own      instance         `json:"own"`   // the last one of this root that was committed
	Last     uint32           `json:"last"`  // number of the last image
	Line     point            `json:"line"`  // the permanent image
	Tree     *tree            `json:"tree"`  // the checkpoint under way
	Voids    int              `json:"voids"` // records of images given up that are not stable
	Acks     []core.Rank      `json:"acks"`  // root: who has not said Done of Own
	Await    []core.Rank      `json:"await"`
	Named    []core.Rank      `json:"named"` // who is prepared below this rank
	Askers   []asker          `json:"askers"`
	Failed   core.Rank        `json:"failed"` // because of whom this rank is prepared
	Deferred []deferred       `json:"deferred"`
}

// layer is the protocol at one rank.
type layer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state

	sendlog.Keeper
	sending Message // the message of a send, valid until the next step
}

func (l *layer) State() any { return &l.s }

// Ready implements core.Layer: between a tentative image and the decision nothing is sent (K3).
func (l *layer) Ready(core.Rank) bool { return l.s.Mode == running && l.s.Tree == nil }

// Sources implements core.Layer: a tentative image does not keep anybody from receiving; an output
// that may leave does (K9).
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	if l.s.Mode != running || l.shown() && !l.has(KT10) { // Deviation: KT10
		return buf
	}
	return l.s.Channels.Sources(buf)
}

// shown reports whether the program is at an output of a state that the permanent image holds.
func (l *layer) shown() bool {
	return l.app.At() == core.OpOutput && l.s.Line.Digest == core.Digest(l.app.Image())
}

// Holds implements core.Holder: an output waits until the permanent image holds the state that it
// shows (K9), everything until a recovery is over.
func (l *layer) Holds(op core.OpKind) bool {
	if l.s.Mode != running {
		return true
	}
	return op == core.OpOutput && !l.shown()
}

// Held implements core.Prompted: a rank that waits at an output begins one checkpoint after
// another, until one holds it.
func (l *layer) Held(op core.OpKind, out []core.Effect) []core.Effect {
	if op != core.OpOutput || !l.idle() {
		return out
	}
	if l.has(KT3) && l.peer(l.rank).Over != l.s.Own {
		return out // Deviation: KT3 has been refused
	}
	return l.checkpoint(out)
}

// idle reports whether this rank may be the root of a checkpoint now.
func (l *layer) idle() bool {
	return l.s.Mode == running && l.s.Tree == nil && len(l.s.Acks) == 0
}

// Step implements core.Layer.
func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.begin()
		for q := range l.s.Peers {
			l.s.Peers[q].Known = true
		}
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		d := l.s.Channels.Take(core.Rank(in.From))
		out, e := core.Add(out, core.Deliver)
		e.From, e.Payload, e.Stamp = in.From, d.Payload, d.Stamp()
		return out
	case core.Checkpoint:
		if !l.idle() {
			return append(out, core.DropInput(l.rank.Proc(), core.MsgID{},
				"a checkpoint or a recovery is under way"))
		}
		return l.checkpoint(out)
	case core.Persisted:
		return l.persisted(in.Key, out)
	case core.Received:
		m := in.Message.(*Message)
		if m.Control == nil {
			return l.arrive(core.Rank(in.From), &m.Data, out)
		}
		return l.control(core.Rank(in.From), *m.Control, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// begin is the state of a rank that has done nothing: the initial state is a permanent image.
func (l *layer) begin() {
	l.s = state{Channels: link.New(l.ranks), Peers: core.NewByRank[peer](l.ranks)}
	l.s.Line = l.point(l.app.Image())
}

// peer is what is known of a rank, until the next call. Those of the first lives know each other
// from the start.
func (l *layer) peer(q core.Rank) *peer {
	p := l.s.Peers.Find(q)
	if p == nil {
		p = l.s.Peers.At(q)
		p.Known = l.s.Life == 0
	}
	return p
}

// send gives a message its number, logs it, and lets it go.
func (l *layer) send(in core.Input, out []core.Effect) []core.Effect {
	d := &l.sending.Data
	*d = link.Data{Life: l.s.Life, Payload: in.Payload}
	l.s.Channels.Number(&l.Keeper, in.To, d, true)
	out = append(out, core.Logged(in.Payload.ID, in.To.Proc(), 0))
	out, e := core.Add(out, core.SendMessage)
	e.To, e.Message = in.To.Proc(), &l.sending
	return out
}

// arrive takes a message of a program from the network, if it is of the life of its sender that
// counts (K6).
func (l *layer) arrive(from core.Rank, d *link.Data, out []core.Effect) []core.Effect {
	p := l.peer(from)
	if (!p.Known || d.Life != p.Life) && !l.has(KT5) { // Deviation: KT5
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "of another life"))
	}
	if !l.s.Channels.Accept(from, d) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "a duplicate"))
	}
	return out
}

// resend sends a rank again what it lacks.
func (l *layer) resend(to core.Rank, taken uint32, out []core.Effect) []core.Effect {
	if l.has(KT4) {
		return out // Deviation: KT4 leaves it to nobody
	}
	for _, e := range l.s.Channels.After(to, taken) {
		d := e.Data
		d.Life = l.s.Life
		out = append(out, core.SendTo(to.Proc(), &Message{Data: d}))
	}
	return out
}

// others are all other ranks.
func (l *layer) others() (list []core.Rank) {
	for q := range core.Rank(l.ranks) {
		if q != l.rank {
			list = append(list, q)
		}
	}
	return list
}

// control handles a control message, or keeps it until what it depends on is decided.
func (l *layer) control(from core.Rank, c Control, out []core.Effect) []core.Effect {
	if t := l.s.Tree; t != nil && t.Writing {
		return l.later(from, c, out) // what the decision is nobody knows before it is durable
	}
	switch c.Kind {
	case Request:
		return l.requested(from, c, out)
	case Answer:
		return l.answered(from, c, out)
	case Decision:
		return l.decided(from, c, out)
	case Ask:
		return l.asked(from, c, out)
	case Done:
		if c.Of == l.s.Own {
			l.s.Acks = without(l.s.Acks, from)
			return out
		}
	case Covered:
		return l.s.Channels.Prune(&l.Keeper, from, c.Taken, out)
	case Back:
		return l.back(from, c, out)
	case Ready:
		return l.ready(from, c, out)
	case Rollback:
		return l.rollback(from, out)
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{}, "not of this life"))
}

// later keeps a control message.
func (l *layer) later(from core.Rank, c Control, out []core.Effect) []core.Effect {
	l.s.Deferred = append(l.s.Deferred, deferred{From: from, Control: c})
	return out
}

// drain handles what was kept; some of it may have to wait again.
func (l *layer) drain(out []core.Effect) []core.Effect {
	list := l.s.Deferred
	l.s.Deferred = nil
	for _, d := range list {
		out = l.control(d.From, d.Control, out)
	}
	return out
}

// without is the ascending list without a rank. Ranks answer about in their order, so mostly that
// is the first one, and nothing moves.
func without(list []core.Rank, r core.Rank) []core.Rank {
	switch i, found := slices.BinarySearch(list, r); {
	case !found:
		return list
	case i == 0:
		return list[1:]
	default:
		return slices.Delete(list, i, i+1)
	}
}

// contains reports whether a rank is in the ascending list.
func contains(list []core.Rank, r core.Rank) bool {
	_, found := slices.BinarySearch(list, r)
	return found
}

// with is the ascending list and more ranks.
func with(list []core.Rank, more ...core.Rank) []core.Rank {
	for _, r := range more {
		if i, found := slices.BinarySearch(list, r); !found {
			list = slices.Insert(list, i, r)
		}
	}
	return list
}

// Holding implements core.Recycler: images are bytes as soon as they are taken.
func (l *layer) Holding() bool { return false }

// Release implements core.Recycler.
func (l *layer) Release() { l.s.Channels.Release(&l.Keeper) }
