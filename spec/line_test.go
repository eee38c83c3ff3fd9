package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// exchange is m2 sent and received, then the crash of both ends.
func exchange(more ...trace.Event) []trace.Event {
	return append([]trace.Event{sent(m2, y), delivered(y, m2, 1), crashed(x), crashed(y)}, more...)
}

var lineCases = []judged{
	{
		name: "a group that nobody logs", property: "line-consistent",
		facts: func() *spec.Facts {
			f := undoFacts(promise.Promises{RollsBack: promise.All})()
			f.Layout.Groups = map[trace.Proc][]trace.Proc{x: {x, y}, y: {x, y}}
			return f
		},
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), crashed(y), restored(x, 1, 0, 0),
			restored(y, 1, 0, 1)),
		want: "the recovery line is not consistent: y has received m2, which x has not sent",
	},
	{
		name: "two that are in no group", property: "line-consistent",
		facts: undoFacts(promise.Promises{RollsBack: promise.All}),
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), crashed(y), restored(x, 1, 0, 0),
			restored(y, 1, 0, 1)),
	},
	{
		name: "the receiver of an orphan restarts last", property: "line-consistent",
		events: exchange(restored(x, 1, 0, 0), restored(y, 1, 0, 1)),
		want:   "the recovery line is not consistent: y has received m2, which x has not sent",
	},
	{
		name: "the sender of an orphan restarts last", property: "line-consistent",
		events: exchange(restored(y, 1, 0, 1), restored(x, 1, 0, 0)),
		want:   "the recovery line is not consistent: y has received m2, which x has not sent",
	},
	{
		name: "a message in flight across the line", property: "line-consistent",
		events: exchange(restored(y, 1, 0, 0), restored(x, 1, 1, 0)),
	},
	{
		name: "a mate that is still in its older life", property: "line-consistent",
		events: []trace.Event{sent(m2, y), delivered(y, m2, 1), crashed(x), restored(x, 1, 0, 0)},
	},
	{
		name: "an orphan of another cluster", property: "line-consistent",
		events: []trace.Event{sent(m3, c), delivered(c, m3, 1), crashed(y), crashed(c),
			restored(c, 1, 0, 1), restored(y, 1, 0, 0)},
	},
	{
		name: "a restart with fewer sends than the line", property: "line-progress",
		events: []trace.Event{sent(m2, y), committed(x, 1, 0), crashed(x), restored(x, 1, 0, 0)},
		want:   "x is restored at 0 sent and 0 delivered, behind its recovery line at 1 and 0",
	},
	{
		name: "a restart with fewer deliveries than the line", property: "line-progress",
		events: []trace.Event{delivered(y, m2, 1), committed(y, 0, 1), crashed(y),
			restored(y, 1, 0, 0)},
		want: "y is restored at 0 sent and 0 delivered, behind its recovery line at 0 and 1",
	},
	{
		name: "a line behind the last one", property: "line-progress",
		events: []trace.Event{sent(m2, y), committed(x, 1, 0), committed(x, 0, 0)},
		want:   "x is committed at 0 sent and 0 delivered, behind its recovery line at 1 and 0",
	},
	{
		name: "a restart at the line, which loses what came after it", property: "line-progress",
		events: []trace.Event{sent(m2, y), committed(x, 1, 0), sent(x2, y), crashed(x),
			restored(x, 1, 1, 0), in(1, committed(x, 1, 0))},
	},
	{
		name: "a restart at the initial state before any line", property: "line-progress",
		events: []trace.Event{sent(m2, y), crashed(x), restored(x, 1, 0, 0)},
	},
	{
		name: "a member that stays behind the line of its mate", property: "line-settles",
		complete: true,
		events:   []trace.Event{sent(m2, y), delivered(y, m2, 1), committed(y, 0, 1)},
		want:     "the recovery line is not consistent: y has received m2, which x has not sent",
	},
	{
		name: "a member whose line is older than that of its mate", property: "line-settles",
		complete: true,
		events: []trace.Event{committed(x, 0, 0), sent(m2, y), delivered(y, m2, 1),
			committed(y, 0, 1)},
		want: "the recovery line is not consistent: y has received m2, which x has not sent",
	},
	{
		name: "a member that comes to the line in the end", property: "line-settles",
		complete: true,
		events: []trace.Event{sent(m2, y), delivered(y, m2, 1), committed(y, 0, 1), crashed(x),
			committed(x, 1, 0)},
	},
	{
		name:     "a message in flight across the lines, and an orphan of another cluster",
		property: "line-settles", complete: true,
		events: []trace.Event{sent(m2, y), committed(x, 1, 0), sent(m3, c), delivered(c, m3, 1),
			committed(c, 0, 1)},
	},
	{
		name: "a rollback of a rank whose cluster has not failed", property: "contained",
		events: []trace.Event{crashed(x), crashed(y), rolledBack(crashed(c))},
		want:   "c rolls back although its cluster has not failed",
	},
	{
		name: "a crash of its own", property: "contained",
		events: []trace.Event{crashed(x), crashed(y), crashed(c)},
	},
	{
		name: "a rollback of a rank whose mate has failed", property: "contained",
		events: []trace.Event{crashed(x), rolledBack(crashed(y))},
	},
	{
		name:     "a rollback during the own recovery, of whose end nothing is said",
		property: "contained",
		events:   []trace.Event{crashed(c), restored(c, 1, 0, 0), rolledBack(in(1, crashed(c)))},
		want:     "c rolls back although its cluster has not failed",
	},
	{
		name: "a rollback during the own recovery", property: "contained", facts: declaredEnds,
		events: []trace.Event{crashed(c), restored(c, 1, 0, 0), rolledBack(in(1, crashed(c)))},
	},
	{
		name: "a rollback after the own recovery", property: "contained", facts: declaredEnds,
		events: []trace.Event{crashed(c), restored(c, 1, 0, 0),
			in(1, trace.Event{Kind: trace.Recovered, Proc: c}), rolledBack(in(1, crashed(c)))},
		want: "c rolls back although its cluster has not failed",
	},
	{
		name: "without any line of the receiver", property: "prune-safe",
		events: []trace.Event{sent(m3, c), delivered(c, m3, 1),
			{Kind: trace.Pruned, Proc: y, Peer: c, ID: m3}},
		want: "y removes m3 from its log, but c would need it after a failure",
	},
	{
		name: "with a line before the delivery", property: "prune-safe",
		events: []trace.Event{sent(m3, c), committed(c, 0, 0), delivered(c, m3, 1),
			{Kind: trace.Pruned, Proc: y, Peer: c, ID: m3}},
		want: "y removes m3 from its log, but c would need it after a failure",
	},
	{
		name:     "with a line behind the delivery, also while the receiver is down",
		property: "prune-safe",
		events: []trace.Event{sent(m3, c), delivered(c, m3, 1), committed(c, 0, 1), crashed(c),
			{Kind: trace.Pruned, Proc: y, Peer: c, ID: m3}},
	},
	{
		name: "with a line in which the message waits, also later", property: "prune-safe",
		events: []trace.Event{sent(m3, c), keptItem(c, trace.Waiting, c, m3), committed(c, 0, 0),
			forgotten(keptItem(c, trace.Waiting, c, m3)), crashed(c),
			{Kind: trace.Pruned, Proc: y, Peer: c, ID: m3}},
	},
	{
		name: "with a line in which it does not wait", property: "prune-safe",
		events: []trace.Event{sent(m3, c), keptItem(c, trace.Waiting, c, m2), committed(c, 0, 0),
			keptItem(c, trace.Waiting, c, m3), {Kind: trace.Pruned, Proc: y, Peer: c, ID: m3}},
		want: "y removes m3 from its log, but c would need it after a failure",
	},
	{
		name: "a determinant", property: "stable-only",
		events: []trace.Event{{Kind: trace.Stored, Proc: y, Text: "determinant/1"}},
		want:   "y makes determinant/1 stable, which the protocol does not declare",
	},
	{
		name: "a declared prefix in the wrong place", property: "stable-only",
		events: []trace.Event{{Kind: trace.Stored, Proc: y, Text: "my-image/1"}},
		want:   "y makes my-image/1 stable, which the protocol does not declare",
	},
	{
		name: "declared records", property: "stable-only",
		events: []trace.Event{{Kind: trace.Stored, Proc: y, Text: "image/1"},
			{Kind: trace.Stored, Proc: x, Text: "commit/1"}},
	},
	{
		name: "a message to a mate", property: "log-scope",
		events: []trace.Event{sent(m2, y), {Kind: trace.Logged, Proc: x, Peer: y, ID: m2}},
		want:   "x logs m2 for y of its own cluster",
	},
	{
		name: "a message to another cluster", property: "log-scope",
		events: []trace.Event{sent(m3, c), {Kind: trace.Logged, Proc: y, Peer: c, ID: m3}},
	},
}

// Aim: recovery lines, logs and stable storage are judged. Method: hand-written runs, one step away
// from each other. rolledBack makes of a crash one that its proc has decided on.
func rolledBack(e trace.Event) trace.Event {
	e.Text = "rollback"
	return e
}

// declaredEnds are the facts of a protocol that says when a recovery is over.
func declaredEnds() *spec.Facts {
	f := exampleFacts()
	f.Holders = true
	return f
}

func TestLines(t *testing.T) { judge(t, lineCases) }
