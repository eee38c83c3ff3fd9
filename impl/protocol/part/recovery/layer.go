package recovery

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// Config is what a protocol says; it is shared by the procs of one setup and never changes.
type Config struct {
	Ranks int
	// Mates are the members of the group of each rank, itself included, ascending; nil: each is
	// alone.
	Mates [][]core.Rank
	// Wiring is the channels inside of groups that are marked; nil: all.
	Wiring *snapshot.Wiring
	Rule   Rule
	Errors core.Switches
	// Wants reports whether a message is delivered only behind an image that is yet to be taken;
	// nil: none is.
	Wants func(s *State, from core.Rank, d *link.Data) bool
	// Stamp is the integer that a message carries.
	Stamp func(s *State) uint32
	// Index is that of an image that is taken, for messages with indices up to the highest or,
	// where that is 0, for its own sake.
	Index func(s *State, highest uint32) uint32
	// NoLog: messages that are on their way are lost in a recovery, and the line has none.
	NoLog bool
	// Blocks: nothing is sent or received while an image is being written.
	Blocks bool
	// After is an error of such protocols: a message is delivered, and then the image is taken.
	After bool
}

func (c *Config) has(e core.Switch) bool { return c.Errors.Has(e) }

// process is the proc of the recovery process.
func (c *Config) process() core.Proc { return core.Proc(c.Ranks) }

// phase is what a rank is about.
type phase uint8

const (
	running phase = iota
	frozen        // in a round or, restarted, in none yet
	leaving       // where it goes back to is being written
)

// State is what a rank keeps. Channels, Vector and Index are saved in images.
type State struct {
	_        struct{}         `cbor:",toarray"`
	Life     core.Incarnation `json:"life"`
	Round    Round            `json:"round"`
	Phase    phase            `json:"phase"`
	Lost     bool             `json:"lost"` // it has restarted, and done nothing since
	Owes     bool             `json:"owes"` // a report, when the image under way is stable
	Cause    core.Proc        `json:"cause"`
	Target   uint32           `json:"target"`  // leaving: the image to go back to
	Number   uint32           `json:"number"`  // of the last image, stable or not or void
	Writing  *Image           `json:"writing"` // the image under way
	Images   []Image          `json:"images"`  // stable and not void, ascending
	Channels link.Channels    `json:"channels"`
	Vector   link.Numbers     `json:"vector"`
	Index    uint32           `json:"index"`
	// by rank, the highest index of what had arrived when the last image was taken; nothing was
	// sent since
	Cleared link.Numbers `json:"cleared"`
	Late    uint32       `json:"late"` // with After, the index of an image that is yet to be taken
	// in a group
	Group group `json:"group"`
}

// Layer is one rank: it takes images alone, and takes part in recoveries.
type Layer struct {
	*Config
	rank core.Rank
	app  core.Application
	s    State
	sendlog.Keeper
	sending Message // of the program, valid until the next step
}

// NewLayer makes the layer of a rank.
func NewLayer(c *Config, rank core.Rank, app core.Application) *Layer {
	return &Layer{Config: c, rank: rank, app: app}
}

// NewProcess makes the recovery process, which is the proc behind the ranks.
func NewProcess(c *Config) core.Machine { return &process{Config: c} }

// State implements core.Layer.
func (l *Layer) State() any { return &l.s }

// Ready implements core.Layer: who takes part in a round sends nothing, and to others than its
// mates nobody does while an image is being written.
func (l *Layer) Ready(to core.Rank) bool {
	return l.s.Phase == running && (l.mate(to) || !l.Blocks || !l.taking())
}

// Holds implements core.Holder: who takes part in a round does nothing, and one image is under way
// at a time.
func (l *Layer) Holds(op core.OpKind) bool {
	return l.s.Phase != running || op == core.OpCheckpoint && l.taking()
}

// Sources implements core.Layer: a message waits for the image that it wants, until that is stable.
func (l *Layer) Sources(buf []core.Rank) []core.Rank {
	if l.s.Phase != running {
		return buf
	}
	held := l.Blocks && l.taking()
	for i := range l.s.Channels {
		from := l.s.Channels[i].Rank
		d := l.s.Channels.Next(from)
		if d != nil && (l.mate(from) || !held && !l.wants(from, d)) {
			buf = append(buf, from)
		}
	}
	return buf
}

func (l *Layer) wants(from core.Rank, d *link.Data) bool {
	return l.Wants != nil && !l.After && l.Wants(&l.s, from, d)
}

