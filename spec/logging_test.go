package spec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// loggingFacts are those of the example over a protocol that logs in the memory of procs, without
// clusters: rp logs for everybody.
func loggingFacts() *spec.Facts {
	f := exampleFacts()
	f.Layout.Clusters, f.Layout.Holdings, f.Phases = nil, true, false
	f.Needs, f.Fetches, f.KeepsCopies, f.KeepsLines = promise.Piecewise, true, true, true
	return f
}

// nodeFacts are those where the clusters are nodes that restart together.
func nodeFacts() *spec.Facts {
	f := loggingFacts()
	f.Layout.Clusters = exampleFacts().Layout.Clusters
	return f
}

// senderFacts are those where senders keep the places, in their memory.
func senderFacts() *spec.Facts {
	f := loggingFacts()
	f.KeepsLines, f.Fetches, f.Holes = false, false, true
	return f
}

func inLog(p trace.Proc, id trace.MsgID, to trace.Proc, order uint32) trace.Event {
	return trace.Event{Kind: trace.Logged, Proc: p, ID: id, Peer: to, Received: order}
}

func outOfLog(p trace.Proc, id trace.MsgID, to trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Pruned, Proc: p, ID: id, Peer: to}
}

func keeps(p, of trace.Proc, sent, received uint32) trace.Event {
	return trace.Event{Kind: trace.Kept, Proc: p, Text: trace.Image, Peer: of, Sent: sent,
		Received: received}
}

func resumes(p trace.Proc, life trace.Incarnation, sent, received uint32) trace.Event {
	return trace.Event{Kind: trace.Resumed, Proc: p, Incarnation: life, Sent: sent,
		Received: received}
}

func puts(p trace.Proc) trace.Event { return trace.Event{Kind: trace.Released, Proc: p} }

// holesFacts lets logs leave numbers out.
func holesFacts() *spec.Facts {
	f := loggingFacts()
	f.Holes = true
	return f
}

func givesUp(p trace.Proc, life trace.Incarnation) trace.Event {
	return trace.Event{Kind: trace.Halted, Proc: p, Incarnation: life, Text: "unrecoverable"}
}

// everyLine is what a logger of everybody declares at its start.
var everyLine = []trace.Event{keeps(rp, x, 0, 0), keeps(rp, y, 0, 0), keeps(rp, c, 0, 0)}

func with3(events ...trace.Event) []trace.Event {
	return append(append([]trace.Event(nil), everyLine...), events...)
}

