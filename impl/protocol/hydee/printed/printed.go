package printed

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
	"github.com/domino-check/domino/spec/trace"
)

// Form is HydEE as [HydEE] prints it.
var Form = protocol.Printed{Variant: "published", Paper: "[HydEE] Alg. 1 to 4, III-E",
	Setup: func(r protocol.Request) (*core.Setup, error) { return newSetup(r, false) }}

// Started is the same, and NotifyPhase also starts when the recovery process has heard of every
// process: "Une fois que le processus de redémarrage a reçu toutes ces données, il peut commencer
// la phase de notification" ([HydEE-fr] 5.2).
var Started = protocol.Printed{Variant: "published-started",
	Paper: "[HydEE] Alg. 1 to 4, III-E, NotifyPhase also started as in [HydEE-fr] 5.2",
	Setup: func(r protocol.Request) (*core.Setup, error) { return newSetup(r, true) }}

func newSetup(r protocol.Request, started bool) (*core.Setup, error) {
	return ground.NewSetup(r,
		func(p *ground.Process) core.Layer {
			l := &layer{Process: p}
			p.S, p.Committed = &l.s.Process, l.oweAcks
			return l
		},
		func(c *ground.Clusters) core.Machine {
			return &recoveryProcess{Clusters: c, started: started}
		})
}

// The kinds of messages, with the words of the algorithms.
const (
	Rollback           = "Rollback"           // Date
	LastDate           = "LastDate"           // Date
	Log                = "Log"                // Phases
	Orphan             = "Orphan"             // Phases
	OwnPhase           = "OwnPhase"           // Phase
	OrphanNotification = "OrphanNotification" // Phase
	NotifySendLog      = "NotifySendLog"      // Phase
	NotifySendMsg      = "NotifySendMsg"      // Phase
	Acknowledgment     = "Acknowledgment"     // Date, III-E
)

// none is the ⊥ of a date: no event has it.
const none = 0

// State is the local variables of Algorithms 2 and 3; those of Algorithm 1 are in the Process.
type State struct {
	_          struct{}     `cbor:",toarray"`
	Process    ground.State `json:"process"`
	RolledBack bool         `json:"rolledBack"` // Algorithm 2 is in force
	// Algorithm 2: OrphanDate[j], and whether LastDate of j is here
	OrphanDate  []ground.Date `json:"orphanDate"`
	HasLastDate []bool        `json:"hasLastDate"`
	// Algorithm 3: RollbackDate[j], whether it is not ⊥, and the clusters that l. 7 waits for
	RollbackDate []ground.Date   `json:"rollbackDate"`
	HasRollback  []bool          `json:"hasRollback"`
	Failed       []int           `json:"failed"`
	ResentLogs   []ground.Logged `json:"resentLogs"`
	// the phase of the NotifySendMsg that is waited for, if one is
	Waiting   bool         `json:"waiting"`
	OwnPhase  ground.Phase `json:"ownPhase"`
	AckNeeded []bool       `json:"ackNeeded"` // III-E
}

// layer is Algorithms 1 to 3 for one process.
type layer struct {
	*ground.Process
	s State
}

// State implements core.Layer.
func (l *layer) State() any { return &l.s }

// reset is the beginning of Algorithm 1.
func (l *layer) reset() {
	l.s = State{OrphanDate: make([]ground.Date, l.Ranks), HasLastDate: make([]bool, l.Ranks),
		RollbackDate: make([]ground.Date, l.Ranks), HasRollback: make([]bool, l.Ranks),
		AckNeeded: make([]bool, l.Ranks)}
	l.Process.Reset()
	l.Process.S.Phase = 1 // "All processes phases are initialized to 1" (III-B)
}

// Ready implements core.Layer: every "wait until" keeps sends back.
func (l *layer) Ready(core.Rank) bool {
	return len(l.s.Failed) == 0 && !l.s.Waiting && !l.awaitsLastDate()
}

// Step implements core.Layer.
func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	if effects, ok := l.Checkpoint(&in, out); ok {
		return effects
	}
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		return l.uponFailureHere(in, out)
	case core.Down:
		return l.uponFailureElsewhere(in.Procs, out)
	case core.Send:
		if l.s.RolledBack {
			return l.sendRolledBack(in, out)
		}
		return l.send(in, out)
	case core.Receive:
		return l.receive(core.Rank(in.From), out) // Alg. 2 l. 23-24: the failure free function
	case core.Received:
		return l.message(in.From, in.Message.(*ground.Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// message dispatches what comes from another process.
func (l *layer) message(from core.Proc, m *ground.Message, out []core.Effect) []core.Effect {
	j := core.Rank(from)
	switch m.Kind {
	case ground.App:
		return l.Arrive(j, m, out)
	case Rollback:
		return l.rollback(j, m, out)
	case LastDate:
		return l.lastDate(j, m, out)
	case NotifySendLog:
		return l.notifySendLog(m, out)
	case NotifySendMsg:
		return l.notifySendMsg(m, out)
	case Acknowledgment:
		return l.acknowledged(j, m, out)
	}
	return append(out, core.Effect{Kind: core.Declare, What: trace.Dropped, To: from,
		Key: "no handler for " + m.Kind})
}
