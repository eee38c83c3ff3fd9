package causal

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// SSN numbers the sends of a rank, from 1: one counter for all destinations, so the numbers of one
// channel have gaps.
type SSN uint32

// RSN numbers the receptions of a rank, from 1.
type RSN uint32

// Kind is the type of a message.
type Kind uint8

// The messages and the fields that they carry beside Inc and To. Those from Multicast to Completed
// are sent by impl/protocol/camel alone.
const (
	App     Kind = iota + 1 // application message: SSN, Past, Dets, Payload
	Ack                     // determinants that are held now: Dets
	Recover                 // a new incarnation asks for its determinants: Round, Lives
	// what is known of your receptions: For, Round, Dets, Lives, what the extension adds; Number of
	// the last commit record (rank 0)
	Answer
	// determinants are complete: send what the log has for me, who am at line Number
	ReplayRequest
	ReplayEnd // the log has been sent again
	// the sender is at its checkpoint Number: Dets, Rounds (multicasts that it has sent, by group)
	Mark
	Saved        // image Number is stable: Line (of the sender alone)
	CommitNotice // checkpoint Number is the recovery line
	// the sender has moved its line to checkpoint Number: Rounds (of its children)
	Committed
	PruneNotice // everybody has: Number, Line (of every rank), Rounds
	// application message to a group, from Origin, the Number-th: Group, SSN, Past, Dets, Payload
	Multicast
	Contribution // to round Number of a reduction: Group, Past, Dets, Payload
	Holding      // determinants of a message that is not needed any more: Dets
	Completed    // rounds of a reduction up to Number are complete: Group
)

var kindNames = [...]string{"", "App", "Ack", "Recover", "Answer", "ReplayRequest", "ReplayEnd",
	"Mark", "Saved", "Commit", "Committed",
	"Prune", "Multicast", "Contribution", "Holding", "Completed"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleProgram, "App Multicast Contribution").
		With(trace.RoleDeterminant, "Ack Holding").
		With(trace.RoleAcknowledgement, "Prune Completed").With(trace.RoleMarker, "Mark").
		With(trace.RoleCheckpoint, "Saved Commit Committed").
		With(trace.RoleRecovery, "Recover Answer ReplayRequest ReplayEnd")
}

// Message is every message of the protocol; Kind says which fields are set.
type Message struct {
	_       struct{} `cbor:",toarray"`
	Kind    Kind
	Inc     core.Incarnation // of the sender
	To      core.Incarnation // of the receiver, as far as the sender knows
	Seq     uint32           // in its channel, where the network does not keep order
	SSN     SSN
	Past    uint32 // deliveries of the program before the send; evidence, no machine reads it
	Dets    []Det
	Payload core.Payload
	For     core.Incarnation // Answer: of the receiver; Multicast: of the root that sent it
	Round   uint32           // App: checkpoints that the sender had reached
	Lives   Lives
	Number  uint32
	Line    []Position
	Group   core.Group
	Origin  core.Rank
	// Answer: last complete round of each reduction; Mark: multicasts sent; Committed, PruneNotice:
	// contributions that images include
	Rounds []uint32
	Seeds  []Entry // Answer: contributions of the receiver that it must be able to send again
}

// kept is a copy of a message for later than the step in which it is valid. Answers are never kept,
// so Seeds need no copy.
func (m *Message) kept() Message {
	c := *m
	c.Dets, c.Lives, c.Line, c.Rounds = slices.Clone(m.Dets), slices.Clone(m.Lives),
		slices.Clone(m.Line), slices.Clone(m.Rounds)
	return c
}

// Position is where a rank is at a checkpoint.
type Position struct {
	_   struct{} `cbor:",toarray"`
	SSN SSN      `json:"ssn"`
	RSN RSN      `json:"rsn"`
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
		w.Text = fmt.Sprintf("ssn %d, life %d to %d", m.SSN, m.Inc, m.To) + words(m.Dets)
	case Contribution:
		w.Text = fmt.Sprintf("round %d, life %d to %d", m.Number, m.Inc, m.To) + words(m.Dets)
	case Ack, Holding:
		w.Text = "of" + words(m.Dets)
	case Recover:
		w.Text = fmt.Sprintf("life %d round %d", m.Inc, m.Round)
	case Answer:
		w.Text = fmt.Sprintf("for life %d round %d", m.For, m.Round) + words(m.Dets)
	case ReplayRequest, ReplayEnd:
		w.Text = fmt.Sprintf("life %d to %d", m.Inc, m.To)
	case Mark:
		w.Text = fmt.Sprint(m.Number) + words(m.Dets)
	case Saved, CommitNotice, Committed, PruneNotice, Completed:
		w.Text = fmt.Sprint(m.Number)
	}
	return w
}

// Carries reports whether the message carries a payload of a program, and how many determinants are
// piggybacked on it.
func (m *Message) Carries() (payload bool, determinants int) {
	payload = m.Kind == App || m.Kind == Multicast || m.Kind == Contribution
	if payload {
		determinants = len(m.Dets)
	}
	return payload, determinants
}

// words lists determinants as receiver:number=sender/ssn.
func words(dets []Det) string {
	text := ""
	for _, d := range dets {
		text += fmt.Sprintf(" #%d:%d=%d/%d", d.Recver, d.RSN, d.Sender, d.SSN)
	}
	return text
}
