package link

import (
	"errors"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Control is what the messages of a protocol that carry no payload are.
type Control[C any] interface {
	*C
	Describe() trace.Wire
}

// Message is a message of a protocol: of a program, or a control message. It is a core.Framed.
type Message[C any, P Control[C]] struct {
	_       struct{} `cbor:",toarray"`
	Data    Data     // where Control is nil
	Control P
}

// Describe implements core.Message.
func (m *Message[C, P]) Describe() trace.Wire {
	if m.Control != nil {
		return m.Control.Describe()
	}
	return m.Data.Describe()
}

// AppendHeader implements core.Framed: control messages go by the codec.
func (m *Message[C, P]) AppendHeader(buf []byte) ([]byte, bool) {
	if m.Control != nil {
		return buf, false
	}
	return m.Data.AppendHeader(buf)
}

// ParseHeader implements core.Framed.
func (m *Message[C, P]) ParseHeader(header []byte, from core.Proc) error {
	if len(header) == 0 {
		return errors.New("link: no header")
	}
	m.Control = nil
	return m.Data.ParseHeader(header, from)
}

// Content implements core.Framed.
func (m *Message[C, P]) Content() *core.Payload { return &m.Data.Payload }

// Say is the effect that sends a control message to a proc.
func Say[C any, P Control[C]](to core.Proc, c C) core.Effect {
	return core.SendTo(to, &Message[C, P]{Control: &c})
}
