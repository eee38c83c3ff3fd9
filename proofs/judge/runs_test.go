package judge_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// thing is one node: what a process did, behind what it did last, and the sends of what it
// received.
type thing struct {
	proc, last, depth int // last: -1 is the beginning
	sends             []int
	event             trace.Event
	sent, received    uint32
}

// run is a random run: its trace, and what it is as a graph.
type run struct {
	*rand.Rand
	trace  trace.Trace
	things []thing
	names  map[string]int // of things: what they are -> number
	events []int          // the thing of each event, -1 for others
	sent   []int          // the things of all sends in the order of their executions
	tips   []int
	lives  []trace.Incarnation
	steady bool  // nobody goes back
	former []int // of a process that waits for its image: where it was, else -2
	cut    []int
	points [][]int
}

// draw makes a run of 4 to 23 events of 2 to 4 processes.
func draw(r *rand.Rand) *run {
	procs := 2 + r.IntN(3)
	d := &run{Rand: r, names: map[string]int{}, lives: make([]trace.Incarnation, procs),
		steady: r.IntN(3) == 0}
	d.trace.Layout = trace.Layout{Ranks: procs, Names: []string{"p", "q", "r", "s"}[:procs]}
	for range procs {
		d.tips, d.former = append(d.tips, -1), append(d.former, -2)
	}
	for n := 4 + r.IntN(20); len(d.trace.Events) < n; {
		p := r.IntN(procs)
		switch k := r.IntN(12); {
		case k < 5:
			d.send(p)
		case k < 10:
			d.receive(p)
		case k == 10 && !d.steady:
			d.restart(p)
		default:
			d.add(trace.Event{Kind: trace.Emitted, Proc: trace.Proc(p)}, -1) // of no program
		}
	}
	d.drawCut()
	return d
}

// add adds an event.
func (d *run) add(e trace.Event, thing int) {
	e.Incarnation = d.lives[e.Proc]
	d.trace.Events, d.events = append(d.trace.Events, e), append(d.events, thing)
}

// do adds a send or a reception, which may be the same thing as one on a past that was cut off.
func (d *run) do(p int, e trace.Event, sends []int) int {
	e.Proc = trace.Proc(p)
	last := d.tips[p]
	t := thing{proc: p, last: last, depth: 1, sends: sends, event: e}
	if last >= 0 {
		b := &d.things[last]
		t.depth, t.sent, t.received = b.depth+1, b.sent, b.received
	}
	if e.Kind == trace.Sent {
		t.sent++
	} else {
		t.received++
	}
	name := fmt.Sprint(p, last, e.Kind, e.ID, e.Peer, e.Digest, sends)
	n, known := d.names[name]
	if !known {
		n = len(d.things)
		d.things, d.names[name] = append(d.things, t), n
	}
	d.tips[p], d.former[p] = n, -2
	d.add(e, n)
	return n
}

// send sends a message; a process that has gone back sends the same again, or something else.
func (d *run) send(p int) {
	number := uint32(1)
	if tip := d.tips[p]; tip >= 0 {
		number = d.things[tip].sent + 1
	}
	e := trace.Event{Kind: trace.Sent, Peer: trace.Proc(d.IntN(len(d.tips))),
		ID: trace.MsgID{From: trace.Rank(p), Number: number}, Digest: uint64(d.IntN(2))}
	d.sent = append(d.sent, d.do(p, e, nil))
}

// receive receives what somebody has sent at any time, or nobody.
func (d *run) receive(p int) {
	e := trace.Event{Kind: trace.Delivered, Digest: uint64(d.IntN(3)),
		ID: trace.MsgID{From: trace.Rank(d.IntN(len(d.tips))), Number: uint32(7 + d.IntN(2))}}
	if len(d.sent) > 0 && d.IntN(8) > 0 {
		m := &d.things[d.sent[d.IntN(len(d.sent))]].event
		e.ID, e.Peer = m.ID, trace.Proc(m.ID.From)
		if d.IntN(8) > 0 {
			e.Digest = m.Digest
		}
	}
	d.do(p, e, d.source(e))
}

// source is the send that a reception is of: of those under its name the last one with its payload,
// or the last one at all.
func (d *run) source(e trace.Event) []int {
	other := []int(nil)
	for i := len(d.sent) - 1; i >= 0; i-- {
		m := &d.things[d.sent[i]].event
		switch {
		case m.ID != e.ID:
		case m.Digest == e.Digest:
			return []int{d.sent[i]}
		case other == nil:
			other = []int{d.sent[i]}
		}
	}
	return other
}

