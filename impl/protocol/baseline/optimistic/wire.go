package optimistic

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the type of a control message.
type Kind uint8

// The messages and the fields that they carry.
const (
	// a rank goes on from here: Ends, Have (number of the last message of yours that it has), Line
	// (of the last one that it will never need again)
	Announce Kind = iota + 1
	Tell          // answer to an Announce: Ends, Have, Line
	Ask           // tell me when this interval of yours is stable: Incarnation, Interval
	Stable        // up to here my intervals are stable: Incarnation, Interval
	Covered       // the recovery line holds your messages up to a number: Line
	// a member of a unit has restarted: Lives (of all members, that it knows of), Ends, Number (of
	// its image), Begin and Tail (what it can repeat behind that)
	Join
	// package snapshot: a request, a marker, an image that is stable, a commit
	SaveRequest
	Marker
	Saved
	CommitNotice
)

var kindNames = [...]string{"", "Announce", "Tell", "Ask", "Stable", "Covered", "Join",
	"SaveRequest", "Marker", "Saved", "Commit"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return snapshot.Roles().With(trace.RoleProgram, link.App).
		With(trace.RoleRecovery, "Announce Tell Join").
		With(trace.RoleAcknowledgement, "Ask Stable Covered")
}

// Control is a message that carries no payload.
type Control struct {
	_           struct{} `cbor:",toarray"`
	Kind        Kind
	Incarnation uint32
	Interval    uint32
	Have        uint32
	Line        uint32
	Life        core.Incarnation // of the unit, of a notice
	Number      uint32           // of a checkpoint
	Ends        Ends
	Lives       []core.Incarnation // by member
	Begin       uint32
	Tail        []reception
}

// Message is a message of a program, or a control message.
type Message = link.Message[Control, *Control]

// Describe names the message.
func (c *Control) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", c.Kind)}
	if int(c.Kind) < len(kindNames) {
		w.Kind = kindNames[c.Kind]
	}
	switch c.Kind {
	case Announce, Tell:
		w.Text = fmt.Sprintf("ends %v, has %d, line %d", c.Ends, c.Have, c.Line)
	case Ask, Stable:
		w.Text = fmt.Sprintf("incarnation %d interval %d", c.Incarnation, c.Interval)
	case Covered:
		w.Text = fmt.Sprintf("up to %d", c.Line)
	case Join:
		w.Text = fmt.Sprintf("lives %v, %d receptions behind %d", c.Lives, len(c.Tail), c.Begin)
	case Marker, Saved, CommitNotice:
		w.Text = fmt.Sprintf("checkpoint %d incarnation %d", c.Number, c.Life)
	}
	return w
}

// say appends a control message.
func say(out []core.Effect, to core.Rank, c Control) []core.Effect {
	return append(out, link.Say[Control](to.Proc(), c))
}

// Notice implements snapshot.Member: its kinds are the last ones here, in the same order.
func (l *layer) Notice(n snapshot.Notice) core.Message {
	return &Message{Control: &Control{Kind: SaveRequest + Kind(n.Kind), Number: n.Number,
		Life: n.Life}}
}
