package pessimistic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// imageKey is the record of the image of a rank under SBML.
const imageKey = "image"

// record is one message in the log of its sender ([RADIC] section 4.1.1, Message Log). Without RSN
// it is partially logged.
type record struct {
	_       struct{}     `cbor:",toarray"`
	SSN     SSN          `json:"ssn"`
	RSN     RSN          `json:"rsn"`
	Prev    RSN          `json:"prev"`   // of the delivery before it
	Sent    uint32       `json:"sent"`   // sends that the receiver had executed before the delivery
	Posted  bool         `json:"posted"` // the delivery completed a posted receive
	Payload core.Payload `json:"payload"`
}

func (r *record) Number() uint64 { return uint64(r.SSN) }

func (r *record) Content() *core.Payload { return &r.Payload }

// place is one entry of the table of RSN: a delivery since the last image.
type place struct {
	_      struct{}  `cbor:",toarray"`
	Source core.Rank `json:"source"`
	SSN    SSN       `json:"ssn"`
	RSN    RSN       `json:"rsn"`
	Prev   RSN       `json:"prev"` // of the delivery before it
	Sent   uint32    `json:"sent"`
	Posted bool      `json:"posted"`
	Acked  bool      `json:"acked"` // the sender has recorded it
}

// stream is both ends of the channels with one other rank.
type stream struct {
	_    struct{}                     `cbor:",toarray"`
	Rank core.Rank                    `cbor:"-" json:"-"`
	Last SSN                          `json:"last"` // of the last send; part of images
	Log  sendlog.Log[record, *record] `json:"log"`  // sent; part of images
	// newest life of the other that has asked for the log
	PeerLife core.Incarnation `json:"peerLife"`
	// every message up to it is delivered or waits in Replay; part of images
	Taken   SSN       `json:"taken"`
	Covered SSN       `json:"covered"` // every message up to it is in the stable image
	Arrived []arrival `json:"arrived"` // ascending numbers
	Waiting bool      `json:"waiting"` // for its part of the log
	Highest SSN       `json:"highest"` // that has arrived: only M5 looks at it
}

// About implements core.Ranked.
func (q *stream) About() *core.Rank { return &q.Rank }

// streams are by rank.
type streams = core.ByRank[stream, *stream]

// senderState is the layer of a rank under SBML.
type senderState struct {
	_       struct{}         `cbor:",toarray"`
	Life    core.Incarnation `json:"life"`
	Streams streams          `json:"streams"`
	RSN     RSN              `json:"rsn"` // of the last delivery; part of images
	// highest number that a former life is known to have given; ours come above it
	Top    RSN     `json:"top"`
	Sent   uint32  `json:"sent"`   // sends executed; part of images
	Table  []place `json:"table"`  // ascending
	Replay []Entry `json:"replay"` // ascending
	Parts  []Entry `json:"parts"`  // of the log, until all are here
	Saving []byte  `json:"saving"` // the image that is being written
}

// sender is the protocol layer of one rank under SBML.
type sender struct {
	*config
	rank core.Rank
	app  core.Application
	s    senderState
	data
	acked int // so many places at the beginning of the table are known to be acknowledged
}

func (l *sender) State() any { return &l.s }

