package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

var hostingCases = []judged{
	{
		name: "one of two", property: "hosted-somewhere", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x)},
		want:   "y runs nowhere: no node that is up has adopted it",
	},
	{
		name: "given up by who has adopted it", property: "hosted-somewhere", facts: hostingFacts,
		complete: true,
		events: []trace.Event{runsOn(c, x), runsOn(c, y),
			{Kind: trace.Disowned, Proc: c, Peer: y}},
		want: "y runs nowhere: no node that is up has adopted it",
	},
	{
		name: "its node is down", property: "hosted-somewhere", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), runsOn(rp, y), crashed(c)},
		want:   "x runs nowhere: no node that is up has adopted it",
	},
	{
		name: "given up and adopted", property: "hosted-somewhere", facts: hostingFacts,
		complete: true,
		events: []trace.Event{runsOn(c, x), runsOn(c, y), {Kind: trace.Disowned, Proc: c, Peer: y},
			runsOn(rp, y)},
	},
	{
		name: "more than it has room for", property: "spare-room", facts: roomyFacts,
		events: []trace.Event{runsOn(rp, x), runsOn(rp, y)},
		want:   "spare RP adopts y as its rank number 2, and it has room for 1",
	},
	{
		name: "one twice, and a logger", property: "spare-room", facts: func() *spec.Facts {
			f := roomyFacts()
			f.Layout.Ranks = 1
			return f
		},
		events: []trace.Event{runsOn(rp, x), runsOn(rp, x), runsOn(rp, y), runsOn(c, x),
			runsOn(c, y)},
	},
	{
		name: "two nodes", property: "one-host", facts: hostingFacts,
		events: []trace.Event{runsOn(c, x), runsOn(rp, x)},
		want:   "RP adopts x, which c has adopted",
	},
	{
		name: "two nodes, one after the other", property: "one-host", facts: hostingFacts,
		events: []trace.Event{runsOn(c, x), crashed(c), runsOn(rp, x)},
	},
	{
		name: "ranks of two nodes", property: "spare-once", facts: spareFacts,
		events: []trace.Event{runsOn(rp, x), runsOn(rp, y)},
		want:   "spare RP adopts y although it has adopted x of another node",
	},
	{
		name: "ranks of two nodes, not on a spare", property: "spare-once", facts: spareFacts,
		events: []trace.Event{runsOn(c, x), runsOn(c, y)},
	},
	{
		name: "a rank beside who keeps its line", property: "kept-elsewhere", facts: hostingFacts,
		complete: true,
		events:   []trace.Event{keeps(y, x, 0, 0), runsOn(c, x), runsOn(c, y)},
		want:     "x and y, which keeps its line, both run on the node of c",
	},
	{
		name: "a rank and who keeps its line on two nodes", property: "kept-elsewhere",
		facts: hostingFacts, complete: true,
		events: []trace.Event{keeps(y, x, 0, 0), runsOn(c, x), runsOn(rp, y)},
	},
	{
		name:     "a rank beside who keeps its line, when no other node is left",
		property: "kept-elsewhere", facts: hostingFacts, complete: true,
		events: []trace.Event{keeps(y, x, 0, 0), crashed(rp), runsOn(c, x), runsOn(c, y)},
	},
	{
		name: "a guest, and a spare that does nothing", property: "spares-used", facts: spareFacts,
		complete: true,
		events:   []trace.Event{runsOn(c, y)},
		want:     "c runs y beside its own ranks, and spare RP runs none",
	},
	{
		name: "a guest, and a spare that has failed", property: "spares-used", facts: spareFacts,
		complete: true,
		events:   []trace.Event{crashed(rp), runsOn(c, y)},
	},
	{
		name: "at home, and a spare that does nothing", property: "spares-used", facts: spareFacts,
		complete: true,
		events:   []trace.Event{runsOn(c, x)},
	},
}

// Aim: where ranks run is judged. Method: as above.
func TestHosting(t *testing.T) { judge(t, hostingCases) }
