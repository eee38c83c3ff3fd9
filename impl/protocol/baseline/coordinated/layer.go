package coordinated

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// Message is a message of a program, or a notice about a checkpoint.
type Message = link.Message[snapshot.Notice, *snapshot.Notice]

// saving is the checkpoint of everybody.
type saving = snapshot.State[image, link.Data]

// state is a rank's layer. Channels are saved in images.
type state struct {
	_        struct{}         `cbor:",toarray"`
	Life     core.Incarnation `json:"life"`
	Channels link.Channels    `json:"channels"`
	Saving   saving           `json:"saving"`
	Asked    uint32           `json:"asked"` // the checkpoint that an output has asked for
	Line     uint64           `json:"line"`  // digest of the program's image in the line
	Late     []core.Rank      `json:"late"`  // CO1: to whom a marker is to be sent
}

// layer is the protocol at one rank.
type layer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state

	sendlog.Keeper         // nothing is logged, so what is sent is the program's alone
	sending        Message // the message of a send, valid until the next step
}

func (l *layer) State() any { return &l.s }

// Ready implements core.Layer (C2).
func (l *layer) Ready(core.Rank) bool {
	if l.has(CO3) && l.s.Saving.Image != nil {
		return true // Deviation: CO3 sends when its own image is taken
	}
	return l.style != snapshot.Blocking || !l.s.Saving.Taking
}

// Sources implements core.Layer: receives wait for an output that may leave, because a posted one
// that completes before it, when all have gone back to the line, would make it another output.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	if l.shown() && !l.has(CO10) { // Deviation: CO10
		return buf
	}
	return l.s.Channels.Sources(buf)
}

// shown reports whether the program is at an output of a state that the line holds.
func (l *layer) shown() bool {
	return l.app.At() == core.OpOutput && l.s.Line == core.Digest(l.app.Image())
}

// Holds implements core.Holder: an output waits until the line holds the state that it shows (C5).
// States are compared, and not positions: an output right behind another one has sent and received
// as much, and posted receives may complete while the program waits.
func (l *layer) Holds(op core.OpKind) bool {
	if l.has(CO9) {
		return false // Deviation: CO9 lets outputs go at once
	}
	return op == core.OpOutput && !l.shown()
}

// Held implements core.Prompted: a rank that waits at an output asks for one checkpoint after
// another, until one holds it (C5). The one under way may.
func (l *layer) Held(_ core.OpKind, out []core.Effect) []core.Effect {
	next := l.s.Saving.Committed + 1
	if l.s.Saving.Taking || l.s.Asked == next {
		return out
	}
	l.s.Asked = next
	return l.notices(l.s.Saving.Request(l, out), len(out))
}

// Step implements core.Layer.
func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	switch in.Kind {
	case core.Start:
		l.begin()
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
		return l.notices(l.s.Saving.Request(l, out), first)
	case core.Persisted:
		return l.notices(l.persisted(in.Key, out), first)
	case core.Received:
		m := in.Message.(*Message)
		if m.Control == nil {
			return l.arrive(core.Rank(in.From), &m.Data, out)
		}
		out = l.s.Saving.Received(l, core.Rank(in.From), *m.Control, out)
		return l.notices(l.early(*m.Control, out), first)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// begin is the state of a rank that has done nothing: the initial state is the first line.
func (l *layer) begin() {
	l.s = state{Channels: link.New(len(l.members)), Line: core.Digest(l.app.Image())}
}

// send gives a message its number and lets it go.
func (l *layer) send(in core.Input, out []core.Effect) []core.Effect {
	d := &l.sending.Data
	*d = link.Data{Life: l.s.Life, Payload: in.Payload}
	l.s.Channels.Number(nil, in.To, d, false)
	out, e := core.Add(out, core.SendMessage)
	e.To, e.Message = in.To.Proc(), &l.sending
	for _, q := range l.s.Late { // Deviation: CO1
		out = append(out, core.SendTo(q.Proc(), l.Notice(snapshot.Notice{Kind: snapshot.Marker,
			Number: l.s.Saving.Committed + 1, Life: l.s.Life})))
	}
	l.s.Late = nil
	return out
}

// arrive takes a message of a program from the network, unless its life was undone (C4).
func (l *layer) arrive(from core.Rank, d *link.Data, out []core.Effect) []core.Effect {
	if d.Life != l.s.Life && !l.has(CO7) { // Deviation: CO7
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "of another life"))
	}
	if !l.s.Channels.Accept(from, d) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "a duplicate"))
	}
	l.s.Saving.Record(l, from, *d)
	return out
}

// Holding implements core.Recycler: an image under way holds what was on its way at the line.
func (l *layer) Holding() bool { return l.s.Saving.Taking }

// Release implements core.Recycler: there is no log.
func (l *layer) Release() {}
