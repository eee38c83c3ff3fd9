package manetho

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// kind is the type of a control message.
type kind uint8

// The control messages and the fields that they carry beside Life.
const (
	// a restarted rank asks what is known: Round, Lives, Lines, Got, Taken
	request kind = iota + 1
	// what is known: For, Round, Dets, Lines, Stable, Got, Taken
	answer
	covered // the recovery line of the sender has moved: Lines, Taken
	notice  // about a checkpoint of the team: Notice
)

var kindNames = [...]string{"", "Request", "Answer", "Covered", "Notice"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return snapshot.Roles().With(trace.RoleProgram, link.App).
		With(trace.RoleRecovery, "Request Answer").With(trace.RoleAcknowledgement, "Covered")
}

// control is every message that carries no payload.
type control struct {
	_     struct{} `cbor:",toarray"`
	Kind  kind
	Life  core.Incarnation
	For   core.Incarnation // of the receiver
	Round uint32
	Lives []core.Incarnation
	Lines []uint32 // receptions that the recovery line of each rank holds, as far as is known
	// receptions of each rank that are stable, as far as is known
	Stable []uint32
	Got    uint32 // messages of the receiver that are here
	Taken  uint32 // of those, the ones that the recovery line of the sender holds
	Dets   []link.Det
	Notice snapshot.Notice
}

// Describe names the message.
func (c *control) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", c.Kind)}
	if int(c.Kind) < len(kindNames) {
		w.Kind = kindNames[c.Kind]
	}
	switch c.Kind {
	case request:
		w.Text = fmt.Sprintf("life %d round %d", c.Life, c.Round)
	case answer:
		w.Text = fmt.Sprintf("for life %d round %d of%s", c.For, c.Round, words(c.Dets))
	case covered:
		w.Text = fmt.Sprint(c.Taken)
	case notice:
		w.Kind = [...]string{"SaveRequest", "Marker", "Saved", "Commit"}[c.Notice.Kind&3]
		w.Text = fmt.Sprint(c.Notice.Number)
	}
	return w
}

// words lists determinants as receiver:place=sender/number.
func words(dets []link.Det) (text string) {
	for _, d := range dets {
		text += fmt.Sprintf(" #%d:%d=%d/%d", d.Receiver, d.Place, d.Sender, d.Number)
	}
	return text
}

// Message is a message of a program or a control message. Of the fields of link.Data, Index is how
// many receptions its sender had before the send, and Phase what it tells of itself by the way: how
// many messages of the receiver are here (family), how many of its receptions are stable (store).
type Message struct {
	_    struct{} `cbor:",toarray"`
	Link link.Message[control, *control]
	To   core.Incarnation // of a program: life of the receiver to which everything was told
}

// Describe implements core.Message: what a message says of receptions is its stamp.
func (m *Message) Describe() trace.Wire {
	w := m.Link.Describe()
	if m.Link.Control == nil {
		w.Stamp = core.Stamp{Date: uint64(m.Link.Data.Index)}
		d := &m.Link.Data
		w.Text = fmt.Sprintf("number %d life %d to %d", d.Number, d.Life, m.To) + words(d.Dets)
	}
	return w
}

// AppendHeader implements core.Framed: the life of the receiver, then the rest.
func (m *Message) AppendHeader(buf []byte) ([]byte, bool) {
	before := len(buf)
	buf, ok := m.Link.AppendHeader(binary.AppendUvarint(buf, uint64(m.To)))
	if ok = ok && len(buf)-before <= core.MaxHeader; !ok {
		return buf[:before], false
	}
	return buf, true
}

// ParseHeader implements core.Framed.
func (m *Message) ParseHeader(header []byte, from core.Proc) error {
	n := 0
	for n < len(header) && header[n] >= 0x80 {
		n++
	}
	f := core.ReadFields(header[:min(n+1, len(header))])
	m.To = core.Incarnation(f.Uint32())
	if err := f.End("manetho"); err != nil {
		return err
	}
	return m.Link.ParseHeader(header[n+1:], from)
}

// Content implements core.Framed.
func (m *Message) Content() *core.Payload { return m.Link.Content() }

// Carries reports whether the message carries a payload of a program, and how many determinants are
// piggybacked on it.
func (m *Message) Carries() (payload bool, determinants int) {
	return m.Link.Control == nil, len(m.Link.Data.Dets)
}
