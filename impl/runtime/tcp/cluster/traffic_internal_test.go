package cluster

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestOutbox follows one rank by hand. Its first life sends 10, 20 and 30 bytes. The second goes
// back behind the first send and sends 21 bytes, to another rank now; it comes no further. The
// third has nothing on its disk, gets an image by message that stands behind two sends, and sends
// 33 bytes: 10 to rank 1, 21 and 33 to rank 2, and nothing that was undone. The fourth goes back
// behind the second send, and the run ends.
func TestOutbox(t *testing.T) {
	sent := func(number uint32, to core.Proc) trace.Event {
		return trace.Event{Kind: trace.Sent, Peer: to, ID: core.MsgID{Number: number}}
	}
	o := outbox{sends: map[uint32]sentTo{}}
	for _, k := range []piece{
		{Events: []trace.Event{{Kind: trace.Arrived}, sent(1, 1)}, Sizes: []uint32{10}},
		{Events: []trace.Event{sent(2, 1), {Kind: trace.Emitted}, sent(3, 1)},
			Sizes: []uint32{20, 30}},
		{Events: []trace.Event{{Kind: trace.Restored, Sent: 1}}},
		{Events: []trace.Event{sent(2, 2)}, Sizes: []uint32{21}},
		{Events: []trace.Event{{Kind: trace.Restored}}},
		{Events: []trace.Event{{Kind: trace.Resumed, Sent: 2}, sent(3, 2)}, Sizes: []uint32{33}},
	} {
		o.take(&k)
	}
	layout := &trace.Layout{Ranks: 3}
	got := o.channels(layout, 0)
	if want := []Channel{{0, 1, 10, 1}, {0, 2, 54, 2}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	o.take(&piece{Events: []trace.Event{{Kind: trace.Restored, Sent: 2}}})
	got = o.channels(layout, 0)
	if want := []Channel{{0, 1, 10, 1}, {0, 2, 21, 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestHops: a multicast is a message along each edge of the tree 0-(1-(2,3)), a contribution one to
// the parent, of the root none. Between the same ranks they add up with what is sent directly.
func TestHops(t *testing.T) {
	tree, err := trace.NewTree("g", "sum", []string{"a", "b", "c", "d"},
		[]trace.Rank{0, 1}, [][]trace.Rank{{1}, {2, 3}})
	if err != nil {
		t.Fatal(err)
	}
	l := &trace.Layout{Ranks: 4, Trees: []trace.Tree{tree},
		Collectives: map[trace.MsgID]trace.Collective{{From: 0, Number: 1}: {},
			{From: 0, Number: 2}: {Round: 1}, {From: 3, Number: 1}: {Round: 1}}}
	root := outbox{sends: map[uint32]sentTo{1: {0, 100}, 2: {0, 7}, 3: {1, 5}}, valid: 3}
	leaf := outbox{sends: map[uint32]sentTo{1: {0, 7}}, valid: 1}
	got := joined(append(leaf.channels(l, 3), root.channels(l, 0)...))
	want := []Channel{{0, 1, 105, 2}, {1, 2, 100, 1}, {1, 3, 100, 1}, {3, 1, 7, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
