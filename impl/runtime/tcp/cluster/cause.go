package cluster

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Cause is what has led to a step of a life: with what its effects have left as events, the step
// can be found again in the modelled world.
type Cause struct {
	Kind core.InputKind `json:"kind"`
	// of the life of whoever the input names: failures that had been agreed on. All steps with less
	// are before a failure, all others behind it
	Epoch uint64      `json:"epoch"`
	From  core.Proc   `json:"from,omitempty"`  // sender, who is watched, stopped, or hosts
	Procs []core.Proc `json:"procs,omitempty"` // that are reported
	False bool        `json:"false,omitempty"` // and live
	// of a message: the process that has sent it, and the number of its frame on the connection,
	// from 1; of one that waited at its receiver, the last frame that came from there
	Life  int    `json:"life,omitempty"`
	Frame uint64 `json:"frame,omitempty"`

	Name   string      `json:"name,omitempty"` // of a timer or a record
	Choice core.Choice `json:"choice,omitempty"`
	// of the machine behind the step (core.StateDigest); 0: nobody asked (Config.States)
	State uint64 `json:"state,omitempty"`
}

// cause is that of an input that the machine of the life has taken.
func (l *life) cause(in *core.Input) *Cause {
	c := &Cause{Kind: in.Kind, Epoch: l.carrier.epoch, From: in.From, Choice: in.Choice}
	switch in.Kind {
	case core.Received:
		if in.From != l.in.Proc {
			if p := l.carrier.peers[in.From]; p != nil {
				c.Life, c.Frame = p.life, p.received
			}
		}
	case core.Down:
		c.Procs, c.False = slices.Clone(in.Procs), l.witness.suspected
	case core.Tick:
		c.Name = in.Timer
	case core.Persisted, core.Loaded, core.Refused:
		c.Name = in.Key
	}
	if l.in.States {
		c.State = core.StateDigest(core.EncodeState(l.machine))
	}
	return c
}
