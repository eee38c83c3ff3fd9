package hydee

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// recoveryState is the state of the recovery process; all of it is volatile, a replacement starts a
// new round.
type recoveryState struct {
	_        struct{} `cbor:",toarray"`
	Round    Round    `json:"round"`
	Reported []bool   `json:"reported"` // by rank, in this round
	Phases   []Phase  `json:"phases"`   // own phases as reported, by rank
	Clusters []int    `json:"clusters"` // that have failed since the last recovery was over
	// incarnation of each cluster as evaluated last, and whether that is known of those that the
	// round is about
	Lives []core.Incarnation `json:"lives"`
	Known []bool             `json:"known"`
	// two reports are about different lives of a cluster
	Mixed    bool     `json:"mixed"`
	Orphans  []Orphan `json:"orphans"`  // outstanding, ordered
	Frontier Phase    `json:"frontier"` // as last announced in this round, 0 before
	Halted   bool     `json:"halted"`
}

// recoveryProcess orders the replay ([HydEE] Alg. 4; R5, R8): it knows the phases of all orphans
// that are outstanding and announces the least one, up to which every rank may send.
type recoveryProcess struct {
	core.Service
	*config
	s recoveryState
}

func (r *recoveryProcess) State() []any { return []any{&r.s} }

func (r *recoveryProcess) Step(in core.Input, out []core.Effect) []core.Effect {
	if r.s.Halted {
		return append(out, core.DropInput(in.From, core.MsgID{}, "halted"))
	}
	switch in.Kind {
	case core.Start:
		return out
	case core.Restore:
		// A fresh recovery process does not know whether a recovery was going on, and of whom: it
		// opens a round of its own, about all channels.
		r.s = recoveryState{Round: Round(in.Incarnation) << 32}
		return r.openRound(func(int) bool { return true }, out)
	case core.Down:
		return r.openRound(func(cluster int) bool {
			return slices.ContainsFunc(r.members[cluster], func(q core.Rank) bool {
				return slices.Contains(in.Procs, q.Proc())
			})
		}, out)
	case core.Received:
		m := in.Message.(*Message)
		switch {
		case m.Round != r.s.Round:
			return append(out, core.DropInput(in.From, core.MsgID{}, "old round"))
		case m.Kind == Report:
			return r.report(core.Rank(in.From), m, out)
		case m.Kind == OrphanDone:
			return r.orphanDone(core.Rank(in.From), m, out)
		}
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// openRound starts an evaluation of the channels of clusters that have failed, and of those that
// the recovery that goes on is about (R5): it may have lost some of them. All others are known,
// with the lives at their ends.
func (r *recoveryProcess) openRound(failed func(int) bool, out []core.Effect) []core.Effect {
	s := recoveryState{Round: r.s.Round + 1, Reported: make([]bool, r.ranks),
		Phases: make([]Phase, r.ranks), Lives: make([]core.Incarnation, len(r.members)),
		Known: make([]bool, len(r.members))}
	copy(s.Lives, r.s.Lives)
	for k := range r.members {
		s.Known[k] = !failed(k) && !slices.Contains(r.s.Clusters, k)
		if !s.Known[k] {
			s.Clusters, s.Lives[k] = append(s.Clusters, k), 0
		}
	}
	r.s = s
	for q := range core.Rank(r.ranks) {
		out = append(out, core.SendTo(q.Proc(),
			&Message{Kind: Begin, Round: s.Round, Clusters: s.Clusters}))
	}
	return out
}

// report merges what one rank found ([HydEE] Alg. 4 l. 4-11); the last one opens the gates.
func (r *recoveryProcess) report(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if r.s.Reported[from] {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "second report of this round"))
	}
	r.s.Reported[from], r.s.Phases[from] = true, m.Phase
	r.compare(r.clusters[from], m.Lives)
	r.s.Orphans = append(r.s.Orphans, m.Orphans...)
	slices.SortFunc(r.s.Orphans, compareOrphans)
	if r.has(H5) {
		return out // Deviation: H5, only the notification of an orphan announces anything
	}
	// Deviation: H6 announces after each report, before a later one can name an orphan of a lower
	// phase.
	if r.complete() || r.has(H6) {
		return r.announce(out)
	}
	return out
}

