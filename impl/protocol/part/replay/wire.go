package replay

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the type of a control message.
type Kind uint8

// The control messages and the fields that they carry. The first ones are the notices of package
// snapshot, in the same order: Number and Life.
const (
	Request Kind = iota
	Marker
	Saved
	Committed
	// a restarted rank to every rank outside: Number (of the last message taken from you), Sent (of
	// the last one sent to you), Covered
	Hello
	// the answer where messages are missing: Number (of the last one that is here of you), Covered
	Answer
	// the line holds what was received from you: Covered (number of the last such message)
	Covered
)

var kindNames = [...]string{"SaveRequest", "Marker", "Saved", "Commit", "Hello", "Answer",
	"Covered"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return snapshot.Roles().With(trace.RoleProgram, link.App).
		With(trace.RoleRecovery, "Hello Answer").With(trace.RoleAcknowledgement, "Covered")
}

// Control is every message that carries no payload; Kind says which fields are set.
type Control struct {
	_       struct{} `cbor:",toarray"`
	Kind    Kind
	Number  uint32
	Sent    uint32
	Covered uint32
	Life    core.Incarnation
}

// Message is every message of these protocols.
type Message = link.Message[Control, *Control]

// Describe implements link.Control.
func (c *Control) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", c.Kind)}
	if int(c.Kind) < len(kindNames) {
		w.Kind = kindNames[c.Kind]
	}
	switch c.Kind {
	case Marker, Saved, Committed:
		w.Text = fmt.Sprintf("checkpoint %d incarnation %d", c.Number, c.Life)
	case Hello:
		w.Text = fmt.Sprintf("received up to %d, covered up to %d, sent up to %d", c.Number,
			c.Covered, c.Sent)
	case Answer:
		w.Text = fmt.Sprintf("received up to %d, covered up to %d", c.Number, c.Covered)
	case Covered:
		w.Text = fmt.Sprintf("covered up to %d", c.Covered)
	}
	return w
}

// notice is the message for a notice about a checkpoint.
func notice(n snapshot.Notice) *Message {
	return &Message{Control: &Control{Kind: Kind(n.Kind), Number: n.Number, Life: n.Life}}
}
