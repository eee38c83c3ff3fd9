package hydee

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
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

// UseMemory implements core.Recycler.
func (l *layer) UseMemory(m core.Memory) { l.memory = m }

// Settle implements core.Recycler: a step logs at most one message, the last of its channel's log.
func (l *layer) Settle() {
	if !l.logged {
		return
	}
	log := l.s.Channels[l.loggedFor].Log
	e := &log[len(log)-1]
	e.Payload.Data = l.memory.Keep(e.Payload.Data)
	l.logged = false
}

// Holding implements core.Recycler: an image under way holds what was on its way to this rank at
// the recovery line.
func (l *layer) Holding() bool { return l.s.Saving.Taking }

// Release implements core.Recycler.
func (l *layer) Release() {
	for q := range l.s.Channels {
		for i := range l.s.Channels[q].Log {
			l.memory.Free(l.s.Channels[q].Log[i].Payload.Data)
		}
		l.s.Channels[q].Log = nil
	}
}

// free gives back the bytes of an entry that left the log for a rank, unless something else may
// refer to them.
func (l *layer) free(e *entry, to core.Rank) {
	if l.memory != nil && l.s.Saving.Image == nil && len(l.s.Peers[to].Resend) == 0 {
		l.memory.Free(e.Payload.Data)
	}
}
