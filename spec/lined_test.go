package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

var (
	maximal = undoFacts(promise.Promises{RollsBack: promise.Dependents,
		Undo: promise.Undoing{Orphans: true, Maximal: true}})
	byIndex = undoFacts(promise.Promises{RollsBack: promise.Dependents,
		Undo: promise.Undoing{Orphans: true, Indexed: true}})
)

// takes is an image of a rank.
func takes(p trace.Proc, index uint64, s, r uint32) trace.Event {
	return trace.Event{Kind: trace.Imaged, Proc: p, Text: trace.ImageBasic, Sent: s, Received: r,
		Stamp: trace.Stamp{Phase: index}}
}

// draws is what the recovery process says of one rank.
func draws(p trace.Proc, what string, s, r uint32) trace.Event {
	return trace.Event{Kind: trace.Lined, Proc: rp, Peer: p, Text: what, Sent: s, Received: r,
		Stamp: trace.Stamp{Round: 1}}
}

// line is a line of all ranks.
func line(x0, y0, c0 trace.Event) []trace.Event {
	x0.Peer, y0.Peer, c0.Peer = x, y, c
	return []trace.Event{x0, y0, c0}
}

func stays(s, r uint32) trace.Event { return draws(0, trace.LineStays, s, r) }
func backTo(s, r uint32) trace.Event {
	return draws(0, trace.LineBack, s, r)
}

// chained is m2 from x to y and m3 from y to c, and what then happens to x.
func chained(more ...any) []trace.Event {
	return run(sent(m2, y), delivered(y, m2, 0), sent(m3, c), delivered(c, m3, 0), run(more...))
}

// fails is a failure of x, which has no image.
func fails() []trace.Event { return run(crashed(x), restored(x, 1, 0, 0)) }

