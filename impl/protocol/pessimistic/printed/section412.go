package printed

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// state is what the observer of a process keeps: what 4.1.2 names, what 4.2.2 adds, and what a
// recovery and a checkpoint need.
type state struct {
	_   struct{} `cbor:",toarray"`
	SSN SSN      `json:"ssn"`
	RSN RSN      `json:"rsn"`
	// by sender: "processes that have received a message from P2 have the SSN value of P2"
	Values []SSN       `json:"values"`
	Queue  [][]arrival `json:"queue"` // by sender
	// received and not confirmed by the logger: in 4.2 the temporary buffer of the receiver
	Unconfirmed []Entry `json:"unconfirmed"`
	Replay      []Entry `json:"replay"`
	Fetching    bool    `json:"fetching"`

	TB    []Entry `json:"tb"`    // 4.2: the temporary buffer of the sender
	Wild  RSN     `json:"wild"`  // 4.2.3: reception by a wild card that is not fully logged; 0: none
	Asked []bool  `json:"asked"` // 4.2: by sender, its temporary buffer is being asked
	// 4.2: by receiver, "the current value of the SSN", and what it has confirmed
	Current []SSN `json:"current"`
	Erased  []SSN `json:"erased"`

	Saving bool   `json:"saving"` // 2.3.4: a checkpoint is under way
	Open   []bool `json:"open"`   // channels that are not flushed yet
	Frozen []bool `json:"frozen"` // by rank: it checkpoints, the channel to it is unused
}

// observer is sections 4.1.2 and 4.2 for one process: "every communication is intercepted by the
// observers" (2.3.2).
type observer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state
}

func (l *observer) State() any { return &l.s }

func (l *observer) reset() {
	n := l.ranks
	l.s = state{Values: make([]SSN, n), Queue: make([][]arrival, n), Asked: make([]bool, n),
		Current: make([]SSN, n), Erased: make([]SSN, n), Open: make([]bool, n),
		Frozen: make([]bool, n)}
}

func (l *observer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		l.reset()
		l.s.Fetching = true
		return append(out, core.SendTo(l.logger(l.rank), &Message{Kind: Fetch}))
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.receive(in, out)
	case core.Checkpoint:
		return l.checkpoint(out)
	}
	m := in.Message.(*Message)
	if int(in.From) >= l.ranks {
		return l.fromLogger(m, out)
	}
	from := core.Rank(in.From)
	switch m.Kind {
	case M:
		return l.arrive(from, m, out)
	case Erase, Current, AskTB, GiveTB:
		return l.aboutBuffers(from, m, out)
	case Freeze, Flushed, Allow:
		return l.aboutChannels(from, m, out)
	}
	return append(out, drop(in.From, "no handler"))
}

// fromLogger dispatches what the logger sends.
func (l *observer) fromLogger(m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case Saved:
		return l.saved(m, out)
	case Fetched:
		return l.fetched(m, out)
	case Stored:
		return l.stored(m, out)
	case Connect:
		return l.connect(out)
	}
	return append(out, drop(l.logger(l.rank), "no handler"))
}

// Ready implements core.Layer: "the receiver processes should not send any messages to other
// processes while all the previous received messages are not properly saved into stable storage".
func (l *observer) Ready(to core.Rank) bool {
	s := &l.s
	return !l.stopped() && !s.Frozen[to] && (l.hybrid || len(s.Unconfirmed) == 0)
}

// Holds implements core.Holder. An output goes to the outside world, which can not be asked again:
// "no process can depend on that event until it is correctly saved" (2.2.4).
func (l *observer) Holds(op core.OpKind) bool {
	return l.stopped() || op == core.OpOutput && len(l.s.Unconfirmed) > 0
}

// stopped reports whether the process can do nothing: it is restarting; it checkpoints; "we do not
// allow the receiver to continue till the message is fully logged" (4.2.3); "only after the message
// is fully saved, the MPI receive call finalizes" (4.3).
func (l *observer) stopped() bool {
	s := &l.s
	return s.Fetching || s.Saving || s.Wild != 0 || l.whole && len(s.Unconfirmed) > 0
}

// Sources implements core.Layer.
func (l *observer) Sources(buf []core.Rank) []core.Rank {
	s := &l.s
	switch {
	case l.stopped():
		return buf
	case len(s.Replay) > 0:
		return append(buf, s.Replay[0].Peer)
	}
	for q := range core.Rank(l.ranks) {
		if !s.Asked[q] && len(sequel(s.Queue[q], s.Values[q])) > 0 {
			buf = append(buf, q)
		}
	}
	return buf
}

// send: "P1 sends a message M with its current SSN".
func (l *observer) send(in core.Input, out []core.Effect) []core.Effect {
	l.s.SSN++
	m := &Message{Kind: M, SSN: l.s.SSN, Payload: in.Payload}
	if l.hybrid {
		return l.insert(in.To, m, out)
	}
	return append(out, core.SendTo(in.To.Proc(), m))
}

