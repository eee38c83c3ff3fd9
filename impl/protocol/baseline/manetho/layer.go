package manetho

import (
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// state is everything that a rank keeps.
type state struct {
	_        struct{}           `cbor:",toarray"`
	Life     core.Incarnation   `json:"life"`
	RSN      uint32             `json:"rsn"`      // receptions
	Channels link.Channels      `json:"channels"` // by rank
	Dets     [][]entry          `json:"dets"`     // by receiver, ascending places
	Told     [][]told           `json:"told"`     // by rank, ascending numbers: not confirmed yet
	Stable   []uint32           `json:"stable"`   // receptions of each rank that are, at least
	Lines    []uint32           `json:"lines"`    // receptions in the recovery line of each rank
	Covered  []uint32           `json:"covered"`  // messages of each rank in ours
	Lives    []core.Incarnation `json:"lives"`    // newest life of each rank that is known
	Met      []core.Incarnation `json:"met"`      // life of each rank that we have spoken with
	Heard    []core.Incarnation `json:"heard"`    // life to which the log was sent again

	Recovering bool   `json:"recovering"`
	Collecting bool   `json:"collecting"` // the program waits for determinants
	Round      uint32 `json:"round"`      // of the collection
	Answered   ranks  `json:"answered"`
	Resent     ranks  `json:"resent"` // have the log of before our failure

	Store  stored                           `json:"store"`
	Saving snapshot.State[image, link.Data] `json:"saving"`
}

// layer is the protocol layer of one rank.
type layer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state
	data
}

// data is what a layer needs beside its state to work without allocation.
type data struct {
	sendlog.Keeper
	scratch core.Scratch[Message]
	room    []link.Det // what the messages of this step carry
	// by rank and receiver: so many determinants, from the first, need not go there any more
	settled [][]int
}

// Holding implements core.Recycler: an image under way holds what was on its way in the team.
func (l *layer) Holding() bool { return l.s.Saving.Taking }

// Release implements core.Recycler.
func (l *layer) Release() { l.s.Channels.Release(&l.Keeper) }

// keeper gets the bytes that leave the log, unless an image refers to them.
func (l *layer) keeper() *sendlog.Keeper {
	if l.s.Saving.Taking {
		return nil
	}
	return &l.Keeper
}

// State implements core.Layer.
func (l *layer) State() any { return &l.s }

// reset puts the layer into the state of a rank that has done nothing.
func (l *layer) reset(life core.Incarnation) {
	n := l.ranks
	l.s = state{Life: life, Channels: link.Complete(n), Dets: make([][]entry, n),
		Told: make([][]told, n), Stable: make([]uint32, n), Lines: make([]uint32, n),
		Covered: make([]uint32, n), Lives: make([]core.Incarnation, n),
		Met: make([]core.Incarnation, n), Heard: make([]core.Incarnation, n),
		Store: stored{First: 1}}
	for _, q := range l.members[l.rank] {
		l.s.Lives[q], l.s.Met[q] = life, life // mates restart together
	}
}

// begin comes at the beginning of a step.
func (l *layer) begin() {
	l.scratch.Begin()
	l.room = l.room[:0]
	if l.settled == nil {
		l.settled = make([][]int, l.ranks)
		for q := range l.settled {
			l.settled[q] = make([]int, l.ranks)
		}
	}
}

// Ready implements core.Layer.
func (l *layer) Ready(core.Rank) bool { return !l.s.Collecting }

// Holds implements core.Holder. With the store, an output waits until everything that is known here
// is stable.
func (l *layer) Holds(op core.OpKind) bool {
	return l.s.Collecting ||
		op == core.OpOutput && (l.s.Store.Writing || len(l.s.Store.Waiting) > 0)
}

// Sources implements core.Layer: while receptions are known they are repeated, each at its place.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	if l.s.Collecting || len(l.s.Dets) == 0 { // it has not started
		return buf
	}
	// Deviation: MN7 receives what has arrived
	if d := l.own(l.s.RSN + 1); d != nil && !l.has(MN7) {
		if next := l.s.Channels.Next(d.Sender); next != nil && next.Number == d.Number {
			buf = append(buf, d.Sender)
		}
		return buf
	}
	if l.s.RSN < l.last() && !l.has(MN7) {
		return buf
	}
	return l.s.Channels.Sources(buf)
}

// others are all ranks but this one.
func (l *layer) others() []core.Rank {
	list := make([]core.Rank, 0, l.ranks)
	for q := range core.Rank(l.ranks) {
		if q != l.rank {
			list = append(list, q)
		}
	}
	return list
}

func say(c control) *Message { return &Message{Link: link.Message[control, *control]{Control: &c}} }

