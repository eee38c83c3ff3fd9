package radic

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
)

// What the protocol below has a fixed layout for keeps it: where the sender runs, its life, where
// it takes the receiver to be, then the header of the protocol below. Everything else, with what
// RADIC itself says, goes by the codec.

// bare is a message as the codec sees it.
type bare Message

// MarshalCBOR implements cbor.Marshaler: what is carried is encoded when it is needed.
func (m *Message) MarshalCBOR() ([]byte, error) {
	m.Complete()
	return core.Encode((*bare)(m)), nil
}

// UnmarshalCBOR implements cbor.Unmarshaler: what comes by the codec is as it is written, and
// nothing else.
func (m *Message) UnmarshalCBOR(encoded []byte) error {
	*m = Message{}
	return core.Decode(encoded, (*bare)(m))
}

// Complete implements core.Lazy: it puts what is carried into words and bytes, which stay valid.
func (m *Message) Complete() {
	if m.inner != nil {
		m.Wire, m.Body, m.inner = m.inner.Describe(), core.Encode(m.inner), nil
	}
}

// AppendHeader implements core.Framed.
func (m *Message) AppendHeader(buf []byte) ([]byte, bool) {
	inner, ok := m.inner.(core.Framed)
	if m.Kind != Carried || !ok {
		return buf, false
	}
	before := len(buf)
	buf = binary.AppendUvarint(buf, uint64(m.Host))
	buf = binary.AppendUvarint(buf, uint64(m.Life))
	buf = binary.AppendUvarint(buf, uint64(m.At))
	if buf, ok = inner.AppendHeader(buf); !ok || len(buf)-before > core.MaxHeader {
		return buf[:before], false
	}
	return buf, true
}

// ParseHeader implements core.Framed. The message of the protocol below is used again.
func (m *Message) ParseHeader(header []byte, from core.Proc) error {
	inner, ok := m.spare.(core.Framed)
	if !ok {
		return fmt.Errorf("radic: a message that nothing can be carried in")
	}
	var numbers [3]uint64
	for i, most := range []uint64{1<<32 - 1, 1<<32 - 1, 1<<32 - 1} {
		x, n := binary.Uvarint(header)
		if n <= 0 || n > 1 && header[n-1] == 0 || x > most {
			return fmt.Errorf(
				"radic: header is cut short, or has a number that is too large or too long")
		}
		numbers[i], header = x, header[n:]
	}
	*m = Message{Kind: Carried, Host: core.Proc(numbers[0]), Life: core.Incarnation(numbers[1]),
		At: core.Proc(numbers[2]), inner: inner, spare: inner}
	return inner.ParseHeader(header, from)
}

// Content implements core.Framed.
func (m *Message) Content() *core.Payload {
	if inner, ok := m.inner.(core.Framed); ok {
		return inner.Content()
	}
	return new(core.Payload)
}

// Background implements core.Background.
func (m *Message) Background() bool {
	b, ok := m.inner.(core.Background)
	return ok && b.Background()
}

// Below implements core.Below. Where a former incarnation goes on beside the present one, nobody
// knows of both.
func (c *carrier) Below() core.Machine {
	if c.Zombies {
		return nil
	}
	return c.inner
}

func (m *stored) Below() core.Machine { return m.inner }

// Tune prepares the program for long runs. How far it is, the control plane tells by its list of
// deliveries, so it is never brief.
func (o *observer) Tune(buffers core.Buffers, _ bool) {
	inner := o.inner
	if s, ok := inner.(*stored); ok {
		inner = s.inner
	}
	if host, ok := inner.(*program.Host); ok && !o.Zombies {
		host.Tune(buffers, false)
	}
}
