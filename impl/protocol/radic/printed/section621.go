package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// What section 6.2.1 adds: the answers of a spare, and how the tables are updated on demand.

// spareStatus is the status of a spare, and who is to be answered.
type spareStatus struct {
	_        struct{}  `cbor:",toarray"`
	Busy     bool      `json:"busy"`
	Answered core.Proc `json:"answered"` // protector that has been told "free", 0 = none
	Waiting  []request `json:"waiting"`
}

// request is the question of a protector.
type request struct {
	_     struct{}  `cbor:",toarray"`
	From  core.Proc `json:"from"`
	Ranks int       `json:"ranks"`
}

// consulted: "In order to solve race conditions, the consulted spare will answer protectors using a
// FIFO protocol." The status becomes busy when the processes are restarted here, so the second one
// is answered when the first one has what it asked for: otherwise both are told "free".
func (t *node) consulted(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s.Spare
	s.Waiting = append(slices.Clone(s.Waiting), request{From: from, Ranks: len(m.Rows)})
	return t.fifo(out)
}

// fifo answers. "Spare nodes replies with busy when they do not have enough resources to hold all
// failed processes."
func (t *node) fifo(out []core.Effect) []core.Effect {
	s := &t.s.Spare
	for s.Answered == 0 && len(s.Waiting) > 0 {
		r := s.Waiting[0]
		s.Waiting = slices.Clone(s.Waiting[1:])
		free := !s.Busy && (t.Capacity == 0 || r.Ranks <= t.Capacity)
		if free {
			s.Answered = r.From
		}
		out = append(out, core.SendTo(r.From, &Message{Kind: Answer, Yes: free}))
	}
	return out
}

// transferred: "failed processes are restarted (Figure 6.1c). This spare node will change its
// status to busy."
func (t *node) transferred(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	s := &t.s
	s.Rows, s.Free = slices.Clone(s.Rows), minus(s.Free, t.self)
	for _, r := range m.Rows {
		s.Rows[r.Rank] = r
		out = t.adopt(r.Rank.Proc(), out)
	}
	s.Spare.Busy, s.Spare.Answered = true, 0
	return t.fifo(append(out, core.SendTo(from, &Message{Kind: Adopted})))
}

// where: an observer asks about a process. "The protector will indicate that the process is
// checkpointing, restarting or has migrated, and the communication will be retried later or to the
// new location."
func (t *node) where(a asker, out []core.Effect) []core.Effect {
	answer := t.answer(a)
	if answer.Place == Retry {
		t.s.Askers = append(slices.Clone(t.s.Askers), a)
	}
	return append(out, core.SendTo(a.From, answer))
}

// answer is what this node knows of a process.
func (t *node) answer(a asker) *Message {
	s, row := &t.s, t.s.Rows[a.Rank]
	m := &Message{Kind: Where, About: a.Rank, Rows: []Row{row}, Free: s.Free}
	switch {
	case slices.Contains(s.Hosts, a.Rank.Proc()):
		m.Place = Located
	case row.Protector == t.self && row.Host != a.At && !slices.Contains(s.Dead, row.Host):
		m.Place = Located
	case row.Protector == t.self, slices.Contains(a.Dead, row.Protector):
		// The failure is not handled yet, or the process has not set its new protector yet.
		m.Place = Retry
	default:
		m.Place = NotMine
	}
	return m
}

// retry answers those who have been told to retry and have an answer now. That observers ask again
// and again is not modelled: it has no end.
func (t *node) retry(out []core.Effect) []core.Effect {
	var rest []asker
	for _, a := range t.s.Askers {
		if m := t.answer(a); m.Place != Retry {
			out = append(out, core.SendTo(a.From, m))
		} else {
			rest = append(rest, a)
		}
	}
	t.s.Askers = rest
	return out
}

// learn: "observer 1 will tell T5 to update its RADICTable and its SpareTable". What this node is
// up to, it knows better.
func (t *node) learn(m *Message, out []core.Effect) []core.Effect {
	s, r := &t.s, m.Rows[0]
	if s.Rows[r.Rank].Protector != t.self && !slices.Contains(s.Hosts, r.Rank.Proc()) {
		s.Rows = slices.Clone(s.Rows)
		s.Rows[r.Rank] = r
	}
	s.Free = slices.DeleteFunc(slices.Clone(s.Free), func(p core.Proc) bool {
		return !slices.Contains(m.Free, p)
	})
	return out
}
