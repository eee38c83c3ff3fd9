package printedfr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Form is HydEE as [HydEE-fr] prints it.
var Form = protocol.Printed{Variant: "published-fr", Paper: "[HydEE-fr] Alg. 1 to 4",
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return ground.NewSetup(r,
			func(p *ground.Process) core.Layer {
				l := &layer{Process: p}
				p.S = &l.s.Process
				return l
			},
			func(c *ground.Clusters) core.Machine { return &recoveryProcess{Clusters: c} })
	},
}

// The kinds of messages, with the words of the algorithms.
const (
	Redemarrage   = "Redemarrage"   // Date; the group is that of its sender
	PhaseCourante = "PhaseCourante" // Phase
	Phases        = "Phases"        // Phases (Phases_Rejouees), Orphans (Phase_Orphelins)
	Notification  = "Notification"  // Phase
)

// State is what Algorithms 2 and 3 have beside the variables of Algorithm 1.
type State struct {
	_             struct{}        `cbor:",toarray"`
	Process       ground.State    `json:"process"`
	EnRedemarrage bool            `json:"enRedemarrage"` // Algorithm 2 is in force
	Date          []ground.Date   `json:"date"`          // of Redemarrage, by process
	Redemarre     []bool          `json:"redemarre"`     // whose Redemarrage is here
	Rejouer       []ground.Logged `json:"rejouer"`
	Attend        bool            `json:"attend"` // the notification of:
	Phase         ground.Phase    `json:"phase"`
}

// layer is Algorithms 1 to 3 for one process.
type layer struct {
	*ground.Process
	s State
}

// State implements core.Layer.
func (l *layer) State() any { return &l.s }

// reset is the beginning of Algorithm 1: date and phase are 0 (l. 3-4).
func (l *layer) reset() {
	l.s = State{Date: make([]ground.Date, l.Ranks), Redemarre: make([]bool, l.Ranks)}
	l.Process.Reset()
}

// Ready implements core.Layer: a process that waits ("Attendre") does not send.
func (l *layer) Ready(core.Rank) bool {
	return !l.s.Attend && !slices.Contains(l.s.Redemarre, true)
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
		return l.auRedemarrage(in, out)
	case core.Down:
		return out // no line is about it: the message Redemarrage says it
	case core.Send:
		if l.s.EnRedemarrage {
			return l.envoyerEnRedemarrage(in, out)
		}
		return l.envoyer(in, out)
	case core.Receive:
		return l.delivrer(core.Rank(in.From), out)
	case core.Received:
		m := in.Message.(*ground.Message)
		switch {
		case m.Kind == ground.App:
			return l.Arrive(core.Rank(in.From), m, out)
		case m.Kind == Redemarrage && !l.s.EnRedemarrage:
			return l.redemarrage(core.Rank(in.From), m, out)
		case m.Kind == Notification:
			return l.notification(m, out)
		}
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}