// restart crashes a process and takes it back to a point of its past, at once or when it has its
// image.
func (d *run) restart(p int) {
	if back := d.former[p]; back != -2 {
		d.tips[p], d.former[p] = d.back(back), -2
		d.point(p, trace.Resumed)
		return
	}
	d.add(trace.Event{Kind: trace.Crashed, Proc: trace.Proc(p)}, -1)
	d.lives[p]++
	if d.IntN(3) == 0 {
		// events of its blank state are a past of their own; without any it goes back to its image
		d.former[p], d.tips[p] = d.tips[p], -1
	} else {
		d.tips[p] = d.back(d.tips[p])
	}
	d.point(p, trace.Restored)
}

// back is a point on the past of a thing, itself or the beginning included.
func (d *run) back(tip int) int {
	for tip >= 0 && d.IntN(3) > 0 {
		tip = d.things[tip].last
	}
	return tip
}

// point says where a process stands after it has gone back.
func (d *run) point(p int, kind trace.Kind) {
	e := trace.Event{Kind: kind, Proc: trace.Proc(p)}
	if tip := d.tips[p]; tip >= 0 {
		e.Sent, e.Received = d.things[tip].sent, d.things[tip].received
	}
	d.add(e, -1)
}

// drawCut takes any point of each process, and up to two points of its surviving past.
func (d *run) drawCut() {
	for p, tip := range d.tips {
		own := []int{-1}
		for n := range d.things {
			if d.things[n].proc == p {
				own = append(own, n)
			}
		}
		d.cut = append(d.cut, own[d.IntN(len(own))])
		var past []int
		for n := tip; n >= 0; n = d.things[n].last {
			past = append([]int{n}, past...)
		}
		for len(past) > 2 || len(past) > 0 && d.IntN(4) == 0 {
			i := d.IntN(len(past))
			past = append(past[:i], past[i+1:]...)
		}
		d.points = append(d.points, past)
	}
}

// line is the run as main.ml reads it.
func (d *run) line(b []byte) []byte {
	put := func(numbers ...int) {
		for _, n := range numbers {
			b = append(strconv.AppendInt(b, int64(n), 10), ' ')
		}
	}
	steady := 0
	if d.steady {
		steady = 1
	}
	put(len(d.tips), steady, len(d.things))
	for _, t := range d.things {
		put(t.proc, t.last, len(t.sends))
		put(t.sends...)
	}
	put(d.cut...)
	for _, points := range d.points {
		put(len(points)+1, -1)
		put(points...)
	}
	b[len(b)-1] = '\n'
	return b
}

// said is what package order says of the trace, as main.ml writes it.
func (d *run) said(b []byte) []byte {
	o := order.Of(&d.trace)
	put := func(n int) { b = append(strconv.AppendInt(b, int64(n), 10), ' ') }
	if o.Nodes() != len(d.things) {
		return fmt.Appendf(b, "%d nodes, want %d\n", o.Nodes(), len(d.things))
	}
	for e, n := range d.events {
		if o.At(e) != order.Node(n+1) {
			return fmt.Appendf(b, "event %d is node %d, want %d\n", e, o.At(e), n+1)
		}
	}
	cut := make(order.Cut, len(d.cut))
	for p, n := range d.cut {
		cut[p] = order.Node(n + 1)
	}
	for j := range order.Node(o.Nodes()) {
		put(bits(o, func(i order.Node) bool { return o.Before(i, j+1) }))
	}
	put(bits(o, func(i order.Node) bool { return o.In(cut, i) }))
	orphans := 0
	for _, n := range o.Orphans(cut) {
		orphans |= 1 << (n - 1)
	}
	if o.Consistent(cut) != (orphans == 0) {
		return append(b, "orphans of a consistent cut\n"...)
	}
	put(orphans)
	for j := range order.Node(o.Nodes()) {
		if !d.steady {
			break // two branches of a process count alike: nothing is promised of clocks
		}
		for _, n := range o.Clock(j + 1) {
			put(int(n))
		}
		for i := range order.Node(o.Nodes()) {
			if o.Before(i+1, j+1) != o.Clock(i+1).Less(o.Clock(j+1)) {
				return fmt.Appendf(b, "clocks of %d and %d\n", i, j)
			}
		}
	}
	points := make([][]order.Node, len(d.points))
	for p, list := range d.points {
		for _, n := range list {
			points[p] = append(points[p], order.Node(n+1))
		}
	}
	for p, n := range o.Line(points) {
		place := 0
		for i, m := range points[p] {
			if m == n {
				place = i + 1
			}
		}
		put(place)
	}
	b[len(b)-1] = '\n'
	return b
}

// bits is a set of nodes, the first one the lowest bit.
func bits(o *order.Order, in func(order.Node) bool) (set int) {
	for n := range order.Node(o.Nodes()) {
		if in(n + 1) {
			set |= 1 << n
		}
	}
	return set
}
