package minimise

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// place is one operation of one rank.
type place struct{ rank, op int }

// match is a message: where it is sent and where it is received.
type match struct{ send, receive place }

// simulation is one failure-free run of programs without loops: the operations in order, and who
// gets what.
type simulation struct {
	order   []place
	matches []match // in the order of the sends
}

// simulate runs the programs over an ideal network, each rank as far as it goes before the next
// one. The order of the ranks is that given, which decides which message a receive from anyone
// takes. ok is false when the programs get stuck or have loops.
func simulate(programs []core.Program, ranks []int) (s simulation, ok bool) {
	m := make([]mailbox, len(programs))
	for moved := true; moved; {
		moved = false
		for _, r := range ranks {
			for m[r].step(r, programs[r], m, &s) {
				moved = true
			}
		}
	}
	for r, p := range programs {
		if m[r].at < len(p) || len(m[r].posted) > 0 {
			return s, false
		}
	}
	slices.SortFunc(s.matches, func(a, b match) int {
		return slices.Index(s.order, a.send) - slices.Index(s.order, b.send)
	})
	return s, true
}

// mailbox is the state of one rank in a simulation.
type mailbox struct {
	at      int
	waiting []place // sends on their way to the rank, in the order of their sending
	posted  []int   // receives that are open
	last    int     // source of the last receive
}

// step executes the next operation of rank r, or completes a posted receive; it reports whether
// anything was possible.
func (b *mailbox) step(r int, p core.Program, all []mailbox, s *simulation) bool {
	for i, op := range b.posted {
		if b.take(place{r, op}, p[op], s) {
			b.posted = slices.Delete(b.posted, i, i+1)
			return true
		}
	}
	if b.at == len(p) {
		return false
	}
	op, here := p[b.at], place{r, b.at}
	if op.OnError {
		b.at++
		return true
	}
	switch op.Kind {
	case core.OpSend:
		to := int(op.Peer)
		if op.Any {
			to = b.last
		}
		all[to].waiting = append(all[to].waiting, here)
	case core.OpRecv:
		if !b.take(here, op, s) {
			return false
		}
	case core.OpPost:
		b.posted = append(b.posted, b.at)
	case core.OpWait:
		if len(b.posted) > 0 {
			return false
		}
	case core.OpLoop, core.OpEnd:
		return false
	}
	s.order = append(s.order, here)
	b.at++
	return true
}

// take receives the first message that fits.
func (b *mailbox) take(at place, op core.Op, s *simulation) bool {
	i := slices.IndexFunc(b.waiting, func(send place) bool {
		return op.Any || send.rank == int(op.Peer)
	})
	if i < 0 {
		return false
	}
	s.matches = append(s.matches, match{send: b.waiting[i], receive: at})
	b.last = b.waiting[i].rank
	b.waiting = slices.Delete(b.waiting, i, i+1)
	return true
}

// simulations are the runs from the first rank to the last and back: programs that receive from
// anyone may match differently in them.
func (d *draft) simulations() (list []simulation) {
	var ranks []int
	for r := range d.programs {
		ranks = append(ranks, r)
	}
	for range 2 {
		if s, ok := simulate(d.programs, ranks); ok {
			list = append(list, s)
		}
		slices.Reverse(ranks)
	}
	return list
}

// remove deletes operations, given as places.
func (d *draft) remove(places ...place) {
	for r := range d.programs {
		var rest core.Program
		for i, op := range d.programs[r] {
			if !slices.Contains(places, place{r, i}) {
				rest = append(rest, op)
			}
		}
		d.programs[r] = rest
	}
}