// Step implements core.Layer.
func (l *Layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(&in, out)
	case core.Receive:
		return l.deliver(core.Rank(in.From), out)
	case core.Checkpoint:
		if l.s.Phase != running || l.taking() {
			return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "not now"))
		}
		return l.image(trace.ImageBasic, 0, out)
	case core.Persisted:
		return l.persisted(in.Key, out)
	case core.Tick:
		return l.late(out)
	case core.Received:
		m := in.Message.(*Message)
		if m.Control == nil {
			return l.arrive(core.Rank(in.From), &m.Data, out)
		}
		return l.received(in.From, m.Control, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// reset puts the layer into the state of a rank that has done nothing.
func (l *Layer) reset() {
	b := l.beginning()
	l.s = State{Channels: link.New(l.Ranks), Vector: slices.Clone(b.Vector),
		Cleared: link.NewNumbers(l.Ranks), Images: []Image{b}}
}

// send numbers a message of the program, keeps it, and lets it go. Inside a group nothing is kept:
// its members go back together, and its images have what is on its way.
func (l *Layer) send(in *core.Input, out []core.Effect) []core.Effect {
	d, inside := &l.sending.Data, l.mate(in.To)
	*d = link.Data{Life: l.s.Round, Payload: in.Payload}
	if inside && !l.has(InsideRounds) { // Deviation: InsideRounds tells them apart by rounds
		d.Life = l.s.Group.Base
	}
	if !inside {
		d.Index = l.Stamp(&l.s)
	}
	l.s.Channels.Number(&l.Keeper, in.To, d, !l.NoLog && !inside)
	var e *core.Effect
	if !l.NoLog && !inside {
		out, e = core.Add(out, core.Declare)
		e.What, e.ID, e.To = trace.Logged, in.Payload.ID, in.To.Proc()
	}
	out, e = core.Add(out, core.SendMessage)
	e.To, e.Message = in.To.Proc(), &l.sending
	if inside {
		return out
	}
	l.s.Cleared.Clear()
	return l.force(out)
}

// arrive takes a message of this round in, and one of a mate if the group has not gone back since.
// Who sends again has numbers of the line, so anything else is of a life that the line does not
// hold, or comes again.
func (l *Layer) arrive(from core.Rank, d *link.Data, out []core.Effect) []core.Effect {
	life := l.s.Round
	if l.mate(from) {
		if l.s.Lost {
			return l.early(from, &Message{Data: *d}, d.Life, out)
		}
		if !l.has(InsideRounds) {
			life = l.s.Group.Base
		}
	}
	if d.Life != life && !l.has(OldData) { // Deviation: OldData looks at numbers alone
		l.Free(&d.Payload)
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "of another round"))
	}
	if !l.s.Channels.Accept(from, d) {
		l.Free(&d.Payload)
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "here already"))
	}
	if l.mate(from) {
		l.s.Group.Saving.Record(l, from, *d)
		return out
	}
	return l.force(out)
}

// force takes an image that a message waits for. One that is being written may be too old for it:
// then the next one follows.
func (l *Layer) force(out []core.Effect) []core.Effect {
	if l.s.Phase != running || l.taking() || l.Wants == nil {
		return out
	}
	wanted, highest := false, uint32(0)
	for q := range l.s.Channels {
		ch := &l.s.Channels[q]
		for i := range ch.Arrived {
			if d := &ch.Arrived[i]; l.wants(ch.Rank, d) {
				wanted, highest = true, max(highest, d.Index)
			}
		}
	}
	if !wanted {
		return out
	}
	return l.image(trace.ImageForced, highest, out)
}

// deliver hands the next message of a rank to the program.
func (l *Layer) deliver(from core.Rank, out []core.Effect) []core.Effect {
	if l.After && l.Wants(&l.s, from, l.s.Channels.Next(from)) {
		l.s.Late = max(l.s.Late, l.s.Channels.Next(from).Index)
		out = append(out, core.Effect{Kind: core.SetTimer, Timer: lateTimer})
	}
	d := l.s.Channels.Take(from)
	l.s.Vector.Raise(from, d.Index)
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload, e.Stamp = from.Proc(), d.Payload, d.Stamp()
	return out
}

// lateTimer goes off behind a delivery.
const lateTimer = "late"

// late takes the image that a delivery before it has wanted, see Config.After.
func (l *Layer) late(out []core.Effect) []core.Effect {
	highest := l.s.Late
	if l.s.Late = 0; highest == 0 || l.s.Phase != running || l.taking() {
		return append(out, core.DropInput(l.rank.Proc(), core.MsgID{}, "not now"))
	}
	return l.image(trace.ImageForced, highest, out)
}

// Holding implements core.Recycler: an image is bytes of its own, but what was on its way inside a
// group is in the one under way.
func (l *Layer) Holding() bool { return l.s.Group.Saving.Taking }

// Release implements core.Recycler.
func (l *Layer) Release() { l.s.Channels.Release(&l.Keeper) }

// clear forgets what waits for the program: who has sent it sends it again, but mates.
func (l *Layer) clear() {
	for q := range l.s.Channels {
		ch := &l.s.Channels[q]
		if l.mate(ch.Rank) {
			continue
		}
		for i := range ch.Arrived {
			l.Free(&ch.Arrived[i].Payload)
		}
		ch.Arrived = nil
	}
}

// present is the present state, as an image would have it, with the program at its image.
func (l *Layer) present(app []byte) Image {
	i := Image{Number: l.number(), Index: l.s.Index, Vector: slices.Clone(l.s.Vector)}
	i.Sent, i.Taken = l.s.Channels.Numbers()
	i.Sends, i.Receives = l.app.Position(app)
	return i
}
