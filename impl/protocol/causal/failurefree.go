package causal

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/spec/trace"
)

// Entry is one message, in the log of its sender or in the queue of its receiver.
type Entry struct {
	_      struct{}         `cbor:",toarray"`
	Kind   Kind             `json:"kind"` // App, Multicast or Contribution
	To     core.Rank        `json:"to"`   // log: destination; queue: unused
	From   core.Rank        `json:"from"` // queue: whose message
	SSN    SSN              `json:"ssn"`
	Group  core.Group       `json:"group,omitempty"`
	Number uint32           `json:"number,omitempty"` // of a multicast in its group, of a round
	Life   core.Incarnation `json:"life,omitempty"`   // multicast: of its root
	Past   uint32           `json:"past"`
	// checkpoints that the sender had reached; what is complete or kept at the root of a reduction:
	// images that do not include it
	Epoch   uint32       `json:"epoch"`
	Dets    []Det        `json:"dets"`
	Payload core.Payload `json:"payload"`
	// released: only the determinants are needed, by the receiver after a failure
	Bare bool `json:"bare,omitempty"`
}

// Content implements sendlog.Entry.
func (e *Entry) Content() *core.Payload { return &e.Payload }

// MessageLog is what a rank has sent.
type MessageLog = sendlog.Log[Entry, *Entry]

// Message is the entry on the network.
func (l *Layer) message(e *Entry, to core.Rank) *Message {
	if e.Bare {
		return l.scratch.New(Message{Kind: Holding, Inc: l.S.Inc, To: l.Life(to), Dets: e.Dets})
	}
	origin := l.Rank
	if e.Kind == Multicast {
		origin = e.From
	}
	return l.scratch.New(Message{Kind: e.Kind, Inc: l.S.Inc, To: l.Life(to), SSN: e.SSN,
		Past: e.Past, Dets: e.Dets, Payload: e.Payload,
		Group: e.Group, Number: e.Number, Origin: origin, For: e.Life, Round: e.Epoch})
}

// Fresh is a message for this step, in the place of one that an earlier step has sent.
func (l *Layer) Fresh(m Message) *Message { return l.scratch.New(m) }

// Transmit puts an entry on the network, from its sender.
func (l *Layer) Transmit(e *Entry, to core.Rank, out []core.Effect) []core.Effect {
	return append(out, core.SendTo(to.Proc(), l.message(e, to)))
}

// Log stores an entry in the order of the sends and declares the copy ([CAMEL] Alg. 1 l. 7). Its
// bytes are the program's.
func (l *Layer) Log(e Entry, out []core.Effect) []core.Effect {
	return l.log(e, &l.Keeper, out)
}

// LogOwn is Log of bytes that are the layer's already.
func (l *Layer) LogOwn(e Entry, out []core.Effect) []core.Effect {
	return l.log(e, &l.none, out)
}

func (l *Layer) log(e Entry, k *sendlog.Keeper, out []core.Effect) []core.Effect {
	if l.Has(S12) {
		e.Dets = nil // Deviation: S12 stores the message without its determinants
	}
	l.S.Log.Append(k, e)
	if e.Kind == App {
		return append(out, core.Logged(e.Payload.ID, e.To.Proc(), 0), core.Kept(e.Item(l.Rank)))
	}
	if e.Kind == Contribution && !l.extension.Stays(e.Group) {
		return append(out, core.Kept(e.Item(l.Rank)))
	}
	return append(out, core.KeptPayload(e.Item(l.Rank), e.Payload))
}

// IsMuted reports whether a rank is recovering, so that what is sent to it waits for the replay.
func (l *Layer) IsMuted(to core.Rank) bool { return l.S.Muted.has(to) }

// Piggyback are the determinants that must travel on the next message.
func (l *Layer) Piggyback() []Det { return l.piggyback() }

