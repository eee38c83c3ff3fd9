package epochs

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// entry is one message that its sender keeps: not acknowledged (nonAck), or logged.
type entry struct {
	_     struct{}  `cbor:",toarray"`
	Data  link.Data `json:"data"`
	Epoch uint32    `json:"epoch"` // in which it was received, 0: not acknowledged
}

// Number implements sendlog.Numbered.
func (e *entry) Number() uint64 { return uint64(e.Data.Number) }

// Content implements sendlog.Entry.
func (e *entry) Content() *core.Payload { return &e.Data.Payload }

// messageLog is what is kept for one receiver, ascending dates.
type messageLog = sendlog.Log[entry, *entry]

// reception names a message that was received: RPP, with the epoch.
type reception struct {
	_     struct{} `cbor:",toarray"`
	Date  uint32   `json:"date"`
	Phase uint32   `json:"phase"`
	Epoch uint32   `json:"epoch"` // of the receiver
}

// peer is what a rank keeps about one other rank, beside the channel. Log, Received and SPE are
// part of images.
type peer struct {
	_        struct{}    `cbor:",toarray"`
	Log      messageLog  `json:"log"`
	Received []reception `json:"received"` // of it, ascending dates
	SPE      uint32      `json:"spe"`      // see mark
	// of the log, what has a date in (Again, Upto] waits for its phase to be sent again
	Again uint32 `json:"again"`
	Upto  uint32 `json:"upto"`
	// it has the next messages already, received in these epochs: orphans
	Orphans []uint32 `json:"orphans"`
	// at the line of this rank: the dates of the last messages to and from it
	LineSent  uint32 `json:"lineSent"`
	LineTaken uint32 `json:"lineTaken"`
}

// state is a rank's layer.
type state struct {
	_           struct{}         `cbor:",toarray"`
	Epoch       uint32           `json:"epoch"`
	Phase       uint32           `json:"phase"`
	Channels    link.Channels    `json:"channels"`
	Peers       []peer           `json:"peers"`
	Incarnation core.Incarnation `json:"incarnation"`
	Round       core.Incarnation `json:"round"`
	Frontier    uint32           `json:"frontier"` // sends up to this phase may leave
	Frozen      bool             `json:"frozen"`   // takes part in no run of the program
	Fresh       bool             `json:"fresh"`    // has restarted, and not resumed since
	Unjoined    bool             `json:"unjoined"` // has restarted, and is in no round
	Owes        bool             `json:"owes"`     // a report, when the image is stable
	Going       bool             `json:"going"`    // back, when that is durable
	Images      []mark           `json:"images"`   // stable, oldest first
	Last        uint32           `json:"last"`     // number of the last image that was begun
	Writing     *mark            `json:"writing"`  // the image that is not yet stable
	Wanted      bool             `json:"wanted"`   // another one, as soon as it may be
	Return      aim              `json:"return"`   // where it is going back to
	Failed      core.Rank        `json:"failed"`   // whose failure makes it
}

// layer is the protocol layer of one rank.
type layer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state
	sendlog.Keeper
	out core.Scratch[message]
}

func (l *layer) State() any { return &l.s }

// Ready implements core.Layer: a send waits while the rank is frozen, and for its phase.
func (l *layer) Ready(core.Rank) bool { return !l.s.Frozen && l.s.Phase <= l.s.Frontier }

// Sources implements core.Layer: deliveries wait for no phase.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	if l.s.Frozen {
		return buf
	}
	return l.s.Channels.Sources(buf)
}

// Holds implements core.Holder.
func (l *layer) Holds(core.OpKind) bool { return l.s.Frozen }

// Holding implements core.Recycler: what was delivered is nowhere here.
func (l *layer) Holding() bool { return false }

// Release implements core.Recycler.
func (l *layer) Release() {
	for q := range l.s.Peers {
		l.s.Peers[q].Log.Release(&l.Keeper)
	}
}

// reset is the state before anything has happened.
func (l *layer) reset() {
	l.s = state{Epoch: l.first(l.rank), Phase: 1, Frontier: infinite,
		Channels: link.Complete(l.ranks), Peers: make([]peer, l.ranks),
		Images: []mark{l.beginning(l.rank)}}
}

