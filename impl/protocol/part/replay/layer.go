package replay

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// state is the layer of a rank. Place and Channels are saved in images.
type state struct {
	_        struct{}         `cbor:",toarray"`
	Life     core.Incarnation `json:"life"` // of the group
	Place    uint32           `json:"place"`
	Channels link.Channels    `json:"channels"`
	// determinants that this rank depends on and that are not known to be stable, in the order in
	// which they are written
	Unstable []link.Det `json:"unstable"`
	// by rank: place of its last determinant that is, or is being, written here
	Written link.Numbers `json:"written"`
	Replay  []link.Det   `json:"replay"`  // receptions that are still to be repeated
	Covered link.Numbers `json:"covered"` // by rank: number of its last message that the line holds
	Line    uint32       `json:"line"`    // place of the line
	Saving  saving       `json:"saving"`
}

// saving is the coordinated checkpoint of the group.
type saving = snapshot.State[image, link.Data]

// layer is the protocol layer of one rank.
type layer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state
	sendlog.Keeper
	sending Message // the message of a send, valid until the next step
}

// reset puts the layer into the state of a rank that has done nothing.
func (l *layer) reset(life core.Incarnation) {
	l.s = state{Life: life, Channels: link.New(l.ranks), Covered: link.NewNumbers(l.ranks)}
	if l.Gate == Border {
		l.s.Written = link.NewNumbers(l.ranks)
	}
}

func (l *layer) State() any { return &l.s }

func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset(0)
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.deliver(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.s.Saving.Request(l, out)
	case core.Persisted:
		return l.persisted(in.Key, out)
	case core.Received:
		return l.received(core.Rank(in.From), in.Message.(*Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// received dispatches a message.
func (l *layer) received(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	c := m.Control
	switch {
	case c == nil:
		return l.arrive(from, &m.Data, out)
	case c.Kind == Hello || c.Kind == Answer:
		return l.told(from, c, out)
	case c.Kind == Covered:
		return l.prune(from, c.Covered, out)
	}
	return l.s.Saving.Received(l, from,
		snapshot.Notice{Kind: snapshot.Kind(c.Kind), Number: c.Number, Life: c.Life}, out)
}

// Ready implements core.Layer: the gate, and inside the group the checkpoint, if that blocks.
func (l *layer) Ready(to core.Rank) bool {
	inside := l.same(l.rank, to)
	if inside && l.s.Saving.Blocks(l) {
		return false
	}
	return l.Gate == Border && inside || l.stable() || l.has(SendsAtOnce)
}

// stable reports whether everything that the rank depends on can be repeated.
func (l *layer) stable() bool {
	if l.has(LastUncounted) {
		return len(l.s.Unstable) <= 1
	}
	return len(l.s.Unstable) == 0
}

// Holds implements core.Holder: the outside world can not be rolled back.
func (l *layer) Holds(op core.OpKind) bool {
	return op == core.OpOutput && len(l.s.Unstable) > 0 && !l.has(OutputsAtOnce)
}

// Sources implements core.Layer: what was received before the failure first, in its order.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	s := &l.s
	if len(s.Replay) == 0 || l.has(ByArrival) {
		return s.Channels.Sources(buf)
	}
	next := &s.Replay[0]
	if next.Place == s.Place+1 {
		if s.Channels.Next(next.Sender) != nil {
			buf = append(buf, next.Sender)
		}
		return buf
	}
	// with InnerUnrecorded: what is not recorded came from the group
	return slices.DeleteFunc(s.Channels.Sources(buf), func(q core.Rank) bool {
		return !l.same(q, l.rank)
	})
}

// send executes a send of the program. Inside the group the message is regenerated when it is
// needed again; what leaves the group is logged.
func (l *layer) send(in core.Input, out []core.Effect) []core.Effect {
	d := &l.sending.Data
	*d = link.Data{Payload: in.Payload}
	inside := l.same(l.rank, in.To)
	if inside {
		d.Life = l.s.Life
		if l.Gate == Border {
			d.Dets = l.s.Unstable
		}
	}
	l.s.Channels.Number(&l.Keeper, in.To, d, !inside)
	var e *core.Effect
	if !inside {
		out, e = core.Add(out, core.Declare)
		e.What, e.ID, e.To = trace.Logged, in.Payload.ID, in.To.Proc()
	}
	out, e = core.Add(out, core.SendMessage)
	e.To, e.Message = in.To.Proc(), &l.sending
	return out
}

// arrive takes a message of a program from the network.
func (l *layer) arrive(from core.Rank, d *link.Data, out []core.Effect) []core.Effect {
	inside := l.same(l.rank, from)
	if inside && d.Life != l.s.Life {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID,
			"other incarnation of the group"))
	}
	if l.has(Doubles) {
		own := *d
		ch := l.s.Channels.Of(from)
		own.Number = ch.Taken + uint32(len(ch.Arrived)) + 1
		d = &own
	}
	if !l.s.Channels.Accept(from, d) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "received before"))
	}
	if inside {
		l.s.Saving.Record(l, from, bare(*d))
	}
	return out
}

// deliver hands the next message of a rank to the program, and records that it was this one.
func (l *layer) deliver(from core.Rank, out []core.Effect) []core.Effect {
	s := &l.s
	d := s.Channels.Take(from)
	s.Place++
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload, e.Stamp.Date = from.Proc(), d.Payload, uint64(d.Number)
	return l.record(from, &d, out)
}

// bare is a message without what it piggybacks.
func bare(d link.Data) link.Data {
	d.Dets = nil
	return d
}

// Holding implements core.Recycler: an image under way holds what was on its way to this rank.
func (l *layer) Holding() bool { return l.s.Saving.Taking }

// Release implements core.Recycler.
func (l *layer) Release() { l.s.Channels.Release(&l.Keeper) }