var loggingCases = []judged{
	{
		name: "another payload after a restart", property: "no-orphan",
		events: []trace.Event{sent(m3, c), delivered(c, m3, 0), crashed(y), restored(y, 1, 0, 0),
			in(1, with(sent(m3, c), func(e *trace.Event) { e.Digest = 7 }))},
		want: "c is an orphan: it has received m3 with payload 3e9, which y now sends to c with " +
			"payload 7",
	},
	{
		name: "another destination after a restart", property: "no-orphan",
		events: []trace.Event{delivered(c, m3, 0), in(1, sent(m3, x))},
		want: "c is an orphan: it has received m3 with payload 3e9, which y now sends to x " +
			"with payload 3e9",
	},
	{
		name: "another payload that nobody has received", property: "no-orphan",
		events: []trace.Event{sent(m3, c), crashed(y), restored(y, 1, 0, 0),
			in(1, with(sent(m3, c), func(e *trace.Event) {
				e.Digest = 7
			}))},
	},
	{
		name: "another payload when the receiver has lost the first", property: "no-orphan",
		events: []trace.Event{delivered(c, m3, 0), crashed(c), restored(c, 1, 0, 0),
			with(sent(m3, c), func(e *trace.Event) {
				e.Digest = 7
			})},
	},
	{
		name: "a message without a copy", property: "recoverable",
		events: with3(sent(m3, c), emitted(m3, c, 0, 0)),
		want:   "m3 leaves y, which keeps no copy of it",
	},
	{
		name: "without a copy, to whom nobody could bring back", property: "recoverable",
		events: with3(sent(m3, c), inLog(y, m3, c, 0), emitted(m3, c, 0, 0), delivered(c, m3, 0),
			inLog(rp, m3, c, 1), outOfLog(y, m3, c), crashed(rp), emitted(m3, c, 0, 0)),
	},
	{
		name: "without a copy, to who is protected again", property: "recoverable",
		events: with3(sent(m3, c), delivered(c, m3, 0), crashed(rp), keeps(x, c, 0, 0),
			emitted(m3, c, 0, 0)),
		want: "m3 leaves y, which keeps no copy of it",
	},
	{
		name: "a message with a copy for somebody else", property: "recoverable",
		events: with3(sent(m3, c), inLog(y, m3, x, 0), emitted(m3, c, 0, 0)),
		want:   "m3 leaves y, which keeps no copy of it",
	},
	{
		name: "a message with a copy", property: "recoverable",
		events: []trace.Event{sent(m3, c), inLog(y, m3, c, 0), emitted(m3, c, 0, 0)},
	},
	{
		name: "a message again that the logger of its receiver has", property: "recoverable",
		events: []trace.Event{inLog(rp, m3, c, 1), emitted(m3, c, 0, 0)},
	},
	{
		name: "back behind a send without its copy", property: "recoverable",
		events: with3(sent(m3, c), inLog(y, m3, c, 0), delivered(c, m3, 0), committed(y, 1, 0),
			crashed(y), restored(y, 1, 0, 0), resumes(y, 1, 1, 0)),
		want: "y is back behind its send of m3 and has no copy, and the delivery to c is not " +
			"stable",
	},
	{
		name: "back behind a send with its copy", property: "recoverable",
		events: with3(sent(m3, c), inLog(y, m3, c, 0), delivered(c, m3, 0), committed(y, 1, 0),
			crashed(y), restored(y, 1, 0, 0),
			in(1, inLog(y, m3, c, 0)), resumes(y, 1, 1, 0)),
	},
	{
		name: "back before the send", property: "recoverable",
		events: with3(sent(m3, c), inLog(y, m3, c, 0), delivered(c, m3, 0), crashed(y),
			restored(y, 1, 0, 0), resumes(y, 1, 0, 0)),
	},
	{
		name: "back behind a send that the line of the receiver holds", property: "recoverable",
		events: with3(sent(m3, c), delivered(c, m3, 0), keeps(rp, c, 0, 1), crashed(y),
			restored(y, 1, 0, 0), resumes(y, 1, 1, 0)),
	},
	{
		name: "with a delivery that is nowhere", property: "output-stable",
		events: with3(delivered(y, m2, 0), puts(y)),
		want:   "y puts out what depends on m2, whose delivery is not stable",
	},
	{
		name: "with a payload whose order nobody knows", property: "output-stable",
		events: with3(inLog(x, m2, y, 0), delivered(y, m2, 0), puts(y)),
		want:   "y puts out what depends on m2, whose delivery is not stable",
	},
	{
		name: "with a log that is gone", property: "output-stable",
		events: with3(delivered(y, m2, 0), inLog(rp, m2, y, 1), crashed(rp), restored(rp, 1, 0, 0),
			in(1, keeps(rp, y, 0, 0)), puts(y)),
		want: "y puts out what depends on m2, whose delivery is not stable",
	},
	{
		name: "with a delivery in the log", property: "output-stable",
		events: with3(delivered(y, m2, 0), inLog(rp, m2, y, 1), puts(y)),
	},
	{
		name: "with a delivery in an image", property: "output-stable",
		events: with3(delivered(y, m2, 0), keeps(rp, y, 0, 1), puts(y)),
	},
	{
		name: "a logger that came back empty", property: "protected", complete: true,
		events: with3(crashed(rp), restored(rp, 1, 0, 0), in(1, keeps(rp, x, 0, 0)),
			in(1, keeps(rp, c, 0, 0))),
		want: "nobody keeps an image of y, so its next failure can not be survived",
	},
	{
		name: "a logger that has new images", property: "protected", complete: true,
		events: with3(crashed(rp), restored(rp, 1, 0, 0), in(1, keeps(rp, x, 1, 0)),
			in(1, keeps(rp, y, 0, 1)), in(1, keeps(rp, c, 0, 0))),
	},
	{
		name: "a rank that could not be saved", property: "protected", complete: true,
		events: with3(crashed(rp), crashed(y), restored(rp, 1, 0, 0), in(1, keeps(rp, x, 0, 0)),
			in(1, keeps(rp, c, 0, 0)), restored(y, 1, 0, 0), givesUp(y, 1)),
	},
	{
		name: "a rank whose recovery waits for one that has given up", property: "protected",
		complete: true,
		events: with3(crashed(rp), crashed(y), crashed(x), restored(rp, 1, 0, 0),
			in(1, keeps(rp, c, 0, 0)), restored(y, 1, 0, 0), givesUp(y, 1),
			restored(x, 1, 0, 0)),
	},
	{
		name: "a rank that has recovered beside one that has given up", property: "protected",
		complete: true,
		events: with3(crashed(rp), crashed(y), crashed(x), restored(rp, 1, 0, 0),
			in(1, keeps(rp, c, 0, 0)), restored(y, 1, 0, 0), givesUp(y, 1),
			restored(x, 1, 0, 0), in(1, trace.Event{Kind: trace.Recovered, Proc: x})),
		want: "nobody keeps an image of x, so its next failure can not be survived",
	},
	{
		name: "a rank of a node that goes on alone", property: "protected", complete: true,
		facts: nodeFacts, events: with3(givesUp(y, 0)),
		want: "x goes on, and y of its cluster has given up",
	},
	{
		name: "a node that has given up", property: "protected", complete: true,
		facts: nodeFacts, events: with3(givesUp(y, 0), givesUp(x, 0)),
	},
	{
		name: "a copy of what is logged", property: "buffers-drain", complete: true,
		events: with3(inLog(y, m3, c, 0), inLog(rp, m3, c, 1)),
		want:   "y still has a copy of m3, which is stable at c",
	},
	{
		name: "a copy of what is not logged", property: "buffers-drain", complete: true,
		events: with3(inLog(y, m3, c, 0)),
	},
	{
		name: "no copy of what is logged", property: "buffers-drain", complete: true,
		events: with3(inLog(y, m3, c, 0), inLog(rp, m3, c, 1), outOfLog(y, m3, c)),
	},
	{
		name: "although somebody keeps its image", property: "gives-not-up",
		events: with3(crashed(y), restored(y, 1, 0, 0), givesUp(y, 1)),
		want:   "y gives up: unrecoverable",
	},
	{
		name: "because nobody keeps its image", property: "gives-not-up",
		events: with3(crashed(rp), crashed(y), restored(y, 1, 0, 0), givesUp(y, 1)),
	},
	{
		name: "while the sender that has the place is down", property: "output-stable",
		facts: senderFacts,
		events: []trace.Event{sent(m2, y), inLog(x, m2, y, 0), delivered(y, m2, 1),
			inLog(x, m2, y, 1), crashed(x), puts(y)},
	},
	{
		name: "while the sender learns the place again", property: "output-stable",
		facts: senderFacts,
		events: []trace.Event{sent(m2, y), delivered(y, m2, 1), crashed(x), restored(x, 1, 0, 0),
			in(1, sent(m2, y)), in(1, inLog(x, m2, y, 0)), puts(y)},
	},
	{
		name: "before the sender has learnt the place", property: "output-stable",
		facts:  senderFacts,
		events: []trace.Event{sent(m2, y), inLog(x, m2, y, 0), delivered(y, m2, 1), puts(y)},
		want:   "y puts out what depends on m2, whose delivery is not stable",
	},
	{
		name: "while the sender is down and a logger had to have it", property: "output-stable",
		events: with3(sent(m2, y), inLog(x, m2, y, 0), delivered(y, m2, 1), crashed(x), puts(y)),
		want:   "y puts out what depends on m2, whose delivery is not stable",
	},
	{
		name: "a line and the log before it", property: "log-trimmed", complete: true,
		events: with3(sent(m2, y), delivered(y, m2, 1), inLog(rp, m2, y, 1), keeps(rp, y, 0, 1),
			committed(y, 0, 1)),
		want: "RP still keeps m2, which the recovery line of y holds",
	},
	{
		name: "a line that the sender has not heard of", property: "log-trimmed", complete: true,
		events: with3(sent(m2, y), inLog(x, m2, y, 0), delivered(y, m2, 1), committed(y, 0, 1)),
		want:   "x still keeps m2, which the recovery line of y holds",
	},
	{
		name: "put into the log again behind the line", property: "log-trimmed", complete: true,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 1), keeps(rp, y, 0, 1),
			committed(y, 0, 1), outOfLog(rp, m2, y), inLog(rp, m2, y, 1)),
		want: "RP still keeps m2, which the recovery line of y holds",
	},
	{
		name: "removed behind the line", property: "log-trimmed", complete: true,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 1), keeps(rp, y, 0, 1),
			committed(y, 0, 1), outOfLog(rp, m2, y)),
	},
	{
		name: "later than the line", property: "log-trimmed", complete: true,
		events: with3(keeps(rp, y, 0, 0), committed(y, 0, 0), delivered(y, m2, 1),
			inLog(rp, m2, y, 1)),
	},
	{
		name: "a delivery of a former life", property: "log-true", complete: true,
		events: with3(delivered(y, m2, 1), crashed(y), restored(y, 1, 0, 0),
			in(1, resumes(y, 1, 0, 0)), inLog(rp, m2, y, 1), in(1, delivered(y, m7, 1))),
		want: "RP keeps m2 as delivery 1 of y, which that is not",
	},
	{
		name: "a delivery that never was", property: "log-true", complete: true,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 2)),
		want:   "RP keeps m2 as delivery 2 of y, which that is not",
	},
	{
		name: "the delivery of the life that is up", property: "log-true", complete: true,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 1), delivered(y, m7, 1),
			inLog(rp, m7, y, 2)),
	},
	{
		name: "numbers with a hole", property: "log-true", complete: true, facts: holesFacts,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 2), delivered(y, m7, 1),
			inLog(rp, m7, y, 4)),
	},
	{
		name: "numbers with a hole where none may be", property: "log-true", complete: true,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 2), delivered(y, m7, 1),
			inLog(rp, m7, y, 4)),
		want: "RP keeps m2 as delivery 2 of y, which that is not",
	},
	{
		name: "numbers with a hole in another order", property: "log-true", complete: true,
		facts: holesFacts,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 4), delivered(y, m7, 1),
			inLog(rp, m7, y, 3)),
		want: "RP keeps m2 as delivery 4 of y, which that is not",
	},
	{
		name: "one number twice", property: "log-true", complete: true, facts: holesFacts,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 3), delivered(y, m7, 1),
			inLog(rp, m7, y, 3)),
		want: "RP keeps m2 as delivery 3 of y, which that is not",
	},
	{
		name: "a number with a hole of what was not delivered", property: "log-true",
		complete: true, facts: holesFacts,
		events: with3(delivered(y, m2, 1), inLog(rp, m7, y, 3)),
		want:   "RP keeps m7 as delivery 3 of y, which that is not",
	},
	{
		name: "of a rank that is down", property: "log-true", complete: true,
		events: with3(delivered(y, m2, 1), inLog(rp, m2, y, 2), crashed(y)),
	},
	{
		name: "an image without a failure", property: "contained",
		events: with3(delivered(y, m2, 1), resumes(y, 0, 0, 0)),
		want:   "y goes back to an image although it has not failed",
	},
	{
		name: "an image after a failure", property: "contained",
		events: with3(delivered(y, m2, 1), crashed(y), restored(y, 1, 0, 0), resumes(y, 1, 0, 0)),
	},
	{
		name: "because a mate has given up whose image is kept", property: "gives-not-up",
		facts:  nodeFacts,
		events: []trace.Event{keeps(rp, y, 0, 0), givesUp(x, 0), keeps(rp, x, 0, 0), givesUp(y, 0)},
		want:   "y gives up: unrecoverable",
	},
	{
		name: "because a mate has given up that is lost", property: "gives-not-up",
		facts:  nodeFacts,
		events: []trace.Event{keeps(rp, y, 0, 0), givesUp(x, 0), givesUp(y, 0)},
	},
	{
		name: "because somebody of another node has given up", property: "gives-not-up",
		facts:  nodeFacts,
		events: []trace.Event{keeps(rp, y, 0, 0), givesUp(c, 0), givesUp(y, 0)},
		want:   "y gives up: unrecoverable",
	},
	{
		name: "an orphan inside a node, its sender back first", property: "line-consistent",
		facts: nodeFacts,
		events: exchange(restored(x, 1, 0, 0), resumes(x, 1, 0, 0), restored(y, 1, 0, 0),
			resumes(y, 1, 0, 1)),
		want: "the recovery line is not consistent: y has received m2, which x has not sent",
	},
	{
		name: "an orphan inside a node, its receiver back first", property: "line-consistent",
		facts: nodeFacts,
		events: exchange(restored(y, 1, 0, 0), restored(x, 1, 0, 0), resumes(y, 1, 0, 1),
			resumes(x, 1, 0, 0)),
		want: "the recovery line is not consistent: y has received m2, which x has not sent",
	},
	{
		name: "a mate that waits for its image", property: "line-consistent", facts: nodeFacts,
		events: exchange(restored(x, 1, 0, 0), restored(y, 1, 0, 0), resumes(y, 1, 0, 1),
			resumes(x, 1, 1, 0)),
	},
	{
		name: "out of the sender's buffer before it is logged", property: "prune-safe",
		events: with3(inLog(y, m3, c, 0), delivered(c, m3, 0), outOfLog(y, m3, c)),
		want:   "y removes m3 from its log, but c would need it after a failure",
	},
	{
		name: "out of the sender's buffer when it is logged", property: "prune-safe",
		events: with3(inLog(y, m3, c, 0), inLog(rp, m3, c, 1), outOfLog(y, m3, c)),
	},
	{
		name: "out of the log behind the image", property: "prune-safe",
		events: with3(inLog(rp, m3, c, 1), delivered(c, m3, 0), keeps(rp, c, 0, 1),
			outOfLog(rp, m3, c)),
	},
	{
		name: "out of the log before the image", property: "prune-safe",
		events: with3(inLog(rp, m3, c, 1), delivered(c, m3, 0), outOfLog(rp, m3, c)),
		want:   "RP removes m3 from its log, but c would need it after a failure",
	},
	{
		name: "stuck behind a rank that could not be saved", property: "terminates", complete: true,
		events: with3(crashed(rp), crashed(y), restored(y, 1, 0, 0), givesUp(y, 1)),
	},
}

