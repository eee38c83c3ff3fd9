package hydee

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// Waiting implements core.Waiter.
func (l *layer) Waiting() (waits []core.Wait) {
	coordinator := []core.Proc{l.recoveryProcess()}
	switch {
	case l.s.Unjoined:
		return []core.Wait{{What: "the beginning of a recovery round", From: coordinator}}
	case l.s.Round > 0 && !l.s.Evaluated && l.about(l.s.Clusters, l.rank):
		w := core.Wait{What: "the status of the channels"}
		for _, q := range l.outside(l.rank) {
			if p := l.s.Peers.Find(q); p == nil || !p.HasStatus {
				w.From = append(w.From, q.Proc())
			}
		}
		waits = append(waits, w)
	}
	if !l.Ready(0) {
		waits = append(waits, core.Wait{What: fmt.Sprintf("leave to send in phase %d", l.s.Phase),
			From: coordinator})
	}
	for i := range l.s.Peers {
		if p := &l.s.Peers[i]; len(p.Arrived) > 0 && !l.released(p) {
			waits = append(waits, core.Wait{What: fmt.Sprintf(
				"leave to receive in phase %d", p.Arrived[0].Phase), From: coordinator})
		}
	}
	return waits
}

// Waiting implements core.Waiter.
func (r *recoveryProcess) Waiting() []core.Wait {
	w := core.Wait{What: "the report of a rank"}
	for q, reported := range r.s.Reported {
		if !reported {
			w.From = append(w.From, core.Proc(q))
		}
	}
	if len(w.From) > 0 {
		return []core.Wait{w}
	}
	if n := len(r.s.Orphans); n > 0 {
		w.What = fmt.Sprintf("word that %d orphans are sent again", n)
		for _, o := range r.s.Orphans {
			w.From = append(w.From, o.Source.Proc())
		}
		return []core.Wait{w}
	}
	return nil
}
