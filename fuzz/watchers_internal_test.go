package fuzz

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/survivors"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: a rank that tries everything comes to its end, whoever dies, so that a run in which it does
// not is no fault of the program. Method: the reference goes through all runs of small programs
// that are drawn, with one death; where everybody watches nobody may be blocked. Programs with a
// rank that does not watch are counted, too: it stops, and others do not wait for it.
func TestWatchersEnd(t *testing.T) {
	shapes := everything(promise.Piecewise)
	shapes.MaxRanks, shapes.Items, shapes.Errors = 3, 5, true
	gen := cases(&scenarios.Scenario{Protocol: "p", Variant: "repaired"}, shapes)
	explored, watched := 0, 0
	for seed := range effort.Of(200, 400) {
		d := gen.Example(seed).draft
		if d.sees == nil || slices.Contains(d.styles, server) {
			continue
		}
		text := d.program()
		suite, err := script.Read(text, 1)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names), Trees: suite.Trees}
		found, err := survivors.Explore(t.Context(), survivors.Job{Layout: &layout,
			Programs: suite.Programs, Deaths: 1, States: 3000})
		if errors.Is(err, survivors.ErrBound) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		explored++
		if !slices.Contains(d.sees, false) {
			watched++
		}
		for key := range found.Finals {
			for ; key != ""; key = key[8:] {
				if strings.HasPrefix(key, "\x00\x00\x00\x00\x00\x00\x00\x02") {
					t.Fatalf("seed %d: somebody is blocked\n%s", seed, text)
				}
			}
		}
	}
	if explored < 30 || watched < 10 {
		t.Errorf("%d programs, in %d of them everybody watches", explored, watched)
	}
}
