package printed

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// SSN is the Send Sequence Number: messages sent by a process. It begins with 1; 0 means none.
type SSN uint32

// RSN is the Receive Sequence Number: messages received by a process. It begins with 1; 0 means
// none, or not known.
type RSN uint32

// Kind is the type of a message.
type Kind uint8

// The messages and the fields that they carry.
const (
	M Kind = iota + 1 // of the application: SSN, Payload

	// 4.1.1
	Ack        // receiver to sender: SSN, RSN
	AckOfAck   // sender to receiver: SSN
	Needless   // checkpointed process to a sender: SSN (messages up to it were received before)
	Request    // restarted process to all: for its logged messages
	LoggedHere // answer: Entries, without RSN if partially logged

	// 4.1.2 and 4.2
	Put     // receiver to its logger: Entries (one)
	Saved   // logger to receiver: RSN
	Erase   // receiver to sender, t6 to t7: SSN
	Current // receiver to sender: SSN, the current value for it
	AskTB   // restarted receiver to sender: is there a message in the temporary buffer?
	GiveTB  // answer: Entries
	Fetch   // restarted process to its logger
	Fetched // answer: Image, Entries
	Connect // new logger to its process
	Image   // process to its logger: Image, SSN, RSN (of the image)
	Stored  // logger to process: SSN, RSN

	// 2.3.4
	Freeze  // process that checkpoints to all: channels to it are flushed and remain unused
	Flushed // answer: nothing more comes
	Allow   // communication is allowed again
)

var kindNames = [...]string{"", "M", "Ack", "AckOfAck", "Needless", "Request", "LoggedHere", "Put",
	"Saved", "Erase", "Current", "AskTB", "GiveTB", "Fetch", "Fetched", "Connect", "Image",
	"Stored", "Freeze", "Flushed", "Allow"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleProgram, "M").
		With(trace.RoleDeterminant, "Ack AckOfAck Put Saved").
		With(trace.RoleAcknowledgement, "Needless Erase Current").
		With(trace.RoleRecovery, "Request LoggedHere AskTB GiveTB Fetch Fetched Connect").
		With(trace.RoleMarker, "Flushed").With(trace.RoleCheckpoint, "Image Stored Freeze Allow")
}

// Entry is a message in a log or a buffer.
type Entry struct {
	_       struct{}     `cbor:",toarray"`
	Peer    core.Rank    `json:"peer"` // destination, or at the receiver the sender
	SSN     SSN          `json:"ssn"`
	RSN     RSN          `json:"rsn"`
	Payload core.Payload `json:"payload"`
}

// Message is every message; Kind says which fields are set.
type Message struct {
	_       struct{} `cbor:",toarray"`
	Kind    Kind
	SSN     SSN
	RSN     RSN
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
	case M:
		w.ID, w.Text = m.Payload.ID, fmt.Sprintf("ssn %d", m.SSN)
	case Ack:
		w.Text = fmt.Sprintf("ssn %d is rsn %d", m.SSN, m.RSN)
	case AckOfAck, Needless, Erase, Current:
		w.Text = fmt.Sprintf("ssn %d", m.SSN)
	case Put:
		w.Text = fmt.Sprintf("rsn %d", m.Entries[0].RSN)
	case Saved, Image, Stored:
		w.Text = fmt.Sprintf("rsn %d", m.RSN)
	case LoggedHere, GiveTB, Fetched:
		w.Text = fmt.Sprintf("%d entries", len(m.Entries))
	}
	return w
}

// The kinds that every message of a program causes have a fixed layout: the kind, then numbers as
// core.Fields reads them.

// AppendHeader implements core.Framed. The payload of a Put is that of its entry.
func (m *Message) AppendHeader(buf []byte) ([]byte, bool) {
	number := func(x uint32) { buf = binary.AppendUvarint(buf, uint64(x)) }
	switch m.Kind {
	case M, Ack, AckOfAck, Saved, Erase:
		buf = append(buf, byte(m.Kind))
		number(uint32(m.SSN))
		number(uint32(m.RSN))
		number(uint32(m.Payload.ID.From))
		number(m.Payload.ID.Number)
		return buf, true
	case Put:
		e := &m.Entries[0]
		buf = append(buf, byte(m.Kind))
		number(uint32(e.SSN))
		number(uint32(e.RSN))
		number(uint32(e.Payload.ID.From))
		number(e.Payload.ID.Number)
		number(uint32(e.Peer))
		return buf, true
	}
	return buf, false
}

// ParseHeader implements core.Framed.
func (m *Message) ParseHeader(header []byte, _ core.Proc) error {
	*m = Message{}
	if len(header) > 0 {
		m.Kind = Kind(header[0])
		header = header[1:]
	}
	f := core.ReadFields(header)
	ssn, rsn := SSN(f.Uint32()), RSN(f.Uint32())
	id := core.MsgID{From: f.Rank(), Number: f.Uint32()}
	switch m.Kind {
	case M, Ack, AckOfAck, Saved, Erase:
		m.SSN, m.RSN, m.Payload.ID = ssn, rsn, id
	case Put:
		m.Entries = []Entry{{SSN: ssn, RSN: rsn, Peer: f.Rank(), Payload: core.Payload{ID: id}}}
	default:
		return fmt.Errorf("pessimistic: header of kind %d, which has no fixed layout", m.Kind)
	}
	return f.End("pessimistic")
}

// Content implements core.Framed.
func (m *Message) Content() *core.Payload {
	if m.Kind == Put {
		return &m.Entries[0].Payload
	}
	return &m.Payload
}
