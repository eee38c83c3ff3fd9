package printedfr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 4: Algorithme du processus de redémarrage.

// entry is a process and a phase.
type entry struct {
	_     struct{}     `cbor:",toarray"`
	P     core.Proc    `json:"p"`
	Phase ground.Phase `json:"phase"`
}

// variables are the local variables of Algorithm 4.
type variables struct {
	_                struct{}       `cbor:",toarray"`
	PhaseRedemarrage []entry        `json:"phaseRedemarrage"` // Alg. 4 l. 1
	PhaseRejeux      []entry        `json:"phaseRejeux"`      // Alg. 4 l. 2
	PhaseOrphelin    []ground.Phase `json:"phaseOrphelin"`    // Alg. 4 l. 3, a phase for each
	Donnees          []core.Proc    `json:"donnees"`          // 5.2: of whom all data are here
}

type recoveryProcess struct {
	core.Service
	*ground.Clusters
	v variables
}

// State implements core.Machine.
func (r *recoveryProcess) State() []any { return []any{&r.v} }

// Step implements core.Machine. One that is started in the place of one that failed has empty
// variables; no line is about it.
func (r *recoveryProcess) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Start || in.Kind == core.Restore {
		r.v = variables{}
		return out
	}
	if in.Kind != core.Received {
		return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
	}
	m := in.Message.(*ground.Message)
	switch m.Kind {
	case PhaseCourante: // Alg. 4 l. 5
		r.v.PhaseRedemarrage = with(r.v.PhaseRedemarrage, in.From, m.Phase) // Alg. 4 l. 6
		if at, known := slices.BinarySearch(r.v.Donnees, in.From); !known {
			r.v.Donnees = slices.Insert(r.v.Donnees, at, in.From)
		}
		if len(r.v.Donnees) == r.Ranks { // 5.2
			return r.notify(out)
		}
	case Phases: // Alg. 4 l. 8-9
		for _, phase := range m.Phases {
			r.v.PhaseRejeux = with(r.v.PhaseRejeux, in.From, phase)
		}
		r.v.PhaseOrphelin = append(slices.Clone(r.v.PhaseOrphelin), m.Orphans...)
		slices.Sort(r.v.PhaseOrphelin)
	case Notification: // Alg. 4 l. 11
		at, known := slices.BinarySearch(r.v.PhaseOrphelin, m.Phase)
		if !known {
			return append(out, core.DropInput(in.From, core.MsgID{}, "no orphan of the phase"))
		}
		rest := slices.Clone(r.v.PhaseOrphelin)
		r.v.PhaseOrphelin = slices.Delete(rest, at, at+1) // Alg. 4 l. 12
		if !slices.Contains(r.v.PhaseOrphelin, m.Phase) { // Alg. 4 l. 13
			return r.notify(out)
		}
	default:
		return append(out, core.DropInput(in.From, core.MsgID{}, "no handler for "+m.Kind))
	}
	return out
}

// notify is l. 14 to 19.
func (r *recoveryProcess) notify(out []core.Effect) []core.Effect {
	r.v.PhaseRedemarrage, out = r.tell(r.v.PhaseRedemarrage, out) // Alg. 4 l. 14-16
	r.v.PhaseRejeux, out = r.tell(r.v.PhaseRejeux, out)           // Alg. 4 l. 17-19
	if len(r.v.PhaseRedemarrage) == 0 && len(r.v.PhaseOrphelin) == 0 {
		r.v.Donnees = nil // this restart is over
	}
	return out
}

// tell notifies those of a list that no orphan of a lower phase holds back.
func (r *recoveryProcess) tell(list []entry, out []core.Effect) ([]entry, []core.Effect) {
	var rest []entry
	for _, e := range list {
		lower := func(phase ground.Phase) bool { return phase < e.Phase }
		if slices.ContainsFunc(r.v.PhaseOrphelin, lower) { // Alg. 4 l. 14, 17
			rest = append(rest, e)
			continue
		}
		out = append(out, core.SendTo(e.P,
			&ground.Message{Kind: Notification, Phase: e.Phase})) // Alg. 4 l. 15, 18
	}
	return rest, out // Alg. 4 l. 16, 19
}

// with is the list with an entry, by phases and processes.
func with(list []entry, p core.Proc, phase ground.Phase) []entry {
	if slices.ContainsFunc(list, func(e entry) bool { return e.P == p && e.Phase == phase }) {
		return list
	}
	list = append(slices.Clone(list), entry{P: p, Phase: phase})
	slices.SortFunc(list, func(a, b entry) int {
		if a.Phase != b.Phase {
			return int(int64(a.Phase) - int64(b.Phase))
		}
		return int(a.P) - int(b.P)
	})
	return list
}
