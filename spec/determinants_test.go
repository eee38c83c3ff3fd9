package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// kept is the declaration of p that it keeps the determinant of a reception of another, whose
// message was sent after past receptions.
func kept(p, about trace.Proc, number uint32, id trace.MsgID, past uint32) trace.Event {
	return trace.Event{Kind: trace.Kept, Proc: p, Text: trace.Determinant, Peer: about,
		Received: number, ID: id, Sent: past}
}

// keptItem is the declaration of p that it keeps a copy or a part.
func keptItem(p trace.Proc, sort string, peer trace.Proc, id trace.MsgID) trace.Event {
	e := trace.Event{Kind: trace.Kept, Proc: p, Text: sort, Peer: peer, ID: id}
	if sort == trace.Part {
		e.Received = collective[id].Round
	}
	return e
}

func forgotten(e trace.Event) trace.Event {
	e.Kind = trace.Forgotten
	return e
}

// received is a delivery of a message that was sent after so many receptions of its sender.
func receivedAfter(p trace.Proc, id trace.MsgID, past uint64) trace.Event {
	return trace.Event{Kind: trace.Delivered, Proc: p, Peer: id.From.Proc(), ID: id,
		Stamp: trace.Stamp{Date: past}}
}

// The collectives of hand-written traces: a group with root y and children x and, below x, c; a
// multicast of y, and one contribution of each.
var (
	multicast  = trace.MsgID{From: 1, Number: 9}
	fromX      = trace.MsgID{From: 0, Number: 9}
	fromY      = trace.MsgID{From: 1, Number: 10}
	fromC      = trace.MsgID{From: 2, Number: 9}
	collective = map[trace.MsgID]trace.Collective{multicast: {}, fromX: {Round: 1},
		fromY: {Round: 1}, fromC: {Round: 1}}
	trees = []trace.Tree{{Name: "g", Combine: "sum", Members: []trace.Rank{1, 0, 2},
		Parents: []trace.Rank{1, 1, 0}}}
)

// contributed are the events after which a rank has executed nine sends, the last one a
// contribution.
func contributed(id trace.MsgID) (list []trace.Event) {
	for k := range id.Number {
		list = append(list, sent(trace.MsgID{From: id.From, Number: k + 1}, id.From.Proc()))
	}
	return list
}

// contributesAfterOne are facts in which c receives one message before its contribution.
func contributesAfterOne() *spec.Facts {
	f := exampleFacts()
	f.Layout.Collectives = map[trace.MsgID]trace.Collective{fromX: {Round: 1}, fromY: {Round: 1},
		fromC: {Round: 1, Past: 1}}
	return f
}

