package spec_test

import (
	"errors"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// again is a copy that leaves out of a log.
func again(e trace.Event) trace.Event {
	e.Again = true
	return e
}

// replays is the notice that an orphan was sent again; y has just sent it.
func replays(p trace.Proc, phase, round uint64) trace.Event {
	return trace.Event{Kind: trace.Emitted, Proc: p, Peer: rp, Text: "OrphanDone",
		Stamp: trace.Stamp{Phase: phase, Round: round}}
}

// unlike are the facts of a program that is no application of the abstract HydEE.
func unlike() *spec.Facts {
	f := exampleFacts()
	f.Abstract, f.Unlike = nil, errors.New("messages wait for each other")
	return f
}

var refinesCases = []judged{
	{
		name: "above an orphan", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), emitted(m7, y, 2, 1)),
		want: "c (life 0) sends m7, of phase 2, and orphan m3 of phase 1, received by c (life " +
			"0), is not sent again by y (life 1)",
	},
	{
		name: "above an orphan, out of a log", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), again(emitted(m7, y, 2, 1))),
		want: "c (life 0) sends m7 again, of phase 2, and orphan m3 of phase 1, received by c " +
			"(life 0), is not sent again by y (life 1)",
	},
	{
		name: "before what it depends on, whoever is between", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(x, 1)), emitted(m7, y, 2, 1)),
		want: "c (life 0) sends m7, which depends on m2, and x (life 1) has not sent that " +
			"again",
	},
	{
		name: "when all is sent again", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(x, 1)), in(1, joins(y, 1)), in(1, sent(m2, y)),
			in(1, delivered(y, m2, 1)), in(1, sent(m3, c)), emitted(m7, y, 2, 1)),
	},
	{
		name: "the orphan itself", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(x, 1)), in(1, joins(y, 1)), in(1, sent(m2, y)),
			in(1, delivered(y, m2, 1)), in(1, sent(m3, c)), in(1, replays(y, 1, 1))),
	},
	{
		name: "the orphan itself, without what it needs", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(x, 1)), in(1, joins(y, 1)), in(1, sent(m2, y)),
			in(1, sent(m3, c)), in(1, replays(y, 1, 1))),
		want: "y (life 1) sends m3, and has not received m2",
	},
	{
		name: "without what it needs, in no round", property: "refines",
		events: []trace.Event{sent(m3, c), emitted(m3, c, 1, 0)},
		want:   "y (life 0) sends m3, and has not received m2",
	},
	{
		name: "of an older round", property: "refines",
		events: failedPair(in(1, joins(y, 1)), emitted(m7, y, 2, 0)),
	},
	{
		name: "before anybody is back", property: "refines",
		events: failedPair(joins(c, 1), emitted(m7, y, 2, 1)),
	},
	{
		name: "out of a log, and never sent", property: "refines",
		events: []trace.Event{again(emitted(m7, y, 2, 0))},
		want:   "c (life 0) sends m7 again, and has not sent it",
	},
	{
		name: "what no run sends", property: "refines",
		events: []trace.Event{emitted(x2, y, 9, 0)},
	},
	{
		name: "a gate above an orphan", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), announces(2, 1)),
		want: "RP (life 0) allows sends above phase 1, and orphan m3 of phase 1, received by c " +
			"(life 0), is not sent again by y (life 1)",
	},
	{
		name: "a gate at the orphan", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), announces(1, 1)),
	},
	{
		name: "a gate of a round that is over", property: "refines",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), joins(c, 2), announces(2, 1)),
	},
	{
		name: "an orphan inside a cluster", property: "refines",
		events: []trace.Event{sent(m2, y), emitted(m2, y, 1, 0), delivered(y, m2, 1), crashed(x),
			crashed(y), restored(x, 1, 0, 0), restored(y, 1, 0, 1), joins(rp, 1),
			in(1, joins(x, 1)), in(1, joins(y, 1)), announces(1, 1)},
		want: "RP (life 0) allows sends above phase 1, and orphan m2 of phase 1, received by y " +
			"(life 1), is not sent again by x (life 1): their cluster is on no recovery line",
	},
	{
		name: "a program that is no application", property: "refines", facts: unlike,
		events: []trace.Event{emitted(m2, y, 1, 0)},
		want:   "messages wait for each other",
	},
	{
		name: "in order", property: "refines-arrivals",
		events: []trace.Event{delivered(y, m2, 1), sent(m3, c), delivered(y, m7, 2)},
	},
	{
		name: "a second time", property: "refines-arrivals",
		events: []trace.Event{delivered(y, m2, 1), delivered(y, m2, 1)},
		want:   "y (life 0) receives m2 a second time",
	},
	{
		name: "before what it depends on", property: "refines-arrivals",
		events: []trace.Event{delivered(y, m7, 2)},
		want:   "y (life 0) receives m7, which depends on m3, and has not sent that again",
	},
	{
		name: "what is for another rank", property: "refines-arrivals",
		events: []trace.Event{delivered(c, m7, 2), delivered(c, x2, 2)},
	},
}

// Aim: what a run does is held against the abstract HydEE, in what is known of its state. Method:
// the recovery of one failed cluster, stopped at different points.
func TestRefines(t *testing.T) { judge(t, refinesCases) }

// TestAbstract checks what is refused as an application, and that such programs are said to be so.
func TestAbstract(t *testing.T) {
	f := exampleFacts()
	f.Oracle.Before[m2] = []trace.MsgID{m7}
	_, err := spec.Abstract(f.Layout, f.Oracle)
	if want := "hydee: send 1 of rank 0 needs send 1 of rank 2, which nobody sends to it"; err ==
		nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