// compare notes the lives that a report is about: of the clusters of this round, and of the own one
// of who reports.
func (r *recoveryProcess) compare(own int, lives []core.Incarnation) {
	for k, life := range lives {
		switch {
		case k != own && !slices.Contains(r.s.Clusters, k):
		case !r.s.Known[k]:
			r.s.Lives[k], r.s.Known[k] = life, true
		case r.s.Lives[k] != life:
			r.s.Mixed = true
		}
	}
}

// complete reports whether the reports of all ranks are in and are about the same lives, which for
// a cluster that the round is not about is the one that was evaluated last. A rank that failed
// after it joined the round may join it again in its next life, while others have evaluated its
// former one; such a round never ends, and the notice of the failure, which is still to come, opens
// the next.
func (r *recoveryProcess) complete() bool {
	// Deviation: H23 mixes lives
	return !slices.Contains(r.s.Reported, false) && (!r.s.Mixed || r.has(H23))
}

// orphanDone takes one orphan off the list ([HydEE] Alg. 4 l. 12-15). One that nobody reported
// shows that the program is not send-deterministic; going on would deadlock or repeat a message, so
// it ends in a typed answer.
func (r *recoveryProcess) orphanDone(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	done := Orphan{Source: from, To: m.To, Date: m.Date, Phase: m.Phase}
	i := slices.Index(r.s.Orphans, done)
	// counted by phase, as printed: any orphan of the phase will do
	if r.has(H4) || r.has(H12a) || r.has(H16) {
		i = slices.IndexFunc(r.s.Orphans, func(o Orphan) bool { return o.Phase == m.Phase })
	}
	if i < 0 {
		if !r.complete() || r.has(H4) || r.has(H12a) || r.has(H16) {
			return append(out, core.DropInput(from.Proc(), core.MsgID{}, "no such orphan"))
		}
		r.s.Halted = true
		return append(out, core.Halted(fmt.Sprintf(
			"program is not send-deterministic: rank %d sent again to rank %d with date %d phase "+
				"%d, and nobody reported that orphan",
			from, m.To, m.Date, m.Phase)))
	}
	r.s.Orphans = slices.Delete(slices.Clone(r.s.Orphans), i, i+1)
	return r.announce(out)
}

// announce tells all ranks the least phase with an orphan outstanding, when it has risen ([HydEE]
// Alg. 4 l. 16-24; R8).
func (r *recoveryProcess) announce(out []core.Effect) []core.Effect {
	least := infinite
	for _, o := range r.s.Orphans {
		least = min(least, o.Phase)
	}
	if least <= r.s.Frontier && !r.has(H6) {
		return out
	}
	r.s.Frontier = least
	if least == infinite && r.complete() {
		r.s.Clusters = nil // over: what is still to be sent again is with who has it in its log
	}
	parts := []uint8{openGate | releaseLogs}
	if r.has(H9c) {
		parts = []uint8{openGate, releaseLogs} // Deviation: H9c, the gate first, the log behind it
	}
	for q := range core.Rank(r.ranks) {
		for _, part := range parts {
			m := &Message{Kind: Frontier, Round: r.s.Round,
				Incarnation: r.s.Lives[r.clusters[q]], Phase: least, Part: part}
			if r.has(H18) {
				m.Last = Date(r.s.Phases[q])
			}
			out = append(out, core.SendTo(q.Proc(), m))
		}
	}
	return out
}

func compareOrphans(a, b Orphan) int {
	for _, d := range []int64{int64(a.Phase) - int64(b.Phase), int64(a.Source) - int64(b.Source),
		int64(a.To) - int64(b.To),
		int64(a.Date) - int64(b.Date)} {
		if d != 0 {
			return int(d)
		}
	}
	return 0
}