var determinantCases = []judged{
	{
		name: "who depends directly, and nobody knows", property: "no-orphan-process",
		events: []trace.Event{receivedAfter(y, m2, 0), sent(m3, c), receivedAfter(c, m3, 1),
			crashed(y), restored(y, 1, 0, 0)},
		want: "c is an orphan: it depends on reception 1 of y, which failed, and nobody knows " +
			"what that was",
	},
	{
		name: "who knew has forgotten", property: "no-orphan-process",
		events: []trace.Event{receivedAfter(y, m2, 0), kept(c, y, 1, m2, 0),
			receivedAfter(c, m3, 1), forgotten(kept(c, y, 1, m2, 0)), crashed(y),
			restored(y, 1, 0, 0)},
		want: "c is an orphan: it depends on reception 1 of y, which failed, and nobody knows " +
			"what that was",
	},
	{
		name:     "who knew has failed, too, and a third process depends through it",
		property: "no-orphan-process",
		events: []trace.Event{receivedAfter(y, m2, 0), kept(c, y, 1, m2, 0),
			receivedAfter(c, m3, 1), kept(x, c, 1, m3, 1), receivedAfter(x, m7, 1),
			crashed(c), crashed(y), restored(y, 1, 0, 0)},
		want: "x is an orphan: it depends on reception 1 of y, which failed, and nobody knows " +
			"what that was",
	},
	{
		name: "somebody knows", property: "no-orphan-process",
		events: []trace.Event{receivedAfter(y, m2, 0), kept(x, y, 1, m2, 0),
			receivedAfter(c, m3, 1), crashed(y), restored(y, 1, 0, 0)},
	},
	{
		name: "the recovery line holds the reception", property: "no-orphan-process",
		events: []trace.Event{receivedAfter(y, m2, 0), receivedAfter(c, m3, 1), crashed(y),
			restored(y, 1, 0, 1)},
	},
	{
		name: "nobody depends: the message was sent before", property: "no-orphan-process",
		events: []trace.Event{receivedAfter(y, m2, 0), receivedAfter(c, m3, 0), crashed(y),
			restored(y, 1, 0, 0)},
	},
	{
		name:     "who depends on a contribution of below, and nobody knows what it comes after",
		property: "no-orphan-process", facts: contributesAfterOne,
		events: []trace.Event{receivedAfter(c, m3, 0), receivedAfter(y, fromY, 0), crashed(c),
			restored(c, 1, 0, 0)},
		want: "y is an orphan: it depends on reception 1 of c, which failed, and nobody knows " +
			"what that was",
	},
	{
		name: "somebody knows what the contribution comes after", property: "no-orphan-process",
		facts: contributesAfterOne,
		events: []trace.Event{receivedAfter(c, m3, 0), kept(x, c, 1, m3, 0),
			receivedAfter(y, fromY, 0), crashed(c), restored(c, 1, 0, 0)},
	},
	{
		name: "the reception comes after the contribution", property: "no-orphan-process",
		facts: contributesAfterOne,
		events: []trace.Event{receivedAfter(x, m3, 0), receivedAfter(y, fromY, 0), crashed(x),
			restored(x, 1, 0, 0)},
	},
	{
		name: "sends after receiving in another order", property: "replay-order",
		events: []trace.Event{kept(c, y, 1, m2, 0), receivedAfter(y, m7, 0), emitted(m3, c, 0, 0)},
		want:   "y sends after it received m7 as number 1, where c has recorded m2",
	},
	{
		name: "another number is recorded", property: "replay-order",
		events: []trace.Event{kept(c, y, 2, m2, 0), receivedAfter(y, m7, 0), emitted(m3, c, 0, 0)},
	},
	{
		name: "who recorded it differently is gone", property: "replay-order",
		events: []trace.Event{kept(c, y, 1, m2, 0), crashed(c), receivedAfter(y, m7, 0),
			emitted(m3, c, 0, 0)},
	},
	{
		name: "two stories of one reception", property: "determinant-stable",
		events: []trace.Event{kept(c, y, 1, m2, 0), kept(c, y, 1, m7, 0)},
		want:   "reception 1 of y is m7, but c knows it as m2",
	},
	{
		name: "receives something else than it knows", property: "determinant-stable",
		events: []trace.Event{kept(y, y, 1, m2, 0), receivedAfter(y, m7, 0)},
		want:   "reception 1 of y is m7, but y knows it as m2",
	},
	{
		name: "learns something else than it received", property: "determinant-stable",
		events: []trace.Event{receivedAfter(y, m7, 0), kept(y, y, 1, m2, 0)},
		want:   "reception 1 of y is m2, but y knows it as m7",
	},
	{
		name:     "the same story twice, and the same message elsewhere",
		property: "determinant-stable",
		events: []trace.Event{kept(c, y, 1, m2, 0), kept(c, y, 1, m2, 0), kept(c, x, 1, m7, 0),
			kept(c, y, 2, m7, 0)},
	},
	{
		name: "a copy at an inner node", property: "log-minimal", complete: true,
		events: []trace.Event{keptItem(y, trace.Copy, y, multicast),
			keptItem(x, trace.Copy, x, multicast)},
		want: "x keeps a copy of multicast y#9, which y has",
	},
	{
		name: "a contribution that is not released", property: "log-minimal", complete: true,
		events: []trace.Event{keptItem(c, trace.Part, x, fromC)},
		want:   "c keeps its contribution to round 1 of group g, which is complete",
	},
	{
		name:     "one copy at the root, contributions at the root and its child",
		property: "log-minimal", complete: true,
		events: []trace.Event{keptItem(y, trace.Copy, y, multicast),
			keptItem(x, trace.Part, y, fromX), keptItem(y, trace.Part, y, fromX),
			keptItem(c, trace.Part, x, fromC), forgotten(keptItem(c, trace.Part, x, fromC))},
	},
	{
		name: "a child of the root has released", property: "log-available", complete: true,
		events: append(contributed(fromX), keptItem(x, trace.Part, y, fromX),
			forgotten(keptItem(x, trace.Part, y, fromX))),
		want: "x does not keep its contribution to round 1 of group g, which y would need " +
			"after a failure",
	},
	{
		name: "a child of the root keeps, another rank has released", property: "log-available",
		complete: true,
		events: append(append(contributed(fromX), contributed(fromC)...),
			keptItem(x, trace.Part, y, fromX)),
	},
	{
		name: "released after the sender's recovery line", property: "log-available",
		complete: true,
		events:   append(contributed(fromX), committed(x, fromX.Number, 0)),
	},
	{
		name: "released, and the sender's recovery line is before it", property: "log-available",
		complete: true,
		events:   append(contributed(fromX), committed(x, fromX.Number-1, 0)),
		want: "x does not keep its contribution to round 1 of group g, which y would need " +
			"after a failure",
	},
	{
		name: "released, and the root's recovery line has the result", property: "log-available",
		complete: true,
		events: append(append(contributed(fromX), contributed(fromY)...),
			receivedAfter(y, fromY, 0), committed(y, 10, 1)),
	},
	{
		name:     "released, and the result waits in the root's recovery line",
		property: "log-available", complete: true,
		events: append(append(contributed(fromX), contributed(fromY)...),
			keptItem(y, trace.Waiting, y, fromY), committed(y, 10, 0),
			forgotten(keptItem(y, trace.Waiting, y, fromY))),
	},
	{
		name:     "released, and the root's recovery line has nothing but its own contribution",
		property: "log-available", complete: true,
		events: append(append(contributed(fromX), contributed(fromY)...),
			receivedAfter(y, fromY, 0), committed(y, 10, 0)),
		want: "x does not keep its contribution to round 1 of group g, which y would need " +
			"after a failure",
	},
	{
		name: "a copy of before the line", property: "log-pruned", complete: true,
		events: []trace.Event{sent(m2, y), keptItem(x, trace.Copy, y, m2),
			committed(x, uint32(m2.Number), 0)},
		want: "x keeps m2, which x sent before its recovery line",
	},
	{
		name: "the root keeps a contribution of before the line", property: "log-pruned",
		complete: true,
		events: append(append(contributed(fromX), contributed(fromY)...),
			keptItem(y, trace.Part, y, fromX), receivedAfter(y, fromY, 0),
			committed(x, fromX.Number, 0), committed(y, fromY.Number, 1)),
		want: "y keeps x#9, which x sent before its recovery line",
	},
	{
		name:     "a contribution of before the line to a round that ends after it",
		property: "log-pruned", complete: true,
		events: append(append(contributed(fromX), contributed(fromY)...),
			keptItem(y, trace.Part, y, fromX), receivedAfter(y, fromY, 0),
			committed(x, fromX.Number, 0), committed(y, fromY.Number, 0)),
	},
	{
		name:     "a contribution to a round whose result waits in the line",
		property: "log-pruned", complete: true,
		events: append(append(contributed(fromX), contributed(fromY)...),
			keptItem(y, trace.Part, y, fromX), committed(x, fromX.Number, 0),
			keptItem(y, trace.Waiting, y, fromY), committed(y, fromY.Number, 0),
			forgotten(keptItem(y, trace.Waiting, y, fromY))),
		want: "y keeps x#9, which x sent before its recovery line",
	},
	{
		name: "a message of behind a line waits in another", property: "waits-sent",
		complete: true,
		events: []trace.Event{committed(x, uint32(m2.Number)-1, 0), sent(m2, y),
			keptItem(y, trace.Waiting, y, m2), committed(y, 0, 0)},
		want: "m2 waits in the recovery line of y, and that of x does not send it",
	},
	{
		name: "a message of before both lines waits", property: "waits-sent", complete: true,
		events: []trace.Event{sent(m2, y), keptItem(y, trace.Waiting, y, m2),
			committed(y, 0, 0), committed(x, uint32(m2.Number), 0)},
	},
	{
		name: "a contribution for somebody else than the root", property: "log-minimal",
		complete: true,
		events:   append(contributed(fromX), keptItem(x, trace.Part, c, fromX)),
		want:     "x keeps x#9 for c, as of round 1: it is of round 1, for y",
	},
	{
		name: "a determinant of before the line", property: "log-pruned", complete: true,
		events: []trace.Event{receivedAfter(y, m2, 0), kept(c, y, 1, m2, 0), committed(y, 0, 1)},
		want:   "c keeps the determinant of reception 1 of y, which is before its recovery line",
	},
	{
		name: "only what is after the lines, and what was pruned", property: "log-pruned",
		complete: true,
		events: []trace.Event{sent(m2, y), committed(x, uint32(m2.Number)-1, 0),
			keptItem(x, trace.Copy, y, m2), receivedAfter(y, m2, 0), kept(c, y, 1, m2, 0),
			forgotten(kept(c, y, 1, m2, 0)), committed(y, 0, 1), receivedAfter(y, m7, 0),
			kept(c, y, 2, m7, 0)},
	},
	{
		name: "a recovery without an end", property: "recovery-ends", complete: true,
		events: []trace.Event{finished(x, 11), finished(c, 13), crashed(y), restored(y, 1, 0, 0),
			in(1, finished(y, 12))},
		want: "y has restarted and its recovery never ends",
	},
	{
		name: "recovered, and a program that is stuck", property: "recovery-ends", complete: true,
		events: []trace.Event{finished(x, 11), crashed(c), restored(c, 1, 0, 0), crashed(y),
			restored(y, 1, 0, 0),
			{Kind: trace.Recovered, Proc: y, Incarnation: 1}, in(1, finished(y, 12))},
	},
	{
		name: "recovered", property: "recovery-ends", complete: true,
		events: []trace.Event{finished(x, 11), finished(c, 13), crashed(y), restored(y, 1, 0, 0),
			{Kind: trace.Recovered, Proc: y, Incarnation: 1},
			in(1, finished(y, 12))},
	},
	{
		name: "what somebody has recorded is not received again", property: "repeated",
		events: []trace.Event{receivedAfter(y, m2, 0), kept(c, y, 1, m2, 0), crashed(y),
			restored(y, 1, 0, 0), {Kind: trace.Recovered, Proc: y, Incarnation: 1}},
		want: "y declares the end of its recovery and has not received m2 again, as c knows it has",
	},
	{
		name: "what a log has in its place is not received again", property: "repeated",
		facts: func() *spec.Facts {
			f := exampleFacts()
			f.KeepsLines, f.Layout.Holdings = true, true
			return f
		},
		events: []trace.Event{receivedAfter(y, m2, 0),
			{Kind: trace.Logged, Proc: rp, Peer: y, ID: m2, Received: 1}, crashed(y),
			restored(y, 1, 0, 0), {Kind: trace.Recovered, Proc: y, Incarnation: 1}},
		want: "y declares the end of its recovery and has not received m2 again, as RP knows it " +
			"has",
	},
	{
		name: "what a log has in its place, where there may be holes", property: "repeated",
		facts: holed,
		events: []trace.Event{receivedAfter(y, m2, 0),
			{Kind: trace.Logged, Proc: rp, Peer: y, ID: m2, Received: 1}, crashed(y),
			restored(y, 1, 0, 0), {Kind: trace.Recovered, Proc: y, Incarnation: 1}},
		want: "y declares the end of its recovery and has not received m2 again, as RP knows it " +
			"has",
	},
	{
		name: "what is behind a place that is lost", property: "repeated",
		facts: holed,
		events: []trace.Event{receivedAfter(y, m2, 0), receivedAfter(y, m7, 0),
			{Kind: trace.Logged, Proc: rp, Peer: y, ID: m7, Received: 2}, crashed(y),
			restored(y, 1, 0, 0), {Kind: trace.Recovered, Proc: y, Incarnation: 1}},
	},
	{
		name: "what was recorded is received again", property: "repeated",
		events: []trace.Event{receivedAfter(y, m2, 0), kept(c, y, 1, m2, 0), crashed(y),
			restored(y, 1, 0, 0), in(1, receivedAfter(y, m2, 0)),
			{Kind: trace.Recovered, Proc: y, Incarnation: 1}},
	},
	{
		name: "who had recorded it is down", property: "repeated",
		events: []trace.Event{receivedAfter(y, m2, 0), kept(c, y, 1, m2, 0), crashed(y), crashed(c),
			restored(y, 1, 0, 0), {Kind: trace.Recovered, Proc: y, Incarnation: 1}},
	},
	{
		name: "a determinant of an inner node", property: "root-determinants",
		events: []trace.Event{kept(c, x, 1, fromX, 0)},
		want: "c keeps a determinant of x for a contribution to group g, of which it is not " +
			"the root",
	},
	{
		name: "a determinant of the root, and one of a multicast", property: "root-determinants",
		events: []trace.Event{kept(x, y, 1, fromY, 0), kept(y, x, 1, multicast, 0)},
	},
}

