package hydee

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// headerSize is the fixed layout of an application message, little-endian: round 8, date 8, phase
// 8, incarnation 4, number 4. The rank of the id is the sender. [HydEE] piggybacks date and phase;
// round and incarnation tell messages of before a failure.
const headerSize = 32

// AppendHeader implements core.Framed.
func (m *Message) AppendHeader(buf []byte) ([]byte, bool) {
	if m.Kind != App {
		return buf, false
	}
	buf = binary.LittleEndian.AppendUint64(buf, uint64(m.Round))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(m.Date))
	buf = binary.LittleEndian.AppendUint64(buf, uint64(m.Phase))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(m.Incarnation))
	return binary.LittleEndian.AppendUint32(buf, m.Payload.ID.Number), true
}

// ParseHeader implements core.Framed.
func (m *Message) ParseHeader(header []byte, from core.Proc) error {
	if len(header) != headerSize {
		return fmt.Errorf("hydee: header of %d bytes, want %d", len(header), headerSize)
	}
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(header[at:]) }
	*m = Message{Kind: App, Round: Round(number(0)), Date: Date(number(8)),
		Phase:       Phase(number(16)),
		Incarnation: core.Incarnation(binary.LittleEndian.Uint32(header[24:]))}
	m.Payload.ID = core.MsgID{From: core.Rank(from),
		Number: binary.LittleEndian.Uint32(header[28:])}
	return nil
}

// Content implements core.Framed.
func (m *Message) Content() *core.Payload { return &m.Payload }

// data is what a layer has of a real run, no part of its state.
type data struct {
	sendlog.Keeper
	sending Message // the application message of a send, valid until the next step
}

// sendApp sends what the program sends. A step has one such message at most, so one serves all;
// what only other kinds carry is zero in it for ever.
func (l *layer) sendApp(in *core.Input, out []core.Effect) []core.Effect {
	m := &l.sending
	m.Kind, m.Round, m.Incarnation, m.Date, m.Phase, m.Payload = App, l.s.Round, l.s.Incarnation,
		l.s.Date, l.s.Phase, in.Payload
	out, e := core.Add(out, core.SendMessage)
	e.To, e.Message = in.To.Proc(), m
	return out
}

// Holding implements core.Recycler: an image under way holds what was on its way to this rank at
// the recovery line.
func (l *layer) Holding() bool { return l.s.Saving.Taking }

func (l *layer) Release() {
	for i := range l.s.Channels {
		l.s.Channels[i].Log.Release(&l.Keeper)
	}
}

// keeper gets the bytes of entries that leave the log for a rank, unless something else may refer
// to them.
func (l *layer) keeper(to core.Rank) *sendlog.Keeper {
	if p := l.s.Peers.Find(to); l.s.Saving.Image != nil || p != nil && len(p.Resend) > 0 {
		return nil
	}
	return &l.Keeper
}
