package printed

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// imageKey is the record of the checkpoint of a process.
const imageKey = "image"

// received is an entry of the Table of RSN: "has one entry by each received message. It is indexed
// by SSN and contains the RSN and a value that indicates if the ACK of the message has been
// received by the sender."
type received struct {
	_     struct{}  `cbor:",toarray"`
	From  core.Rank `json:"from"`
	SSN   SSN       `json:"ssn"`
	RSN   RSN       `json:"rsn"`
	Acked bool      `json:"acked"`
}

// senderState is "the main data structures and values used in the SBML", and what a recovery needs.
type senderState struct {
	_   struct{} `cbor:",toarray"`
	SSN SSN      `json:"ssn"` // "the number of messages sent by a process"
	RSN RSN      `json:"rsn"` // "the number of messages received by a process"
	// "this is where the sender saves each outgoing message"; RSN 0: partially logged
	MessageLog []Entry `json:"messageLog"`
	// by sender: "it registers the highest SSN value received for messages of each process"
	TableOfSSN []SSN      `json:"tableOfSSN"`
	TableOfRSN []received `json:"tableOfRSN"`

	Queue     [][]arrival `json:"queue"`     // by sender
	Requested []bool      `json:"requested"` // by rank: has not answered a request yet
	Replay    []Entry     `json:"replay"`    // fully logged messages, ascending RSN
	Saving    []byte      `json:"saving"`    // a checkpoint that is being written
}

// sender is section 4.1.1 for one process.
type sender struct {
	*config
	rank core.Rank
	app  core.Application
	s    senderState
}

func (l *sender) State() any { return &l.s }

func (l *sender) reset() {
	l.s = senderState{TableOfSSN: make([]SSN, l.ranks), Queue: make([][]arrival, l.ranks),
		Requested: make([]bool, l.ranks)}
}

func (l *sender) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		return l.restart(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.receive(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.checkpoint(out)
	case core.Persisted:
		return l.checkpointed(out)
	}
	from, m := core.Rank(in.From), in.Message.(*Message)
	switch m.Kind {
	case M:
		return l.arrive(from, m, out)
	case Ack:
		return l.ack(from, m, out)
	case AckOfAck:
		for i := range l.s.TableOfRSN {
			if e := &l.s.TableOfRSN[i]; e.From == from && e.SSN == m.SSN {
				e.Acked = true
			}
		}
		return out
	case Needless:
		return l.collect(from, m.SSN, out)
	case Request:
		return l.answer(from, out)
	case LoggedHere:
		return l.answered(from, m, out)
	}
	return append(out, drop(in.From, "no handler"))
}

// Ready implements core.Layer: "between the reception of a message and the ACK with the RSN
// included, the receiver process should not send messages", read with the definition of partially
// logged messages: the RSN is recorded at the sender.
func (l *sender) Ready(core.Rank) bool {
	return !l.requesting() && !slices.ContainsFunc(l.s.TableOfRSN, func(e received) bool {
		return !e.Acked
	})
}

// Holds implements core.Holder: an output is a message to the outside world.
func (l *sender) Holds(op core.OpKind) bool {
	return l.requesting() || op == core.OpOutput && !l.Ready(l.rank)
}

func (l *sender) requesting() bool { return slices.Contains(l.s.Requested, true) }

// Sources implements core.Layer. Fully logged messages are replayed in ascending RSN order. Where a
// number is missing, its message was partially logged, so a receive may name its sender, too.
func (l *sender) Sources(buf []core.Rank) []core.Rank {
	if l.requesting() {
		return buf
	}
	s := &l.s
	for q := range core.Rank(l.ranks) {
		replayed := slices.ContainsFunc(s.Replay, func(e Entry) bool { return e.Peer == q })
		switch {
		case len(s.Replay) > 0 && s.Replay[0].Peer == q:
			buf = append(buf, q)
		case len(s.Replay) > 0 && (replayed || s.Replay[0].RSN <= s.RSN+1):
		case len(sequel(s.Queue[q], s.TableOfSSN[q])) > 0:
			buf = append(buf, q)
		}
	}
	return buf
}

