package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Undeclared: what a proc keeps is what it says. What is in its state is measured by the driver.
var Undeclared = register(Property{
	Name: "undeclared", Kind: FailureFree, Depth: Thrift, Source: "[HydEE] Alg. 1 l. 7",
	Applies: func(f *Facts) bool {
		return f.LogsOutside || f.Holders || f.Layout != nil && f.Layout.Holdings
	},
	Needs: "LogsOutside, Holders or Layout.Holdings: what is kept is declared (Logged, Kept)",
	Doc: "at the end of a run without failures no state holds the payload of a message that its " +
		"proc has not declared to keep, nor of one that is in no log, nor of a contribution to a " +
		"result that it has received",
	Whole: func(f *Facts, q *Quiet) string {
		kept := make([]map[trace.MsgID]bool, len(f.Layout.Names))
		received := make([]map[trace.MsgID]bool, len(f.Layout.Names))
		for p := range kept {
			kept[p], received[p] = map[trace.MsgID]bool{}, map[trace.MsgID]bool{}
		}
		for i := range q.Trace.Events {
			switch e := &q.Trace.Events[i]; e.Kind {
			case trace.Logged, trace.Kept:
				kept[e.Proc][e.ID] = true
			case trace.Pruned, trace.Forgotten:
				delete(kept[e.Proc], e.ID)
			case trace.Delivered:
				received[e.Proc][e.ID] = true
			}
		}
		for p, list := range q.Payloads {
			// Images hold what was on its way; who keeps their files says so (Snapped). What ranks
			// keep for those that restart alone nobody declares: that it is there when it is needed
			// is for terminates, and for final-state.
			if snapshots(f) && (p >= f.Layout.Ranks || f.Has(promise.RestoresFailed)) {
				continue
			}
			for _, id := range list {
				self := trace.Proc(p)
				c := f.Layout.Collectives[id]
				mine := id.From.Proc() == self || received[p][id] || p >= f.Layout.Ranks ||
					c.Round > 0 && received[p][resultOf(f, c)]
				if mine && !kept[p][id] {
					return fmt.Sprintf("%s still holds %s at the end and does not say so",
						f.name(self), f.label(id))
				}
			}
		}
		return ""
	},
})

// LogCollected: what nobody can need any more is forgotten.
var LogCollected = register(Property{
	Name: "log-collected", Kind: FailureFree, Depth: Thrift, Source: "[HydEE] section III-E",
	Applies: func(f *Facts) bool { return f.LogsOutside && f.Checkpoints },
	Needs:   "LogsOutside, and checkpoints in the scenario (Logged, Pruned, Commit)",
	Doc: "without failures, whoever has sent a message that is received after a line of its " +
		"receiver keeps no message any more that this line holds",
	Whole: func(f *Facts, q *Quiet) string {
		c := collection{delivered: make([][]trace.MsgID, len(f.Layout.Names))}
		for i := range q.Trace.Events {
			c.apply(&q.Trace.Events[i])
		}
		for _, l := range c.logs {
			if slices.Contains(c.useless, l) {
				return fmt.Sprintf("%s still keeps %s, which the line of %s holds, and %s has "+
					"received from %s since", f.name(l.at), f.label(l.id), f.name(l.to),
					f.name(l.to), f.name(l.at))
			}
		}
		return ""
	},
})

// logged is a message in a log.
type logged struct {
	at, to trace.Proc
	id     trace.MsgID
}

// collection is what logs hold, and what of it is useless.
type collection struct {
	logs      []logged
	covered   []logged // by a line of the receiver
	sent      []logged // after that line
	useless   []logged
	delivered [][]trace.MsgID
	lines     []trace.Proc
}

func (c *collection) apply(e *trace.Event) {
	switch e.Kind {
	case trace.Logged:
		c.logs = append(c.logs, logged{e.Proc, e.Peer, e.ID})
	case trace.Pruned:
		c.logs = slices.DeleteFunc(c.logs, func(l logged) bool {
			return l == logged{e.Proc, e.Peer, e.ID}
		})
	case trace.Sent:
		if slices.Contains(c.lines, e.Peer) {
			c.sent = append(c.sent, logged{e.Proc, e.Peer, e.ID})
		}
	case trace.Delivered:
		c.delivered[e.Proc] = append(c.delivered[e.Proc], e.ID)
		if !slices.Contains(c.sent, logged{e.Peer, e.Proc, e.ID}) {
			return
		}
		// it was sent after the line, so it has arrived after it: it is answered
		for _, l := range c.covered {
			if l.at == e.Peer && l.to == e.Proc {
				c.useless = append(c.useless, l)
			}
		}
	case trace.Committed:
		c.lines = append(c.lines, e.Proc)
		for _, id := range c.delivered[e.Proc][:e.Received] {
			c.covered = append(c.covered, logged{id.From.Proc(), e.Proc, id})
		}
		// what was sent before this line says nothing about it
		c.sent = slices.DeleteFunc(c.sent, func(l logged) bool { return l.to == e.Proc })
	}
}
