package local

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// waits says who has not ended, and why.
func (r *run) waits() (list []string) {
	for _, p := range r.procs {
		name := r.layout.Name(p.id)
		if !p.up {
			list = append(list, fmt.Sprintf("%s is down for good, after incarnation %d", name,
				p.inc-1))
			continue
		}
		h := core.HistoryOf(p.machine)
		if h == nil || h.Done {
			continue
		}
		what := "its end"
		if host, ok := p.machine.(interface{ Next() (core.Op, bool) }); ok {
			if op, more := host.Next(); more {
				what = describe(r.layout, op)
			}
		}
		list = append(list,
			fmt.Sprintf("%s (incarnation %d) has sent %d and received %d and waits for %s", name,
				p.inc, h.Sent, len(h.Delivered), what))
	}
	return list
}

// describe names an operation that a program does not get past.
func describe(l *trace.Layout, op core.Op) string {
	peer := "anyone"
	if g, group := core.SourceGroup(op.Peer); group {
		peer = "group " + l.Trees[g-1].Name
	} else if !op.Any {
		peer = l.Name(op.Peer.Proc())
	}
	switch op.Kind {
	case core.OpSend:
		return "leave to send to " + peer
	case core.OpRecv, core.OpPost:
		return "a message of " + peer
	case core.OpWait:
		return "what it has posted"
	case core.OpMulticast, core.OpContribute:
		return "leave to send to group " + l.Trees[op.Group-1].Name
	case core.OpOutput:
		return "leave to output"
	}
	return "leave to go on"
}
