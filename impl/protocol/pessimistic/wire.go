package pessimistic

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// SSN numbers the messages of one channel, from 1; 0 means "none".
type SSN uint32

// RSN numbers the deliveries of one rank, from 1; 0 means "none" or "not known".
type RSN uint32

// Kind is the type of a message.
type Kind uint8

// The messages and the fields that they carry. Life is the incarnation of the rank that the message
// is about, Logger that of its logger, Number a coordinated checkpoint of its node.
const (
	// application message: SSN, Life (of the sender), Payload; inside a node Number (the last begun
	// at the sender)
	Data    Kind = iota + 1
	Confirm      // receiver to sender: the message SSN is stable
	// restarted rank to sender: Life, SSN (the last one that is stable): send the rest again
	Pull
	// receiver to restarted sender: SSN (the last one that need not be sent again)
	Suppress
	// receiver to its logger: Life, Entries (one), RSN (last one known to be acknowledged)
	LogPut
	LogAck  // logger to receiver: Life, RSN (everything up to it is stored)
	LogFull // logger to receiver: take a checkpoint
	// restarted rank to its logger: Life; Found (in a node: the line is Number)
	LogFetch
	// logger to restarted rank: Life, Logger, Found, Image, Entries, Number
	LogData
	// rank to logger: Life, Logger, Image, RSN and Sent of the image, Entries (still to be
	// replayed); Number, Line (complete)
	Save
	// logger to rank: the image is the recovery line: Life, RSN, Sent, Number
	SaveOk
	NewLogger // logger that has lost everything, to its rank: Logger
	// SBML, receiver to sender: message SSN was delivered as RSN, next after Prev; Life
	Order
	OrderOk // SBML, sender to receiver: RSN of SSN is recorded; Life
	// SBML, rank with a new image to sender: messages up to SSN are not needed any more
	Collect
	// SBML, restarted rank to all: Life, SSN (the last one in the image), RSN
	Recall
	Recalled // SBML, answer: Life, Entries (the order is known if RSN is not 0)
	// rank of a node to its first rank: Life, Found (it must be a new one)
	SaveRequest
	// rank of a node to the others: Life, Number, Line (complete), SSN (the last one before the
	// marker)
	Marker
	// logger to its rank, rank to the first of its node: the image is here: Life, Number
	Stored
	// first rank of a node to the others, rank to its logger: the line is Number: Life
	Settle
	// first rank of a node to the others after a restart: the line is Number: Life
	Line
	Lost // rank that has given up to the others of its node: Life
	// M32, rank that saves to all others: send me nothing
	Freeze
	Flushed // answer: nothing more comes
	Thaw    // the image is stored
)

var kindNames = [...]string{"", "Data", "Confirm", "Pull", "Suppress", "LogPut", "LogAck",
	"LogFull", "LogFetch", "LogData", "Save", "SaveOk",
	"NewLogger", "Order", "OrderOk", "Collect", "Recall", "Recalled", "SaveRequest", "Marker",
	"Stored", "Settle", "Line", "Lost", "Freeze", "Flushed", "Thaw"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleProgram, "Data").
		With(trace.RoleDeterminant, "LogPut LogAck Order OrderOk").
		With(trace.RoleAcknowledgement, "Confirm Suppress Collect").
		With(trace.RoleRecovery, "Pull LogFetch LogData NewLogger Recall Recalled Lost").
		With(trace.RoleMarker, "Marker Flushed").
		With(trace.RoleCheckpoint, "LogFull Save SaveOk SaveRequest Stored Settle Line Freeze Thaw")
}

// Entry is one logged delivery.
type Entry struct {
	_      struct{}  `cbor:",toarray"`
	RSN    RSN       `json:"rsn"`
	Prev   RSN       `json:"prev"` // SBML: of the delivery before it
	Source core.Rank `json:"source"`
	SSN    SSN       `json:"ssn"`
	Sent   uint32    `json:"sent"`   // sends that the receiver had executed before it
	Posted bool      `json:"posted"` // it completed a posted receive, so Sent says where
	// determinant alone: the sender shares the node and will send it again
	Bare    bool         `json:"bare"`
	Payload core.Payload `json:"payload"`
}

// Message is every message of the three protocols; Kind says which fields are set.
type Message struct {
	_       struct{} `cbor:",toarray"`
	Kind    Kind
	Life    core.Incarnation
	Logger  core.Incarnation
	Number  uint32
	Line    uint32
	SSN     SSN
	RSN     RSN
	Prev    RSN
	Sent    uint32
	Found   bool
	Image   []byte
	Entries []Entry
	Payload core.Payload
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", m.Kind)}
	if int(m.Kind) < len(kindNames) {
		w.Kind = kindNames[m.Kind]
	}
	switch m.Kind {
	case Data:
		w.ID = m.Payload.ID
		w.Text = fmt.Sprintf("ssn %d", m.SSN)
	case Confirm, Suppress, Collect:
		w.Text = fmt.Sprintf("ssn %d", m.SSN)
	case Pull, Recall:
		w.Text = fmt.Sprintf("life %d has ssn %d", m.Life, m.SSN)
	case LogPut:
		w.Text = fmt.Sprintf("rsn %d", m.Entries[0].RSN)
	case Marker:
		w.Text = fmt.Sprintf("number %d, ssn %d", m.Number, m.SSN)
	case Stored, Settle, Line:
		w.Text = fmt.Sprintf("number %d", m.Number)
	case LogAck, Save, SaveOk:
		w.Text = fmt.Sprintf("rsn %d", m.RSN)
	case Order, OrderOk:
		w.Text = fmt.Sprintf("ssn %d is rsn %d", m.SSN, m.RSN)
	case LogData, Recalled:
		w.Text = fmt.Sprintf("life %d, %d entries", m.Life, len(m.Entries))
	}
	return w
}
