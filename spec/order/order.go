package order

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Node numbers one thing that a program did, from 1 in the order in which the trace has them first;
// None is the beginning of a program.
type Node int

// None is the point of a rank before everything that its program does.
const None Node = 0

// node is a send or a reception, of one past.
type node struct {
	event  trace.Event // its first execution
	before Node        // what the rank did last along the same past
	sends  []Node      // of a reception: the sends of what was received
	// along that past, this one included
	sent, received uint32
	past           bits // nodes that happened before it, and itself
}

// Order is what happened before what in one trace.
type Order struct {
	layout *trace.Layout
	nodes  []node // from 1
	events []Node // of each event of the trace, None for what is no send and no reception
	cuts   [][]Node
}

// Of finds the order of a trace.
func Of(t *trace.Trace) *Order {
	o := &Order{layout: &t.Layout, nodes: make([]node, 1)}
	tips := make([]Node, t.Layout.Ranks)   // where each rank is
	former := make([]Node, t.Layout.Ranks) // of one that waits for its image: where it was
	for _, e := range t.Events {
		at := None
		if int(e.Proc) < t.Layout.Ranks {
			r := e.Proc
			switch e.Kind {
			case trace.Sent, trace.Delivered:
				at = o.add(tips[r], e)
				tips[r], former[r] = at, None
			case trace.Restored:
				former[r] = cmp.Or(former[r], tips[r])
				tips[r] = o.point(tips[r], e.Sent, e.Received)
			case trace.Resumed:
				tips[r] = o.point(cmp.Or(former[r], tips[r]), e.Sent, e.Received)
			}
		}
		o.events = append(o.events, at)
		o.cuts = append(o.cuts, slices.Clone(tips))
	}
	return o
}

// add is the node of an event that comes after another one, the known one if it was so before.
func (o *Order) add(before Node, e trace.Event) Node {
	n := node{event: e, before: before, sent: o.nodes[before].sent,
		received: o.nodes[before].received}
	if e.Kind == trace.Sent {
		n.sent = max(n.sent+1, e.ID.Number)
	} else {
		n.received++
		n.sends = o.sources(e)
	}
	for i := range o.nodes[1:] {
		if known := &o.nodes[i+1]; known.before == before && same(&known.event, &e) &&
			slices.Equal(known.sends, n.sends) {
			return Node(i + 1)
		}
	}
	number := Node(len(o.nodes))
	n.past = o.nodes[before].past.with(number)
	for _, s := range n.sends {
		n.past = n.past.union(o.nodes[s].past)
	}
	o.nodes = append(o.nodes, n)
	return number
}

// same reports whether two events of programs are the same thing.
func same(a, b *trace.Event) bool {
	return a.Kind == b.Kind && a.Proc == b.Proc && a.ID == b.ID && a.Peer == b.Peer &&
		a.Digest == b.Digest
}

// sources are the sends of what a reception received, in the order of Contributions.
func (o *Order) sources(e trace.Event) (list []Node) {
	ids := Sends(o.layout, e.ID)
	for _, id := range ids {
		if s := o.source(id, e.Digest, len(ids) == 1); s != None {
			list = append(list, s)
		}
	}
	return list
}

// source is the send of a message that somebody receives now: of several, on different pasts, the
// last one with that payload, or with any if there is none.
func (o *Order) source(id trace.MsgID, digest uint64, payload bool) (found Node) {
	for _, n := range slices.Backward(o.events) {
		e := &o.nodes[n].event
		if n == None || e.Kind != trace.Sent || e.ID != id {
			continue
		}
		switch {
		case !payload || e.Digest == digest:
			return n
		case found == None:
			found = n
		}
	}
	return found
}

// point is where a past has so many sends and receptions, or the last point that has no more.
func (o *Order) point(n Node, sent, received uint32) Node {
	for n != None && (o.nodes[n].sent > sent || o.nodes[n].received > received) {
		n = o.nodes[n].before
	}
	return n
}

// At is the node of an event of the trace, None for an event that is no send and no reception.
func (o *Order) At(event int) Node { return o.events[event] }

// Nodes is how many there are: they are numbered [1, Nodes].
func (o *Order) Nodes() int { return len(o.nodes) - 1 }

// Event is the first execution of a node.
func (o *Order) Event(n Node) trace.Event { return o.nodes[n].event }

// Before reports whether a happened before b.
func (o *Order) Before(a, b Node) bool {
	return a != b && a != None && o.nodes[b].past.has(a)
}

// Concurrent reports whether neither of two happened before the other.
func (o *Order) Concurrent(a, b Node) bool {
	return a != b && !o.Before(a, b) && !o.Before(b, a)
}

// bits is a set of nodes.
type bits []uint64

func (b bits) has(n Node) bool {
	return int(n)/64 < len(b) && b[n/64]&(1<<(n%64)) != 0
}

// with is a copy with one more.
func (b bits) with(n Node) bits {
	c := make(bits, max(len(b), int(n)/64+1))
	copy(c, b)
	c[n/64] |= 1 << (n % 64)
	return c
}

// union adds the nodes of another set, which has none that is newer.
func (b bits) union(c bits) bits {
	for i, word := range c {
		b[i] |= word
	}
	return b
}

// within reports whether all of b is in c.
func (b bits) within(c bits) bool {
	for i, word := range b {
		if i >= len(c) && word != 0 || i < len(c) && word&^c[i] != 0 {
			return false
		}
	}
	return true
}
