package epochs

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// words is a round as life.number.
func words(round core.Incarnation) string {
	return fmt.Sprintf("%d.%d", round>>roundBits, round&maxRounds)
}

// Waiting implements core.Waiter.
func (l *layer) Waiting() []core.Wait {
	coordinator := l.recoveryProcess()
	switch {
	case l.s.Going:
		return []core.Wait{{What: "stable storage to have where it goes back to"}}
	case l.s.Owes && l.s.Writing != nil:
		return []core.Wait{{What: "its image to be stable"}}
	case l.s.Unjoined:
		return core.WaitFor("the beginning of a recovery round", coordinator)
	case l.s.Frozen:
		return core.WaitFor("leave to go on, or to go back, in round "+words(l.s.Round),
			coordinator)
	case l.s.Phase > l.s.Frontier:
		return core.WaitFor(fmt.Sprintf("leave to send in phase %d", l.s.Phase), coordinator)
	}
	return nil
}

// Waiting implements core.Waiter.
func (r *process) Waiting() []core.Wait {
	those := func(is func(*member) bool) []core.Proc {
		return core.RanksThat(r.ranks, func(q core.Rank) bool { return is(&r.s.Members[q]) })
	}
	switch n := len(r.s.Orphans); {
	case r.s.Halted:
		return nil
	case r.s.Stage == collecting:
		return core.WaitFor("the report in round "+words(r.s.Round),
			those(func(m *member) bool { return !m.Reported })...)
	case r.s.Stage == returning:
		return core.WaitFor("word that it is back in round "+words(r.s.Round),
			those(func(m *member) bool { return m.Awaited })...)
	case n > 0:
		return core.WaitFor(fmt.Sprintf("word that orphans, %d in all, are sent again", n),
			core.RanksThat(r.ranks, func(q core.Rank) bool {
				for _, o := range r.s.Orphans {
					if o.Source == q {
						return true
					}
				}
				return false
			})...)
	}
	return nil
}