func (l *sender) Step(in core.Input, out []core.Effect) []core.Effect {
	l.scratch.Begin()
	switch in.Kind {
	case core.Start:
		l.s = senderState{Streams: core.NewByRank[stream](l.ranks)}
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.receive(in, out)
	case core.Checkpoint:
		return l.save(out)
	case core.Persisted:
		return l.saved(out)
	case core.Received:
		return l.received(core.Rank(in.From), in.Message.(*Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// received dispatches a message.
func (l *sender) received(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case Data:
		return l.arrive(from, m, out)
	case Order:
		return l.order(from, m, out)
	case OrderOk:
		return l.recorded(from, m, out)
	case Collect:
		return l.collect(from, m.SSN, out)
	case Recall:
		return l.recall(from, m, out)
	case Recalled:
		return l.recalled(from, m, out)
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{},
		"no handler for "+m.Describe().Kind))
}

// Ready implements core.Layer: between a reception and the acknowledgement that its number is
// recorded nothing is sent.
func (l *sender) Ready(core.Rank) bool {
	return !l.waiting() && !l.atPosted() && l.recordedAll()
}

// recordedAll reports whether every delivery has its number recorded at its sender.
func (l *sender) recordedAll() bool {
	for l.acked < len(l.s.Table) && l.s.Table[l.acked].Acked {
		l.acked++
	}
	return l.acked == len(l.s.Table)
}

func (l *sender) Holds(op core.OpKind) bool {
	return l.waiting() || op == core.OpOutput && !l.recordedAll()
}

func (l *sender) waiting() bool {
	return slices.ContainsFunc(l.s.Streams, func(q stream) bool { return q.Waiting })
}

func (l *sender) atPosted() bool {
	return len(l.s.Replay) > 0 && l.s.Replay[0].Posted && l.s.Replay[0].Sent == l.s.Sent
}

func (l *sender) Sources(buf []core.Rank) []core.Rank {
	if l.waiting() {
		return buf
	}
	if len(l.s.Replay) > 0 {
		if e := &l.s.Replay[0]; !e.Posted || e.Sent == l.s.Sent {
			buf = append(buf, e.Source)
		}
		return buf
	}
	for q := range l.s.Streams {
		s := &l.s.Streams[q]
		if len(s.Arrived) > 0 && (s.Arrived[0].SSN == s.Taken+1 || l.has(M18)) {
			buf = append(buf, s.Rank)
		}
	}
	return buf
}

// Has implements core.Sourced.
func (l *sender) Has(source core.Rank) bool {
	switch s := l.s.Streams.Find(source); {
	case l.waiting():
		return false
	case len(l.s.Replay) > 0:
		e := &l.s.Replay[0]
		return e.Source == source && (!e.Posted || e.Sent == l.s.Sent)
	default:
		return s != nil && len(s.Arrived) > 0 && (s.Arrived[0].SSN == s.Taken+1 || l.has(M18))
	}
}

// send executes a send of the program ([RADIC] Fig. 4.1): logged, then put on the network.
func (l *sender) send(in core.Input, out []core.Effect) []core.Effect {
	q := l.s.Streams.At(in.To)
	q.Last++
	l.s.Sent++
	q.Log.Append(&l.Keeper, record{SSN: q.Last, Payload: in.Payload})
	out = append(out, core.Logged(in.Payload.ID, in.To.Proc(), 0))
	return append(out, core.SendTo(in.To.Proc(),
		l.scratch.New(Message{Kind: Data, Life: l.s.Life, SSN: q.Last, Payload: in.Payload})))
}

// arrive takes an application message from the network. A duplicate shows that its sender has
// failed, so its log has lost our answer, whatever we know of an acknowledgement.
func (l *sender) arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	q := l.s.Streams.At(from)
	if l.has(M5) { // Deviation: M5, a table of the highest numbers
		if m.SSN > q.Taken && m.SSN <= q.Highest {
			return append(out, core.DropInput(from.Proc(), m.Payload.ID, "a lower number"))
		}
		q.Highest = max(q.Highest, m.SSN)
	}
	if m.SSN > q.Taken {
		if !slices.ContainsFunc(q.Arrived, func(a arrival) bool { return a.SSN == m.SSN }) {
			q.Arrived = inserted(q.Arrived, arrival{SSN: m.SSN, Payload: m.Payload})
			return out
		}
	}
	out = append(out, core.DropInput(from.Proc(), m.Payload.ID, "received before"))
	if m.SSN <= q.Covered {
		return append(out, core.SendTo(from.Proc(), &Message{Kind: Collect, SSN: q.Covered}))
	}
	for _, p := range l.s.Table {
		// Deviation: M20 answers only when the acknowledgement has not come.
		if p.Source == from && p.SSN == m.SSN && !(p.Acked && l.has(M20)) {
			return append(out, l.tell(p))
		}
	}
	for _, e := range l.s.Replay {
		if e.Source == from && e.SSN == m.SSN {
			return append(out, l.tell(place{Source: from, SSN: e.SSN, RSN: e.RSN, Prev: e.Prev,
				Sent: e.Sent, Posted: e.Posted}))
		}
	}
	return out
}

// tell is the answer that names the place of a delivery.
func (l *sender) tell(p place) core.Effect {
	return core.SendTo(p.Source.Proc(), l.scratch.New(
		Message{Kind: Order, Life: l.s.Life, SSN: p.SSN, RSN: p.RSN, Prev: p.Prev, Sent: p.Sent,
			Found: p.Posted}))
}

// receive hands the next message of a rank to the program.
func (l *sender) receive(in core.Input, out []core.Effect) []core.Effect {
	s, from := &l.s, core.Rank(in.From)
	q := s.Streams.At(from)
	if len(s.Replay) > 0 {
		e := s.Replay[0]
		s.Replay = slices.Clone(s.Replay[1:])
		s.RSN = e.RSN // the recorded number, also where former lives have left holes
		s.Table = append(s.Table, place{Source: from, SSN: e.SSN, RSN: e.RSN, Prev: e.Prev,
			Sent: e.Sent, Posted: e.Posted, Acked: true})
		return l.recovered(append(out, core.Effect{Kind: core.Deliver, From: in.From,
			Payload: e.Payload}))
	}
	a := q.Arrived[0]
	q.Taken = a.SSN
	q.Arrived = slices.DeleteFunc(q.Arrived, func(b arrival) bool { return b.SSN <= q.Taken })
	p := place{Source: from, SSN: a.SSN, RSN: max(s.RSN, s.Top) + 1, Prev: s.RSN, Sent: s.Sent,
		Posted: in.Posted}
	s.RSN = p.RSN
	s.Table = append(s.Table, p)
	return append(out, core.Effect{Kind: core.Deliver, From: in.From, Payload: a.Payload},
		l.tell(p))
}

// order records the place of a message in the log. From a former life of the receiver it would be
// wrong: the present one may deliver in another order.
func (l *sender) order(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	q := l.s.Streams.At(from)
	if m.Life < q.PeerLife && !l.has(M25) { // Deviation: M25 takes it
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "from a former life"))
	}
	r := sendlog.Find(q.Log, uint64(m.SSN))
	if r == nil {
		// Not sent again yet since our restart: the receiver answers the duplicate, too. Or not
		// needed any more.
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "not in the log"))
	}
	r.RSN, r.Prev, r.Sent, r.Posted = m.RSN, m.Prev, m.Sent, m.Found
	out = append(out, core.Logged(r.Payload.ID, from.Proc(), uint32(m.RSN)))
	return append(out, core.SendTo(from.Proc(),
		l.scratch.New(Message{Kind: OrderOk, Life: m.Life, SSN: m.SSN, RSN: m.RSN})))
}