// send: "P1 first save the message M and the SSN. Once the message is saved into a buffer of the
// sender, the message M and the SSN are sent to P2."
func (l *sender) send(in core.Input, out []core.Effect) []core.Effect {
	s := &l.s
	s.SSN++
	s.MessageLog = append(s.MessageLog, Entry{Peer: in.To, SSN: s.SSN, Payload: in.Payload})
	out = append(out, core.Logged(in.Payload.ID, in.To.Proc(), 0))
	return append(out, core.SendTo(in.To.Proc(),
		&Message{Kind: M, SSN: s.SSN, Payload: in.Payload}))
}

// arrive takes a message from the network: "If we consider that P1 fails and retransmits M with the
// SSN equal to 5, P2 will discard it according to the current SSN value, and if the ACK of this
// message was not received by P1, P2 will send it."
func (l *sender) arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if m.SSN > s.TableOfSSN[from] || l.requesting() {
		s.Queue[from] = append(s.Queue[from], arrival{SSN: m.SSN, Payload: m.Payload})
		return out
	}
	out = append(out, core.DropInput(from.Proc(), m.Payload.ID, "received before"))
	for _, e := range s.TableOfRSN {
		if e.From == from && e.SSN == m.SSN && !e.Acked {
			out = append(out, core.SendTo(from.Proc(),
				&Message{Kind: Ack, SSN: e.SSN, RSN: e.RSN}))
		}
	}
	return out
}

// receive: "P2 saves the sender ID (P1) and the SSN in the Table of SSN, also it increments its
// RSN. After this, P2 add this RSN to the Table of RSN and send an ACK with the current RSN to P1."
func (l *sender) receive(from core.Rank, out []core.Effect) []core.Effect {
	s := &l.s
	var a arrival
	replayed := len(s.Replay) > 0 && s.Replay[0].Peer == from
	if replayed {
		a = arrival{SSN: s.Replay[0].SSN, Payload: s.Replay[0].Payload}
		s.Replay = s.Replay[1:]
	} else {
		queue := sequel(s.Queue[from], s.TableOfSSN[from])
		a, s.Queue[from] = queue[0], queue[1:]
	}
	s.TableOfSSN[from] = max(s.TableOfSSN[from], a.SSN)
	s.RSN++
	s.TableOfRSN = append(s.TableOfRSN, received{From: from, SSN: a.SSN, RSN: s.RSN})
	out = append(out, core.Effect{Kind: core.Deliver, From: from.Proc(), Payload: a.Payload},
		core.SendTo(from.Proc(), &Message{Kind: Ack, SSN: a.SSN, RSN: s.RSN}))
	if replayed && len(s.Replay) == 0 {
		out = append(out, declare(trace.Recovered))
	}
	return out
}

// ack: "P1 receives and adds the RSN to the Message Log, then P1 sends an ACK that P2 receives and
// adds to the Table of RSN."
func (l *sender) ack(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	for i := range l.s.MessageLog {
		if e := &l.s.MessageLog[i]; e.Peer == from && e.SSN == m.SSN {
			e.RSN = m.RSN
			return append(out, core.Logged(e.Payload.ID, from.Proc(), uint32(m.RSN)),
				core.SendTo(from.Proc(), &Message{Kind: AckOfAck, SSN: m.SSN}))
		}
	}
	return append(out, drop(from.Proc(), "not in the message log"))
}

// senderImage: "When a process is checkpointed all these data structures are saved also, except the
// Table of RSN, since all received messages now are part of the checkpoint."
type senderImage struct {
	_          struct{} `cbor:",toarray"`
	App        []byte
	SSN        SSN
	RSN        RSN
	MessageLog []Entry
	TableOfSSN []SSN
	Queue      [][]arrival
}

func (l *sender) checkpoint(out []core.Effect) []core.Effect {
	s := &l.s
	if l.requesting() || len(s.Replay) > 0 || len(s.Saving) > 0 {
		return out
	}
	s.Saving = core.Encode(&senderImage{App: l.app.Image(), SSN: s.SSN, RSN: s.RSN,
		MessageLog: s.MessageLog, TableOfSSN: s.TableOfSSN, Queue: s.Queue})
	return append(out, core.Effect{Kind: core.Persist, Key: imageKey, Value: s.Saving})
}

