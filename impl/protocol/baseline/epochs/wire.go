package epochs

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/link"
	"github.com/domino-check/domino/spec/trace"
)

// infinite is the frontier when nothing is held back.
const infinite uint32 = math.MaxUint32

// kind is the type of a message.
type kind uint8

// The messages and the fields that they carry.
const (
	// message of a program: Data, with the round as its life, the epoch as its index, its phase
	app kind = iota + 1
	// it was delivered: Number, Epoch (of the receiver then), Round; Sent and Taken: what the line
	// of its sender has sent to the receiver of this, and taken from it
	ack
	hello   // rank to RP: it has restarted: Incarnation
	begin   // RP to rank: a recovery begins: Round
	report  // rank to RP: Round, Incarnation, Fresh, Marks, Present, Received
	back    // RP to rank: go back to image Number: Round, Incarnation, To (whose failure)
	there   // rank to RP: it has gone back: Round, Incarnation
	resume  // RP to rank: go on: Round, Incarnation, Counts, Again, Phase
	opens   // RP to rank: the least phase with an orphan outstanding: Round, Phase
	orphan  // rank to RP: an orphan was executed again: Round, To, Number, Phase
	saved   // rank to RP: an image is stable: Round, Present
	onwards // RP to rank: no recovery goes behind image Number
)

var kindNames = [...]string{"", "App", "Ack", "Hello", "Begin", "Report", "Back", "There", "Resume",
	"Frontier", "OrphanDone", "Saved", "Line"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleProgram, "App").
		With(trace.RoleAcknowledgement, "Ack Line").With(trace.RoleCheckpoint, "Saved").
		With(trace.RoleRecovery, "Hello Begin Report Back There Resume Frontier OrphanDone")
}

// message is every message of the protocol; Kind says which fields are set.
type message struct {
	_           struct{} `cbor:",toarray"`
	Kind        kind
	Data        link.Data
	Number      uint32
	Epoch       uint32
	Sent        uint32
	Taken       uint32
	Phase       uint32
	Round       core.Incarnation
	Incarnation core.Incarnation
	To          core.Rank
	Fresh       bool
	Marks       []mark
	Present     mark
	Received    [][]reception // by source
	Counts      []uint32      // what each rank has taken of the receiver
	Again       [][]uint32    // by rank: reception epochs of what it has beyond what was sent
}

// Describe implements core.Message.
func (m *message) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", m.Kind),
		Stamp: trace.Stamp{Round: uint64(m.Round)}}
	if int(m.Kind) < len(kindNames) {
		w.Kind = kindNames[m.Kind]
	}
	round := fmt.Sprintf("round %d.%d", m.Round>>roundBits, m.Round&maxRounds)
	switch m.Kind {
	case app:
		w = m.Data.Describe()
		w.Text = fmt.Sprintf("date %d epoch %d phase %d", m.Data.Number, m.Data.Index, m.Data.Phase)
		w.Stamp = trace.Stamp{Round: uint64(m.Data.Life), Date: uint64(m.Data.Number),
			Phase: uint64(m.Data.Phase)}
	case ack:
		w.Text = fmt.Sprintf("date %d received in epoch %d", m.Number, m.Epoch)
	case hello:
		w.Text = fmt.Sprintf("incarnation %d", m.Incarnation)
	case report:
		w.Text = fmt.Sprintf("%s, %d images", round, len(m.Marks))
	case back:
		w.Text = fmt.Sprintf("%s to image %d", round, m.Number)
	case begin, there:
		w.Text = round
	case resume, opens:
		w.Stamp.Phase = uint64(m.Phase)
		if w.Text = fmt.Sprintf("%s phase %d", round, m.Phase); m.Phase == infinite {
			w.Text = round + " all phases"
		}
	case orphan:
		w.Stamp.Phase = uint64(m.Phase)
		w.Text = fmt.Sprintf("%s to rank %d date %d phase %d", round, m.To, m.Number, m.Phase)
	case saved, onwards:
		w.Text = fmt.Sprintf("image %d", max(m.Number, m.Present.Number))
	}
	return w
}

// AppendHeader implements core.Framed: what comes with every message of a program, itself and the
// acknowledgement, has a fixed layout.
func (m *message) AppendHeader(buf []byte) ([]byte, bool) {
	switch m.Kind {
	case app:
		out, ok := m.Data.AppendHeader(append(buf, byte(app)))
		if !ok {
			return buf, false
		}
		return out, true
	case ack:
		buf = append(buf, byte(ack))
		for _, x := range [...]uint32{m.Number, m.Epoch, m.Sent, m.Taken, uint32(m.Round)} {
			buf = binary.AppendUvarint(buf, uint64(x))
		}
		return buf, true
	}
	return buf, false
}

// ParseHeader implements core.Framed.
func (m *message) ParseHeader(header []byte, from core.Proc) error {
	if len(header) == 0 {
		return fmt.Errorf("epochs: no header")
	}
	*m = message{Kind: kind(header[0])}
	switch m.Kind {
	case app:
		return m.Data.ParseHeader(header[1:], from)
	case ack:
		f := core.ReadFields(header[1:])
		m.Number, m.Epoch, m.Sent, m.Taken = f.Uint32(), f.Uint32(), f.Uint32(), f.Uint32()
		m.Round = core.Incarnation(f.Uint32())
		return f.End("epochs")
	}
	return fmt.Errorf("epochs: header of a message of kind %d", header[0])
}

// Content implements core.Framed.
func (m *message) Content() *core.Payload { return &m.Data.Payload }
