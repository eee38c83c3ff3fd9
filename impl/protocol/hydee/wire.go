package hydee

import (
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// Date counts the sends and deliveries of a rank, from 1; 0 means "none yet".
type Date uint64

// Phase orders messages that depend on each other across clusters; every rank starts at 1.
type Phase uint64

// Round numbers one evaluation of the channels; the life of the recovery process is in the upper
// half, so rounds of a replacement are always newer.
type Round uint64

// infinite is the frontier when nothing is held back.
const infinite Phase = math.MaxUint64

// Kind is the type of a message.
type Kind uint8

// The messages and the fields that they carry.
const (
	App   Kind = iota + 1 // application message: Date, Phase, Round, Incarnation, Payload
	Begin                 // recovery process opens a round: Round, Clusters (that have failed)
	// a rank's end of a channel: Round, Clusters, Incarnation, Date (now), Last (date of the last
	// message received from you)
	Status
	// rank to recovery process: Round, Orphans, Lives (by cluster: the own one, and those that the
	// evaluation is about), with H18 Phase (own)
	Report
	// recovery process to rank: Round, Incarnation (whose report it goes by), Phase (least phase
	// with an orphan outstanding), Part
	Frontier
	OrphanDone // the send of an orphan was executed again: Round, To, Date, Phase
	// a committed checkpoint covers this channel: Date (of the checkpoint), Last (received in it)
	Acknowledge
	SaveRequest // member to first rank of the cluster: take a checkpoint
	// coordinated checkpoint Number begins on this channel: Incarnation
	Marker
	Saved // member to first rank: image Number is stable: Incarnation
	// first rank to members: checkpoint Number is the recovery line: Incarnation
	CommitNotice
)

var kindNames = [...]string{"", "App", "Begin", "Status", "Report", "Frontier", "OrphanDone",
	"Acknowledge",
	"SaveRequest", "Marker", "Saved", "Commit"}

// roles are what the kinds are for.
func roles() trace.Roles {
	return snapshot.Roles().With(trace.RoleProgram, "App").
		With(trace.RoleRecovery, "Begin Status Report Frontier OrphanDone").
		With(trace.RoleAcknowledgement, "Acknowledge")
}

// Orphan names one message received and not yet sent again, by its channel and the stamp of its
// send.
type Orphan struct {
	_      struct{}  `cbor:",toarray"`
	Source core.Rank `json:"source"`
	To     core.Rank `json:"to"`
	Date   Date      `json:"date"`
	Phase  Phase     `json:"phase"`
}

// The parts of a Frontier message; the repaired protocol always sends both in one.
const (
	openGate    = 1
	releaseLogs = 2
)

// Message is every message of the protocol; Kind says which fields are set.
type Message struct {
	_           struct{} `cbor:",toarray"`
	Kind        Kind
	Round       Round
	Incarnation core.Incarnation
	Date        Date
	Last        Date
	Phase       Phase
	To          core.Rank
	Part        uint8
	Number      uint32
	Clusters    []int
	Orphans     []Orphan
	Lives       []core.Incarnation
	Payload     core.Payload
}

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", m.Kind),
		Stamp: trace.Stamp{Round: uint64(m.Round)}}
	if int(m.Kind) < len(kindNames) {
		w.Kind = kindNames[m.Kind]
	}
	round := m.Round.String()
	switch m.Kind {
	case App:
		w.ID = m.Payload.ID
		w.Stamp.Date, w.Stamp.Phase = uint64(m.Date), uint64(m.Phase)
		w.Text = fmt.Sprintf("date %d phase %d round %s", m.Date, m.Phase, round)
	case Begin:
		w.Text = "round " + round
	case Status:
		w.Text = fmt.Sprintf("round %s date %d last received %d", round, m.Date, m.Last)
	case Report:
		w.Text = fmt.Sprintf("round %s, %d orphans", round, len(m.Orphans))
	case Frontier:
		w.Stamp.Phase = uint64(m.Phase)
		w.Text = fmt.Sprintf("round %s phase %s", round, m.Phase)
	case OrphanDone:
		w.Stamp.Date, w.Stamp.Phase = uint64(m.Date), uint64(m.Phase)
		w.Text = fmt.Sprintf("round %s to rank %d date %d phase %d", round, m.To, m.Date, m.Phase)
	case Acknowledge:
		w.Text = fmt.Sprintf("checkpoint date %d, received up to %d", m.Date, m.Last)
	case Marker, Saved, CommitNotice:
		w.Text = fmt.Sprintf("checkpoint %d incarnation %d", m.Number, m.Incarnation)
	}
	return w
}

// String prints the round as life.number.
func (r Round) String() string {
	return fmt.Sprintf("%d.%d", uint64(r)>>32, uint64(r)&math.MaxUint32)
}

// MarshalText writes what String writes, for JSON reports.
func (r Round) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String prints the phase; the infinite one is "all".
func (p Phase) String() string {
	if p == infinite {
		return "all"
	}
	return fmt.Sprint(uint64(p))
}
