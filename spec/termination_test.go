package spec_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

var terminationCases = []judged{
	{
		name: "a rank that waits for ever and one that is down", property: "terminates",
		complete: true,
		events: []trace.Event{sent(m2, y), finished(x, 11), delivered(y, m2, 1), sent(m3, c),
			crashed(c)},
		want: "the run is stuck: y has sent 1 and received 1 and can not go on; c is down for " +
			"good",
	},
	{
		name: "a reduction that one member does not join", property: "terminates", complete: true,
		events: append(append(contributed(fromY), contributed(fromX)...), finished(x, 11),
			finished(c, 13)),
		want: "the run is stuck: y has sent 10 and received 0 and can not go on; reduction 1 " +
			"of group g waits for c",
	},
	{
		name: "an end that a restart took back", property: "terminates", complete: true,
		events: []trace.Event{finished(x, 11), finished(y, 12), finished(c, 13), crashed(x),
			restored(x, 1, 0, 0)},
		want: "the run is stuck: x has sent 0 and received 0 and can not go on",
	},
	{
		name: "every program at its end, while a service is down", property: "terminates",
		complete: true,
		events:   []trace.Event{finished(x, 11), finished(y, 12), finished(c, 13), crashed(rp)},
	},
	{
		name: "a run that goes on", property: "terminates",
		events: []trace.Event{sent(m2, y)},
	},
	{
		name: "another end than without failures", property: "final-state", complete: true,
		events: []trace.Event{finished(x, 11), finished(y, 12), finished(c, 666)},
		want:   "the ranks end in a combination of states that no failure-free run ends in",
	},
	{
		name: "the right ends at the wrong ranks", property: "final-state", complete: true,
		events: []trace.Event{finished(x, 12), finished(y, 11), finished(c, 13)},
		want:   "the ranks end in a combination of states that no failure-free run ends in",
	},
	{
		name: "the right end, in any order, a second time after a restart", property: "final-state",
		complete: true,
		events: []trace.Event{finished(c, 13), finished(y, 12), finished(x, 666), crashed(x),
			restored(x, 1, 0, 0), in(1, finished(x, 11))},
	},
	{
		name: "a wrong end of a run that is stuck anyway", property: "final-state", complete: true,
		events: []trace.Event{finished(x, 666)},
	},
	{
		name: "a typed answer", property: "gives-not-up",
		events: []trace.Event{{Kind: trace.Halted, Proc: rp,
			Text: "program is not send-deterministic"}},
		want: "RP gives up: program is not send-deterministic",
	},
	{
		name: "an input ignored with a reason", property: "gives-not-up",
		events: []trace.Event{{Kind: trace.Dropped, Proc: rp, Peer: c, Text: "halted"}},
	},
	{
		name: "a dead proc that acts", property: "one-incarnation",
		events: []trace.Event{crashed(x), sent(m2, y)},
		want:   "x acts as incarnation 0, but incarnation 0 is the live one (up: false)",
	},
	{
		name: "an older life that acts", property: "one-incarnation",
		events: []trace.Event{crashed(x), restored(x, 1, 0, 0), sent(m2, y)},
		want:   "x acts as incarnation 0, but incarnation 1 is the live one (up: true)",
	},
	{
		name: "a later life that acts before it has started", property: "one-incarnation",
		events: []trace.Event{in(1, sent(m2, y))},
		want:   "x acts as incarnation 1, but incarnation 0 is the live one (up: true)",
	},
	{
		name: "a second life while the first one is up", property: "one-incarnation",
		events: []trace.Event{restored(x, 1, 0, 0)},
		want:   "x restarts as incarnation 1, which is not newer, or without having stopped",
	},
	{
		name: "a second life with the number of the first", property: "one-incarnation",
		events: []trace.Event{crashed(x), restored(x, 0, 0, 0)},
		want:   "x restarts as incarnation 0, which is not newer, or without having stopped",
	},
	{
		name: "one life after the other", property: "one-incarnation",
		events: []trace.Event{sent(m2, y), crashed(x), restored(x, 1, 0, 0), in(1, sent(m2, y)),
			in(1, crashed(x)), restored(x, 3, 0, 0), in(3, sent(m2, y))},
	},
}

// Aim: the end of runs, and who acts in them, is judged. Method: hand-written runs, one step away
// from each other.
func TestTermination(t *testing.T) { judge(t, terminationCases) }

// Aim: a trace in which a dead proc acts is judged by all properties together, as a driver's trace
// is: the answer is a violation of one-incarnation. Method: every kind of event, behind a crash of
// its proc.
func TestDeadProcActs(t *testing.T) {
	f := exampleFacts()
	for k := trace.Sent; k <= trace.Halted; k++ {
		if k == trace.Restored {
			continue
		}
		t.Run(k.String(), func(t *testing.T) {
			run := traceOf(f, []trace.Event{crashed(y),
				{Kind: k, Proc: y, Peer: x, ID: m2, Text: "image/1"}})
			var got []string
			for _, v := range judgedBy(t, f, run, selected(t, f), false) {
				got = append(got, v.Property)
			}
			if !slices.Contains(got, "one-incarnation") {
				t.Errorf("violated properties %v, want one-incarnation among them", got)
			}
		})
	}
}
