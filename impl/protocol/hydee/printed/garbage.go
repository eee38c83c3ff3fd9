package printed

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
)

// Section III-E: "To delete these messages, after a checkpoint, each process answers with an
// acknowledgment, containing its current date d, to the first message received from each process
// from another cluster. When a process receives the acknowledgment, it deletes all the messages for
// this process and all the RPP entries with a date lower than d."

// oweAcks comes after a checkpoint.
func (l *layer) oweAcks() {
	for _, j := range l.Outside(l.Rank) {
		l.s.AckNeeded[j] = true
	}
}

// acknowledge answers the first message received from a process of another cluster.
func (l *layer) acknowledge(j core.Rank, out []core.Effect) []core.Effect {
	if !l.s.AckNeeded[j] {
		return out
	}
	l.s.AckNeeded[j] = false
	return append(out, core.SendTo(j.Proc(),
		&ground.Message{Kind: Acknowledgment, Date: l.Process.S.Date}))
}

// acknowledged deletes the messages for a process and the RPP entries with a lower date.
func (l *layer) acknowledged(j core.Rank, m *ground.Message, out []core.Effect) []core.Effect {
	p := l.Process
	p.S.Logs = slices.DeleteFunc(slices.Clone(p.S.Logs), func(e ground.Logged) bool {
		if e.To != j || e.Date >= m.Date {
			return false
		}
		out = append(out, core.Pruned(e.Payload.ID, j.Proc()))
		return true
	})
	rpp := &p.S.RPP[j]
	rpp.Entries = slices.DeleteFunc(slices.Clone(rpp.Entries),
		func(e ground.Reception) bool { return e.Date < m.Date })
	return out
}
