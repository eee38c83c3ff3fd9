package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

var (
	promptly = undoFacts(promise.Promises{RollsBack: promise.All, Outputs: promise.AtOnce})
	withLine = undoFacts(promise.Promises{RollsBack: promise.All, Outputs: promise.WithTheLine})
)

// tells is an output of x, after so many sends.
func tells(life trace.Incarnation, digest uint64, s uint32) trace.Event {
	return in(life, trace.Event{Kind: trace.Released, Proc: x, Digest: digest, Sent: s})
}

var releasedCases = []judged{
	{
		name: "something else the second time", property: "outputs-kept", facts: promptly,
		events: run(tells(0, 7, 0), fails(), tells(1, 8, 0)),
		want: "x puts out 8 at 0 sent and 0 delivered, where it had put out 7 before it went " +
			"back",
	},
	{
		name: "the second of two", property: "outputs-kept", facts: promptly,
		events: run(tells(0, 7, 0), sent(m2, y), takes(x, 0, 1, 0), tells(0, 9, 1), crashed(x),
			restored(x, 1, 1, 0), tells(1, 9, 1), in(1, crashed(x)), restored(x, 2, 0, 0),
			tells(2, 7, 0), in(2, sent(m2, y)), tells(2, 5, 1)),
		want: "x puts out 5 at 1 sent and 0 delivered, where it had put out 9 before it went " +
			"back",
	},
	{
		name: "another one comes in between", property: "outputs-kept", facts: promptly,
		events: run(sent(m2, y), tells(0, 7, 1), fails(), in(1, sent(m2, y)), tells(1, 6, 1)),
		want: "x puts out 6 at 1 sent and 0 delivered, where it had put out 7 before it went " +
			"back",
	},
	{
		name: "it never comes again", property: "outputs-kept", facts: promptly, complete: true,
		events: run(tells(0, 7, 0), fails(), in(1, finished(x, 1))),
		want: "x has ended without the output 7 at 0 sent and 0 delivered, which it had put out " +
			"before it went back",
	},
	{
		name: "the same again", property: "outputs-kept", facts: promptly, complete: true,
		events: run(tells(0, 7, 0), sent(m2, y), tells(0, 8, 1), fails(), tells(1, 7, 0),
			in(1, sent(m2, y)), tells(1, 8, 1), in(1, finished(x, 1))),
	},
	{
		name: "behind an image", property: "outputs-kept", facts: promptly, complete: true,
		events: run(tells(0, 7, 0), sent(m2, y), takes(x, 0, 1, 0), crashed(x),
			restored(x, 1, 1, 0), tells(1, 8, 1), in(1, finished(x, 1))),
	},
	{
		name: "the image may hold it, or not", property: "outputs-kept", facts: promptly,
		complete: true,
		events: run(tells(0, 7, 0), takes(x, 0, 0, 0), fails(), tells(1, 7, 0),
			in(1, sent(m2, y)), tells(1, 8, 1), in(1, finished(x, 1))),
	},
	{
		name: "an image of the same moment, and another output", property: "outputs-kept",
		facts: promptly, complete: true,
		events: run(tells(0, 7, 0), takes(x, 0, 0, 0), fails(), tells(1, 8, 0),
			in(1, finished(x, 1))),
	},
	{
		name: "before there is a line", property: "output-in-line", facts: withLine,
		events: run(sent(m2, y), tells(0, 7, 1)),
		want: "x puts out something at 1 sent and 0 delivered, and its recovery line is at 0 " +
			"sent and 0 delivered",
	},
	{
		name: "behind the line", property: "output-in-line", facts: withLine,
		events: run(committed(x, 0, 0), sent(m2, y), tells(0, 7, 1)),
		want: "x puts out something at 1 sent and 0 delivered, and its recovery line is at 0 " +
			"sent and 0 delivered",
	},
	{
		name: "with the line", property: "output-in-line", facts: withLine,
		events: run(sent(m2, y), committed(x, 1, 0), tells(0, 7, 1)),
	},
}

func TestReleased(t *testing.T) { judge(t, releasedCases) }