// recorded notes that the sender has the place of a delivery.
func (l *sender) recorded(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	i, found := slices.BinarySearchFunc(l.s.Table, m.RSN, func(p place, rsn RSN) int {
		return cmp.Compare(p.RSN, rsn)
	})
	found = found && l.s.Table[i].Source == from && l.s.Table[i].SSN == m.SSN && m.Life == l.s.Life
	if l.has(M25) {
		i = slices.IndexFunc(l.s.Table, func(p place) bool {
			return p.Source == from && p.SSN == m.SSN
		})
		found = i >= 0
	}
	if !found {
		return append(out, core.DropInput(from.Proc(), core.MsgID{},
			"about another life or an image"))
	}
	l.s.Table[i].Acked = true
	return out
}

// collect removes what the image of the receiver holds. Deviation: M21 removes everything sent to
// it.
func (l *sender) collect(from core.Rank, upTo SSN, out []core.Effect) []core.Effect {
	l.s.Streams.At(from).Log.Prune(&l.Keeper, func(r *record) bool {
		if r.SSN > upTo && !l.has(M21) {
			return false
		}
		out = append(out, core.Pruned(r.Payload.ID, from.Proc()))
		return true
	})
	return out
}

// senderImage is what a checkpoint holds: all but the table of RSN, whose messages are in the
// image.
type senderImage struct {
	_     struct{}    `cbor:",toarray"`
	Ranks []core.Rank `cbor:"-"` // of which it says something, nil = all (named)
	App   []byte
	Sent  uint32
	RSN   RSN
	Last  []SSN
	Taken []SSN
	Logs  [][]record
}

// save writes an image to stable storage.
func (l *sender) save(out []core.Effect) []core.Effect {
	s := &l.s
	if l.waiting() || len(s.Replay) > 0 || len(s.Saving) > 0 {
		return out
	}
	i := senderImage{App: l.app.Image(), Sent: s.Sent, RSN: s.RSN}
	for q := range s.Streams {
		r := &s.Streams[q]
		if l.sparse() {
			i.Ranks = append(i.Ranks, r.Rank)
		}
		i.Last, i.Taken, i.Logs = append(i.Last, r.Last), append(i.Taken, r.Taken),
			append(i.Logs, r.Log)
	}
	s.Saving = encoded(l.config, &i, i.Ranks)
	return append(out, core.Effect{Kind: core.Persist, Key: imageKey, Value: s.Saving})
}

// saved moves the recovery line and tells the senders what nobody will ask for again.
func (l *sender) saved(out []core.Effect) []core.Effect {
	i := l.decode(l.s.Saving)
	l.s.Saving = nil
	out = append(out, core.Effect{Kind: core.Commit, Sent: i.Sent,
		Received: uint32(len(l.deliveredIn(i)))})
	l.acked = 0
	l.s.Table = slices.DeleteFunc(l.s.Table, func(p place) bool { return p.RSN <= i.RSN })
	for k, covered := range i.Taken {
		q := l.s.Streams.At(named(i.Ranks, k))
		if covered > q.Covered {
			q.Covered = covered
			out = append(out, core.SendTo(q.Rank.Proc(), &Message{Kind: Collect, SSN: covered}))
		}
	}
	return out
}

func (l *sender) decode(encoded []byte) *senderImage {
	i := new(senderImage)
	if err := decoded(l.config, encoded, i, &i.Ranks); err != nil {
		panic(fmt.Sprintf("invariant: an image is what a checkpoint wrote: rank %d: %v", l.rank,
			err))
	}
	return i
}
