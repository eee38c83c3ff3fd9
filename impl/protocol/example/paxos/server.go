package paxos

import (
	"math/bits"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// server is an acceptor, and a leader when a client asks it to write.
type server struct {
	core.Service
	options Options
	self    core.Proc
	s       serverState
}

type serverState struct {
	_        struct{}  `cbor:",toarray"`
	Ballot   Ballot    `json:"ballot"`   // newest that it has promised or accepted
	Wanted   Proposal  `json:"wanted"`   // leader: what its client wants, then what it proposes
	Promises []promise `json:"promises"` // leader: of its ballot, by server
	// leader: a bit each server that has accepted its proposal
	Votes    uint64     `json:"votes"`
	Accepted Acceptance `json:"accepted"`
	Decided  bool       `json:"decided"` // Accepted is the decision
}

// promise is that of one server, with what it had accepted by then.
type promise struct {
	_    struct{}   `cbor:",toarray"`
	From core.Proc  `json:"from"`
	Last Acceptance `json:"last"`
}

func (v *server) State() []any { return []any{&v.s} }

// Rename implements core.Renamer: leaders and clients are never renamed, so ballots are not either.
func (v *server) Rename(to func(core.Proc) core.Proc) {
	v.s.Votes = core.RenameBits(v.s.Votes, 0, to)
	v.s.Promises = slices.Clone(v.s.Promises)
	for i := range v.s.Promises {
		v.s.Promises[i].From = to(v.s.Promises[i].From)
	}
	slices.SortFunc(v.s.Promises, func(a, b promise) int { return int(a.From) - int(b.From) })
}

func (v *server) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Received {
		return out
	}
	m := in.Message.(*Message)
	switch {
	case m.Kind == Read && (v.s.Decided || v.options.Stale):
		return append(out, core.SendTo(in.From,
			&Message{Kind: Answer, Value: v.s.Accepted.Proposal.Value}))
	case v.s.Decided:
		return append(out, core.DropInput(in.From, core.MsgID{}, "decided"))
	case m.Kind == Write && v.s.Wanted.Value == "":
		return v.lead(Proposal{Client: in.From, Value: m.Value}, out)
	case m.Kind == Prepare && v.s.Ballot.less(m.Ballot):
		v.s.Ballot = m.Ballot
		return append(out, core.SendTo(in.From,
			&Message{Kind: Promise, Ballot: m.Ballot, Acceptance: v.s.Accepted}))
	case m.Kind == Promise && m.Ballot == v.s.Ballot:
		return v.promised(promise{From: in.From, Last: m.Acceptance}, out)
	case m.Kind == Accept && !m.Acceptance.Ballot.less(v.s.Ballot):
		v.s.Ballot, v.s.Accepted = m.Acceptance.Ballot, m.Acceptance
		return append(out, core.SendTo(in.From, &Message{Kind: Accepted, Ballot: v.s.Ballot}))
	case m.Kind == Accepted && m.Ballot == v.s.Ballot:
		return v.voted(in.From, out)
	case m.Kind == Decided:
		v.s.Ballot = m.Acceptance.Ballot
		return v.decide(m.Acceptance, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no use for it now"))
}

// lead begins phase 1 with a ballot that is newer than any it knows.
func (v *server) lead(wanted Proposal, out []core.Effect) []core.Effect {
	v.s.Wanted, v.s.Ballot = wanted, Ballot{Round: v.s.Ballot.Round + 1, Leader: v.self}
	v.s.Promises, v.s.Votes = []promise{{From: v.self, Last: v.s.Accepted}}, 0
	out = v.broadcast(&Message{Kind: Prepare, Ballot: v.s.Ballot}, out)
	if v.options.quorum() == 1 {
		return v.propose(out)
	}
	return out
}

// promised notes a promise; the one that completes a quorum begins phase 2.
func (v *server) promised(p promise, out []core.Effect) []core.Effect {
	i, known := slices.BinarySearchFunc(v.s.Promises, p.From, func(q promise, from core.Proc) int {
		return int(q.From) - int(from)
	})
	if known {
		return append(out, core.DropInput(p.From, core.MsgID{}, "promised before"))
	}
	v.s.Promises = slices.Insert(slices.Clone(v.s.Promises), i, p)
	if len(v.s.Promises) == v.options.quorum() {
		return v.propose(out)
	}
	return out
}

// propose asks for acceptance of what may have been decided already, in a ballot that the promises
// have closed: any quorum that accepted has a server in common with the quorum that promised. What
// is newest was proposed by a leader that did the same, so if something was decided before, it is
// that.
func (v *server) propose(out []core.Effect) []core.Effect {
	var newest Acceptance
	for _, p := range v.s.Promises {
		if newest.Ballot.less(p.Last.Ballot) {
			newest = p.Last
		}
	}
	if newest.Proposal.Value != "" && !v.options.Deaf {
		v.s.Wanted = newest.Proposal
	}
	v.s.Accepted = Acceptance{Ballot: v.s.Ballot, Proposal: v.s.Wanted}
	out = v.broadcast(&Message{Kind: Accept, Acceptance: v.s.Accepted}, out)
	return v.voted(v.self, out)
}

// voted notes that a server has accepted; the one that completes a quorum decides.
func (v *server) voted(from core.Proc, out []core.Effect) []core.Effect {
	bit := uint64(1) << from
	if v.s.Votes&bit != 0 {
		return append(out, core.DropInput(from, core.MsgID{}, "accepted before"))
	}
	v.s.Votes |= bit
	if bits.OnesCount64(v.s.Votes) != v.options.quorum() {
		return out
	}
	decision := Acceptance{Ballot: v.s.Ballot, Proposal: v.s.Wanted}
	out = v.decide(decision, out)
	out = v.broadcast(&Message{Kind: Decided, Acceptance: decision}, out)
	return append(out, core.SendTo(decision.Proposal.Client, &Message{Kind: Written}))
}

func (v *server) decide(decision Acceptance, out []core.Effect) []core.Effect {
	v.s.Accepted, v.s.Decided = decision, true
	return append(out, core.Effect{Kind: core.Decide, Key: decision.Proposal.Value})
}

// broadcast sends to all other servers.
func (v *server) broadcast(m *Message, out []core.Effect) []core.Effect {
	for p := range core.Proc(v.options.Servers) {
		if p != v.self {
			out = append(out, core.SendTo(p, m))
		}
	}
	return out
}
