package pessimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// saved is one message in a temporary buffer of a sender.
type saved struct {
	_       struct{}     `cbor:",toarray"`
	SSN     SSN          `json:"ssn"`
	Spilled bool         `json:"spilled"` // beyond the limit: on the local disk
	Payload core.Payload `json:"payload"`
}

func (m *saved) Content() *core.Payload { return &m.Payload }

// outgoing is the sending end of a channel. All but Has is part of images.
type outgoing struct {
	_    struct{}  `cbor:",toarray"`
	Rank core.Rank `cbor:"-" json:"-"`
	Last SSN       `json:"last"` // of the last send
	// the temporary buffer: sent and not confirmed
	Buffer sendlog.Log[saved, *saved] `json:"buffer"`
	Has    SSN                        `json:"has"` // the receiver has said that it needs nothing up to here
}

// arrival is one message that waits for a receive.
type arrival struct {
	_   struct{} `cbor:",toarray"`
	SSN SSN      `json:"ssn"`
	// inside a node: the last checkpoint that had begun at the sender
	Number  uint32       `json:"number"`
	Payload core.Payload `json:"payload"`
}

// incoming is the receiving end of a channel. Taken is part of images.
type incoming struct {
	_       struct{}  `cbor:",toarray"`
	Rank    core.Rank `cbor:"-" json:"-"`
	Taken   SSN       `json:"taken"`   // every message up to it is delivered, or waits in Replay
	Stable  SSN       `json:"stable"`  // every message up to it is stable
	Arrived []arrival `json:"arrived"` // ascending numbers, none twice, none taken
	// Extra are delivered numbers above Taken, and Highest the highest number that has arrived:
	// only M5 and M14 look at them.
	Extra   []SSN `json:"extra"`
	Highest SSN   `json:"highest"`
}

// About implements core.Ranked.
func (o *outgoing) About() *core.Rank { return &o.Rank }

// About implements core.Ranked.
func (in *incoming) About() *core.Rank { return &in.Rank }

// state is the layer of a rank under RBML or HMPL.
type state struct {
	_    struct{}         `cbor:",toarray"`
	Life core.Incarnation `json:"life"`
	// both ends of the channels with the same ranks, see layer.meet
	Out  core.ByRank[outgoing, *outgoing] `json:"out"`
	In   core.ByRank[incoming, *incoming] `json:"in"`
	RSN  RSN                              `json:"rsn"`  // of the last delivery
	Sent uint32                           `json:"sent"` // sends executed
	// the receiver's temporary buffer: deliveries that the logger has not acknowledged, ascending
	Unstable []Entry `json:"unstable"`
	// the last delivery that could have been another one, until it is stable: the program sends
	// nothing; 0 = there is none
	Wait     RSN     `json:"wait"`
	Wild     []RSN   `json:"wild"`     // deliveries to wildcards: only M7a looks at them
	Acked    RSN     `json:"acked"`    // last acknowledgement of the logger
	Replay   []Entry `json:"replay"`   // to be delivered before anything else
	Fetching bool    `json:"fetching"` // the image is not here yet
	Early    []early `json:"early"`    // came before the image
	Saving   bool    `json:"saving"`   // an image is on its way to the logger
	LineRSN  RSN     `json:"lineRSN"`
	// the recovery line: what the logger has said to keep
	LineSent uint32           `json:"lineSent"`
	Logger   core.Incarnation `json:"logger"` // newest life of the logger that is known
	// the logger has lost everything while the image was being fetched
	Bare   bool      `json:"bare"`
	Node   nodeState `json:"node"` // of ranks that roll back together
	Flush  flush     `json:"flush"`
	Halted bool      `json:"halted"`
}

// image is what a checkpoint holds.
type image struct {
	_     struct{}    `cbor:",toarray"`
	Ranks []core.Rank `cbor:"-" json:"-"` // of which it says something, nil = all (named)
	App   []byte
	Sent  uint32
	RSN   RSN
	Last  []SSN     // by rank
	Taken []SSN     // by rank
	Saved [][]saved // by rank
	// Waiting are, by rank, messages of the node that were sent before the coordinated checkpoint
	// and received after it.
	Waiting [][]arrival
}

// layer is the protocol layer of one rank under RBML or HMPL.
type layer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state
	data
}

func (l *layer) State() any { return &l.s }

func (l *layer) reset(life core.Incarnation) {
	l.s = state{Life: life, Out: core.NewByRank[outgoing](l.ranks),
		In: core.NewByRank[incoming](l.ranks)}
	for q := core.Rank(0); l.Semi && int(q) < l.ranks; q++ {
		l.meet(q) // a checkpoint of a node is about all
	}
}

// meet makes the ends of the channels with a rank, if they are not there.
func (l *layer) meet(q core.Rank) {
	l.s.Out.At(q)
	l.s.In.At(q)
}

// to is the channel to a rank, from the one from it; each is valid until another rank is asked for.
func (l *layer) to(q core.Rank) *outgoing {
	if o := l.s.Out.Find(q); o != nil {
		return o
	}
	l.meet(q)
	return l.s.Out.Find(q)
}

func (l *layer) from(q core.Rank) *incoming {
	if in := l.s.In.Find(q); in != nil {
		return in
	}
	l.meet(q)
	return l.s.In.Find(q)
}

