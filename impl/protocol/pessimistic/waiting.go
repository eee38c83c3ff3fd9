package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Waiting implements core.Waiter.
func (l *layer) Waiting() (waits []core.Wait) {
	s, logger := &l.s, l.logger(l.rank)
	switch {
	case s.Halted:
		return nil
	case s.Fetching:
		return core.WaitFor("its image and its log", logger)
	case s.Node.Waiting:
		return core.WaitFor("the number of the line of its node", l.first(l.rank).Proc())
	case l.flushing():
		return core.WaitFor("word that nothing more comes, for its checkpoint",
			procs(s.Flush.Open)...)
	}
	if n := len(s.Unstable); n > 0 {
		waits = core.WaitFor(fmt.Sprintf("word that its delivery %d is logged",
			s.Unstable[n-1].RSN), logger)
	}
	if len(s.Flush.Frozen) > 0 {
		waits = append(waits, core.WaitFor("leave to send to it", procs(s.Flush.Frozen)...)...)
	}
	if len(s.Replay) > 0 {
		waits = append(waits, replayed(&s.Replay[0]))
	}
	for q := range s.Node.Channels {
		if s.Node.Image != nil && !s.Node.Channels[q].Marked {
			waits = append(waits, core.WaitFor(fmt.Sprintf("the marker of checkpoint %d",
				s.Node.Number), core.Proc(q))...)
		}
	}
	return waits
}

// replayed is the wait for what a log has as the next delivery: its program must come to it.
func replayed(e *Entry) core.Wait {
	what := fmt.Sprintf("delivery %d of the log, message %d", e.RSN, e.SSN)
	if e.Posted {
		what += fmt.Sprintf(" behind %d sends", e.Sent)
	}
	return core.Wait{What: what, From: []core.Proc{e.Source.Proc()}}
}

// procs are the ranks as procs, ascending.
func procs(ranks []core.Rank) (list []core.Proc) {
	for _, r := range ranks {
		list = append(list, r.Proc())
	}
	slices.Sort(list)
	return list
}

// Waiting implements core.Waiter.
func (l *sender) Waiting() (waits []core.Wait) {
	waits = core.WaitFor("its part of the log", core.RanksThat(l.ranks, func(q core.Rank) bool {
		s := l.s.Streams.Find(q)
		return s != nil && s.Waiting
	})...)
	if waits != nil {
		return waits
	}
	waits = core.WaitFor("word that the number of a delivery is recorded",
		core.RanksThat(l.ranks, func(q core.Rank) bool {
			return slices.ContainsFunc(l.s.Table, func(p place) bool {
				return p.Source == q && !p.Acked
			})
		})...)
	if len(l.s.Replay) > 0 {
		waits = append(waits, replayed(&l.s.Replay[0]))
	}
	return waits
}

// Waiting implements core.Waiter.
func (l *logger) Waiting() []core.Wait {
	if l.s.Found {
		return nil
	}
	return core.WaitFor("an image of its rank, as it has lost what it had", l.owner.Proc())
}
