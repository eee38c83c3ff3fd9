package cluster_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/trace"
)

// TestRecoveriesCount draws runs of one rank with crashes, restarts and images that come late, and
// compares what each recovery lost, and when it was done, with a twin that keeps whole histories as
// spec does.
func TestRecoveriesCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &cluster.Result{Trace: trace.Trace{
			Layout: trace.Layout{Names: []string{"a"}, Ranks: 1}}}
		var want []cluster.Recovery
		var sent, received int // where it was when it crashed, or further
		h, before := &trace.History{}, (*trace.History)(nil)
		open, life := false, core.Incarnation(0)
		for i := range rapid.IntRange(1, 40).Draw(t, "events") {
			e := trace.Event{Kind: rapid.SampledFrom(
				[]trace.Kind{trace.Delivered, trace.Delivered, trace.Sent, trace.Sent,
					trace.Crashed, trace.Restored, trace.Resumed}).Draw(t, "kind"),
				Incarnation: life, ID: trace.MsgID{From: 1, Number: uint32(i)}}
			if e.Kind == trace.Restored || e.Kind == trace.Resumed {
				e.Sent, e.Received = uint32(rapid.IntRange(0, i).Draw(t, "sent")),
					uint32(rapid.IntRange(0, i).Draw(t, "received"))
			}
			at := time.Duration(i + 1)
			r.Trace.Events, r.Trace.At = append(r.Trace.Events, e), append(r.Trace.At, int64(at))
			if e.Kind == trace.Resumed && before != nil {
				h = before
			}
			h = h.Clone()
			h.Apply(e)
			switch e.Kind {
			case trace.Crashed:
				if before == nil {
					before = h
				}
				if !open {
					sent, received = 0, 0
				}
				sent, received, open = max(sent, int(h.Sent)), max(received, len(h.Delivered)), true
				want = append(want, cluster.Recovery{Incarnation: life + 1, Stopped: at})
				life++
				continue
			case trace.Sent, trace.Delivered:
				before = nil
			}
			if !open {
				continue
			}
			c := &want[len(want)-1]
			if e.Kind == trace.Restored || e.Kind == trace.Resumed {
				c.Restored, c.Sends, c.Deliveries = at, uint32(max(0, sent-int(h.Sent))),
					uint32(max(0, received-len(h.Delivered)))
			}
			if c.Restored == 0 || len(h.Delivered) < received {
				continue
			}
			if c.Replayed == 0 {
				c.Replayed = at
			}
			if int(h.Sent) >= sent {
				c.CaughtUp, open = at, false
			}
		}
		for i, c := range r.Recoveries() {
			got := cluster.Recovery{Rank: c.Rank, Incarnation: c.Incarnation, Stopped: c.Stopped,
				Restored: c.Restored, Replayed: c.Replayed, CaughtUp: c.CaughtUp, Sends: c.Sends,
				Deliveries: c.Deliveries}
			if i >= len(want) || got != want[i] {
				t.Fatalf("recovery %d: %+v, want %+v", i, got, want)
			}
		}
		if n := len(r.Recoveries()); n != len(want) {
			t.Fatalf("%d recoveries, want %d", n, len(want))
		}
	})
}