// Aim: what speaks of determinants and of what is kept says what it should. Method: hand-written
// runs.
func TestDeterminants(t *testing.T) { judge(t, determinantCases) }

// Aim: the depend set follows the past of a process, of others, and, where a failure has cut that
// off, determinants. Method: a chain of three messages, with the middle process up, down with its
// determinant known, and down with nothing known.
func TestDependence(t *testing.T) {
	f := exampleFacts()
	chain := []trace.Event{receivedAfter(y, m2, 0), receivedAfter(c, m3, 1),
		receivedAfter(x, m7, 1)}
	known := append([]trace.Event{kept(x, c, 1, m3, 1)}, append(chain, crashed(c))...)
	for name, tt := range map[string]struct {
		events []trace.Event
		want   [3]uint32
	}{
		"everybody is up":       {chain, [3]uint32{1, 1, 1}},
		"the middle is known":   {known, [3]uint32{1, 1, 1}},
		"the middle is unknown": {append(chain[:3:3], crashed(c)), [3]uint32{1, 0, 1}},
	} {
		l := spec.NewLedger(f.Layout)
		for _, e := range tt.events {
			l.Apply(e)
		}
		if got := [3]uint32(spec.Dependence(f, l, x)); got != tt.want {
			t.Errorf("%s: x depends on %v, want %v", name, got, tt.want)
		}
	}
}

// holed are facts of a protocol whose logs have places with holes.
func holed() *spec.Facts {
	f := exampleFacts()
	f.KeepsLines, f.Layout.Holdings, f.Holes = true, true, true
	return f
}

// TestReadsBack: what a restarted process declares in the step of its restart, it has read back
// from stable storage, so its reception is not lost; what it declares later it has been told.
func TestReadsBack(t *testing.T) {
	f := exampleFacts()
	tr := traceOf(f, []trace.Event{receivedAfter(y, m2, 0), sent(m3, c), receivedAfter(c, m3, 1),
		crashed(y), restored(y, 1, 0, 0), kept(y, y, 1, m2, 0)})
	only := []spec.Property{property(t, "no-orphan-process")}
	if got := judgedBy(t, f, tr, only, false); len(got) != 1 {
		t.Errorf("declared a step later: %v, want one orphan", got)
	}
	tr.Events[5].Step = tr.Events[4].Step
	if got := judgedBy(t, f, tr, only, false); len(got) != 0 {
		t.Errorf("declared in the step: %v, want none", got)
	}
	tr.Events[5].Received = 2
	if got := judgedBy(t, f, tr, only, false); len(got) != 1 {
		t.Errorf("another one declared in the step: %v, want one orphan", got)
	}
}
