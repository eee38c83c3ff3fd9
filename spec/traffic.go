package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// OwnMessages: without failures a protocol sends as few messages of its own as it says.
var OwnMessages = register(Property{
	Name: "own-messages", Kind: FailureFree, Depth: Thrift,
	Source:  "[HydEE] section III; [RADIC] section 4.2",
	Applies: func(f *Facts) bool { return f.Traffic.Promised },
	Needs:   "Traffic: how many messages of its own it sends",
	Doc: "without failures each message of a program leaves once for each receiver, and the " +
		"protocol adds as few of its own for each delivery and each line as it promises; " +
		"requests for checkpoints are passed on, and not counted",
	Whole: func(f *Facts, q *Quiet) string {
		type copyOf struct {
			from, to trace.Proc
			id       trace.MsgID
		}
		left := map[copyOf]bool{}
		to := map[trace.MsgID]trace.Proc{}
		own, sends, deliveries, lines := 0, 0, 0, 0
		last := ""
		for i := range q.Trace.Events {
			switch e := &q.Trace.Events[i]; {
			case e.Kind == trace.Sent:
				sends++
				to[e.ID] = e.Peer
			case e.Kind == trace.Delivered:
				deliveries++
			case e.Kind == trace.Committed:
				lines++
			case e.Kind == trace.Emitted && carries(f, to, e):
				c := copyOf{e.Proc, e.Peer, e.ID}
				if left[c] {
					return fmt.Sprintf("%s leaves %s for %s a second time, and nothing has failed",
						f.As(Duplicate, f.label(e.ID)), f.name(e.Proc), f.name(e.Peer))
				}
				left[c] = true
			// One for each request, of which many may come to one line: a program asks as often as
			// it likes, and that it does leaves no event to count them by.
			case e.Kind == trace.Emitted && f.Layout.Kinds[e.Text] == trace.Asks:
			case e.Kind == trace.Emitted:
				own++
				last = f.name(e.Proc) + " sends " + e.Text + " to " + f.name(e.Peer)
			}
		}
		if most := f.Traffic.Most(sends, deliveries, lines, len(f.Layout.Names)); own > most {
			return fmt.Sprintf("the protocol sends %d messages of its own for %d sends, %d "+
				"deliveries and %d lines of ranks, at most %d are promised; the last one: %s",
				own, sends, deliveries, lines, most, last)
		}
		return ""
	},
})

// carries reports whether a message takes one of a program to somebody for whom it is.
func carries(f *Facts, to map[trace.MsgID]trace.Proc, e *trace.Event) bool {
	if _, collective := f.Layout.Collectives[e.ID]; collective {
		return true
	}
	receiver, sent := to[e.ID]
	return sent && receiver == e.Peer
}

// StableWrites: between checkpoints nothing is written.
var StableWrites = register(Property{
	Name: "stable-writes", Kind: FailureFree, Depth: Thrift, Source: "[HydEE] section III",
	Applies: func(f *Facts) bool { return f.Writes != nil },
	Needs:   "Writes: how many records of each sort a line costs (Persist, Commit)",
	Doc: "without failures a proc writes as few records of each sort for each of its lines as " +
		"the protocol promises, so none, also of that name, where there is no line",
	Whole: func(f *Facts, q *Quiet) string {
		lines := make([]int, len(f.Layout.Names))
		type sort struct {
			proc   trace.Proc
			prefix string
		}
		written := map[sort]int{}
		for i := range q.Trace.Events {
			if e := &q.Trace.Events[i]; e.Kind == trace.Committed {
				lines[e.Proc]++
			}
		}
		for i := range q.Trace.Events {
			e := &q.Trace.Events[i]
			if e.Kind != trace.Stored {
				continue
			}
			prefix, most, promised := f.WritesOf(e.Text)
			if !promised {
				continue
			}
			of := sort{e.Proc, prefix}
			if written[of]++; written[of] > most*lines[e.Proc] {
				return fmt.Sprintf("%s writes %s, record %d of that sort, and has %d lines",
					f.name(e.Proc), e.Text, written[of], lines[e.Proc])
			}
		}
		return ""
	},
})
