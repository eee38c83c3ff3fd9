package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// undoFacts are those of a protocol whose failures undo what others have done.
func undoFacts(p promise.Promises) func() *spec.Facts {
	return func() *spec.Facts {
		f := exampleFacts()
		f.Layout.Clusters, f.Layout.Trees, f.Layout.Collectives = nil, nil, nil
		f.Promises, f.Outputting = p, true
		return f
	}
}

var (
	optimist = undoFacts(promise.Promises{RollsBack: promise.Dependents, Needs: promise.Piecewise,
		Undo: promise.Undoing{Orphans: true, Once: true}})
	unordered = undoFacts(promise.Promises{RollsBack: promise.All})
)

// goesBack is a rank that says so and rolls back.
func goesBack(p trace.Proc, life trace.Incarnation, because trace.Proc, s,
	r uint32) []trace.Event {
	return []trace.Event{
		in(life, trace.Event{Kind: trace.Undone, Proc: p, Peer: because, Sent: s, Received: r}),
		in(life, trace.Event{Kind: trace.Crashed, Proc: p, Text: "rollback"}),
		restored(p, life+1, s, r)}
}

// other is the event with another payload.
func other(e trace.Event) trace.Event {
	e.Digest += 7
	return e
}

// allDone are the ends of all programs.
func allDone() []trace.Event { return run(finished(x, 1), finished(y, 2), finished(c, 3)) }

var undoneCases = []judged{
	{
		name: "a rank goes back and says nothing", property: "undone-said", facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			trace.Event{Kind: trace.Crashed, Proc: y, Text: "rollback"}),
		want: "y goes back and has not said whose failure makes it",
	},
	{
		name: "nobody has failed", property: "undone-said", facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), goesBack(y, 0, x, 0, 0)[:1]),
		want:   "y goes back because of x, which has not failed",
	},
	{
		name: "it goes on instead", property: "undone-said", facts: optimist, complete: true,
		events: run(crashed(x), restored(x, 1, 0, 0), goesBack(y, 0, x, 0, 0)[:1]),
		want:   "y has said that it goes back, and never has",
	},
	{
		name: "back to where it has never been", property: "undone-said", facts: optimist,
		events: run(crashed(x), restored(x, 1, 0, 0), goesBack(y, 0, x, 1, 0)[:1]),
		want:   "y, at 0 sent and 0 delivered, says that it goes back to 1 and 0",
	},
	{
		name: "the second time it says nothing", property: "undone-said", facts: optimist,
		events: run(crashed(x), restored(x, 1, 0, 0), goesBack(y, 0, x, 0, 0),
			in(1, trace.Event{Kind: trace.Crashed, Proc: y, Text: "rollback"})),
		want: "y goes back and has not said whose failure makes it",
	},
	{
		name: "one after the other", property: "undone-said", facts: optimist, complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			goesBack(y, 0, x, 0, 0), goesBack(c, 0, y, 0, 0)),
	},
	{
		name: "it fails before it goes back", property: "undone-said", facts: optimist,
		complete: true,
		events: run(crashed(x), goesBack(y, 0, x, 0, 0)[:1], crashed(y), restored(y, 1, 0, 0),
			restored(x, 1, 0, 0)),
	},
	{
		name: "who has failed goes back farther", property: "undone-said", facts: optimist,
		events: run(crashed(x), restored(x, 1, 0, 0),
			in(1, trace.Event{Kind: trace.Crashed, Proc: x, Text: "rollback"})),
	},
	{
		name: "twice for one failure", property: "back-once", facts: optimist,
		events: run(crashed(x), restored(x, 1, 0, 0), goesBack(y, 0, x, 0, 0),
			goesBack(y, 1, x, 0, 0)[:2]),
		want: "y goes back 2 times for 1 failures",
	},
	{
		name: "the rollback of another one is no failure", property: "back-once", facts: optimist,
		events: run(crashed(x), restored(x, 1, 0, 0), goesBack(c, 0, x, 0, 0),
			goesBack(y, 0, c, 0, 0), goesBack(y, 1, x, 0, 0)[:2]),
		want: "y goes back 2 times for 1 failures",
	},
	{
		name: "the failure of a pair is one", property: "back-once",
		facts: func() *spec.Facts {
			f := optimist()
			f.Layout.Groups = map[trace.Proc][]trace.Proc{x: {x, c}, c: {x, c}}
			return f
		},
		events: run(crashed(x), crashed(c), restored(x, 1, 0, 0), goesBack(y, 0, x, 0, 0),
			restored(c, 1, 0, 0), goesBack(y, 1, c, 0, 0)[:2]),
		want: "y goes back 2 times for 1 failures",
	},
	{
		name: "twice for two failures, one of them of who is down", property: "back-once",
		facts: optimist,
		events: run(crashed(x), restored(x, 1, 0, 0), goesBack(y, 0, x, 0, 0), crashed(c),
			goesBack(y, 1, c, 0, 0)),
	},
	{
		name: "the recovery process fails, too", property: "back-once", facts: optimist,
		events: run(crashed(x), restored(x, 1, 0, 0), goesBack(y, 0, x, 0, 0), crashed(rp),
			restored(rp, 1, 0, 0), goesBack(y, 1, rp, 0, 0)),
	},
	{
		name: "who has heard nothing", property: "dependents-only", facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			goesBack(c, 0, x, 0, 0)[:2]),
		want: "c goes back, and depends on nothing that is lost",
	},
	{
		name: "what it has received is not lost", property: "dependents-only", facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 1, 0),
			goesBack(y, 0, x, 0, 0)[:2]),
		want: "y goes back, and depends on nothing that is lost",
	},
	{
		name: "who sent it", property: "dependents-only", facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(y), restored(y, 1, 0, 0),
			goesBack(x, 0, y, 0, 0)[:2]),
		want: "x goes back, and depends on nothing that is lost",
	},
	{
		name: "a chain", property: "dependents-only", facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), sent(m3, c), delivered(c, m3, 0), crashed(x),
			restored(x, 1, 0, 0), goesBack(c, 0, x, 0, 0), goesBack(y, 0, x, 0, 0)),
	},
	{
		name: "nobody knows what who is down had sent", property: "dependents-only",
		facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), goesBack(y, 0, x, 0, 0),
			restored(x, 1, 0, 0)),
	},
	{
		name: "it is sent again meanwhile", property: "dependents-only", facts: optimist,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			in(1, other(sent(m2, y))), goesBack(y, 0, x, 0, 0)),
	},
	{
		name: "with a mate", property: "dependents-only",
		facts: func() *spec.Facts {
			f := optimist()
			f.Layout.Clusters = []int{0, 1, 1}
			return f
		},
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			goesBack(c, 0, x, 0, 0)),
	},
	{
		name: "its sender never sends it", property: "orphans-end", facts: optimist, complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0), allDone()),
		want: "y is an orphan to the end: it has received m2, which x has not sent since it " +
			"went back",
	},
	{
		name: "its sender sends something else", property: "orphans-end", facts: optimist,
		complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			in(1, other(sent(m2, y))), allDone()),
		want: "y is an orphan to the end: it has received m2 with payload 1, and x has sent " +
			"another one under this name since it went back",
	},
	{
		name: "its sender sends it to somebody else", property: "orphans-end", facts: optimist,
		complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			in(1, sent(m2, c)), allDone()),
		want: "y is an orphan to the end: it has received m2 with payload 1, and x has sent " +
			"another one under this name since it went back",
	},
	{
		name: "it has gone back, and received the other one", property: "orphans-end",
		facts: optimist, complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			in(1, other(sent(m2, y))), goesBack(y, 0, x, 0, 0), in(1, other(delivered(y, m2, 0))),
			allDone()),
	},
	{
		name: "its sender sends the same again", property: "orphans-end", facts: optimist,
		complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), sent(m3, c), delivered(c, m3, 0), crashed(x),
			restored(x, 1, 0, 0), in(1, sent(m2, y)), allDone()),
	},
	{
		name: "an orphan that can not go on is for another property", property: "orphans-end",
		facts: optimist, complete: true,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			finished(y, 2), finished(c, 3)),
	},
	{
		name: "a program that nothing makes deterministic", property: "no-orphan",
		facts: unordered,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), restored(x, 1, 0, 0),
			in(1, other(sent(m2, y)))),
		want: "y is an orphan: it has received m2 with payload 1, which x now sends to y with " +
			"payload 8",
	},
	{
		name: "all go back, and then another one is sent", property: "no-orphan", facts: unordered,
		events: run(sent(m2, y), delivered(y, m2, 0), crashed(x), crashed(y), restored(x, 1, 0, 0),
			in(1, other(sent(m2, y))), restored(y, 1, 0, 0), in(1, other(delivered(y, m2, 0)))),
	},
}

