package local

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// TestHeard: of each rank counts the highest number that was delivered, in whatever order.
func TestHeard(t *testing.T) {
	h := new(trace.History)
	for _, id := range []core.MsgID{{From: 1, Number: 3}, {From: 1, Number: 2},
		{From: 2, Number: 1}} {
		h.Delivered = append(h.Delivered, trace.Delivery{ID: id})
	}
	if got, want := heard(h, 4), []uint32{0, 3, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
	if got := heard(nil, 4); got != nil {
		t.Errorf("who runs no program has heard %d", got)
	}
}

// TestBehind: a rank that has rolled back is where it was when it has sent again all that others
// have delivered.
func TestBehind(t *testing.T) {
	p, q, service := &proc{id: 0, sent: 2}, &proc{id: 1}, &proc{id: 2}
	r := &run{procs: []*proc{p, q, service}}
	for number, want := range map[uint32]bool{0: false, 1: false, 2: false, 3: true} {
		q.heard = []uint32{number, 9}
		if got := r.behind(p); got != want {
			t.Errorf("%d of 2 messages were delivered: behind %t", number, got)
		}
	}
}