var linedCases = []judged{
	{
		name: "an orphan", property: "line-declared", facts: maximal,
		events: chained(fails(), line(backTo(0, 0), stays(1, 1), stays(0, 1))),
		want: "the line that is declared has an orphan: y has received m2 at 1 sent and 1 " +
			"delivered, which x has not sent at 0 sent and 0 delivered",
	},
	{
		name: "no image there", property: "line-declared", facts: maximal,
		events: chained(fails(), line(backTo(0, 0), backTo(0, 1), backTo(0, 0))),
		want: "y goes back to 0 sent and 1 delivered in the line of round 1, where it has no " +
			"image",
	},
	{
		name: "an image that is void", property: "line-declared", facts: maximal,
		events: chained(takes(y, 0, 1, 1), fails(), line(backTo(0, 0), backTo(0, 0), backTo(0, 0)),
			goesBack(y, 0, x, 0, 0), in(1, delivered(y, m2, 0)), in(1, sent(m3, c)),
			in(1, delivered(y, m7, 0)), line(backTo(0, 0), backTo(1, 1), backTo(0, 0))),
		want: "y goes back to 1 sent and 1 delivered in the line of round 1, where it has no " +
			"image",
	},
	{
		name: "it is not where it stays", property: "line-declared", facts: maximal,
		events: chained(fails(), line(backTo(0, 0), stays(0, 1), backTo(0, 0))),
		want: "y stays at 0 sent and 1 delivered in the line of round 1, and is at 1 sent and 1 " +
			"delivered",
	},
	{
		name: "somebody is not in it", property: "line-declared", facts: maximal,
		events: chained(fails(), line(backTo(0, 0), backTo(0, 0), backTo(0, 0))[0], draws(c,
			trace.LineBack, 0, 0)),
		want: "RP declares of c that it is \"back\" in the line of round 1, want every rank " +
			"once, in order, back or stays",
	},
	{
		name: "an image of what has not happened", property: "line-declared", facts: maximal,
		events: run(sent(m2, y), takes(x, 0, 2, 0)),
		want:   "x, at 1 sent and 0 delivered, declares an image at 2 sent and 0 delivered",
	},
	{
		name: "all the way back", property: "line-declared", facts: maximal,
		events: chained(fails(), line(backTo(0, 0), backTo(0, 0), backTo(0, 0))),
	},
	{
		name: "one fails before the line is declared", property: "line-declared", facts: maximal,
		events: chained(crashed(c), fails(), line(backTo(0, 0), stays(1, 1), stays(0, 1))),
	},
	{
		name: "one has failed that nobody has heard of", property: "line-declared", facts: maximal,
		events: chained(crashed(c), restored(c, 1, 0, 0),
			line(stays(1, 0), stays(1, 1), stays(0, 1))),
	},
	{
		name: "images for nothing", property: "line-maximal", facts: maximal,
		events: chained(takes(x, 0, 1, 0), crashed(x), restored(x, 1, 1, 0),
			line(backTo(1, 0), backTo(0, 0), stays(0, 1))[:2], draws(c, trace.LineBack, 0, 0)),
		want: "y goes back to 0 sent and 0 delivered, and the line could have it at 1 sent and 1 " +
			"delivered",
	},
	{
		name: "the image before the last one", property: "line-maximal", facts: maximal,
		events: run(takes(y, 0, 0, 0), sent(m3, c), takes(y, 0, 1, 0), sent(m2, y),
			delivered(y, m2, 0), fails(), line(backTo(0, 0), backTo(0, 0), stays(0, 0))),
		want: "y goes back to 0 sent and 0 delivered, and the line could have it at 1 sent and 0 " +
			"delivered",
	},
	{
		name: "the last image", property: "line-maximal", facts: maximal,
		events: run(takes(y, 0, 0, 0), sent(m3, c), takes(y, 0, 1, 0), sent(m2, y),
			delivered(y, m2, 0), fails(), line(backTo(0, 0), backTo(1, 0), stays(0, 0))),
	},
	{
		name: "an orphan is for another property", property: "line-maximal", facts: maximal,
		events: chained(fails(), line(backTo(0, 0), stays(1, 1), backTo(0, 0))),
	},
	{
		name: "a restart from another image than the last", property: "line-kept", facts: maximal,
		events: run(takes(x, 0, 0, 0), sent(m2, y), takes(x, 0, 1, 0), fails()),
		want: "x restarts at 0 sent and 0 delivered, and its last image is at 1 sent and 0 " +
			"delivered",
	},
	{
		name: "farther back than the line says", property: "line-kept", facts: maximal,
		events: chained(takes(y, 0, 1, 1), line(stays(1, 0), backTo(1, 1), stays(0, 1)),
			goesBack(y, 0, x, 0, 0)),
		want: "y restarts at 0 sent and 0 delivered, and its last image is at 1 sent and 1 " +
			"delivered; the line of round 1 has it at 1 sent and 1 delivered",
	},
	{
		name: "it goes on all the same", property: "line-kept", facts: maximal,
		events: chained(fails(), line(backTo(0, 0), backTo(0, 0), backTo(0, 0)), finished(y, 2)),
		want:   "y goes on, and the line of round 1 has it back at 0 sent and 0 delivered",
	},
	{
		name: "as the line says", property: "line-kept", facts: maximal,
		events: chained(takes(y, 0, 1, 1), fails(), line(backTo(0, 0), backTo(0, 0), backTo(0, 0)),
			goesBack(y, 0, x, 0, 0), goesBack(c, 0, x, 0, 0), in(1, sent(m2, y)),
			in(1, delivered(y, m2, 0)), in(1, sent(m3, c))),
	},
	{
		name: "it fails before it goes back", property: "line-kept", facts: maximal,
		events: chained(takes(y, 0, 1, 1), fails(), line(backTo(0, 0), backTo(0, 0), backTo(0, 0)),
			crashed(y), restored(y, 1, 1, 1), goesBack(y, 1, x, 0, 0)),
	},
	{
		name: "an image that is stable before it is declared", property: "line-kept",
		facts:  maximal,
		events: run(sent(m2, y), takes(x, 0, 0, 0), crashed(x), restored(x, 1, 1, 0)),
	},
	{
		name: "who is at the line goes on", property: "line-kept", facts: maximal,
		events: run(fails(), line(backTo(0, 0), stays(0, 0), stays(0, 0)), in(1, sent(m2, y))),
	},
	{
		name: "the image comes after the message", property: "forced-before-delivery",
		facts:  byIndex,
		events: run(takes(x, 1, 0, 0), sent(m2, y), delivered(y, m2, 1), takes(y, 1, 0, 1)),
		want:   "y has received m2, of index 1, and its last image before that has the index 0",
	},
	{
		name: "no image is forced", property: "forced-before-delivery", facts: byIndex,
		complete: true,
		events:   run(takes(x, 1, 0, 0), sent(m2, y), delivered(y, m2, 1)),
		want:     "y has received m2, of index 1, and its last image before that has the index 0",
	},
	{
		name: "one of a lower index is forced", property: "forced-before-delivery", facts: byIndex,
		complete: true,
		events:   run(takes(x, 2, 0, 0), sent(m2, y), takes(y, 1, 0, 0), delivered(y, m2, 2)),
		want:     "y has received m2, of index 2, and its last image before that has the index 1",
	},
	{
		name: "indices go down", property: "forced-before-delivery", facts: byIndex,
		events: run(takes(x, 2, 0, 0), sent(m2, y), takes(x, 1, 1, 0)),
		want:   "x has an image with the index 1, and has had 2 before",
	},
	{
		name: "forced, and stable later", property: "forced-before-delivery", facts: byIndex,
		complete: true,
		events:   run(takes(x, 1, 0, 0), sent(m2, y), delivered(y, m2, 1), takes(y, 1, 0, 0)),
	},
	{
		name: "a message of the beginning", property: "forced-before-delivery", facts: byIndex,
		complete: true,
		events:   run(sent(m2, y), takes(x, 1, 1, 0), delivered(y, m2, 0), takes(y, 1, 0, 1)),
	},
	{
		name: "it restarts from one that it has not declared", facts: byIndex,
		property: "forced-before-delivery", complete: true,
		events: run(takes(x, 1, 0, 0), sent(m2, y), crashed(y), restored(y, 1, 0, 0),
			in(1, delivered(y, m2, 1))),
	},
	{
		name: "a path that comes back", property: "no-useless-image", facts: byIndex,
		complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), takes(y, 1, 0, 1), sent(m3, x),
			delivered(x, m3, 1)),
		want: "the image of y at 0 sent and 1 delivered is in no consistent cut",
	},
	{
		name: "two that cross", property: "no-useless-image", facts: byIndex, complete: true,
		events: run(sent(m3, x), takes(y, 1, 1, 0), sent(m2, y), delivered(x, m3, 0),
			takes(x, 1, 1, 1), sent(x2, y), delivered(y, m2, 0), delivered(y, x2, 1),
			in(0, sent(trace.MsgID{From: 1, Number: 2}, x)), takes(y, 2, 2, 2),
			delivered(x, trace.MsgID{From: 1, Number: 2}, 0)),
	},
	{
		name: "a zigzag", property: "no-useless-image", facts: byIndex, complete: true,
		events: run(sent(m2, y), takes(x, 1, 1, 0), delivered(y, m2, 0), sent(m3, x),
			takes(y, 1, 1, 1), sent(x2, y), delivered(y, x2, 0), delivered(x, m3, 0)),
	},
}

func TestLined(t *testing.T) { judge(t, linedCases) }
