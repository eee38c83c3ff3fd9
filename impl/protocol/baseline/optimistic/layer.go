package optimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// Data is a message of a program.
type Data = link.Data

// reception is one entry of the reception log: as record, what a restart needs to repeat it; in
// memory, which of the messages that have arrived comes next.
type reception struct {
	_           struct{}  `cbor:",toarray"`
	Incarnation uint32    `json:"incarnation"`
	Interval    uint32    `json:"interval"` // that it begins
	From        core.Rank `json:"from"`
	// the message, without its payload where the sender restarts together with the receiver, and
	// sends it again
	Data link.Data `json:"data"`
}

// held is a message of an incarnation that has not been announced yet.
type held struct {
	_    struct{}  `cbor:",toarray"`
	From core.Rank `json:"from"`
	Data link.Data `json:"data"`
}

// peer is what a rank keeps about one other rank beside the channel.
type peer struct {
	_       struct{} `cbor:",toarray"`
	Stable  uint32   `json:"stable"`  // its intervals up to this are known to be stable
	Asked   uint32   `json:"asked"`   // the interval of it that we have asked about
	Wants   uint32   `json:"wants"`   // the interval of ours that it has asked about
	Covered uint32   `json:"covered"` // number of its last message in our line
}

// mode is what a rank does now.
type mode uint8

const (
	blank mode = iota // before its first step
	running
	joining  // restarted; not all members of its unit have, as far as it knows
	starting // the end of the last incarnation is being made durable
	leaving  // what it knows is being made durable, then it goes back
)

// state is a rank's layer. Channels and Vector are saved in images, the rest is volatile, and what
// is needed of it comes back from records or from others.
type state struct {
	_        struct{}           `cbor:",toarray"`
	Mode     mode               `json:"mode"`
	Channels link.Channels      `json:"channels"` // by rank
	Vector   Vector             `json:"vector"`   // the present state depends on
	Ends     Ends               `json:"ends"`
	Peers    []peer             `json:"peers"`  // by rank
	Held     []held             `json:"held"`   // in the order in which they came
	Replay   []reception        `json:"replay"` // to be repeated, without messages
	Logged   []reception        `json:"logged"` // records that there are, without messages
	Stable   uint32             `json:"stable"` // own intervals up to this are stable
	Writing  int                `json:"writing"`
	Back     bool               `json:"back"`   // it restarted because of an orphan in its log
	Failed   core.Rank          `json:"failed"` // why it goes back
	Lives    []core.Incarnation `json:"lives"`  // of the members of the unit, as far as is known
	Tails    []tail             `json:"tails"`  // joining: what the members can repeat
	// joining: the image of the last line that this rank knows of, and the one behind it
	Image  *image   `json:"image"`
	Next   *image   `json:"next"`
	Line   position `json:"line"` // where the program is in the line
	Saving saving   `json:"saving"`
	// where there is one unit: the digest of the program in the line, and the checkpoint that an
	// output has asked for
	Shown     uint64 `json:"shown"`
	Requested uint32 `json:"requested"`
	Imaged    bool   `json:"imaged"` // the image under way is stable
}

// position is how far a program has come.
type position struct {
	_        struct{} `cbor:",toarray"`
	Sent     uint32   `json:"sent"`
	Received uint32   `json:"received"`
}

// saving is the checkpoint of a unit.
type saving = snapshot.State[image, link.Data]

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

// Ready implements core.Layer: nothing holds a send but a recovery of the rank itself.
func (l *layer) Ready(core.Rank) bool { return l.s.Mode == running }

// Sources implements core.Layer: while receptions are repeated the next one is the only choice.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	switch {
	case l.s.Mode != running:
		return buf
	case len(l.s.Replay) == 0:
		return l.s.Channels.Sources(buf)
	case l.s.Channels.Next(l.s.Replay[0].From) != nil:
		return append(buf, l.s.Replay[0].From)
	}
	return buf
}

// Holds implements core.Holder: a rank that recovers does nothing, and an output waits until
// nothing that it depends on can be undone.
func (l *layer) Holds(op core.OpKind) bool {
	if l.s.Mode != running || op != core.OpOutput {
		return l.s.Mode != running
	}
	if l.alone() {
		return l.s.Shown != core.Digest(l.app.Image())
	}
	return !l.settled(l.s.Vector)
}

// Held implements core.Prompted: an output that waits asks for what it waits for: others, or, where
// nothing is logged, one checkpoint after another, until one holds the state that it shows.
func (l *layer) Held(_ core.OpKind, out []core.Effect) []core.Effect {
	switch next := l.s.Saving.Committed + 1; {
	case l.s.Mode != running:
		return out
	case !l.alone():
		return l.ask(l.s.Vector, out)
	case l.s.Saving.Taking || l.s.Requested == next:
		return out
	default:
		l.s.Requested = next
		return l.s.Saving.Request(l, out)
	}
}

// Step implements core.Layer.
func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.deliver(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.checkpoint(out)
	case core.Persisted:
		return l.persisted(in.Key, out)
	case core.Received:
		m := in.Message.(*Message)
		if m.Control == nil {
			return l.arrive(core.Rank(in.From), &m.Data, out)
		}
		return l.told(core.Rank(in.From), m.Control, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// told dispatches a control message.
func (l *layer) told(from core.Rank, c *Control, out []core.Effect) []core.Effect {
	switch c.Kind {
	case Announce, Tell:
		return l.announced(from, c, out)
	case Ask:
		return l.asked(from, c, out)
	case Stable:
		return l.stable(from, c, out)
	case Covered:
		return l.covered(from, c.Line, out)
	case Join:
		return l.joined(from, c, out)
	}
	if l.s.Mode != running {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "no checkpoint: it recovers"))
	}
	return l.s.Saving.Received(l, from, snapshot.Notice{Kind: snapshot.Kind(c.Kind - SaveRequest),
		Number: c.Number, Life: c.Life}, out)
}

// reset is the state of a rank that has done nothing.
func (l *layer) reset() {
	l.s = state{Mode: running, Channels: link.Complete(l.ranks),
		Vector: make(Vector, 2*l.ranks),
		Ends:   make(Ends, l.ranks), Peers: make([]peer, l.ranks),
		Lives: make([]core.Incarnation, len(l.mates()))}
	if l.alone() {
		l.s.Shown = core.Digest(l.app.Image())
	}
}

// incarnation is the present one, of the whole unit.
func (l *layer) incarnation() uint32 { return uint32(len(l.s.Ends[l.rank])) }

// outside are the ranks of other units.
func (l *layer) outside() (list []core.Rank) {
	for q := range core.Rank(l.ranks) {
		if !slices.Contains(l.mates(), q) {
			list = append(list, q)
		}
	}
	return list
}

// mates are the ranks of the unit, this one included.
func (l *layer) mates() []core.Rank { return l.members[l.units[l.rank]] }

// inside reports whether a rank is of the same unit.
func (l *layer) inside(q core.Rank) bool { return l.units[q] == l.units[l.rank] }
