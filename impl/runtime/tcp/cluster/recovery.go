package cluster

import (
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Recovery is one restart of a rank, as the evidence shows it; times are since all processes had
// begun.
type Recovery struct {
	Rank        core.Rank
	Incarnation core.Incarnation
	Stopped     time.Duration
	Restored    time.Duration // it had its image
	// it had received again what it had received before; 0 if it never did
	Replayed   time.Duration
	CaughtUp   time.Duration // it had done again what it had done before; 0 if it never did
	Sends      uint32        // lost by the rollback, and done again
	Deliveries uint32
	// what it had sent and received by the image that it goes on from: 0 and 0 are the beginning
	FromSend, FromDelivery uint32
	sent, received         uint32 // where it was
}

// place is how far a rank is, as its trace.History counts.
type place struct{ sent, received uint32 }

func (p *place) apply(e trace.Event) {
	switch e.Kind {
	case trace.Sent:
		p.sent = max(p.sent+1, e.ID.Number)
	case trace.Delivered:
		p.received++
	case trace.Restored, trace.Resumed:
		p.sent, p.received = min(p.sent, e.Sent), min(p.received, e.Received)
	}
}

// Recoveries lists the restarts of ranks in the order of the trace.
func (r *Result) Recoveries() []Recovery {
	var list []Recovery
	places := make([]place, r.Trace.Layout.Ranks) // a history would be copied with every delivery
	past := make([]*place, r.Trace.Layout.Ranks)
	open := make([]int, r.Trace.Layout.Ranks) // the recovery under way of each rank, from 1
	for i, e := range r.Trace.Events {
		if int(e.Proc) >= len(places) {
			continue
		}
		h, at := &places[e.Proc], time.Duration(r.Trace.At[i])
		if e.Kind == trace.Resumed && past[e.Proc] != nil {
			*h = *past[e.Proc]
		}
		h.apply(e)
		switch e.Kind {
		case trace.Crashed:
			if past[e.Proc] == nil {
				was := *h
				past[e.Proc] = &was
			}
			c := Recovery{Rank: core.Rank(e.Proc), Incarnation: e.Incarnation + 1, Stopped: at,
				sent: h.sent, received: h.received}
			if k := open[e.Proc]; k > 0 { // it had not caught up
				c.sent, c.received = max(c.sent, list[k-1].sent),
					max(c.received, list[k-1].received)
			}
			list = append(list, c)
			open[e.Proc] = len(list)
		case trace.Sent, trace.Delivered:
			past[e.Proc] = nil
		}
		k := open[e.Proc]
		if k == 0 || e.Kind == trace.Crashed {
			continue
		}
		c := &list[k-1]
		if e.Kind == trace.Restored || e.Kind == trace.Resumed {
			c.Restored, c.Sends, c.Deliveries = at, c.sent-min(h.sent, c.sent),
				c.received-min(h.received, c.received)
			c.FromSend, c.FromDelivery = h.sent, h.received
		}
		if c.Restored > 0 && c.Replayed == 0 && h.received >= c.received {
			c.Replayed = at
		}
		if c.Restored > 0 && h.sent >= c.sent && h.received >= c.received {
			c.CaughtUp, open[e.Proc] = at, 0
		}
	}
	return list
}
