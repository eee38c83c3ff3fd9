package minimise

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// changes collects the changes of a draft, each once.
type changes struct {
	from *draft
	seen map[string]bool
	list []Change[*draft]
}

func changesOf(d *draft) *changes { return &changes{from: d, seen: map[string]bool{}} }

// add offers a change; one that makes nothing smaller, or the same as an earlier one, is left out.
func (c *changes) add(to *draft, format string, args ...any) {
	if key := to.key(); to.smaller(c.from) && !c.seen[key] {
		c.seen[key] = true
		c.list = append(c.list, Change[*draft]{Words: fmt.Sprintf(format, args...), To: to})
	}
}

// fewerRanks are the changes that take out a cluster, take out a rank, or let one rank do the work
// of two.
func fewerRanks(d *draft) []Change[*draft] {
	c := changesOf(d)
	for i, r := range d.roles {
		for n := 1; n < r.n; n++ {
			e := d.copy()
			e.roles[i].n = n
			c.add(e, "%s %d -> %d", r.name, r.n, n)
		}
	}
	clusters := d.members()
	for _, ranks := range clusters {
		if len(clusters) > 1 && len(ranks) > 1 {
			d.removeRanks(c, ranks)
		}
	}
	for r := range d.names {
		if len(d.names) > 1 {
			d.removeRanks(c, []int{r})
		}
	}
	for a := range d.names {
		for b := range d.names {
			if a != b {
				d.joinRanks(c, a, b)
			}
		}
	}
	return c.list
}

// removeRanks takes out ranks, what they do, and what others send to them or receive from them.
func (d *draft) removeRanks(c *changes, ranks []int) {
	var names []string
	for _, r := range ranks {
		names = append(names, d.names[r])
	}
	words := "without " + strings.Join(names, " ")
	gone := func(r int) bool { return slices.Contains(ranks, r) }
	drop := func(places []place) *draft {
		e := d.copy()
		for r, p := range d.programs {
			for i, op := range p {
				if gone(r) || named(op) && gone(int(op.Peer)) {
					places = append(places, place{r, i})
				}
			}
		}
		e.remove(places...)
		for _, r := range slices.Backward(slices.Sorted(slices.Values(ranks))) {
			e.dropRank(r)
		}
		return e
	}
	for _, s := range d.simulations() {
		var places []place
		for _, m := range s.matches {
			if gone(m.send.rank) || gone(m.receive.rank) {
				places = append(places, m.send, m.receive)
			}
		}
		c.add(drop(places), "%s", words)
	}
	if len(d.simulations()) == 0 {
		c.add(drop(nil), "%s", words) // who gets what is not known; the rest may fit all the same
	}
}

// named reports whether an operation names a rank.
func named(op core.Op) bool {
	return !op.Any && (op.Kind == core.OpSend || op.Kind == core.OpRecv || op.Kind == core.OpPost)
}

// joinRanks lets rank a do what rank b does, too, in the order of a failure-free run; messages
// between the two become steps of one program and so disappear. Rank a stays in its cluster.
func (d *draft) joinRanks(c *changes, a, b int) {
	for _, r := range []int{a, b} {
		for _, op := range d.programs[r] {
			if op.Kind == core.OpPost || op.Kind == core.OpWait || op.Kind == core.OpSend &&
				op.Any {
				return // what they mean depends on the receives before them, which would be mixed
			}
		}
	}
	for _, s := range d.simulations() {
		var inside []place
		for _, m := range s.matches {
			if (m.send.rank == a || m.send.rank == b) &&
				(m.receive.rank == a || m.receive.rank == b) {
				inside = append(inside, m.send, m.receive)
			}
		}
		e := d.copy()
		e.programs[a] = nil
		for _, at := range s.order {
			if (at.rank == a || at.rank == b) && !slices.Contains(inside, at) {
				e.programs[a] = append(e.programs[a], d.programs[at.rank][at.op])
			}
		}
		e.programs[b] = nil
		for r := range e.programs {
			for i := range e.programs[r] {
				if op := &e.programs[r][i]; named(*op) && op.Peer == core.Rank(b) {
					op.Peer = core.Rank(a)
				}
			}
		}
		e.renameVictim(d.names[b], d.names[a])
		e.dropRank(b)
		c.add(e, "%s does the work of %s", d.names[a], d.names[b])
	}
}

// fewerClusters are the changes that make one cluster of two.
func fewerClusters(d *draft) []Change[*draft] {
	c := changesOf(d)
	list := d.members()
	for i, first := range list {
		for _, second := range list[i+1:] {
			e := d.copy()
			for _, r := range second {
				e.clusters[r] = d.clusters[first[0]]
			}
			c.add(e, "the clusters of %s and %s are one", d.names[first[0]], d.names[second[0]])
		}
	}
	return c.list
}
