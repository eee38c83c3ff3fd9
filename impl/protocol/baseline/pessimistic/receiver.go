package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/replay"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// ReceiptKey begins the names of the records of messages, in the order in which they arrived.
const ReceiptKey = "receipt/"

// receipt is one message on stable storage, or on its way there.
type receipt struct {
	_      struct{}  `cbor:",toarray"`
	Place  uint32    `json:"place"` // rsn, from 1
	From   core.Rank `json:"from"`
	Number uint32    `json:"number"`
}

// stored is a record of a message.
type stored struct {
	_    struct{} `cbor:",toarray"`
	From core.Rank
	Data link.Data
}

// receiverState is the layer of a rank where receivers log. The first three are part of images, but
// for what has arrived.
type receiverState struct {
	_        struct{}         `cbor:",toarray"`
	Channels link.Channels    `json:"channels"` // logs have what is not known to be stable
	Place    uint32           `json:"place"`    // of the last receipt
	Taken    []uint32         `json:"taken"`    // places of receipts that are taken and there
	Life     core.Incarnation `json:"life"`
	Writing  []receipt        `json:"writing"` // in progress, in their order
	Queue    []receipt        `json:"queue"`   // stable and not taken, in their order
	Written  link.Numbers     `json:"written"` // by rank: its last message that is or gets stable
	Stable   link.Numbers     `json:"stable"`  // by rank: its last message that is stable
	Saving   receiverSaving   `json:"saving"`
}

// receiverSaving is the checkpoint of one rank.
type receiverSaving = snapshot.State[receiverImage, link.Data]

// receiverImage is what a checkpoint holds. What has arrived is in the receipts.
type receiverImage struct {
	_        struct{}      `cbor:",toarray"`
	App      []byte        `json:"app"`
	Channels link.Channels `json:"channels"`
	Place    uint32        `json:"place"`
	Taken    int           `json:"taken"` // receipts that it makes superfluous
}

// receiver is the protocol layer of one rank where receivers log.
type receiver struct {
	ranks   int
	greeted func(core.Rank) []core.Rank // whom a rank tells that it has restarted
	rank    core.Rank
	errata  core.Switches
	app     core.Application
	s       receiverState
	sendlog.Keeper
	sending replay.Message // the message of a send, valid until the next step
}

func (l *receiver) State() any { return &l.s }

// reset puts the layer into the state of a rank that has done nothing.
func (l *receiver) reset(life core.Incarnation) {
	l.s = receiverState{Life: life, Channels: link.New(l.ranks),
		Written: link.NewNumbers(l.ranks), Stable: link.NewNumbers(l.ranks)}
}

