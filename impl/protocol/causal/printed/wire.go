package printed

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the type of a message.
type Kind uint8

// The messages. The paper's are those that NETSEND procedures name; the others stand for what it
// leaves to the system: the call of FAILURE, the barrier, the coordinated checkpoint.
const (
	App     Kind = iota + 1 // NETSENDMSG: an application message ([CAMEL] Fig. 2(b))
	DetAck                  // NETSENDDETACK: Dets
	Dets                    // NETSENDDETS: Dets, Line, Numbers; who sends it enters the barrier
	Failure                 // the system calls FAILURE of the sender, whose new incarnation is up
	Leave                   // everybody is in the barrier
	// what the log had is on its way; it ends nothing but the count of who is recovering
	Replayed
	Saved  // the sender's image for checkpoint Line is stable
	Commit // and everybody's is
	Moved  // the sender restarts from checkpoint Line
	// of impl/protocol/camel/printed
	Multicast // an application message to Group, from its root Sender
	Reduction // a contribution to the SSN-th reduction of Group
	MsgAck    // NETSENDMSGACK: the SSN-th reduction of Group is complete
)

var kindNames = [...]string{"", "App", "DetAck", "Dets", "Failure", "Leave", "Replayed", "Saved",
	"Commit", "Moved", "Multicast", "Reduction", "MsgAck"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleProgram, "App Multicast Reduction").
		With(trace.RoleDeterminant, "DetAck Dets").With(trace.RoleAcknowledgement, "MsgAck").
		With(trace.RoleCheckpoint, "Saved Commit").
		With(trace.RoleRecovery, "Failure Leave Replayed Moved")
}

// Message is every message. Up to Dets the fields are the header of [CAMEL] Fig. 2(b), with the
// group of section 3.2.
type Message struct {
	_       struct{}         `cbor:",toarray"`
	Kind    Kind             `json:"kind"`
	Sender  core.Rank        `json:"sender"` // multicast: its root, whoever passes it on
	Recver  core.Rank        `json:"recver"`
	Group   core.Group       `json:"group,omitempty"`
	SSN     uint32           `json:"ssn"`
	Inc     core.Incarnation `json:"inc"`
	Dets    []Det            `json:"dets"`
	Payload core.Payload     `json:"payload"`

	For     core.Incarnation `json:"for,omitempty"`     // determinants: the life that they are for
	Line    uint32           `json:"line,omitempty"`    // a checkpoint
	Numbers []uint32         `json:"numbers,omitempty"` // by group, see impl/protocol/camel/printed

	// deliveries of the sender's program before the send; evidence, no machine reads it
	Past uint32 `json:"past"`
	// checkpoints of the sender before the send: a message that crosses one is outside the model
	Epoch uint32 `json:"epoch"`
}

// Det is a determinant ([CAMEL] section 2.3, with the group of section 3.2): the RSN-th reception
// of Recver was the message SSN of Sender.
type Det struct {
	_      struct{}   `cbor:",toarray"`
	Sender core.Rank  `json:"sender"`
	Recver core.Rank  `json:"recver"`
	Group  core.Group `json:"group,omitempty"` // of a reduction
	SSN    uint32     `json:"ssn"`
	RSN    uint32     `json:"rsn"`
	// what the program got, as which of its deliveries, and deliveries of the sender before the
	// send; evidence, no machine reads it
	ID    core.MsgID `json:"id"`
	Index uint32     `json:"index"`
	Past  uint32     `json:"past"`
}

// item is the determinant as something that is held in a memory.
func (d Det) item() trace.Item {
	return trace.Item{Sort: trace.Determinant, Peer: d.Recver.Proc(), Number: d.Index, ID: d.ID,
		Past: d.Past}
}

// Item is a logged message as something that its sender keeps for others.
func (m *Message) Item(self core.Rank) trace.Item {
	switch m.Kind {
	case Multicast:
		return trace.Item{Sort: trace.Copy, ID: m.Payload.ID, Peer: self.Proc()}
	case Reduction:
		return trace.Item{Sort: trace.Part, ID: m.Payload.ID, Peer: m.Recver.Proc(), Number: m.SSN}
	}
	return trace.Item{Sort: trace.Copy, ID: m.Payload.ID, Peer: m.Recver.Proc()}
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", m.Kind)}
	if int(m.Kind) < len(kindNames) {
		w.Kind = kindNames[m.Kind]
	}
	switch m.Kind {
	case App, Multicast:
		w.ID, w.Stamp.Date = m.Payload.ID, uint64(m.Past)
		w.Text = fmt.Sprintf("ssn %d, life %d", m.SSN, m.Inc)
	case Reduction, MsgAck:
		w.Text = fmt.Sprintf("round %d, life %d", m.SSN, m.Inc)
	case Saved, Commit, Moved:
		w.Text = fmt.Sprint(m.Line)
	default:
		w.Text = fmt.Sprintf("life %d", m.Inc)
	}
	for _, d := range m.Dets {
		w.Text += fmt.Sprintf(" #%d:%d=%d/%d", d.Recver, d.RSN, d.Sender, d.SSN)
	}
	return w
}

// Carries reports whether the message carries a payload of a program, and how many determinants are
// piggybacked on it.
func (m *Message) Carries() (payload bool, determinants int) {
	payload = m.Kind == App || m.Kind == Multicast || m.Kind == Reduction
	if payload {
		determinants = len(m.Dets)
	}
	return payload, determinants
}