func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	l.scratch.Begin()
	switch in.Kind {
	case core.Start:
		l.reset(0)
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.receive(in, out)
	case core.Checkpoint:
		return l.checkpoint(out)
	case core.Persisted:
		return out // a spilled message has reached the disk: nobody waits for it
	case core.Received:
		return l.received(in.From, in.Message.(*Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// received dispatches a message.
func (l *layer) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	if l.s.Fetching && (m.Kind == Pull || m.Kind == Marker || m.Kind == SaveRequest) {
		l.s.Early = append(slices.Clone(l.s.Early), early{From: from, Message: *m})
		return out
	}
	switch m.Kind {
	case Data:
		return l.arrive(core.Rank(from), m, out)
	case Confirm:
		return l.confirmed(core.Rank(from), m.SSN, out)
	case Pull:
		return l.pull(core.Rank(from), m, out)
	case Suppress:
		return l.suppress(core.Rank(from), m, out)
	case LogAck:
		return l.logged(m, out)
	case LogFull:
		return l.save(out)
	case LogData:
		return l.fetched(m, out)
	case SaveOk:
		return l.savedOk(m, out)
	case NewLogger:
		return l.newLogger(m, out)
	case SaveRequest, Marker, Settle, Line, Lost:
		return l.aboutNode(core.Rank(from), m, out)
	case Stored:
		return l.stored(m, out)
	case Freeze, Flushed, Thaw:
		return l.aboutFlush(core.Rank(from), m, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no handler for "+m.Describe().Kind))
}

// Ready implements core.Layer: the blocking rules for sends.
func (l *layer) Ready(to core.Rank) bool {
	s := &l.s
	switch {
	case l.stopped() || s.Wait != 0 || l.atPosted():
		return false
	case l.protocol == RBML && len(s.Unstable) > 0:
		return false // the send may depend on a delivery that nobody could repeat
	case l.frozen(to):
		return false
	case l.has(M11b) && l.full(l.largest[l.rank]):
		return false // Deviation: M11b, a full buffer blocks
	}
	return true
}

// Holds implements core.Holder. An output must depend on stable deliveries alone: the outside world
// can not be rolled back.
func (l *layer) Holds(op core.OpKind) bool {
	return l.stopped() || op == core.OpOutput && len(l.s.Unstable) > 0
}

// stopped reports whether the program can do nothing at all.
func (l *layer) stopped() bool {
	s := &l.s
	// Deviation: with M65 a receive returns when the log has its message
	return s.Fetching || s.Halted || l.flushing() || l.has(M65) && len(s.Unstable) > 0
}

// Sources implements core.Layer: a replay offers the source of its head and nothing else.
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	s := &l.s
	if l.stopped() {
		return buf
	}
	for i := range s.In { // none before the start
		if q := s.In[i].Rank; l.offers(q) {
			buf = append(buf, q)
		}
	}
	return buf
}

// Has implements core.Sourced.
func (l *layer) Has(source core.Rank) bool { return !l.stopped() && l.offers(source) }

// offers reports whether a receive from the rank would be answered.
func (l *layer) offers(q core.Rank) bool {
	s := &l.s
	switch {
	case len(s.Replay) > 0 && q == s.Replay[0].Source:
		e := &s.Replay[0]
		return (!e.Posted || s.Sent == e.Sent) && (!e.Bare || l.head(q) >= 0)
	case len(s.Replay) > 0 && !(l.has(M23) && l.inside(l.rank, q)):
		return false
	}
	return l.head(q) >= 0
}

// head is the index of the arrival of a rank that comes next, or -1.
func (l *layer) head(q core.Rank) int {
	in := l.s.In.Find(q)
	if in == nil {
		return -1
	}
	if l.has(M5) || l.has(M14) {
		return min(0, len(in.Arrived)-1) // Deviation: M5 and M14 deliver in the order of arrival
	}
	// What a mate sent behind its cut waits for ours: the image must not hold a message that nobody
	// has sent.
	if len(in.Arrived) > 0 && in.Arrived[0].SSN == l.untaken(q) &&
		in.Arrived[0].Number <= l.s.Node.Number {
		return 0
	}
	return -1
}

// untaken is the number that the next delivery from a rank has. A bare entry of the replay is
// counted in Taken but not delivered yet.
func (l *layer) untaken(q core.Rank) SSN {
	for i := range l.s.Replay {
		if e := &l.s.Replay[i]; e.Bare && e.Source == q {
			return e.SSN
		}
	}
	return l.s.In.Find(q).Taken + 1
}

// atPosted reports whether the replay is at a delivery that completed a posted receive at this
// point of the program.
func (l *layer) atPosted() bool {
	return len(l.s.Replay) > 0 && l.s.Replay[0].Posted && l.s.Replay[0].Sent == l.s.Sent
}

// full reports whether one more message of so many bytes does not fit into the temporary buffer in
// memory.
func (l *layer) full(next int) bool {
	if l.Buffer.none() {
		return false
	}
	messages, bytes := 1, next
	for q := range l.s.Out {
		for i := range l.s.Out[q].Buffer {
			if m := &l.s.Out[q].Buffer[i]; !m.Spilled {
				messages, bytes = messages+1, bytes+len(m.Payload.Data)
			}
		}
	}
	return l.Buffer.exceeded(messages, bytes)
}

// inserted is the list, in the order of numbers, with the arrival; it takes the place of the list.
func inserted(list []arrival, a arrival) []arrival {
	i, _ := slices.BinarySearchFunc(list, a.SSN, func(b arrival, ssn SSN) int {
		return int(b.SSN) - int(ssn)
	})
	return slices.Insert(list, i, a)
}