// Step implements core.Layer.
func (l *receiver) Step(in core.Input, out []core.Effect) []core.Effect {
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
		return l.received(core.Rank(in.From), in.Message.(*replay.Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// received dispatches a message.
func (l *receiver) received(from core.Rank, m *replay.Message, out []core.Effect) []core.Effect {
	switch c := m.Control; {
	case c == nil:
		return l.arrive(from, &m.Data, out)
	case c.Kind == replay.Hello || c.Kind == replay.Answer:
		return l.told(from, c, out)
	case c.Kind == replay.Covered:
		l.prune(from, c.Covered)
		return out
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{}, "no handler"))
}

// Ready implements core.Layer: whatever the program has received is stable.
func (l *receiver) Ready(core.Rank) bool { return true }

// Sources implements core.Layer: what is stable may be received.
func (l *receiver) Sources(buf []core.Rank) []core.Rank {
	for i := range l.s.Channels {
		if q := l.s.Channels[i].Rank; l.queued(q) >= 0 {
			buf = append(buf, q)
		}
	}
	return buf
}

// queued is the place in the queue of the next message of a rank, -1 if there is none.
func (l *receiver) queued(q core.Rank) int {
	return slices.IndexFunc(l.s.Queue, func(r receipt) bool { return r.From == q })
}

// Before implements core.Queued.
func (l *receiver) Before(a, b core.Rank) bool {
	if l.errata.Has(PE9) {
		return a > b // Deviation: PE9 takes what is there, in another order than that of the queue
	}
	return l.queued(a) < l.queued(b)
}

// send gives a message its number, keeps a copy until it is stable at its receiver, and lets it go.
func (l *receiver) send(in core.Input, out []core.Effect) []core.Effect {
	d := &l.sending.Data
	*d = link.Data{Payload: in.Payload}
	l.s.Channels.Number(&l.Keeper, in.To, d, true)
	out, e := core.Add(out, core.SendMessage)
	e.To, e.Message = in.To.Proc(), &l.sending
	return out
}

// arrive writes a message, and those of its channel that have waited for it. Its place is the one
// of the write, and the messages of a channel are written in their order.
func (l *receiver) arrive(from core.Rank, d *link.Data, out []core.Effect) []core.Effect {
	s := &l.s
	if !s.Channels.Accept(from, d) {
		return append(out, core.DropInput(from.Proc(), d.Payload.ID, "received before"))
	}
	list, written := s.Channels.Of(from).Arrived, s.Written.Of(from)
	for i := range list {
		if list[i].Number != written+1 {
			continue
		}
		written++
		s.Written.Set(from, written)
		s.Place++
		r := receipt{Place: s.Place, From: from, Number: list[i].Number}
		s.Writing = append(s.Writing, r)
		if l.errata.Has(PE7) {
			s.Queue = append(s.Queue, r) // Deviation: PE7 does not wait for the write
		}
		out = append(out, core.Effect{Kind: core.Persist, Key: snapshot.Record(ReceiptKey, s.Place),
			Value: core.Encode(&stored{From: from, Data: list[i]})})
		if l.errata.Has(PE8) {
			out = append(out, l.covered(from, r.Number)) // Deviation: PE8
		}
	}
	return out
}

// covered tells a sender that its messages up to a number are stable here.
func (l *receiver) covered(to core.Rank, number uint32) core.Effect {
	return core.SendTo(to.Proc(), &replay.Message{Control: &replay.Control{Kind: replay.Covered,
		Covered: number}})
}

// persisted goes on when a record is stable: a message may be received, and its sender forgets it.
func (l *receiver) persisted(key string, out []core.Effect) []core.Effect {
	s := &l.s
	if len(s.Writing) == 0 || key != snapshot.Record(ReceiptKey, s.Writing[0].Place) {
		return s.Saving.Persisted(l, key, l.imaged(key, out))
	}
	r := core.Pop(&s.Writing)
	if !l.errata.Has(PE7) {
		s.Queue = append(s.Queue, r)
	}
	s.Stable.Set(r.From, r.Number)
	if l.errata.Has(PE8) {
		return out
	}
	return append(out, l.covered(r.From, r.Number))
}

// deliver hands the next message of a rank to the program.
func (l *receiver) deliver(from core.Rank, out []core.Effect) []core.Effect {
	s := &l.s
	d := s.Channels.Take(from)
	at := l.queued(from)
	s.Taken = append(s.Taken, s.Queue[at].Place)
	s.Queue = slices.Delete(s.Queue, at, at+1)
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload, e.Stamp.Date = from.Proc(), d.Payload, uint64(d.Number)
	return out
}

// prune drops what is stable at its receiver. That is no pruning of a log: the log is the
// receiver's.
func (l *receiver) prune(to core.Rank, number uint32) {
	var k *sendlog.Keeper
	if l.s.Saving.Image == nil {
		k = &l.Keeper
	}
	l.s.Channels.Prune(k, to, number, nil)
}

// imaged declares that the image is stable.
func (l *receiver) imaged(key string, out []core.Effect) []core.Effect {
	number, img := l.s.Saving.Committed+1, l.s.Saving.Image
	if img == nil || key != snapshot.Record(snapshot.ImageKey, number) {
		return out
	}
	sent, received := l.app.Position(img.App)
	return append(out, core.Imaged(trace.ImageBasic, uint64(number), uint64(number), sent,
		received))
}

// restore begins a later life at the image, with all receipts behind it in the queue.
func (l *receiver) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset(in.Incarnation)
	s := &l.s
	img, err := s.Saving.Restore(l, in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	if img != nil {
		l.app.Load(img.App)
		s.Channels, s.Place = img.Channels, img.Place
		_, s.Written = s.Channels.Numbers()
		s.Stable = slices.Clone(s.Written)
		out = l.lined(img, out)
	}
	if out, err = l.load(in.Records, out); err != nil {
		return append(out, core.Halted(err.Error()))
	}
	for _, q := range l.greeted(l.rank) {
		stable := s.Stable.Of(q)
		out = append(out, core.SendTo(q.Proc(), &replay.Message{Control: &replay.Control{
			Kind: replay.Hello, Number: stable, Sent: last(s.Channels.Of(q).Log),
			Covered: stable}}))
	}
	return out
}

// last is the number of the last message in a log, 0 of an empty one.
func last(log link.Log) uint32 {
	if len(log) == 0 {
		return 0
	}
	return log[len(log)-1].Data.Number
}

// load reads the receipts. What the image has is deleted, as is what a crash has damaged; numbers
// go on behind all of them.
func (l *receiver) load(records []core.Record, out []core.Effect) ([]core.Effect, error) {
	s := &l.s
	found := map[uint32]stored{}
	var places []uint32
	for i := range records {
		r := &records[i]
		var place uint32
		if n, _ := fmt.Sscanf(r.Key, ReceiptKey+"%d", &place); n != 1 {
			continue
		}
		s.Place = max(s.Place, place)
		var m stored
		if !r.Torn {
			if err := core.Decode(r.Value, &m); err != nil {
				return out, fmt.Errorf("rank %d: record %s: %w", l.rank, r.Key, err)
			}
		}
		if r.Torn || m.Data.Number <= s.Channels.Of(m.From).Taken {
			out = append(out, snapshot.Persist(ReceiptKey, place, nil))
			continue
		}
		found[place], places = m, append(places, place)
	}
	slices.Sort(places)
	for _, place := range places {
		m := found[place]
		s.Channels.Accept(m.From, &m.Data)
		s.Queue = append(s.Queue, receipt{Place: place, From: m.From, Number: m.Data.Number})
		s.Written.Set(m.From, m.Data.Number)
		s.Stable.Set(m.From, m.Data.Number)
	}
	return out, nil
}

// told handles how far another rank is: it is sent what is not stable there, and a rank that has
// restarted is told which messages of its log are here.
func (l *receiver) told(from core.Rank, c *replay.Control, out []core.Effect) []core.Effect {
	l.prune(from, c.Covered)
	for _, e := range l.s.Channels.After(from, c.Number) {
		out = append(out, core.SendTo(from.Proc(), &replay.Message{Data: e.Data}))
	}
	if c.Kind != replay.Hello || c.Sent == 0 {
		return out
	}
	return append(out, core.SendTo(from.Proc(), &replay.Message{Control: &replay.Control{
		Kind: replay.Answer, Number: l.s.Written.Of(from), Covered: l.s.Stable.Of(from)}}))
}

// Group implements snapshot.Member: every rank is one.
func (l *receiver) Group() (members []core.Rank, self int) { return []core.Rank{l.rank}, 0 }

// Life implements snapshot.Member.
func (l *receiver) Life() core.Incarnation { return l.s.Life }

// Notice implements snapshot.Member: there is nobody to tell.
func (l *receiver) Notice(snapshot.Notice) core.Message { return nil }

// Image implements snapshot.Member.
func (l *receiver) Image() *receiverImage {
	return &receiverImage{App: l.app.Image(), Channels: l.s.Channels.Clone(false),
		Place: l.s.Place, Taken: len(l.s.Taken)}
}

// Close implements snapshot.Member: nothing is on its way.
func (l *receiver) Close(*receiverImage, snapshot.Cut[link.Data]) {}

// Commit implements snapshot.Member: the receipts of what the image has are superfluous.
func (l *receiver) Commit(img *receiverImage, out []core.Effect) []core.Effect {
	out = l.lined(img, out)
	for _, place := range l.s.Taken[:img.Taken] {
		out = append(out, snapshot.Persist(ReceiptKey, place, nil))
	}
	l.s.Taken = slices.Clone(l.s.Taken[img.Taken:])
	return out
}

// lined declares the line.
func (l *receiver) lined(img *receiverImage, out []core.Effect) []core.Effect {
	sent, received := l.app.Position(img.App)
	return append(out, core.Effect{Kind: core.Commit, Sent: sent, Received: received})
}

// Holding implements core.Recycler: what was delivered is in a receipt, which has its own bytes.
func (l *receiver) Holding() bool { return false }

// Release implements core.Recycler.
func (l *receiver) Release() { l.s.Channels.Release(&l.Keeper) }