func TestUndone(t *testing.T) { judge(t, undoneCases) }

// TestUndoneApplies: whom a failure may make an orphan for a while is judged at the end, all others
// at once.
func TestUndoneApplies(t *testing.T) {
	for _, tt := range []struct {
		promises promise.Promises
		want     []string // of these properties
	}{
		{promise.Promises{}, nil},
		{promise.Promises{RollsBack: promise.Cluster}, []string{"no-orphan"}},
		{promise.Promises{Needs: promise.Piecewise}, []string{"no-orphan"}},
		{promise.Promises{Needs: promise.SendDeterministic, RollsBack: promise.Cluster}, nil},
		{optimist().Promises, []string{"back-once", "dependents-only", "orphans-end",
			"undone-said"}},
		{promise.Promises{RollsBack: promise.Dependents,
			Undo: promise.Undoing{Orphans: true, Maximal: true}}, []string{"orphans-end",
			"undone-said"}},
		{promise.Promises{RollsBack: promise.Dependents, Needs: promise.SendDeterministic},
			nil},
		{promise.Promises{RollsBack: promise.All, Policies: []promise.Policy{{}}}, nil},
	} {
		f := undoFacts(tt.promises)()
		var got []string
		for _, name := range []string{"back-once", "dependents-only", "no-orphan", "orphans-end",
			"undone-said"} {
			if p := property(t, name); p.Applies(f) {
				got = append(got, name)
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("%+v: %v, want %v", tt.promises, got, tt.want)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%+v: %v, want %v", tt.promises, got, tt.want)
			}
		}
	}
}
