package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// with sets what an event says beyond its constructor.
func with(e trace.Event, change func(*trace.Event)) trace.Event {
	change(&e)
	return e
}

var deliveryCases = []judged{
	{
		name: "the same message twice", property: "exactly-once",
		events: []trace.Event{delivered(y, m2, 1), delivered(y, m2, 1)},
		want:   "m2 is delivered to y a second time",
	},
	{
		name: "again although the restored state holds it", property: "exactly-once",
		events: []trace.Event{delivered(y, m2, 1), crashed(y), restored(y, 1, 0, 1),
			in(1, delivered(y, m2, 1))},
		want: "m2 is delivered to y a second time",
	},
	{
		name: "again after a rollback that took it back", property: "exactly-once",
		events: []trace.Event{delivered(y, m2, 1), crashed(y), restored(y, 1, 0, 0),
			in(1, delivered(y, m2, 1))},
	},
	{
		name: "the same number from another sender", property: "exactly-once",
		events: []trace.Event{delivered(y, m2, 1), delivered(y, m7, 2)},
	},
	{
		name: "a later message first", property: "fifo",
		events: []trace.Event{delivered(y, x2, 1), delivered(y, m2, 1)},
		want:   "m2 is delivered to y after x#2, which was sent later",
	},
	{
		name: "a later message first, with another channel between", property: "fifo",
		events: []trace.Event{delivered(y, x2, 1), delivered(y, m7, 2), delivered(y, m2, 1)},
		want:   "m2 is delivered to y after x#2, which was sent later",
	},
	{
		name: "a gap, because the sends between go elsewhere", property: "fifo",
		events: []trace.Event{delivered(y, m2, 1),
			delivered(y, trace.MsgID{From: 0, Number: 5}, 1)},
	},
	{
		name: "a lower number from another sender", property: "fifo",
		events: []trace.Event{delivered(y, x2, 1), delivered(y, m7, 2)},
	},
	{
		name: "a later message first, in a past that was rolled back", property: "fifo",
		events: []trace.Event{delivered(y, x2, 1), crashed(y), restored(y, 1, 0, 0),
			in(1, delivered(y, m2, 1))},
	},
	{
		name: "an answer before what it depends on", property: "legal-order",
		events: []trace.Event{delivered(y, m7, 2)},
		want:   "y receives m7: no failure-free run delivers in this order",
	},
	{
		name: "a sum of which no message is", property: "legal-order",
		events: []trace.Event{delivered(y, m2, 1), delivered(y, trace.MsgID{}, 1)},
		want:   "y receives m2, what nobody has sent: no failure-free run delivers in this order",
	},
	{
		name: "one message too many", property: "legal-order",
		events: []trace.Event{delivered(y, m2, 1), delivered(y, m7, 2), delivered(y, x2, 1)},
		want:   "y receives m2, m7, x#2: no failure-free run delivers in this order",
	},
	{
		name: "replay in another order than legal", property: "legal-order",
		events: []trace.Event{delivered(y, m2, 1), delivered(y, m7, 2), crashed(y),
			restored(y, 1, 0, 0), in(1, delivered(y, m7, 2))},
		want: "y receives m7: no failure-free run delivers in this order",
	},
	{
		name: "the only order, two times over", property: "legal-order",
		events: []trace.Event{delivered(y, m2, 1), crashed(y), restored(y, 1, 0, 0),
			in(1, delivered(y, m2, 1)), in(1, delivered(y, m7, 2))},
	},
	{
		name: "a message that nobody sends", property: "genuine",
		events: []trace.Event{delivered(y, x2, 1)},
		want:   "y receives x#2, which no failure-free run sends",
	},
	{
		name: "a message for somebody else", property: "genuine",
		events: []trace.Event{delivered(c, m2, 1)},
		want:   "c receives m2, which is for y",
	},
	{
		name: "a damaged payload", property: "genuine",
		events: []trace.Event{with(delivered(y, m2, 1), func(e *trace.Event) { e.Digest = 0xbad })},
		want:   "y receives m2 with payload bad, want 1",
	},
	{
		name: "arrival of a message for somebody else that is dropped", property: "genuine",
		events: []trace.Event{{Kind: trace.Arrived, Proc: c, Peer: x, ID: m2},
			{Kind: trace.Dropped, Proc: c, Peer: x, ID: m2, Text: "not for us"}},
	},
	{
		name: "the right message, out of order", property: "genuine",
		events: []trace.Event{delivered(y, m7, 2), delivered(y, m2, 1)},
	},
	{
		name: "a multicast, by any member", property: "genuine", facts: groupFacts,
		events: []trace.Event{delivered(x, m2, 1), delivered(y, m2, 1)},
	},
	{
		name: "a multicast, damaged", property: "genuine", facts: groupFacts,
		events: []trace.Event{
			with(delivered(x, m2, 1), func(e *trace.Event) { e.Digest = 0xbad })},
		want: "x receives m2 with payload bad, want 1",
	},
	{
		name: "the result of a reduction", property: "genuine", facts: groupFacts,
		events: []trace.Event{
			with(delivered(y, m3, 1), func(e *trace.Event) { e.Digest = 0x2bad })},
	},
	{
		name: "the result of a reduction, by no member", property: "genuine", facts: groupFacts,
		events: []trace.Event{delivered(c, m3, 1)},
		want:   "c receives m3, and is no member of its group",
	},
}

// groupFacts are those of the example with a group of x and y, m2 a multicast to it, m3 a
// contribution.
func groupFacts() *spec.Facts {
	f := exampleFacts()
	f.Layout.Trees = []trace.Tree{{Name: "g", Members: []trace.Rank{0, 1}}}
	f.Layout.Collectives = map[trace.MsgID]trace.Collective{m2: {}, m3: {Round: 1}}
	return f
}

// Aim: what programs receive is judged. Method: hand-written runs, one step away from each other.
func TestDelivery(t *testing.T) { judge(t, deliveryCases) }
