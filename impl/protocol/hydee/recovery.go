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
	// incarnations of all ranks as first reported in this round
	Lives []core.Incarnation `json:"lives"`
	// two reports of this round are about different lives of a rank
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
		// A fresh recovery process does not know whether a recovery was going on: it opens a round
		// of its own.
		r.s = recoveryState{Round: Round(in.Incarnation) << 32}
		return r.openRound(out)
	case core.Down:
		return r.openRound(out)
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

// openRound starts an evaluation of all channels (R5).
func (r *recoveryProcess) openRound(out []core.Effect) []core.Effect {
	r.s = recoveryState{Round: r.s.Round + 1, Reported: make([]bool, r.ranks),
		Phases: make([]Phase, r.ranks)}
	for q := range core.Rank(r.ranks) {
		out = append(out, core.SendTo(q.Proc(), &Message{Kind: Begin, Round: r.s.Round}))
	}
	return out
}

// report merges what one rank found ([HydEE] Alg. 4 l. 4-11); the last one opens the gates.
func (r *recoveryProcess) report(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if r.s.Reported[from] {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "second report of this round"))
	}
	r.s.Reported[from], r.s.Phases[from] = true, m.Phase
	if len(r.s.Lives) == 0 {
		r.s.Lives = slices.Clone(m.Lives)
	}
	r.s.Mixed = r.s.Mixed || !slices.Equal(r.s.Lives, m.Lives)
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

// complete reports whether the reports of all ranks are in and are about the same lives. A rank
// that failed after it joined the round may join it again in its next life, while others have
// evaluated its former one; such a round never ends, and the notice of the failure, which is still
// to come, opens the next.
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
	parts := []uint8{openGate | releaseLogs}
	if r.has(H9c) {
		parts = []uint8{openGate, releaseLogs} // Deviation: H9c, the gate first, the log behind it
	}
	for q := range core.Rank(r.ranks) {
		for _, part := range parts {
			m := &Message{Kind: Frontier, Round: r.s.Round, Phase: least, Part: part}
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
