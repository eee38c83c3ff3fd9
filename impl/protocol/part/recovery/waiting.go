package recovery

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// Waiting implements core.Waiter.
func (l *Layer) Waiting() []core.Wait {
	g := &l.s.Group
	round := name(l.s.Round)
	switch {
	case l.s.Phase == leaving && !l.alone() && l.rank != l.first():
		return core.WaitFor("word that the group may go back in round "+round, l.first().Proc())
	case l.s.Phase == leaving:
		return []core.Wait{{What: "stable storage to have where it goes back to"}}
	case l.s.Phase == frozen && l.s.Owes, l.s.Phase == running && l.s.Writing != nil && l.Blocks:
		return []core.Wait{{What: "its image to be stable"}}
	case l.s.Phase == frozen && l.s.Round == 0:
		return core.WaitFor("the beginning of a round", l.process())
	case l.s.Phase == frozen:
		return core.WaitFor("leave to go on, or to go back, in round "+round, l.process())
	case !l.alone():
		return g.Saving.Waiting(l)
	}
	return nil
}

// Waiting implements core.Waiter.
func (p *process) Waiting() []core.Wait {
	absent := func(q core.Rank) bool { return !p.s.Here[q] }
	switch p.s.Stage {
	case asking:
		return core.WaitFor(fmt.Sprintf("the report in round %s", name(p.s.Round)),
			core.RanksThat(p.Ranks, absent)...)
	case returning:
		return core.WaitFor(fmt.Sprintf("word that it is back in round %s", name(p.s.Round)),
			core.RanksThat(p.Ranks, absent)...)
	}
	return nil
}