// Item is a message of a log as something that its rank keeps for others.
func (e *Entry) Item(self core.Rank) trace.Item {
	switch e.Kind {
	case Multicast:
		return trace.Item{Sort: trace.Copy, ID: e.Payload.ID, Peer: self.Proc()}
	case Contribution:
		return trace.Item{Sort: trace.Part, ID: e.Payload.ID, Peer: e.To.Proc(), Number: e.Number}
	}
	return trace.Item{Sort: trace.Copy, ID: e.Payload.ID, Peer: e.To.Proc()}
}

// send executes a send of the program ([CAMEL] Alg. 1 l. 1-9). To a rank that is recovering it goes
// into the log alone: a message that overtakes the replay would be received out of order.
func (l *Layer) send(in core.Input, out []core.Effect) []core.Effect {
	l.S.SSN++
	e := Entry{Kind: App, To: in.To, SSN: l.S.SSN, Past: l.S.Deliveries, Epoch: l.S.Saving.Wanted,
		Dets: l.piggyback(), Payload: in.Payload}
	out = l.Log(e, out)
	// Deviation: S4 sends at once, without naming the life that is addressed
	if l.S.Muted.has(in.To) && !l.Has(S4) {
		return out
	}
	return l.Transmit(&e, in.To, out)
}

// Dead is the reason for which Refuse drops what a former life sent.
const Dead = "sent by a dead life"

// Delivered reports whether a message has been delivered, as far as determinants tell.
func (l *Layer) Delivered(e *Entry) bool {
	known := l.recorded(e)
	return known != 0 && known <= l.S.RSN
}

// Refuse gives the reason for which a message is dropped before it is looked at, or "".
func (l *Layer) Refuse(from core.Rank, m *Message) string {
	// Deviation: S2 takes part before the determinants are here, in whatever arrives
	old := l.Has(S2) && l.S.Collecting
	if m.To != l.S.Inc && !l.Has(S4) && !old {
		return "addressed to another life" // the log of its sender has it
	}
	if m.Inc < l.Life(from) {
		return Dead
	}
	return ""
}

// arrive takes an application message from the network ([CAMEL] Alg. 1 l. 10-16).
func (l *Layer) arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if reason := l.Refuse(from, m); reason != "" {
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, reason))
	}
	l.Hear(from, m.Inc)
	c := l.channel(from)
	if m.SSN <= c.Last || slices.ContainsFunc(c.Arrived, func(e Entry) bool {
		return e.SSN == m.SSN
	}) {
		if !l.Has(S15) { // Deviation: S15 drops a duplicate with what it carries
			out = l.Accept(from, m.Dets, out)
		}
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, "received already"))
	}
	if l.Has(S10) && l.early(from, m) { // Deviation: S10 drops what is not yet its turn
		return append(out, core.DropInput(from.Proc(), m.Payload.ID, "out of order"))
	}
	out = l.Accept(from, m.Dets, out)
	c.Arrived = append(c.Arrived, Entry{Kind: App, From: from, SSN: m.SSN, Past: m.Past,
		Epoch: m.Round, Payload: m.Payload})
	return l.settle(out)
}

// Accept stores the determinants of a message and acknowledges them to whom sent it ([CAMEL] Alg. 1
// l. 15-16).
func (l *Layer) Accept(from core.Rank, dets []Det, out []core.Effect) []core.Effect {
	if len(dets) == 0 {
		return out
	}
	out = l.store(dets, from, out)
	return append(out, core.SendTo(from.Proc(),
		l.scratch.New(Message{Kind: Ack, Inc: l.S.Inc, To: l.Life(from), Dets: l.named(dets)})))
}

// identities are the determinants without their holders.
func identities(dets []Det) []Det {
	list := slices.Clone(dets)
	for i := range list {
		list[i].Holders = 0
	}
	return list
}

// acknowledged notes who holds determinants.
func (l *Layer) acknowledged(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.To != l.S.Inc || m.Inc < l.Life(from) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"acknowledgement of another life"))
	}
	l.held(m.Dets, from)
	return out
}