// ofLogging are the cases with the facts that they are about.
func ofLogging() []judged {
	cases := slices.Clone(loggingCases)
	for i := range cases {
		if cases[i].facts == nil {
			cases[i].facts = loggingFacts
		}
	}
	return cases
}

// Aim: what protects a rank is judged. Method: hand-written runs, one step away from each other.
func TestLogging(t *testing.T) {
	judge(t, ofLogging())
}

// Aim: a holding is what one incarnation has declared. Method: events of one proc, one after the
// other.
func TestHolding(t *testing.T) {
	var h trace.Holding
	steps := []struct {
		name  string
		event trace.Event
		want  trace.Holding
	}{
		{"a copy", inLog(rp, m3, c, 0), trace.Holding{Copies: []trace.HeldCopy{{ID: m3, To: c}}}},
		{"its order", inLog(rp, m3, c, 2), trace.Holding{
			Copies: []trace.HeldCopy{{ID: m3, To: c, Order: 2}}}},
		{"something else kept", trace.Event{Kind: trace.Kept, Proc: rp, Text: trace.Determinant,
			Peer: c, Received: 2, ID: m3},
			trace.Holding{Copies: []trace.HeldCopy{{ID: m3, To: c, Order: 2}}}},
		{"an image before it", keeps(rp, c, 0, 1),
			trace.Holding{Copies: []trace.HeldCopy{{ID: m3, To: c, Order: 2}},
				Images: []trace.HeldImage{{Of: c, Received: 1}}}},
		{"an image that contains it", keeps(rp, c, 3, 2),
			trace.Holding{Copies: []trace.HeldCopy{{ID: m3, To: c, Order: 2, Covered: true}},
				Images: []trace.HeldImage{{Of: c, Sent: 3, Received: 2}}}},
		{"out, but the image stays", outOfLog(rp, m3, c),
			trace.Holding{Copies: []trace.HeldCopy{
				{ID: m3, To: c, Order: 2, Covered: true, Gone: true}},
				Images: []trace.HeldImage{{Of: c, Sent: 3, Received: 2}}}},
		{"a crash", crashed(rp), trace.Holding{}},
		{"a copy, in order", inLog(rp, m7, y, 1),
			trace.Holding{Copies: []trace.HeldCopy{{ID: m7, To: y, Order: 1}}}},
		{"one before it", inLog(rp, m2, y, 0),
			trace.Holding{Copies: []trace.HeldCopy{{ID: m2, To: y}, {ID: m7, To: y, Order: 1}}}},
		{"out", outOfLog(rp, m7, y), trace.Holding{Copies: []trace.HeldCopy{{ID: m2, To: y}}}},
	}
	for _, s := range steps {
		h.Apply(s.event)
		if diff := cmp.Diff(s.want, h, cmp.AllowUnexported(trace.Holding{}, trace.HeldCopy{},
			trace.HeldImage{}, trace.MsgID{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
	}
}

// hostingFacts are those of two ranks x and y on nodes c and rp, of which rp is a spare when the
// flag says so.
func hostingFacts() *spec.Facts {
	f := loggingFacts()
	f.Layout.Ranks, f.Layout.Nodes = 2, []trace.Proc{c, c}
	f.Layout.Hosted = map[trace.Proc]bool{x: true, y: true, c: false, rp: false}
	f.Layout.Kinds = map[string]trace.Meaning{"WhereIs": trace.Question, "no spare": trace.Shares,
		"enters": trace.Enters, "leaves": trace.Leaves}
	return f
}

func runsOn(node, p trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Adopted, Proc: node, Peer: p}
}

// spareFacts makes rp a spare, and x and y ranks of two nodes.
func spareFacts() *spec.Facts {
	f := hostingFacts()
	f.Layout.Spares, f.Layout.Nodes = []trace.Proc{rp}, []trace.Proc{c, y}
	return f
}
