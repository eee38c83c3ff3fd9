package hydee

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// restore starts a new incarnation from the last committed checkpoint of the cluster ([HydEE] Alg.
// 2 l. 4-8; R4). The gate is closed until the rank has joined a round, and nothing from outside is
// accepted before.
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset()
	l.s.Incarnation, l.s.Unjoined, l.s.RolledBack = in.Incarnation, true, true
	img, err := l.s.Saving.Restore(l, in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	if img == nil {
		return out // the initial state counts as checkpoint 0
	}
	l.app.Load(img.App)
	l.s.Date, l.s.Phase, l.s.RestartDate = img.Date, img.Phase, img.Date
	l.s.Channels = slices.Clone(img.Channels)
	for _, w := range img.Waiting {
		l.peer(w.From).Arrived = w.Messages
	}
	if l.has(H20b) {
		for i := range l.s.Channels {
			l.s.Channels[i].Log = nil // Deviation: H20b empties the log at the restart
		}
	}
	return l.Commit(img, out)
}
