package snapshot

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
)

// Waiting is what a member waits for, for core.Waiter: markers, then the word of the first one,
// which waits until all images are stable.
func (s *State[I, M]) Waiting(m Member[I, M]) []core.Wait {
	if !s.Taking {
		return nil
	}
	members, self := m.Group()
	from, _ := senders(m)
	var open []core.Proc
	for i := range s.Cut {
		if !s.Cut[i].Marked {
			open = append(open, from[i].Proc())
		}
	}
	number := s.Committed + 1
	switch {
	case len(open) > 0:
		return core.WaitFor(fmt.Sprintf("the marker of checkpoint %d", number), open...)
	case self > 0:
		return core.WaitFor(fmt.Sprintf("the commit of checkpoint %d", number), members[0].Proc())
	case s.Saved < len(members):
		return []core.Wait{{What: fmt.Sprintf("word that all images of checkpoint %d are stable, "+
			"as %d of %d are", number, s.Saved, len(members))}}
	}
	return []core.Wait{{What: fmt.Sprintf("stable storage to have checkpoint %d as the line",
		number)}}
}
