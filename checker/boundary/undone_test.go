package boundary_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// undoing are the properties of protocols whose failures undo what ranks that live have done, or
// that let outputs out. Who goes back, when, and what it declares about that, is decided inside
// their machines: their errata and mutants explore it. Here two ranks show what each property
// catches.
var undoing = []struct {
	property     string
	promises     promise.Promises
	broken, near []trace.Event
	complete     bool
}{
	{
		property: "undone-said",
		promises: promise.Promises{Undo: promise.Undoing{Orphans: true}},
		broken:   []trace.Event{failsA, restartsA, returnsB},
		near:     []trace.Event{failsA, restartsA, undoneB, returnsB},
	},
	{
		property: "back-once",
		promises: promise.Promises{Undo: promise.Undoing{Once: true}},
		broken:   []trace.Event{failsA, restartsA, returnsB, restartsB, returnsB},
		near:     []trace.Event{failsA, restartsA, returnsB, restartsB},
	},
	{
		property: "dependents-only", promises: promise.Promises{RollsBack: promise.Dependents},
		broken: []trace.Event{sends1, failsA, restartsA, returnsB},
		near:   []trace.Event{sends1, takes1, failsA, restartsA, returnsB},
	},
	{
		property: "line-kept", promises: promise.Promises{Undo: promise.Undoing{Maximal: true}},
		broken: []trace.Event{sends1, imageA, failsA, restartsA},
		near:   []trace.Event{sends1, failsA, restartsA},
	},
	{
		property: "line-declared",
		promises: promise.Promises{Undo: promise.Undoing{Maximal: true}},
		broken: []trace.Event{sends1, takes1, failsA, restartsA, lined(a, trace.LineBack, 0, 0),
			lined(b, trace.LineStays, 0, 1)},
		near: []trace.Event{sends1, takes1, failsA, restartsA, lined(a, trace.LineBack, 0, 0),
			lined(b, trace.LineBack, 0, 0)},
	},
	{
		property: "line-maximal",
		promises: promise.Promises{Undo: promise.Undoing{Maximal: true}},
		broken: []trace.Event{sends1, takes1, lined(a, trace.LineStays, 1, 0),
			lined(b, trace.LineBack, 0, 0)},
		near: []trace.Event{sends1, takes1, lined(a, trace.LineStays, 1, 0),
			lined(b, trace.LineStays, 0, 1)},
	},
	{
		property: "forced-before-delivery", complete: true,
		promises: promise.Promises{Undo: promise.Undoing{Indexed: true}},
		broken:   []trace.Event{sends1, takesIndexed},
		near:     []trace.Event{sends1, imageB, takesIndexed},
	},
	{
		property: "no-useless-image", complete: true,
		promises: promise.Promises{Undo: promise.Undoing{Indexed: true}},
		broken:   []trace.Event{sends1, takes1, laterB, returns1, takesAnswer},
		near:     []trace.Event{sends1, takes1, laterB},
	},
	{
		property: "outputs-kept", promises: promise.Promises{Outputs: promise.AtOnce},
		broken: []trace.Event{tellsA(0, 1), failsA, restartsA, tellsA(1, 2)},
		near:   []trace.Event{tellsA(0, 1), failsA, restartsA, tellsA(1, 1)},
	},
	{
		property: "output-in-line", promises: promise.Promises{Outputs: promise.WithTheLine},
		broken: []trace.Event{sends1, tellsA(0, 1)},
		near: []trace.Event{sends1, {Kind: trace.Committed, Proc: a, Sent: 1},
			tellsA(0, 1)},
	},
	{
		property: "orphans-end", complete: true,
		promises: promise.Promises{Undo: promise.Undoing{Orphans: true}},
		broken:   []trace.Event{sends1, takes1, failsA, restartsA, endsA, endsB},
		near: []trace.Event{sends1, takes1, failsA, restartsA, undoneB, returnsB, restartsB, endsA,
			endsB},
	},
}

// What two ranks do: a sends to b and fails, and b goes back.
var (
	takes1    = trace.Event{Kind: trace.Delivered, Proc: b, Peer: a, ID: sends1.ID}
	failsA    = trace.Event{Kind: trace.Crashed, Proc: a}
	restartsA = trace.Event{Kind: trace.Restored, Proc: a, Incarnation: 1}
	imageA    = trace.Event{Kind: trace.Imaged, Proc: a, Sent: 1}
	imageB    = trace.Event{Kind: trace.Imaged, Proc: b, Stamp: trace.Stamp{Phase: 1}}
	laterB    = trace.Event{Kind: trace.Imaged, Proc: b, Received: 1, Stamp: trace.Stamp{Phase: 1}}
	undoneB   = trace.Event{Kind: trace.Undone, Proc: b, Peer: a}
	returnsB  = trace.Event{Kind: trace.Crashed, Proc: b, Text: "rollback"}
	restartsB = trace.Event{Kind: trace.Restored, Proc: b, Incarnation: 1}
	endsA     = trace.Event{Kind: trace.Finished, Proc: a, Incarnation: 1, Digest: 1}
	endsB     = trace.Event{Kind: trace.Finished, Proc: b, Incarnation: 1, Digest: 2}
)

// A message that has an index, and an answer of b.
var (
	takesIndexed = trace.Event{Kind: trace.Delivered, Proc: b, Peer: a, ID: sends1.ID,
		Stamp: trace.Stamp{Phase: 1}}
	returns1 = trace.Event{Kind: trace.Sent, Proc: b, Peer: a,
		ID: trace.MsgID{From: 1, Number: 1}}
	takesAnswer = trace.Event{Kind: trace.Delivered, Proc: a, Peer: b, ID: returns1.ID}
)

// tellsA is an output of a, after one send.
func tellsA(life trace.Incarnation, digest uint64) trace.Event {
	return trace.Event{Kind: trace.Released, Proc: a, Incarnation: life, Digest: digest,
		Sent: 1}
}

// lined is what b declares of a rank.
func lined(p trace.Proc, what string, sent, received uint32) trace.Event {
	return trace.Event{Kind: trace.Lined, Proc: b, Peer: p, Text: what, Sent: sent,
		Received: received}
}

// Aim: the properties of protocols that undo what others have done catch something, and not what is
// as it should be. Method: hand-written traces.
func TestUndoingIsJudged(t *testing.T) {
	for _, tt := range undoing {
		t.Run(tt.property, func(t *testing.T) {
			f := &spec.Facts{Layout: &trace.Layout{Names: []string{"a", "b"}, Ranks: 2},
				Promises: tt.promises, Outputting: true}
			p, ok := propertyOf(tt.property)
			if !ok || !p.Applies(f) {
				t.Fatalf("there is no property %s of such a protocol", tt.property)
			}
			for _, events := range [][]trace.Event{tt.broken, tt.near} {
				found, err := spec.Judge(f, &trace.Trace{Layout: *f.Layout, Events: events},
					[]spec.Property{p}, tt.complete)
				if err != nil {
					t.Fatal(err)
				}
				if want := &events[0] == &tt.broken[0]; want != (len(found) > 0) {
					t.Errorf("found %v, want a violation: %t", found, want)
				}
			}
		})
	}
}

// propertyOf is the property of the house with the name.
func propertyOf(name string) (spec.Property, bool) {
	for _, p := range spec.Properties() {
		if p.Name == name {
			return p, true
		}
	}
	return spec.Property{}, false
}