// Turn reports whether the message may be delivered next: the recorded one while receptions are
// recorded, and anything after them. What is not recorded waits until what is recorded has been
// received.
func (l *Layer) Turn(e *Entry) bool {
	if next := l.own(l.S.RSN + 1); next != nil && !l.Has(S3) {
		return l.is(next, e)
	}
	if l.Has(S3) { // Deviation: S3 lets messages without a determinant go first
		known := l.recorded(e)
		return known == 0 || known == l.S.RSN+1
	}
	return l.S.RSN >= l.last()
}

// is reports whether the determinant is about the message.
func (l *Layer) is(d *Det, e *Entry) bool {
	if e.Kind == Contribution {
		return d.SSN == SSN(e.Number) && l.extension.SameGroup(d.Group, e.Group) &&
			slices.Contains(l.extension.Children(e.Group), d.Sender)
	}
	return d.Sender == e.From && d.SSN == e.SSN && l.extension.SameGroup(d.Group, 0)
}

// recorded is the number under which the reception of a message is recorded, 0 when it is not.
func (l *Layer) recorded(e *Entry) RSN {
	own := l.S.Dets.of(l.Rank)
	for i := range own {
		if d := &own[i]; l.is(d, e) {
			return d.RSN
		}
	}
	return 0
}

// early reports whether a message has a recorded number that is not reached by it and what waits
// here.
func (l *Layer) early(from core.Rank, m *Message) bool {
	known := l.recorded(&Entry{Kind: App, From: from, SSN: m.SSN})
	next := l.S.RSN + 1
	for d := l.own(next); d != nil && next < known; d = l.own(next) {
		if !slices.ContainsFunc(l.channel(d.Sender).Arrived, func(e Entry) bool {
			return e.SSN == d.SSN
		}) {
			break
		}
		next++
	}
	return known > next
}

// settle drops what can never be delivered, where an erratum makes that possible.
func (l *Layer) settle(out []core.Effect) []core.Effect {
	if !l.Has(S3) {
		return out
	}
	for q := range l.S.Channels {
		c := &l.S.Channels[q]
		c.Arrived = slices.DeleteFunc(slices.Clone(c.Arrived), func(e Entry) bool {
			known := l.recorded(&e)
			if known == 0 || known > l.S.RSN {
				return false
			}
			// Deviation: S3
			out = append(out, core.DropInput(e.From.Proc(), e.Payload.ID, "its number is taken"))
			return true
		})
	}
	return out
}

// deliver hands the next message of a source to the program ([CAMEL] Alg. 1 l. 13-17).
func (l *Layer) deliver(source core.Rank, out []core.Effect) []core.Effect {
	c := l.channel(source)
	e := core.Pop(&c.Arrived)
	l.S.Deliveries++
	if e.Kind == Contribution {
		for _, child := range l.extension.Children(e.Group) {
			out = l.number(Det{Sender: child, SSN: SSN(e.Number), Group: e.Group, ID: e.Payload.ID,
				Past: e.Past}, out)
		}
		c.Last = SSN(e.Number)
	} else {
		out = l.number(Det{Sender: e.From, SSN: e.SSN, ID: e.Payload.ID, Past: e.Past}, out)
		c.Last = e.SSN
	}
	out = append(out, core.Effect{Kind: core.Deliver, From: e.From.Proc(), Payload: e.Payload,
		Stamp: core.Stamp{Date: uint64(e.Past)}})
	out = l.settle(out)
	return l.complete(out)
}

// number makes the determinant of a reception; one that is recorded already keeps its holders.
func (l *Layer) number(d Det, out []core.Effect) []core.Effect {
	l.S.RSN++
	d.Recver, d.RSN, d.Index = l.Rank, l.S.RSN, l.S.Deliveries
	return l.storeOne(d, l.Rank, out)
}
