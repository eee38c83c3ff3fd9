package spec_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// control is a message of the protocol's own.
func control(from, to trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Emitted, Proc: from, Peer: to, Text: "Ack"}
}

func stored(p trace.Proc, key string) trace.Event {
	return trace.Event{Kind: trace.Stored, Proc: p, Text: key}
}

func logs(p, to trace.Proc, id trace.MsgID) trace.Event {
	return trace.Event{Kind: trace.Logged, Proc: p, Peer: to, ID: id}
}

// quietFacts are those of the example with promises for runs without failures.
func quietFacts() *spec.Facts {
	f := exampleFacts()
	f.Traffic = promise.Traffic{Promised: true, Delivery: 1, Line: 1}
	f.Writes = map[string]int{"image/": 1}
	f.Flow = promise.NamedSends
	f.Memory = promise.Memory{Rank: 1, Service: 1, Asks: "LogFull",
		Keys: []string{"spill/"}}
	return f
}

var oneMessage = []trace.Event{sent(m2, y), emitted(m2, y, 0, 0), delivered(y, m2, 0)}

var quietCases = []struct {
	name, property string
	events         []trace.Event
	quiet          spec.Quiet
	change         func(*spec.Facts)
	want           string
}{
	{name: "one message more than promised", property: "own-messages",
		events: append(slices.Clone(oneMessage), control(y, x), control(x, y)),
		want: "the protocol sends 2 messages of its own for 1 sends, 1 deliveries and 0 lines " +
			"of ranks, at most 1 are promised; the last one: x sends Ack to y"},
	{name: "as many as promised", property: "own-messages",
		events: append(slices.Clone(oneMessage), control(y, x))},
	{name: "more for a line, one for each proc", property: "own-messages",
		events: append(slices.Clone(oneMessage), committed(x, 1, 0), control(y, x), control(x, y),
			control(x, y), control(x, y), control(x, y))},
	{name: "requests for checkpoints, however many", property: "own-messages",
		events: append(slices.Clone(oneMessage), control(y, x), control(x, y), control(x, y)),
		change: func(f *spec.Facts) {
			f.Layout.Kinds = map[string]trace.Meaning{"Ack": trace.Asks}
		}},
	{name: "a copy", property: "own-messages",
		events: append(slices.Clone(oneMessage), emitted(m2, y, 0, 0)),
		want:   "m2 leaves x for y a second time, and nothing has failed"},
	{name: "a message to somebody else is the protocol's own", property: "own-messages",
		events: append(slices.Clone(oneMessage), emitted(m2, rp, 0, 0), emitted(m2, c, 0, 0)),
		want: "the protocol sends 2 messages of its own for 1 sends, 1 deliveries and 0 lines " +
			"of ranks, at most 1 are promised; the last one: x sends App to c"},
	{name: "a write without a line", property: "stable-writes",
		events: []trace.Event{stored(x, "image/1")},
		want:   "x writes image/1, record 1 of that sort, and has 0 lines"},
	{name: "another write under the same key", property: "stable-writes",
		events: []trace.Event{stored(x, "image/1"), committed(x, 0, 0), stored(x, "image/1")},
		want:   "x writes image/1, record 2 of that sort, and has 1 lines"},
	{name: "one write a line, and others of which nothing is promised",
		property: "stable-writes",
		events: []trace.Event{stored(x, "image/1"), committed(x, 0, 0), stored(x, "commit/1"),
			stored(x, "commit/2"), stored(x, "image/2"), committed(x, 0, 0)}},
	{name: "a receive", property: "never-holds",
		quiet: spec.Quiet{Held: []spec.Held{{Step: 4, Proc: y, Receive: m2, Free: true}}},
		want: "y is held before the receive of m2, which has arrived after step 4, and " +
			"nothing has failed"},
	{name: "a send after named receives", property: "never-holds",
		quiet: spec.Quiet{Held: []spec.Held{{Step: 4, Proc: y}}},
		want:  "y is held before its next send after step 4, and nothing has failed"},
	{name: "a send after a receive from anyone", property: "never-holds",
		quiet: spec.Quiet{Held: []spec.Held{{Step: 4, Proc: y, Free: true}}}},
	{name: "a send, where only receives are promised", property: "never-holds",
		change: func(f *spec.Facts) { f.Flow = promise.Receives },
		quiet:  spec.Quiet{Held: []spec.Held{{Step: 4, Proc: y}}}},
	{name: "a send, where nothing is held", property: "never-holds",
		change: func(f *spec.Facts) { f.Flow = promise.EvenInLines },
		quiet:  spec.Quiet{Held: []spec.Held{{Step: 4, Proc: y, Free: true}}},
		want:   "y is held before its next send after step 4, and nothing has failed"},
	{name: "a send, where nothing but checkpoints holds", property: "never-holds",
		change: func(f *spec.Facts) { f.Flow = promise.Everything },
		quiet:  spec.Quiet{Held: []spec.Held{{Step: 4, Proc: y, Free: true}}}},
	{name: "a payload in no log", property: "undeclared", events: oneMessage,
		quiet: spec.Quiet{Payloads: [][]trace.MsgID{{m2}}},
		want:  "x still holds m2 at the end and does not say so"},
	{name: "a payload that has left the log", property: "undeclared",
		events: append([]trace.Event{logs(x, y, m2),
			{Kind: trace.Pruned, Proc: x, Peer: y, ID: m2}}, oneMessage...),
		quiet: spec.Quiet{Payloads: [][]trace.MsgID{{m2}}},
		want:  "x still holds m2 at the end and does not say so"},
	{name: "a payload that was received", property: "undeclared", events: oneMessage,
		quiet: spec.Quiet{Payloads: [][]trace.MsgID{nil, {m2}}},
		want:  "y still holds m2 at the end and does not say so"},
	{name: "a payload in a log", property: "undeclared",
		events: append([]trace.Event{logs(x, y, m2)}, oneMessage...),
		quiet:  spec.Quiet{Payloads: [][]trace.MsgID{{m2}}}},
	{name: "a contribution to a result that was received", property: "undeclared",
		events: []trace.Event{receivedAfter(y, fromY, 0)},
		quiet:  spec.Quiet{Payloads: [][]trace.MsgID{nil, {fromX}}},
		want:   "y still holds x#9 at the end and does not say so"},
	{name: "a contribution to a result that is not complete", property: "undeclared",
		quiet: spec.Quiet{Payloads: [][]trace.MsgID{nil, {fromX}}}},
	{name: "a message that waits to be received", property: "undeclared",
		quiet: spec.Quiet{Payloads: [][]trace.MsgID{nil, {m2}}}},
	{name: "more than there is room for, and nothing on disk", property: "memory-bounded",
		events: []trace.Event{logs(x, y, m2), logs(x, c, x2)},
		want: "x has kept 2 messages at a time, has room for 1 in memory, and has written 0 " +
			"records"},
	{name: "a record of a message that is not kept any more", property: "memory-bounded",
		events: []trace.Event{logs(x, y, m2), stored(x, "spill/1"),
			{Kind: trace.Pruned, Proc: x, Peer: y, ID: m2}},
		quiet: spec.Quiet{Records: [][]string{{"spill/1", "image/1"}}},
		want:  "x keeps 0 messages at the end and has the records spill/1"},
	{name: "a record of one that is", property: "memory-bounded",
		events: []trace.Event{logs(x, y, m2), stored(x, "spill/1"), logs(x, y, m3),
			stored(x, "spill/2"), {Kind: trace.Pruned, Proc: x, Peer: y, ID: m3}},
		quiet: spec.Quiet{Records: [][]string{{"spill/1", "image/1"}}}},
	{name: "a record that is written when its message goes", property: "memory-bounded",
		events: []trace.Event{logs(x, y, m2), {Kind: trace.Pruned, Proc: x, Peer: y, ID: m2},
			stored(x, "spill/1")},
		quiet: spec.Quiet{Records: [][]string{{"spill/1", "image/1"}}}},
	{name: "what is too much is on disk", property: "memory-bounded",
		events: []trace.Event{logs(x, y, m2), logs(x, c, x2), stored(x, "spill/1")}},
	{name: "one after the other", property: "memory-bounded",
		events: []trace.Event{logs(x, y, m2), {Kind: trace.Pruned, Proc: x, Peer: y, ID: m2},
			logs(x, c, x2)}},
	{name: "a service that asks for a checkpoint", property: "memory-bounded",
		events: []trace.Event{logs(rp, y, m2), logs(rp, c, x2),
			{Kind: trace.Emitted, Proc: rp, Peer: x, Text: "LogFull"}}},
	{name: "a service that does not", property: "memory-bounded",
		events: []trace.Event{logs(rp, y, m2), logs(rp, c, x2)},
		want: "RP has kept 2 messages at a time, has room for 1 in memory, and has written 0 " +
			"records"},
	{name: "what a line holds is kept after an answer", property: "log-collected",
		events: []trace.Event{logs(x, c, m2), sent(m2, c), delivered(c, m2, 0),
			committed(c, 0, 1), sent(x2, c), delivered(c, x2, 0)},
		want: "x still keeps m2, which the line of c holds, and c has received from x since"},
	{name: "nothing was received since", property: "log-collected",
		events: []trace.Event{logs(x, c, m2), sent(m2, c), delivered(c, m2, 0),
			committed(c, 0, 1)}},
	{name: "what was received since had been sent before", property: "log-collected",
		events: []trace.Event{logs(x, c, m2), sent(m2, c), delivered(c, m2, 0), sent(x2, c),
			committed(c, 0, 1), delivered(c, x2, 0)}},
	{name: "it was removed", property: "log-collected",
		events: []trace.Event{logs(x, c, m2), sent(m2, c), delivered(c, m2, 0),
			committed(c, 0, 1), sent(x2, c), delivered(c, x2, 0),
			{Kind: trace.Pruned, Proc: x, Peer: c, ID: m2}}},
	{name: "a message says too little", property: "evidence-true", change: told,
		events: append(slices.Clone(oneMessage), sent(m3, c), emitted(m3, c, 0, 0)),
		want:   "y says of m3 that y sent it after 0 deliveries, which were 1"},
	{name: "a message says what was", property: "evidence-true", change: told,
		events: append(slices.Clone(oneMessage), sent(m3, c), receivedAfter(c, m3, 1))},
	{name: "a result says too little", property: "evidence-true", change: told,
		events: append(slices.Clone(oneMessage), sent(fromY, y), receivedAfter(y, fromY, 0)),
		want:   "y says of y#10 that y sent it after 0 deliveries, which were 1"},
	{name: "a result says too much", property: "evidence-true", change: told,
		events: append(slices.Clone(oneMessage), sent(fromY, y), receivedAfter(y, fromY, 2))},
	{name: "a delivery from somebody else", property: "evidence-true", change: told,
		events: []trace.Event{sent(m2, y), {Kind: trace.Delivered, Proc: y, Peer: c, ID: m2}},
		want:   "y receives m2 from c, which has not sent it"},
	{name: "a determinant of another delivery", property: "evidence-true", change: told,
		events: append(slices.Clone(oneMessage), sent(x2, y), delivered(y, x2, 0),
			kept(x, y, 1, x2, 0)),
		want: "x keeps x#2 as delivery 1 of y, which that is not"},
	{name: "a determinant of that delivery", property: "evidence-true", change: told,
		events: append(slices.Clone(oneMessage), kept(x, y, 1, m2, 0))},
	{name: "an answer to nothing new", property: "told-once", change: told,
		events: append(slices.Clone(known), emitted(m7, y, 0, 0), arrived(y, c, m7),
			control(y, c)),
		want: "y answers m7 of c by Ack, although there are others enough who keep what could " +
			"have come with it, as c knew"},
	{name: "an answer to what left before it was known", property: "told-once", change: told,
		events: append(slices.Clone(known[:5]), emitted(m7, y, 0, 0), arrived(c, y, trace.MsgID{}),
			arrived(y, c, m7), control(y, c))},
	{name: "a message to somebody else", property: "told-once", change: told,
		events: append(slices.Clone(known), emitted(m7, y, 0, 0), arrived(y, c, m7),
			control(y, x))},
}

