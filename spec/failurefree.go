package spec

import (
	"cmp"

	"github.com/domino-check/domino/spec/trace"
)

// Quiet is a whole run in which nothing fails, nothing is lost and nobody is suspected, up to its
// end: what properties of the kind FailureFree speak about. What a protocol costs without failures
// hardly depends on the order of events, so a search does not look at it on every path: it makes a
// few such runs before it begins. Every run of a driver that happens to be one is judged, too.
type Quiet struct {
	Trace *trace.Trace
	// program steps that were possible and not offered, each once, in order
	Held []Held
	// by proc, the messages whose payloads its state holds at the end, as its driver measures it;
	// nil where none does
	Payloads [][]trace.MsgID
	// by proc, the keys of its stable records at the end
	Records [][]string
}

// Held is a step of a program that nothing but the protocol kept from happening.
type Held struct {
	Step int // of the schedule, after which it was possible
	Proc trace.Proc
	// the message that waits to be received; zero for a send
	Receive trace.MsgID
	Free    bool // the rank had received from whoever came first
}

// JudgeQuiet returns the violations of the FailureFree properties in a run, the deepest first. The
// error says that a property panics.
func JudgeQuiet(f *Facts, q *Quiet, properties []Property) (found []Violation, err error) {
	properties = Guard(properties, &q.Trace.Layout, func(_ Violation, failed error) {
		err = cmp.Or(err, failed)
	})
	for _, p := range properties {
		if p.Kind != FailureFree {
			continue
		}
		if m := p.Whole(f, q); m != "" {
			found = append(found, Violation{Property: p.Name, Message: m})
		}
	}
	return found, err
}

// IsQuiet reports whether nothing fails in a trace, as far as it tells.
func IsQuiet(t *trace.Trace) bool {
	for i := range t.Events {
		switch t.Events[i].Kind {
		case trace.Crashed, trace.Restored, trace.Resumed, trace.Told, trace.Halted,
			trace.Lost:
			return false
		}
	}
	return true
}
