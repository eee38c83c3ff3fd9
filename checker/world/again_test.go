package world

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// TestSetShowsAgain: in a set p1 gets one message again, and all that it sends then is on its way
// already, so that the state stays. What it shows is shown to properties all the same, which look
// at others as they are now: p2 is in its second life only when p1 shows it for the second time.
func TestSetShowsAgain(t *testing.T) {
	toy := newToy(3, 2, 2)
	toy.visible[1] = true
	toy.on(0, 0, 2+toyStart, 0, toySend{1, 0})
	toy.on(1, 0, 0, 0, toySend{2, 1})
	toy.rules[2][0][1] = toyRule{rollback: true}
	toy.on(2, 0, 2+toyRestore, 1)
	late := func(v spec.View, e trace.Event) string {
		if e.Kind == trace.Emitted && e.Proc == 1 && v.Observed(2).Incarnation > 0 {
			return "p2 is in its second life"
		}
		return ""
	}
	always := spec.Property{Name: "late", Kind: spec.Always, Global: true,
		Event: func(_ *spec.Facts, v spec.View, e trace.Event) string { return late(v, e) }}
	looks := spec.Property{Name: "late", Kind: spec.Monitor, Watched: []trace.Kind{trace.Emitted},
		Looked: []trace.Kind{trace.Emitted}, Memory: &spec.Remembers[core.Proc]{
			Observe: func(*spec.Facts, *core.Proc, trace.Event) string { return "" },
			Look: func(_ *spec.Facts, v spec.View, _ *core.Proc, e trace.Event) string {
				return late(v, e)
			}}}
	silent := spec.Property{Name: "silent", Kind: spec.Monitor,
		Watched: []trace.Kind{trace.Emitted}, Memory: &spec.Remembers[core.Proc]{
			Observe: func(*spec.Facts, *core.Proc, trace.Event) string { return "" }}}
	for name, own := range map[string][]spec.Property{"always": {always},
		"always, with a monitor": {always, silent}, "a monitor that looks": {looks}} {
		setup := toy.setup()
		w, err := New(Config{Setup: setup, Model: fault.Model{Set: true}, Facts: &spec.Facts{
			Layout:   &trace.Layout{Names: setup.Layout.Names},
			Promises: promise.Promises{RollsBack: promise.All}, Own: own}})
		if err != nil {
			t.Fatal(err)
		}
		r := search.Explore(t.Context(), w, checker.Options{})
		if len(r.Found) != 1 || r.Found[0].Property != "late" {
			t.Errorf("%s: %v, %v in %d states", name, r.Verdict, r.Found, r.States)
		}
	}
}
