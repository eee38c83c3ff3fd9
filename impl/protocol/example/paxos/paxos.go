package paxos

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	promises "github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Options direct the protocol. The zero value of a flag is the protocol as it must be.
type Options struct {
	Servers int // procs [0, Servers), at least 1
	Clients int // procs behind the servers, in [1, 26]
	// broken on purpose: a leader proposes what its client wants, whatever has been accepted
	Deaf  bool
	Stale bool // broken on purpose: a server answers a read when it knows no decision yet, too
}

// quorum is how many servers any two of which sets have a server in common.
func (o *Options) quorum() int { return o.Servers/2 + 1 }

// NewSetup prepares the servers and clients.
func NewSetup(o Options) (*core.Setup, error) {
	if o.Servers < 1 || o.Servers > 64 || o.Clients < 1 || o.Clients > 26 {
		return nil, fmt.Errorf("paxos: %d servers and %d clients, want [1, 64] and [1, 26]",
			o.Servers, o.Clients)
	}
	s := &core.Setup{
		Protocol: "paxos", Layout: trace.Layout{Roles: roles()},
		NewMessage: func() core.Message { return new(Message) },
		Promises:   promises.Promises{MaxFailures: -1, Register: true, Deciders: o.Servers},
		New: func(p core.Proc) core.Machine {
			if int(p) < o.Servers {
				return &server{options: o, self: p}
			}
			return &client{options: o, self: p}
		},
	}
	for i := range o.Servers {
		s.Layout.Names = append(s.Layout.Names, fmt.Sprintf("s%d", i+1))
	}
	s.Alike = o.acceptors()
	for i := range o.Clients {
		s.Layout.Names = append(s.Layout.Names, fmt.Sprintf("c%d", i+1))
		s.Promises.Decisions = append(s.Promises.Decisions, valueOf(i))
	}
	return s, s.Validate()
}

// acceptors are the servers that no client ever asks: they lead nothing, and nothing but their
// names tells them apart. Ballots are ordered by their leaders, so no others are alike.
func (o *Options) acceptors() (list []core.Proc) {
	asked := make([]bool, o.Servers)
	for i := range o.Clients {
		c := client{options: *o, self: core.Proc(o.Servers + i)}
		asked[c.server(0)], asked[c.server(1)] = true, true
	}
	for p := range core.Proc(o.Servers) {
		if !asked[p] {
			list = append(list, p)
		}
	}
	return list
}

// valueOf is what the i-th client writes.
func valueOf(i int) string { return string(rune('A' + i)) }

// Ballot orders the attempts to decide. The zero ballot is older than any.
type Ballot struct {
	_      struct{}  `cbor:",toarray"`
	Round  uint32    `json:"round"`
	Leader core.Proc `json:"leader"`
}

func (b Ballot) less(c Ballot) bool {
	return b.Round < c.Round || b.Round == c.Round && b.Leader < c.Leader
}

// Proposal is what a client wants; the empty value is none.
type Proposal struct {
	_      struct{}  `cbor:",toarray"`
	Client core.Proc `json:"client"`
	Value  string    `json:"value"`
}

// Acceptance is a proposal and the ballot in which it was accepted; the zero value is none.
type Acceptance struct {
	_        struct{} `cbor:",toarray"`
	Ballot   Ballot   `json:"ballot"`
	Proposal Proposal `json:"proposal"`
}

// Message is all that is ever said; each kind uses the fields in its comment.
type Message struct {
	_          struct{} `cbor:",toarray"`
	Kind       Kind
	Ballot     Ballot
	Value      string
	Acceptance Acceptance
}

// Kind says what a message is.
type Kind uint8

// The kinds.
const (
	Write    Kind = iota // client to server: Value
	Read                 // client to server
	Written              // server to client: the value of the client was decided
	Answer               // server to client: the decision is Value
	Prepare              // leader to servers: Ballot
	Promise              // to the leader: Ballot; Acceptance is the newest one so far
	Accept               // leader to servers: Acceptance
	Accepted             // to the leader: Ballot
	Decided              // leader to servers: Acceptance
)

var kindNames = [...]string{"Write", "Read", "Written", "Answer", "Prepare", "Promise", "Accept",
	"Accepted", "Decided"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleService, "Write Read Written Answer").
		With(trace.RoleAgreement, "Prepare Promise Accept Accepted Decided")
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	w := trace.Wire{Kind: kindNames[m.Kind]}
	switch m.Kind {
	case Write, Answer:
		w.Text = m.Value
	case Prepare, Accepted:
		w.Text = m.Ballot.String()
	case Promise:
		w.Text = m.Ballot.String()
		if m.Acceptance.Proposal.Value != "" {
			w.Text += " accepted " + m.Acceptance.String()
		}
	case Accept, Decided:
		w.Text = m.Acceptance.String()
	}
	return w
}

// String is "round.leader".
func (b Ballot) String() string { return fmt.Sprintf("%d.%d", b.Round, b.Leader+1) }

// String is the value and the ballot.
func (a Acceptance) String() string { return a.Proposal.Value + " in " + a.Ballot.String() }
