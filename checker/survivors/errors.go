package survivors

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// mishap is an error of one receive or send: what it is, and because of whom.
type mishap struct {
	err core.OpError
	who trace.Rank
}

// errors are the states in which the operation ends in an error.
func (r *run) errors(op core.Op, more bool) []state {
	me := &r.from.ranks[r.self]
	var mishaps []mishap // of a wait, one for each posted receive
	add := func(m mishap, ok bool) bool {
		if ok {
			mishaps = append(mishaps, m)
		}
		return ok
	}
	switch {
	case op.Kind == core.OpSend && (!op.Any || len(me.delivered) > 0):
		to := r.to(op)
		add(mishap{core.ErrPeerDead, to}, slices.Contains(me.told, to))
	case op.Kind == core.OpMulticast || op.Kind == core.OpContribute:
		add(r.breach(op.Group))
	case op.Kind == core.OpRecv:
		add(r.barren(request{peer: op.Peer, any: op.Any, told: me.acknowledged}, true))
	case op.Kind == core.OpWait:
		for _, q := range me.posted {
			q.told = max(q.told, me.acknowledged)
			if !add(r.barren(q, false)) {
				return nil
			}
		}
	}
	if len(mishaps) == 0 {
		return nil
	}
	return []state{r.then(func(s *state, me *rank) {
		if !more || !op.Try { // nobody sees it
			s.stop(r.self)
			return
		}
		me.at++
		me.failed = true
		if sends(op.Kind) {
			me.number++
		}
		for _, m := range mishaps {
			me.value = core.Mix(me.value*31 + core.Mix(uint64(m.err)<<32+uint64(m.who)+1))
		}
		if op.Kind == core.OpWait {
			me.settle()
		} else if g, ok := groupOf(op); ok {
			me.breaks(g)
		}
	})}
}

// groupOf is the group that an operation is on.
func groupOf(op core.Op) (g core.Group, ok bool) {
	if op.Group > 0 {
		return op.Group, true
	}
	g, ok = core.SourceGroup(op.Peer)
	return g, ok && !op.Any
}

// settle ends a wait of which every receive has an error: those that name somebody are over, one
// from anyone stays, and knows of one death more.
func (me *rank) settle() {
	var open []request
	for _, q := range me.posted {
		if q.any {
			q.told = max(q.told, me.acknowledged) + 1
			open = append(open, q)
		} else if g, ok := core.SourceGroup(q.peer); ok {
			me.breaks(g)
		}
	}
	me.posted = open
}

func (me *rank) breaks(g core.Group) {
	if !slices.Contains(me.broken, g) {
		me.broken = append(me.broken, g)
		slices.Sort(me.broken)
	}
}

// lost is a member of the group of whose death the rank was told first, -1 if there is none.
func (r *run) lost(g core.Group) int {
	t := &r.job.Layout.Trees[g-1]
	for _, d := range r.from.ranks[r.self].told {
		if t.Has(d) {
			return int(d)
		}
	}
	return -1
}

// breach is the error of an operation on a group.
func (r *run) breach(g core.Group) (mishap, bool) {
	who := r.lost(g)
	err := core.ErrPeerDead
	if slices.Contains(r.from.ranks[r.self].broken, g) {
		err = core.ErrGroupBroken
	}
	return mishap{err, trace.Rank(max(who, 0))}, who >= 0
}

// barren is the error of a receive for which nothing may have arrived: what the dead have sent and
// is still there, has; what the living have sent may be under way. The operation itself, other than
// a posted receive, takes nothing of a group that it knows to be broken.
func (r *run) barren(q request, itself bool) (mishap, bool) {
	me := &r.from.ranks[r.self]
	here := func(source trace.Rank) bool { return len(*r.queue(r.from, source)) > 0 }
	g, group := core.SourceGroup(q.peer)
	switch {
	case q.any:
		if q.told >= len(me.told) || slices.ContainsFunc(me.told, here) {
			return mishap{}, false
		}
		return mishap{core.ErrPending, me.told[q.told]}, true
	case group:
		root := r.job.Layout.Trees[g-1].Root()
		near := root == r.self || slices.Contains(me.told, root)
		if here(q.peer) && near && !(itself && slices.Contains(me.broken, g)) {
			return mishap{}, false
		}
		return r.breach(g)
	}
	return mishap{core.ErrPeerDead, q.peer}, slices.Contains(me.told, q.peer) && !here(q.peer)
}
