package spec_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

func watches(p, q trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Watched, Proc: p, Peer: q}
}

func asks(p trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Emitted, Proc: p, Peer: rp, Text: "WhereIs"}
}

func says(p trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Declared, Proc: p, Text: "no spare"}
}

func declares(p trace.Proc, text string) trace.Event {
	return trace.Event{Kind: trace.Declared, Proc: p, Text: text}
}

func recovers(p trace.Proc, life trace.Incarnation) trace.Event {
	return trace.Event{Kind: trace.Recovered, Proc: p, Incarnation: life}
}

// threeFacts are those of ranks whose nodes at the start are both gone.
func threeFacts() *spec.Facts {
	f := hostingFacts()
	f.Layout.Nodes = []trace.Proc{5, 6}
	return f
}

// roomyFacts makes rp a spare with room for one rank, and c the node of both ranks.
func roomyFacts() *spec.Facts {
	f := spareFacts()
	f.Layout.Nodes, f.Layout.Room = []trace.Proc{y, y}, 1
	return f
}

// lateFacts are spareFacts with a spare that comes later.
func lateFacts() *spec.Facts {
	f := spareFacts()
	f.Layout.Late = f.Layout.Spares
	return f
}

// In a run with two nodes and two ranks, a rank may ask three times where the other one is.
var watchingCases = []judged{
	{
		name: "watched by nobody", property: "nodes-watched", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), watches(c, rp)},
		want:   "nobody watches c, on which x runs, so its failure would not be noticed",
	},
	{
		name: "watched by itself", property: "nodes-watched", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), watches(c, c)},
		want:   "nobody watches c, on which x runs, so its failure would not be noticed",
	},
	{
		name: "watched once", property: "nodes-watched", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), watches(rp, c),
			{Kind: trace.Unwatched, Proc: rp, Peer: c}},
		want: "nobody watches c, on which x runs, so its failure would not be noticed",
	},
	{
		name: "watched again", property: "nodes-watched", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), watches(rp, c),
			{Kind: trace.Unwatched, Proc: rp, Peer: c}, watches(rp, c), watches(rp, c)},
	},
	{
		name: "nobody runs there", property: "nodes-watched", facts: hostingFacts, complete: true,
		events: []trace.Event{watches(c, rp)},
	},
	{
		name: "nobody else is left", property: "nodes-watched", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), crashed(rp)},
	},
	{
		name: "once too often", property: "reach", facts: hostingFacts,
		events: []trace.Event{asks(x), asks(x), asks(x), asks(x)},
		want:   "x has asked 4 times where another rank is, and nobody has moved meanwhile",
	},
	{
		name: "again, in a new life", property: "reach", facts: hostingFacts,
		events: []trace.Event{asks(x), asks(x), asks(x), asks(y), restored(x, 1, 0, 0), asks(x),
			asks(x), asks(x)},
	},
	{
		name: "once too often in a new life", property: "reach", facts: hostingFacts,
		events: []trace.Event{asks(x), restored(x, 1, 0, 0), asks(x), asks(x), asks(x), asks(x)},
		want:   "x has asked 4 times where another rank is, and nobody has moved meanwhile",
	},
	{
		name: "once too often, another one in a new life", property: "reach", facts: hostingFacts,
		events: []trace.Event{asks(x), asks(x), asks(x), asks(y), restored(y, 1, 0, 0), asks(x)},
		want:   "x has asked 4 times where another rank is, and nobody has moved meanwhile",
	},
	{
		name: "no node", property: "reach", facts: hostingFacts,
		events: []trace.Event{asks(x), {Kind: trace.Emitted, Proc: x, Peer: y, Text: "WhereIs"}},
		want:   "x asks y, which is no node, where another rank is",
	},
	{
		name: "two who ask, and a move between", property: "reach", facts: hostingFacts,
		events: []trace.Event{asks(x), asks(y), asks(x), asks(x), asks(y), asks(y), runsOn(c, y),
			asks(x), asks(x), asks(x)},
	},
	{
		name: "two nodes at the end", property: "hosts-settle", facts: hostingFacts, complete: true,
		events: []trace.Event{runsOn(c, x), runsOn(rp, x), runsOn(rp, y)},
		want:   "c and RP have both adopted x, and neither gives it up",
	},
	{
		name: "two nodes, of which one gives it up", property: "hosts-settle", facts: hostingFacts,
		complete: true,
		events: []trace.Event{runsOn(c, x), runsOn(rp, x), runsOn(rp, y),
			{Kind: trace.Disowned, Proc: c, Peer: x}},
	},
	{
		name: "in silence", property: "degradation-said", facts: spareFacts,
		events: []trace.Event{runsOn(c, x), runsOn(c, y)},
		want:   "y becomes a guest of c, and nobody has said that no spare is left",
	},
	{
		name: "said before", property: "degradation-said", facts: spareFacts,
		events: []trace.Event{runsOn(c, x), says(c), crashed(c), runsOn(c, y)},
	},
	{
		name: "said once, for two nodes", property: "degradation-said", facts: threeFacts,
		events: []trace.Event{says(rp), runsOn(c, x), runsOn(rp, y)},
		want:   "y becomes a guest of RP, and nobody has said that no spare is left",
	},
	{
		name: "said by each of two", property: "degradation-said", facts: threeFacts,
		events: []trace.Event{says(rp), says(c), runsOn(c, x), runsOn(rp, y)},
	},
	{
		name: "said by one, twice, between", property: "degradation-said", facts: threeFacts,
		events: []trace.Event{says(rp), runsOn(c, x), says(rp), runsOn(rp, y)},
	},
	{
		name: "said once, for two ranks of one node", property: "degradation-said",
		facts: func() *spec.Facts {
			f := hostingFacts()
			f.Layout.Nodes, f.Layout.Kinds["no spare"] = []trace.Proc{rp, rp}, trace.Shares
			return f
		},
		events: []trace.Event{says(rp), runsOn(c, x), runsOn(c, y)},
	},
	{
		name: "something else was said", property: "degradation-said", facts: spareFacts,
		events: []trace.Event{declares(c, "leaves"), declares(c, "alone"), runsOn(c, y)},
		want:   "y becomes a guest of c, and nobody has said that no spare is left",
	},
	{
		name: "while a spare from the start is free", property: "spares-asked", facts: spareFacts,
		events: []trace.Event{runsOn(c, x), says(c)},
		want:   "c says that no spare is left, and spare RP runs none",
	},
	{
		name: "while who has entered is free", property: "spares-asked", facts: lateFacts,
		events: []trace.Event{declares(rp, "enters"), runsOn(c, x), says(c)},
		want:   "c says that no spare is left, and spare RP runs none",
	},
	{
		name: "while who comes later has not entered", property: "spares-asked", facts: lateFacts,
		events: []trace.Event{runsOn(c, x), watches(rp, c), says(c), declares(rp, "enters")},
	},
	{
		name: "while the spare is busy", property: "spares-asked", facts: spareFacts,
		events: []trace.Event{runsOn(rp, y), says(c)},
	},
	{
		name: "while the spare is down, or back", property: "spares-asked", facts: spareFacts,
		events: []trace.Event{crashed(rp), says(c), restored(rp, 1, 0, 0), says(c)},
	},
	{
		name: "while the spare has no room", property: "spares-asked", facts: roomyFacts,
		events: []trace.Event{says(c)},
	},
	{
		name: "before what it has done is saved", property: "leaves-nothing", facts: hostingFacts,
		events: []trace.Event{runsOn(c, y), sent(m3, x), declares(c, "leaves")},
		want:   "c leaves, and the recovery line of y is at 0 sent, 0 delivered, of 1 and 0",
	},
	{
		name: "before what it has received is saved", property: "leaves-nothing",
		facts: hostingFacts,
		events: []trace.Event{runsOn(c, y), sent(m3, x), committed(y, 1, 0), delivered(y, m2, 0),
			declares(c, "leaves")},
		want: "c leaves, and the recovery line of y is at 1 sent, 0 delivered, of 1 and 1",
	},
	{
		name:     "behind a checkpoint, with one who is down and one who is elsewhere",
		property: "leaves-nothing", facts: hostingFacts,
		events: []trace.Event{runsOn(c, y), runsOn(rp, x), sent(m2, y), sent(m3, x),
			delivered(y, m2, 0), committed(y, 1, 1), declares(c, "leaves")},
	},
	{
		name: "of a rank that has failed on its own", property: "leaves-nothing",
		facts: hostingFacts,
		events: []trace.Event{runsOn(c, y), committed(y, 0, 0), crashed(y), restored(y, 1, 0, 0),
			in(1, delivered(y, m2, 0)), declares(c, "leaves")},
	},
	{
		name: "no checkpoint at the end", property: "recovery-saved", facts: hostingFacts,
		complete: true,
		events: []trace.Event{crashed(y), restored(y, 1, 0, 0), in(1, committed(y, 0, 0)),
			recovers(y, 1)},
		want: "y has recovered and taken no checkpoint since",
	},
	{
		name: "a checkpoint of somebody else", property: "recovery-saved", facts: hostingFacts,
		complete: true,
		events: []trace.Event{crashed(y), restored(y, 1, 0, 0), recovers(y, 1),
			committed(x, 0, 0)},
		want: "y has recovered and taken no checkpoint since",
	},
	{
		name: "a checkpoint, or another failure first", property: "recovery-saved",
		facts: hostingFacts, complete: true,
		events: []trace.Event{crashed(y), restored(y, 1, 0, 0), recovers(y, 1), crashed(y),
			restored(y, 2, 0, 0), recovers(y, 2), in(2, committed(y, 0, 0))},
	},
	{
		name: "at home, and on a spare", property: "degradation-said", facts: spareFacts,
		events: []trace.Event{runsOn(c, x), runsOn(rp, x), runsOn(rp, y)},
	},
	{
		name: "a guest, and a spare without room", property: "spares-used", facts: roomyFacts,
		complete: true,
		events:   []trace.Event{runsOn(c, y)},
	},
	{
		name: "a guest, and a spare that came later", property: "spares-used", facts: lateFacts,
		complete: true,
		events:   []trace.Event{runsOn(c, y)},
	},
}

// Aim: who watches whom, and what observers and nodes have to say, is judged. Method: as above.
func TestWatching(t *testing.T) { judge(t, watchingCases) }

// Aim: a holding knows whom its proc watches and what it has said. Method: events in any number and
// order.
func TestWatchesAndDeclarations(t *testing.T) {
	var h trace.Holding
	for _, e := range []trace.Event{watches(c, y), watches(c, x), watches(c, y), says(c), says(c),
		{Kind: trace.Unwatched, Proc: c, Peer: y}, {Kind: trace.Unwatched, Proc: c, Peer: rp}} {
		h.Apply(e)
	}
	if !slices.Equal(h.Watches, []trace.Proc{x}) || !slices.Equal(h.Said, []string{"no spare"}) {
		t.Errorf("watches %v, has said %q", h.Watches, h.Said)
	}
}
