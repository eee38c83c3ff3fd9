package replicated

import (
	"fmt"
	"maps"
	"strings"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the kind of a message.
type Kind uint8

// The messages, by who sends them to whom.
const (
	Plain   Kind = iota + 1 // between others than replicas: Body, as without replication
	Request                 // to the leader: Life (of the sender), Number, Seen, Body
	Order                   // of the leader: Life (of the addressee), Number, Seen, Body
	Lead                    // the sender leads: Term, Life (of the addressee), Seen
	Raft                    // between replicas: Packet
	Hello                   // to the other replicas: the sender runs, as Life
	Elect                   // to a replica: the sender has no leader of Term; stand for election
)

var kindNames = [...]string{"", "Plain", "Request", "Order", "Lead", "Raft", "Hello", "Elect"}

// roles are what the kinds are for that come to those of a setup without replication.
func roles(inner trace.Roles) trace.Roles {
	r := trace.Roles{}.With(trace.RoleAgreement, "Request Order Lead Hello Elect")
	for kind := pb.MsgHup; int(kind) < len(pb.MessageType_name); kind++ {
		r[kind.String()] = trace.RoleAgreement
	}
	maps.Copy(r, inner) // whose kinds a session carries
	return r
}

// Message is every message of a setup with a replicated service.
type Message struct {
	_    struct{} `cbor:",toarray"`
	Kind Kind
	Term uint64
	Life core.Incarnation
	// of a session: the number of this message among those of its direction, from 1, and of the
	// last one of the other direction that has arrived
	Number uint64
	Seen   uint64
	// a message of the setup without replication, encoded. A request without is the first of a life
	// that has restarted: it makes itself known.
	Body   []byte
	Packet packet

	fresh func() core.Message // an empty message of the setup without replication
}

// inner is the message of the setup without replication.
func (m *Message) inner() core.Message {
	inner := m.fresh()
	if err := core.Decode(m.Body, inner); err != nil {
		panic(fmt.Sprintf("invariant: what a session carries is a message: %v", err))
	}
	return inner
}

// Describe implements core.Message: the message that is carried, if there is one.
func (m *Message) Describe() trace.Wire {
	if len(m.Body) > 0 && m.fresh != nil {
		inner := m.fresh()
		if core.Decode(m.Body, inner) == nil { // else it is bytes from anywhere
			w := inner.Describe()
			if m.Kind != Plain {
				w.Text = strings.TrimSpace(fmt.Sprintf("%s %s %d", w.Text, m.Kind, m.Number))
			}
			return w
		}
	}
	switch m.Kind {
	case Raft:
		p := &m.Packet
		text := fmt.Sprintf("term %d place %d", p.Term, p.Index)
		if len(p.Entries) > 0 {
			text += fmt.Sprintf(" and %d more", len(p.Entries))
		}
		if p.Reject {
			text += " refused"
		}
		return trace.Wire{Kind: pb.MessageType(p.Type).String(), Text: text}
	case Lead, Elect:
		return trace.Wire{Kind: m.Kind.String(), Text: fmt.Sprintf("term %d", m.Term)}
	}
	return trace.Wire{Kind: m.Kind.String(), Text: fmt.Sprintf("life %d", m.Life)}
}

// String names a kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// command is the data of an entry: one input of the service.
type command struct {
	_      struct{} `cbor:",toarray"`
	Kind   core.InputKind
	From   core.Proc        // Received
	Life   core.Incarnation // Received: of the sender; Down: that has ended
	Number uint64           // Received: of the request; Tick: of the timer
	Seen   uint64           // Received: of the request
	Body   []byte           // Received
	Procs  []core.Proc      // Down
	Timer  string           // Tick
}
