package pessimistic

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// The kinds that every message of a program causes have a fixed layout: the kind, then numbers as
// core.Fields reads them.

// AppendHeader implements core.Framed. The payload of a LogPut is that of its entry.
func (m *Message) AppendHeader(buf []byte) ([]byte, bool) {
	if m.Kind == LogPut && len(m.Entries) != 1 {
		return buf, false
	}
	number := func(x uint32) { buf = binary.AppendUvarint(buf, uint64(x)) }
	id := func(p *core.Payload) {
		number(uint32(p.ID.From))
		number(p.ID.Number)
	}
	switch m.Kind {
	case Data, Confirm, LogPut, LogAck, Order, OrderOk:
		buf = append(buf, byte(m.Kind))
	default:
		return buf, false
	}
	switch m.Kind {
	case Data:
		number(uint32(m.Life))
		number(uint32(m.SSN))
		number(m.Number)
		id(&m.Payload)
	case Confirm:
		number(uint32(m.SSN))
	case LogPut:
		e := &m.Entries[0]
		number(uint32(m.Life))
		number(uint32(m.RSN))
		number(uint32(e.RSN))
		number(uint32(e.Prev))
		number(uint32(e.Source))
		number(uint32(e.SSN))
		number(e.Sent)
		buf = core.AppendBool(core.AppendBool(buf, e.Posted), e.Bare)
		id(&e.Payload)
	case LogAck:
		number(uint32(m.Life))
		number(uint32(m.RSN))
	case Order, OrderOk:
		number(uint32(m.Life))
		number(uint32(m.SSN))
		number(uint32(m.RSN))
		if m.Kind == Order {
			number(uint32(m.Prev))
			number(m.Sent)
			buf = core.AppendBool(buf, m.Found)
		}
	}
	return buf, true
}

// ParseHeader implements core.Framed. The room for the entry of a LogPut is used again.
func (m *Message) ParseHeader(header []byte, _ core.Proc) error {
	room := m.Entries[:0]
	*m = Message{}
	if len(header) > 0 {
		m.Kind = Kind(header[0])
		header = header[1:]
	}
	f := core.ReadFields(header)
	id := func(p *core.Payload) { p.ID = core.MsgID{From: f.Rank(), Number: f.Uint32()} }
	switch m.Kind {
	case Data:
		m.Life, m.SSN, m.Number = core.Incarnation(f.Uint32()), SSN(f.Uint32()), f.Uint32()
		id(&m.Payload)
	case Confirm:
		m.SSN = SSN(f.Uint32())
	case LogPut:
		m.Life, m.RSN = core.Incarnation(f.Uint32()), RSN(f.Uint32())
		e := Entry{RSN: RSN(f.Uint32()), Prev: RSN(f.Uint32()), Source: f.Rank(),
			SSN: SSN(f.Uint32()), Sent: f.Uint32(), Posted: f.Bool(), Bare: f.Bool()}
		id(&e.Payload)
		m.Entries = append(room, e)
	case LogAck:
		m.Life, m.RSN = core.Incarnation(f.Uint32()), RSN(f.Uint32())
	case Order:
		m.Life, m.SSN, m.RSN = core.Incarnation(f.Uint32()), SSN(f.Uint32()), RSN(f.Uint32())
		m.Prev, m.Sent, m.Found = RSN(f.Uint32()), f.Uint32(), f.Bool()
	case OrderOk:
		m.Life, m.SSN, m.RSN = core.Incarnation(f.Uint32()), SSN(f.Uint32()), RSN(f.Uint32())
	default:
		return fmt.Errorf("pessimistic: header of kind %d, which has no fixed layout", m.Kind)
	}
	return f.End("pessimistic")
}

// Content implements core.Framed.
func (m *Message) Content() *core.Payload {
	if m.Kind == LogPut && len(m.Entries) == 1 {
		return &m.Entries[0].Payload
	}
	return &m.Payload
}

// Background implements core.Background: under HMPL the program goes on while a delivery is logged.
// Under RBML, and behind a wildcard, it comes to its next send at most, and then the driver sends
// at once.
func (m *Message) Background() bool { return m.Kind == LogPut }

// data is what a layer needs beside its state to work without allocation.
type data struct {
	sendlog.Keeper
	scratch   core.Scratch[Message]
	put       [1]Entry // of the LogPut of this step
	delivered bool     // the last unstable delivery still names bytes that belong to the program
}

// Settle implements core.Recycler. The temporary buffer of the sender gets its copy. That of the
// receiver needs none: the program has the bytes, the logger gets them, and nothing reads them
// there again.
func (l *layer) Settle() {
	l.Keeper.Settle()
	if last := len(l.s.Unstable) - 1; l.delivered && last >= 0 && !l.has(M15) {
		l.s.Unstable[last].Payload.Data = nil
	}
	l.delivered = false
}

// Holding implements core.Recycler. An image under way holds what it was taken with; M15 sends the
// receiver's buffer again.
func (l *layer) Holding() bool {
	return l.has(M15) || l.s.Node.Image != nil || len(l.s.Node.Replay) > 0
}

func (l *layer) Release() {
	for q := range l.s.Out {
		l.s.Out[q].Buffer.Release(l.keeper())
	}
}

// keeper gets the bytes of messages that leave the temporary buffer, unless an image under way
// refers to them.
func (l *layer) keeper() *sendlog.Keeper {
	if l.s.Node.Image != nil {
		return nil
	}
	return &l.Keeper
}

// Holding implements core.Recycler: a message waits in one place until it is delivered, and the
// table of deliveries has none.
func (l *sender) Holding() bool { return false }

func (l *sender) Release() {
	for q := range l.s.Streams {
		l.s.Streams[q].Log.Release(&l.Keeper)
	}
}

// Holding implements core.Recycler. A logger copies nothing: what has arrived is its own, until it
// is trimmed.
func (g *logger) Holding() bool { return true }

func (g *logger) Release() {
	for i := range g.s.Log {
		g.Free(&g.s.Log[i].Payload)
	}
	g.s.Log = nil
}
