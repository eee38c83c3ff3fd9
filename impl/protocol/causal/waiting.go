package causal

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// Waiting implements core.Waiter.
func (l *Layer) Waiting() (waits []core.Wait) {
	add := func(what string, from RankSet) {
		w := core.Wait{What: what}
		for _, q := range l.others() {
			if from.has(q) {
				w.From = append(w.From, q.Proc())
			}
		}
		if len(w.From) > 0 {
			waits = append(waits, w)
		}
	}
	switch {
	case l.S.Collecting:
		add("the answer to its request for determinants", first(l.ranks).without(l.S.Answered))
	case l.S.Recovering:
		add("the end of the replay", l.S.Awaited)
	}
	if b := l.S.Barrier; b.Waits {
		add(fmt.Sprintf("the replay request of life %d", b.Inc), RankSet(nil).with(b.From))
	}
	return waits
}