func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	l.out.Begin()
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in.To, in.Payload, out)
	case core.Receive:
		return l.deliver(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.checkpoint(out)
	case core.Persisted:
		return l.persisted(in.Key, out)
	case core.Received:
		return l.received(in.From, in.Message.(*message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// received dispatches a message.
func (l *layer) received(from core.Proc, m *message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case app:
		return l.arrive(core.Rank(from), &m.Data, out)
	case ack:
		return l.acknowledged(core.Rank(from), m, out)
	case begin:
		return l.join(m, out)
	case back:
		return l.goBack(m, out)
	case resume:
		return l.resume(m, out)
	case opens:
		return l.open(m, out)
	case onwards:
		return l.commit(m.Number, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no handler"))
}

// send executes a send of the program. It leaves, and its sender keeps it until the receiver has
// said in which epoch it was received; one that the receiver has had since before a failure, an
// orphan, does not leave: the epoch is known, and the recovery process is told.
func (l *layer) send(to core.Rank, payload core.Payload, out []core.Effect) []core.Effect {
	p := &l.s.Peers[to]
	d := link.Data{Life: l.s.Round, Index: l.s.Epoch, Phase: l.s.Phase, Payload: payload}
	l.s.Channels.Number(nil, to, &d, false)
	if len(p.Orphans) > 0 {
		epoch := core.Pop(&p.Orphans)
		if !l.has(EP10) { // Deviation: EP10 takes what need not leave for what need not be kept
			if l.logs(d.Index, epoch) {
				p.Log.Append(&l.Keeper, entry{Data: d, Epoch: epoch})
				out = append(out, core.Logged(payload.ID, to.Proc(), 0))
			} else {
				p.SPE = max(p.SPE, epoch)
			}
		}
		if !l.has(EP6) {
			return append(out, core.SendTo(l.recoveryProcess(), l.out.New(message{Kind: orphan,
				Round: l.s.Round, To: to, Number: d.Number, Phase: d.Phase})))
		}
		// Deviation: EP6 sends it again, and the recovery process waits
	} else {
		p.Log.Append(&l.Keeper, entry{Data: d})
	}
	return append(out, core.SendTo(to.Proc(), l.out.New(message{Kind: app, Data: d})))
}

// logs is the idea: what was sent in a smaller epoch than it was received in stays with its sender.
func (l *layer) logs(sent, received uint32) bool {
	if l.has(EP3) {
		return sent > received // Deviation: EP3 compares the other way round
	}
	return sent < received
}

// arrive takes a message from the network. What was sent before the present round is dropped: its
// sender has it, or will send it again.
func (l *layer) arrive(from core.Rank, d *link.Data, out []core.Effect) []core.Effect {
	// Deviation: EP11 takes what is still on its way
	if (d.Life != l.s.Round || l.s.Unjoined) && !l.has(EP11) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "of another round"))
	}
	if !l.s.Channels.Accept(from, d) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "date already received"))
	}
	if l.has(EP16) { // Deviation: EP16 acknowledges what has only arrived
		return l.acknowledge(from, d.Number, out)
	}
	return out
}

// deliver hands the next message of a rank to the program, and tells the sender in which epoch.
func (l *layer) deliver(from core.Rank, out []core.Effect) []core.Effect {
	d := l.s.Channels.Take(from)
	l.s.Phase = max(l.s.Phase, d.Phase+l.raise(&d))
	p := &l.s.Peers[from]
	p.Received = append(p.Received, reception{Date: d.Number, Phase: d.Phase, Epoch: l.s.Epoch})
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload = from.Proc(), d.Payload
	e.Stamp.Date, e.Stamp.Phase = uint64(d.Number), uint64(d.Phase)
	if l.has(EP16) {
		return out
	}
	return l.acknowledge(from, d.Number, out)
}

// raise is by how much a message raises the phase of who receives it above its own.
func (l *layer) raise(d *link.Data) uint32 {
	logged := d.Index < l.s.Epoch
	if l.rule == safe || logged == (l.rule == ifLogged) {
		return 1
	}
	return 0
}

// acknowledge says in which epoch a message was received, and what of the channel no recovery needs
// any more.
func (l *layer) acknowledge(from core.Rank, date uint32, out []core.Effect) []core.Effect {
	p := &l.s.Peers[from]
	return append(out, core.SendTo(from.Proc(), l.out.New(message{Kind: ack, Number: date,
		Epoch: l.s.Epoch, Round: l.s.Round, Sent: p.LineSent, Taken: p.LineTaken})))
}

// acknowledged decides what becomes of a message that was received: it is logged, or it goes and
// its epoch is noted. One of another round is of a reception that may be undone.
func (l *layer) acknowledged(from core.Rank, m *message, out []core.Effect) []core.Effect {
	// Deviation: EP15 believes the dead
	if (m.Round != l.s.Round || l.s.Unjoined) && !l.has(EP15) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "of another round"))
	}
	p := &l.s.Peers[from]
	if e := sendlog.Find(p.Log, uint64(m.Number)); e != nil && e.Epoch == 0 {
		if l.logs(e.Data.Index, m.Epoch) {
			e.Epoch = m.Epoch
			out = append(out, core.Logged(e.Data.Payload.ID, from.Proc(), 0))
		} else {
			l.forget(p, m.Number)
			if !l.has(EP4) { // Deviation: EP4 does not note it
				p.SPE = max(p.SPE, m.Epoch)
			}
		}
	}
	if len(p.Log) > 0 && p.Log[0].Data.Number <= m.Taken {
		p.Log.Prune(&l.Keeper, func(e *entry) bool {
			if e.Data.Number > m.Taken {
				return false
			}
			if e.Epoch != 0 {
				out = append(out, core.Pruned(e.Data.Payload.ID, from.Proc()))
			}
			return true
		})
	}
	if len(p.Received) > 0 && p.Received[0].Date <= m.Sent {
		p.Received = slices.DeleteFunc(p.Received, func(r reception) bool {
			return r.Date <= m.Sent
		})
	}
	return out
}

// forget removes one message from what is kept for a receiver; it is among the last ones.
func (l *layer) forget(p *peer, date uint32) {
	for i := len(p.Log) - 1; i >= 0; i-- {
		if p.Log[i].Data.Number == date {
			l.Free(&p.Log[i].Data.Payload)
			p.Log = slices.Delete(p.Log, i, i+1)
			return
		}
	}
}