// Step implements core.Layer.
func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	l.begin()
	out = l.step(&in, out)
	if l.keep == store && !l.s.Collecting {
		out = l.flush(out)
	}
	return out
}

func (l *layer) step(in *core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset(0)
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.receive(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.checkpoint(out)
	case core.Persisted:
		if strings.HasPrefix(in.Key, storeKey) {
			return l.written(in.Key, out)
		}
		return l.persisted(in.Key, out)
	case core.Received:
		m := in.Message.(*Message)
		if m.Link.Control != nil {
			return l.control(core.Rank(in.From), m.Link.Control, out)
		}
		return l.arrive(core.Rank(in.From), m, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// send executes a send of the program. What stays in the team is not logged: its sender fails with
// its receiver, and sends it again.
func (l *layer) send(in *core.Input, out []core.Effect) []core.Effect {
	d := link.Data{Payload: in.Payload}
	if !l.alone() { // otherwise nobody has a determinant to put it into
		d.Index = l.s.RSN
	}
	outside := !l.mates(l.rank, in.To)
	l.s.Channels.Number(&l.Keeper, in.To, &d, outside)
	if outside {
		out = append(out, core.Logged(in.Payload.ID, in.To.Proc(), 0))
	}
	return l.transmit(in.To, d, out)
}

// transmit puts a message on the network. What it carries is chosen now, also for one of the log:
// who receives it must hold what it depends on, and may have lost what it held when the message
// was sent first.
func (l *layer) transmit(to core.Rank, d link.Data, out []core.Effect) []core.Effect {
	d.Life, d.Phase = l.s.Life, l.tells(to)
	d.Dets = l.piggyback(to, d.Number)
	return append(out, core.SendTo(to.Proc(),
		l.scratch.New(Message{Link: link.Message[control, *control]{Data: d}, To: l.s.Met[to]})))
}

// dead is the reason to drop what a former life has sent: that may depend on receptions that
// nobody knows of any more. A rank that had it before it heard of the failure has told which.
const dead = "sent by a dead life"

// arrive takes a message of a program from the network. One that was sent to a former life is
// dropped, its sender sends it again: 1. b sends c two messages, the second one with what is new
// since the first, 2. b and c fail, and the second one waits for c's next life, 3. c tells b of its
// second reception, and nobody knows the first.
func (l *layer) arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	d := &m.Link.Data
	if m.To != l.s.Life && !l.has(MN13) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "sent to a former life"))
	}
	if d.Life < l.s.Lives[from] && (!l.has(MN10) || l.mates(l.rank, from)) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, dead))
	}
	for i := range d.Dets {
		out = l.learn(&d.Dets[i], only(from), out)
	}
	l.heard(from, d.Phase)
	own := *d
	own.Dets = nil
	if !l.s.Channels.Accept(from, &own) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "received already"))
	}
	if l.mates(l.rank, from) {
		l.s.Saving.Record(l, from, own)
	}
	return out
}

// receive hands the next message of a rank to the program, and records its place.
func (l *layer) receive(from core.Rank, out []core.Effect) []core.Effect {
	d := l.s.Channels.Take(from)
	l.s.RSN++
	out = append(out, core.Effect{Kind: core.Deliver, From: from.Proc(), Payload: d.Payload,
		Stamp: core.Stamp{Date: uint64(d.Index)}})
	// Deviation: MN11 takes what mates send for regenerated in the same order
	if !l.alone() && (!l.has(MN11) || !l.mates(l.rank, from)) {
		out = l.learn(&link.Det{Receiver: l.rank, Place: l.s.RSN, Sender: from, Number: d.Number,
			ID: d.Payload.ID, Past: d.Index}, 0, out)
	}
	return l.complete(out)
}

// checkpoint begins one of the team.
func (l *layer) checkpoint(out []core.Effect) []core.Effect {
	out = l.s.Saving.Request(l, out)
	if l.has(MN4) && l.s.Saving.Image != nil {
		// Deviation: MN4 tells the others before the image is the line
		for _, q := range l.others() {
			lines := make([]uint32, l.ranks)
			lines[l.rank] = l.s.RSN
			out = append(out, core.SendTo(q.Proc(), say(control{Kind: covered, Life: l.s.Life,
				Lines: lines, Taken: l.s.Channels[q].Taken})))
		}
	}
	return out
}

// control dispatches a control message.
func (l *layer) control(from core.Rank, c *control, out []core.Effect) []core.Effect {
	switch c.Kind {
	case request:
		return l.answer(from, c, out)
	case answer:
		return l.answered(from, c, out)
	case covered:
		return l.forget(from, c, out)
	case notice:
		return l.s.Saving.Received(l, from, c.Notice, out)
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{}, "no handler"))
}