// arrive takes a message from the network: "they can easily discard messages that P2 sends during
// recovery".
func (l *observer) arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if m.SSN > s.Values[from] || s.Fetching || len(s.Replay) > 0 {
		s.Queue[from] = append(s.Queue[from], arrival{SSN: m.SSN, Payload: m.Payload})
		return out
	}
	out = append(out, core.DropInput(from.Proc(), m.Payload.ID, "received before"))
	if l.hybrid {
		out = l.inform(from, out)
	}
	return out
}

// receive: "P2 receives M, appends its RSN to it and sends it to a stable storage (L2). Message M
// is also delivered to the application". During recovery, "the messages are loaded from the log
// buffer" (2.3.4).
func (l *observer) receive(in core.Input, out []core.Effect) []core.Effect {
	s, from := &l.s, core.Rank(in.From)
	s.RSN++
	if len(s.Replay) > 0 {
		e := s.Replay[0]
		s.Replay, s.Values[from] = s.Replay[1:], max(s.Values[from], e.SSN)
		out = append(out, core.Effect{Kind: core.Deliver, From: in.From, Payload: e.Payload})
		return l.recovered(l.confirm(e, out))
	}
	queue := sequel(s.Queue[from], s.Values[from])
	a := queue[0]
	s.Queue[from], s.Values[from] = queue[1:], a.SSN
	e := Entry{Peer: from, SSN: a.SSN, RSN: s.RSN, Payload: a.Payload}
	s.Unconfirmed = append(s.Unconfirmed, e)
	if l.hybrid && in.Any {
		s.Wild = e.RSN
	}
	return append(out, core.Effect{Kind: core.Deliver, From: in.From, Payload: a.Payload},
		core.SendTo(l.logger(l.rank), &Message{Kind: Put, Entries: []Entry{e}}))
}

// saved: "P2 waits for the confirmation of L2 telling that message M is properly saved".
func (l *observer) saved(m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	var rest []Entry
	for _, e := range s.Unconfirmed {
		if e.RSN == m.RSN {
			out = l.confirm(e, out)
		} else {
			rest = append(rest, e)
		}
	}
	s.Unconfirmed = rest
	if s.Wild == m.RSN {
		s.Wild = 0
	}
	return out
}

// fetched: "P2 will transfer to its new local node the message log from L2 and consume it in order
// to reach the pre-fault state."
func (l *observer) fetched(m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	if !s.Fetching {
		return append(out, drop(l.logger(l.rank), "not asked for"))
	}
	s.Fetching, s.Replay = false, m.Entries
	resumed := core.Effect{Kind: core.Declare, What: trace.Resumed}
	if len(m.Image) > 0 {
		i := l.load(m.Image)
		resumed.Sent, resumed.Received = uint32(i.SSN), uint32(i.RSN)
		out = append(out, resumed, core.Effect{Kind: core.Commit, Sent: resumed.Sent,
			Received: resumed.Received})
	} else {
		out = append(out, resumed)
	}
	for _, e := range s.TB {
		out = append(out, core.Logged(e.Payload.ID, e.Peer.Proc(), 0))
	}
	// communication with it is allowed again
	return l.recovered(l.others(l.rank, Message{Kind: Allow}, out))
}

// recovered ends a recovery when the log is consumed. Under 4.2 the buffers of senders come next.
func (l *observer) recovered(out []core.Effect) []core.Effect {
	s := &l.s
	if len(s.Replay) > 0 {
		return out
	}
	for q := range core.Rank(l.ranks) {
		s.Queue[q] = sequel(s.Queue[q], s.Values[q])
	}
	if l.hybrid {
		out = l.ask(out)
	}
	return append(out, declare(trace.Recovered))
}

// connect: "connect to its new logger" (Fig. 4.5). What happens to what the old one had, the text
// does not say; what it had not confirmed is sent to the new one.
func (l *observer) connect(out []core.Effect) []core.Effect {
	s := &l.s
	if s.Fetching {
		return append(out, core.SendTo(l.logger(l.rank), &Message{Kind: Fetch}))
	}
	for _, e := range s.Unconfirmed {
		out = append(out, core.SendTo(l.logger(l.rank),
			&Message{Kind: Put, Entries: []Entry{e}}))
	}
	if s.Saving {
		out = l.image(out)
	}
	return out
}

// load puts an image in the place of the process.
func (l *observer) load(encoded []byte) *image {
	i := new(image)
	if err := core.Decode(encoded, i); err != nil {
		panic(fmt.Sprintf("invariant: an image is what a checkpoint wrote: rank %d: %v", l.rank,
			err))
	}
	s := &l.s
	l.app.Load(i.App)
	s.SSN, s.RSN, s.Values, s.TB = i.SSN, i.RSN, i.Values, i.TB
	for q := range s.Queue {
		s.Queue[q] = append(i.Queue[q], s.Queue[q]...)
	}
	return i
}
