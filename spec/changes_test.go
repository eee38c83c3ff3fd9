package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// leavingFacts are hostingFacts with a node that is to leave.
func leavingFacts() *spec.Facts {
	f := hostingFacts()
	f.Layout.Leaving = []trace.Proc{rp}
	return f
}

var changesCases = []judged{
	{
		name: "known to nobody", property: "changes-made", facts: lateFacts, complete: true,
		events: []trace.Event{runsOn(c, x), watches(rp, c)},
		want:   "RP has come, and not entered: not everybody knows of it",
	},
	{
		name: "known to all", property: "changes-made", facts: lateFacts, complete: true,
		events: []trace.Event{runsOn(c, x), watches(rp, c), declares(rp, "enters")},
	},
	{
		name: "failed before it was known", property: "changes-made", facts: lateFacts,
		complete: true, events: []trace.Event{runsOn(c, x), watches(rp, c), crashed(rp)},
	},
	{
		name: "kept from leaving", property: "changes-made", facts: leavingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), runsOn(rp, y), declares(rp, "leaves")},
		want:   "RP was to leave, and is still here",
	},
	{
		name: "gone", property: "changes-made", facts: leavingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), declares(rp, "leaves"), crashed(rp)},
	},
	{
		name: "held up by who has given up", property: "changes-made", facts: leavingFacts,
		complete: true,
		events: []trace.Event{runsOn(rp, y),
			{Kind: trace.Halted, Proc: y, Text: "unrecoverable"}},
	},
	{
		name: "a rank that was answered", property: "watch-dropped", facts: spareFacts,
		complete: true, events: []trace.Event{watches(x, c)},
		want: "x still watches c, of which it expects nothing",
	},
	{
		name: "a spare that is promised to nobody", property: "watch-dropped", facts: spareFacts,
		complete: true, events: []trace.Event{watches(rp, c)},
		want: "RP still watches c, of which it expects nothing",
	},
	{
		name: "stopped, or about who has failed, or by who protects", property: "watch-dropped",
		facts: spareFacts, complete: true,
		events: []trace.Event{watches(x, c), {Kind: trace.Unwatched, Proc: x, Peer: c},
			watches(c, rp), watches(x, rp), crashed(rp)},
	},
}

func TestChanges(t *testing.T) { judge(t, changesCases) }