// checkpointed: "When a process is checkpointed, it should communicate to the senders that messages
// received before the checkpoint will not be needed anymore."
func (l *sender) checkpointed(out []core.Effect) []core.Effect {
	s := &l.s
	i := l.decode(s.Saving)
	s.Saving = nil
	s.TableOfRSN = slices.DeleteFunc(s.TableOfRSN, func(e received) bool { return e.RSN <= i.RSN })
	out = append(out, l.line(i))
	for q := range core.Rank(l.ranks) {
		if i.TableOfSSN[q] > 0 {
			out = append(out, core.SendTo(q.Proc(),
				&Message{Kind: Needless, SSN: i.TableOfSSN[q]}))
		}
	}
	return out
}

// line declares what an image holds.
func (l *sender) line(i *senderImage) core.Effect {
	sent, received := l.app.Position(i.App)
	return core.Effect{Kind: core.Commit, Sent: sent, Received: received}
}

func (l *sender) decode(image []byte) *senderImage {
	i := new(senderImage)
	if err := core.Decode(image, i); err != nil {
		panic(fmt.Sprintf("invariant: an image is what a checkpoint wrote: rank %d: %v", l.rank,
			err))
	}
	return i
}

// collect: "All messages sent to an already checkpointed process should be deleted from the message
// log", those that the checkpoint holds.
func (l *sender) collect(from core.Rank, upTo SSN, out []core.Effect) []core.Effect {
	var kept []Entry
	for _, e := range l.s.MessageLog {
		if e.Peer == from && e.SSN <= upTo {
			out = append(out, core.Pruned(e.Payload.ID, from.Proc()))
		} else {
			kept = append(kept, e)
		}
	}
	l.s.MessageLog = kept
	return out
}

// restart: "If P2 fails and return from a checkpoint it will broadcast requests for its logged
// messages".
func (l *sender) restart(in core.Input, out []core.Effect) []core.Effect {
	l.reset()
	s := &l.s
	for _, r := range in.Records {
		if r.Key == imageKey && !r.Torn {
			i := l.decode(r.Value)
			l.app.Load(i.App)
			s.SSN, s.RSN, s.MessageLog = i.SSN, i.RSN, i.MessageLog
			s.TableOfSSN, s.Queue = i.TableOfSSN, i.Queue
			out = append(out, l.line(i))
		}
	}
	for _, e := range s.MessageLog {
		out = append(out, core.Logged(e.Payload.ID, e.Peer.Proc(), uint32(e.RSN)))
	}
	for q := range s.Requested {
		s.Requested[q] = core.Rank(q) != l.rank
	}
	if !l.requesting() { // it is alone
		return append(out, declare(trace.Recovered))
	}
	return l.others(l.rank, Message{Kind: Request}, out)
}

// answer looks for the messages of a restarted process.
func (l *sender) answer(from core.Rank, out []core.Effect) []core.Effect {
	m := &Message{Kind: LoggedHere}
	for _, e := range l.s.MessageLog {
		if e.Peer == from {
			m.Entries = append(m.Entries, e)
		}
	}
	return append(out, core.SendTo(from.Proc(), m))
}

// answered: "the fully logged messages will be replayed in ascending RSN order, starting with the
// stored RSN+1. Partially logged messages will be send in any order", here that of their SSN.
func (l *sender) answered(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if !s.Requested[from] {
		return append(out, drop(from.Proc(), "not asked for"))
	}
	s.Requested[from] = false
	var partially []Entry
	for _, e := range m.Entries {
		e.Peer = from
		switch {
		case e.RSN > s.RSN:
			s.Replay = append(s.Replay, e)
		case e.RSN == 0:
			partially = append(partially, e)
		}
	}
	s.Queue[from] = first(partially, s.Queue[from])
	if l.requesting() {
		return out
	}
	slices.SortFunc(s.Replay, func(a, b Entry) int { return cmp.Compare(a.RSN, b.RSN) })
	if len(s.Replay) == 0 {
		out = append(out, declare(trace.Recovered))
	}
	return out
}
