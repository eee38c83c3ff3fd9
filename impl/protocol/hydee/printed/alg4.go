package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Algorithm 4: Algorithm for the Recovery Process.

// count is NbOrphPhase[ρ].
type count struct {
	_     struct{}     `cbor:",toarray"`
	Phase ground.Phase `json:"phase"`
	Nb    int          `json:"nb"`
}

// set is MsgLPhase[ρ] or ProcessPhases[ρ]: processes, by number.
type set struct {
	_         struct{}     `cbor:",toarray"`
	Phase     ground.Phase `json:"phase"`
	Processes []core.Proc  `json:"processes"`
}

// variables are the local variables of Algorithm 4, by ascending phase.
type variables struct {
	_            struct{} `cbor:",toarray"`
	NbOrphPhase  []count  `json:"nbOrphPhase"`  // Alg. 4 l. 1
	ProcessPhase []set    `json:"processPhase"` // Alg. 4 l. 2
	MsgLPhase    []set    `json:"msgLPhase"`    // Alg. 4 l. 3
	// of the started form: who has said all that there is to say
	Heard []core.Proc `json:"heard"`
}

type recoveryProcess struct {
	core.Service
	*ground.Clusters
	started bool
	v       variables
}

// State implements core.Machine.
func (r *recoveryProcess) State() []any { return []any{&r.v} }

// Step implements core.Machine. A recovery process that is started in the place of one that failed
// has empty variables: how "it would just need to synchronize again" (III-D) no line says.
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
	case Log: // Alg. 4 l. 4
		for _, phase := range m.Phases { // Alg. 4 l. 5
			r.v.MsgLPhase = with(r.v.MsgLPhase, phase, in.From) // Alg. 4 l. 6
		}
	case Orphan: // Alg. 4 l. 7
		for _, phase := range m.Phases { // Alg. 4 l. 8
			r.orphans(phase, +1) // Alg. 4 l. 9
		}
	case OwnPhase: // Alg. 4 l. 10
		r.v.ProcessPhase = with(r.v.ProcessPhase, m.Phase, in.From) // Alg. 4 l. 11
		return r.hear(in.From, out)
	case OrphanNotification: // Alg. 4 l. 12
		if nb := r.orphans(m.Phase, -1); nb == 0 { // Alg. 4 l. 13-14
			return r.notifyPhase(out) // Alg. 4 l. 15
		}
	default:
		return append(out, core.DropInput(in.From, core.MsgID{}, "no handler for "+m.Kind))
	}
	return out
}

// hear is, in the started form, the sentence of [HydEE-fr] 5.2: OwnPhase is the last that a process
// tells, so with that of all "toutes ces données" are here.
func (r *recoveryProcess) hear(from core.Proc, out []core.Effect) []core.Effect {
	if !r.started {
		return out
	}
	if at, known := slices.BinarySearch(r.v.Heard, from); !known {
		r.v.Heard = slices.Insert(r.v.Heard, at, from)
	}
	if len(r.v.Heard) < r.Ranks {
		return out
	}
	return r.notifyPhase(out)
}

// notifyPhase is NotifyPhase.
func (r *recoveryProcess) notifyPhase(out []core.Effect) []core.Effect {
	r.v.MsgLPhase, out = r.notify(r.v.MsgLPhase, NotifySendLog, out)       // Alg. 4 l. 17-20
	r.v.ProcessPhase, out = r.notify(r.v.ProcessPhase, NotifySendMsg, out) // Alg. 4 l. 21-24
	if len(r.v.ProcessPhase) == 0 && len(r.v.NbOrphPhase) == 0 {
		r.v.Heard = nil // this recovery is over
	}
	return out
}

// notify is l. 17-20 for MsgLPhase, and the same in l. 21-24 for ProcessPhase.
func (r *recoveryProcess) notify(sets []set, kind string,
	out []core.Effect) ([]set, []core.Effect) {
	var rest []set
	for _, s := range sets {
		lower := func(c count) bool { return c.Phase < s.Phase && c.Nb > 0 }
		if slices.ContainsFunc(r.v.NbOrphPhase, lower) { // Alg. 4 l. 17, 21
			rest = append(rest, s)
			continue
		}
		for _, k := range s.Processes { // Alg. 4 l. 18, 22
			out = append(out, core.SendTo(k,
				&ground.Message{Kind: kind, Phase: s.Phase})) // Alg. 4 l. 19, 23
		}
	} // Alg. 4 l. 20, 24: the phase is removed
	return rest, out
}

// orphans changes NbOrphPhase[phase], and gives what it is then.
func (r *recoveryProcess) orphans(phase ground.Phase, by int) int {
	counts := slices.Clone(r.v.NbOrphPhase)
	at, found := slices.BinarySearchFunc(counts, phase, func(c count, phase ground.Phase) int {
		return int(int64(c.Phase) - int64(phase))
	})
	if !found {
		counts = slices.Insert(counts, at, count{Phase: phase})
	}
	counts[at].Nb += by
	nb := counts[at].Nb
	if nb == 0 {
		counts = slices.Delete(counts, at, at+1)
	}
	r.v.NbOrphPhase = counts
	return nb
}

// with is the sets with a process in that of a phase.
func with(sets []set, phase ground.Phase, p core.Proc) []set {
	sets = slices.Clone(sets)
	at, found := slices.BinarySearchFunc(sets, phase, func(s set, phase ground.Phase) int {
		return int(int64(s.Phase) - int64(phase))
	})
	if !found {
		sets = slices.Insert(sets, at, set{Phase: phase})
	}
	if i, known := slices.BinarySearch(sets[at].Processes, p); !known {
		sets[at].Processes = slices.Insert(slices.Clone(sets[at].Processes), i, p)
	}
	return sets
}
