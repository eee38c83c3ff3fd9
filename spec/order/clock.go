package order

import "github.com/domino-check/domino/spec/trace"

// Clock is a vector clock: of each rank, how many of its nodes are known.
type Clock []uint32

// Clock is that of a node, by the rule of Fidge and Mattern: the most of what the sends of a
// reception knew and what the rank itself knew before, and one more of its own. Where no rank goes
// back, Before(a, b) if and only if Clock(a).Less(Clock(b)). Where one does, two of its branches
// count alike, and only Before tells them apart.
func (o *Order) Clock(n Node) Clock {
	clocks := make([]Clock, n+1)
	for k := range n + 1 {
		clocks[k] = make(Clock, o.layout.Ranks)
		if k == None {
			continue
		}
		self := &o.nodes[k]
		clocks[k].join(clocks[self.before])
		for _, s := range self.sends {
			clocks[k].join(clocks[s])
		}
		clocks[k][self.event.Proc] = self.sent + self.received
	}
	return clocks[n]
}

// join takes the most of both.
func (c Clock) join(d Clock) {
	for r := range c {
		c[r] = max(c[r], d[r])
	}
}

// Less reports whether c knows no more than d, and they differ.
func (c Clock) Less(d Clock) bool {
	differ := false
	for r := range c {
		if c[r] > d[r] {
			return false
		}
		differ = differ || c[r] < d[r]
	}
	return differ
}

// Receptions is the depend set of a node by number: of each rank, how many receptions happened
// before it, itself included.
func (o *Order) Receptions(n Node) []uint32 {
	most := make([]uint32, o.layout.Ranks)
	for k := range Node(len(o.nodes)) {
		if k == None || !o.nodes[n].past.has(k) {
			continue
		}
		if e := &o.nodes[k].event; e.Kind == trace.Delivered {
			most[e.Proc] = max(most[e.Proc], o.nodes[k].received)
		}
	}
	return most
}