// known are the events after which c knows that y keeps the only determinant that c keeps.
var known = []trace.Event{kept(c, c, 1, m3, 0), emitted(m7, y, 0, 0), arrived(y, c, m7),
	kept(y, c, 1, m3, 0), control(y, c), arrived(c, y, trace.MsgID{})}

func arrived(p, from trace.Proc, id trace.MsgID) trace.Event {
	return trace.Event{Kind: trace.Arrived, Proc: p, Peer: from, ID: id}
}

// told changes facts to those of a protocol with determinants.
func told(f *spec.Facts) {
	f.Holders, f.Traffic.Told, f.FIFO, f.MaxFailures, f.Checkpoints = true, true, true, 1, false
}

// Aim: what is promised for runs without failures is judged. Method: hand-written runs, each with
// one near it that must be accepted (no message).
func TestQuiet(t *testing.T) {
	for _, tt := range quietCases {
		t.Run(tt.property+"/"+tt.name, func(t *testing.T) {
			f := quietFacts()
			if tt.change != nil {
				tt.change(f)
			}
			tt.quiet.Trace = traceOf(f, tt.events)
			got := ""
			p := property(t, tt.property)
			if p.Applies != nil && !p.Applies(f) {
				t.Fatal("it does not apply")
			}
			found, err := spec.JudgeQuiet(f, &tt.quiet, []spec.Property{p})
			if err != nil {
				t.Fatal(err)
			}
			if len(found) > 0 {
				got = found[0].Message
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Aim: a run in which something fails is not taken for one in which nothing does.
func TestIsQuiet(t *testing.T) {
	f := exampleFacts()
	if !spec.IsQuiet(traceOf(f, []trace.Event{sent(m2, y), delivered(y, m2, 0)})) {
		t.Error("an oneMessage is not quiet")
	}
	for _, e := range []trace.Event{crashed(x), restored(x, 1, 0, 0), {Kind: trace.Told, Proc: x}} {
		if spec.IsQuiet(traceOf(f, []trace.Event{sent(m2, y), e})) {
			t.Errorf("a run is quiet in which %s", f.Layout.Describe(e))
		}
	}
}
