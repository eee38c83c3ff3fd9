package spec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec/trace"
)

func fold(events ...trace.Event) *trace.History {
	h := new(trace.History)
	for _, e := range events {
		h.Apply(e)
	}
	return h
}

// Aim: a history is what a rank has done along its surviving past. Method: hand-written events of
// one rank.
func TestHistory(t *testing.T) {
	past := func(sent uint32, ids ...trace.MsgID) *trace.History {
		h := &trace.History{Sent: sent}
		for _, id := range ids {
			h.Delivered = append(h.Delivered,
				trace.Delivery{ID: id, Stamp: trace.Stamp{Phase: 1}, Digest: payload(id)})
		}
		return h
	}
	tests := []struct {
		name   string
		events []trace.Event
		want   *trace.History
	}{
		{name: "nothing", want: past(0)},
		{name: "sends and deliveries", events: []trace.Event{delivered(y, m2, 1), sent(m3, c),
			delivered(y, m7, 1)}, want: past(1, m2, m7)},
		{
			name: "events that change nothing",
			events: []trace.Event{sent(m3, c), emitted(m3, c, 1, 0), {Kind: trace.Arrived, ID: m2},
				{Kind: trace.Dropped, ID: m2},
				{Kind: trace.Logged, ID: m3}, {Kind: trace.Pruned, ID: m3}, {Kind: trace.Stored},
				committed(y, 1, 0), {Kind: trace.Told},
				{Kind: trace.Released}, {Kind: trace.Halted}, crashed(y)},
			want: past(1),
		},
		{
			name: "cut back to the restored point",
			events: []trace.Event{delivered(y, m2, 1), sent(m3, c), delivered(y, m7, 1),
				restored(y, 1, 0, 1)},
			want: recovering(past(0, m2)),
		},
		{
			name: "cut back to the beginning and done again",
			events: []trace.Event{delivered(y, m2, 1), sent(m3, c), restored(y, 1, 0, 0),
				in(1, delivered(y, m2, 1))},
			want: recovering(past(0, m2)),
		},
		{
			name:   "restored at what it is at",
			events: []trace.Event{delivered(y, m2, 1), sent(m3, c), restored(y, 1, 1, 1)},
			want:   recovering(past(1, m2)),
		},
		{
			name:   "restored beyond what it is at, which adds nothing",
			events: []trace.Event{delivered(y, m2, 1), restored(y, 1, 4, 4)},
			want:   recovering(past(0, m2)),
		},
		{
			name:   "the end",
			events: []trace.Event{sent(m3, c), finished(y, 12)},
			want:   &trace.History{Sent: 1, Done: true, Digest: 12},
		},
		{
			name:   "the end, taken back",
			events: []trace.Event{sent(m3, c), finished(y, 12), restored(y, 1, 0, 0)},
			want:   recovering(&trace.History{}),
		},
		{
			name: "the end, part of the image",
			events: []trace.Event{sent(m3, c), finished(y, 12),
				with(restored(y, 1, 1, 0), func(e *trace.Event) {
					e.Digest = 12
				})},
			want: recovering(&trace.History{Sent: 1, Done: true, Digest: 12}),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := fold(tt.events...)
			if len(got.Delivered) == 0 {
				got.Delivered = nil
			}
			if diff := cmp.Diff(tt.want, got,
				cmp.AllowUnexported(trace.History{}, trace.Delivery{}, trace.MsgID{},
					trace.Stamp{})); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}

// Aim: the fold is right for every short run. Method: all sequences of up to five events against a
// naive twin, which keeps everything that was done as a list and takes from it what a restart
// leaves.
func TestHistoryAgainstTwin(t *testing.T) {
	const most = 5
	events := []trace.Event{sent(m3, c), delivered(y, m2, 1), finished(y, 12), restored(y, 1, 0, 0),
		restored(y, 1, 1, 0), restored(y, 1, 0, 1),
		restored(y, 1, 2, 1)}
	type done struct{ sent, received []int } // numbers of the events
	count := 0
	var extend func(list []trace.Event, h trace.History, d done, ended bool)
	extend = func(list []trace.Event, h trace.History, d done, ended bool) {
		count++
		if int(h.Sent) != len(d.sent) || len(h.Delivered) != len(d.received) || h.Done != ended ||
			h.Done != (h.Digest != 0) {
			t.Fatalf("after %v: %d sent, %d received, done %t; want %d, %d, %t", list, h.Sent,
				len(h.Delivered), h.Done, len(d.sent), len(d.received), ended)
		}
		for i, n := range d.received {
			if h.Delivered[i].Stamp.Date != uint64(n) {
				t.Fatalf("after %v: delivery %d is that of event %d, want %d", list, i,
					h.Delivered[i].Stamp.Date, n)
			}
		}
		if len(list) == most {
			return
		}
		for _, e := range events {
			e.Stamp.Date = uint64(len(list))
			next, after, over := h, d, ended
			next.Apply(e)
			switch e.Kind {
			case trace.Sent:
				after.sent = append(slices.Clone(d.sent), len(list))
			case trace.Delivered:
				after.received = append(slices.Clone(d.received), len(list))
			case trace.Finished:
				over = true
			case trace.Restored:
				after.sent = d.sent[:min(int(e.Sent), len(d.sent))]
				after.received = d.received[:min(int(e.Received), len(d.received))]
				over = false
			}
			extend(append(list[:len(list):len(list)], e), next, after, over)
		}
	}
	extend(nil, trace.History{}, done{}, false)
	if want := 19608; count != want { // 7^0 + ... + 7^5
		t.Errorf("%d runs, want %d", count, want)
	}
}

// Aim: a history that was handed out never changes. Method: go on from one copy in two ways, and
// from a clone.
func TestHistoryIsReadOnly(t *testing.T) {
	h := fold(delivered(y, m2, 1), sent(m3, c), delivered(y, m7, 1))
	kept, clone := *h, h.Clone()
	for _, e := range []trace.Event{restored(y, 1, 0, 1), delivered(y, x2, 1),
		delivered(y, m3, 1)} {
		h.Apply(e)
	}
	clone.Apply(delivered(y, x2, 1))
	if kept.Sent != 1 || len(kept.Delivered) != 2 || kept.Delivered[1].ID != m7 {
		t.Errorf("the history that was kept has become %+v", kept)
	}
	if !clone.Received(x2) || kept.Received(x2) || !h.Received(x2) || h.Received(m7) {
		t.Errorf("clone %+v, kept %+v and changed %+v are not independent", clone, kept, h)
	}
}

// recovering is the history of a rank that was restarted and has not declared more.
func recovering(h *trace.History) *trace.History {
	h.Recovering = true
	return h
}

// TestMemory folds declarations of what a rank keeps: in order, once each, and lost at a restart,
// as the flag is set there.
func TestMemory(t *testing.T) {
	keep := func(sort string, id trace.MsgID, peer trace.Proc, number uint32) trace.Event {
		return trace.Event{Kind: trace.Kept, Proc: y, Text: sort, ID: id, Peer: peer,
			Received: number}
	}
	forget := func(e trace.Event) trace.Event {
		e.Kind = trace.Forgotten
		return e
	}
	first, second, third := keep(trace.Determinant, m2, y, 1), keep(trace.Determinant, m7, y, 2),
		keep(trace.Copy, m3, c, 0)
	got := fold(second, first, third, first, forget(third), forget(third))
	if diff := cmp.Diff([]trace.Item{first.Item(), second.Item()}, got.Memory,
		cmp.AllowUnexported(trace.Item{}, trace.MsgID{})); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	if !got.Holds(second.Item()) || got.Holds(third.Item()) {
		t.Errorf("the memory holds the wrong items: %v", got.Memory)
	}
	got = fold(first, restored(y, 1, 0, 0))
	if len(got.Memory) != 0 || !got.Recovering {
		t.Errorf("after a restart: %+v", got)
	}
	if got = fold(first, restored(y, 1, 0, 0),
		trace.Event{Kind: trace.Recovered, Proc: y, Incarnation: 1}); got.Recovering {
		t.Errorf("after the end of a recovery: %+v", got)
	}
}
