package causal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// TestSets does the same to sets and to maps. Equal sets are equal words, no set changes another
// one, and of up to 64 ranks its JSON is a number.
func TestSets(t *testing.T) {
	rank := rapid.SampledFrom([]core.Rank{0, 1, 62, 63, 64, 65, 127, 128, 1000, 65_535})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "first")
		s, twin := first(n), map[core.Rank]bool{}
		for r := range core.Rank(n) {
			twin[r] = true
		}
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			r := rank.Draw(t, "rank")
			before := slices.Clone(s)
			old := s
			if s = s.less(r); rapid.Bool().Draw(t, "in") {
				s = s.with(r)
				twin[r] = true
			} else {
				delete(twin, r)
			}
			if !slices.Equal(old, before) {
				t.Fatalf("%x has changed, it was %x", old, before)
			}
			if s.has(r) != twin[r] || s.count() != len(twin) {
				t.Fatalf("%x, want %v", s, slices.Sorted(maps.Keys(twin)))
			}
			if len(s) > 0 && s[len(s)-1] == 0 || len(s) == 0 && s != nil {
				t.Fatalf("zeros at the end of %x", s)
			}
		}
		for r := range core.Rank(300) {
			if s.has(r) != twin[r] {
				t.Fatalf("%d in %x: %t", r, s, s.has(r))
			}
		}
		if rest := s.without(first(64)); rest.count() != s.count()-first(64).count()+
			first(64).without(s).count() {
			t.Fatalf("%x without the first 64 ranks is %x", s, rest)
		}
		if text, err := json.Marshal(s); err != nil ||
			len(s) == 1 && string(text) != fmt.Sprint(s[0]) {
			t.Fatalf("%s %v of %x", text, err, s)
		}
	})
}

// TestLives does the same to lives by rank and to those in pairs.
func TestLives(t *testing.T) {
	const ranks = 7
	rapid.Check(t, func(t *rapid.T) {
		few, many := holders{}, holders{many: true}
		a, b := few.noLives(ranks), many.noLives(ranks)
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			q := core.Rank(rapid.IntRange(0, ranks-1).Draw(t, "rank"))
			life := few.life(a, q) + core.Incarnation(rapid.IntRange(0, 2).Draw(t, "more"))
			few.live(&a, q, life)
			many.live(&b, q, life)
		}
		want := map[core.Rank]core.Incarnation{}
		for q, life := range few.lives(a) {
			if got := many.life(b, q); got != life {
				t.Fatalf("life %d of rank %d in %v, want %d as in %v", got, q, b, life, a)
			}
			if life > 0 {
				want[q] = life
			}
		}
		if got := maps.Collect(many.lives(b)); !maps.Equal(got, want) {
			t.Fatalf("%v has %v, want %v", b, got, want)
		}
	})
}

// TestManyAsFew explores programs of three ranks twice, once with what is kept of more than
// MaxRanks ranks: as no determinant needs more than three holders, there are as many states and the
// same verdict, with failures, with two at a time, and with checkpoints.
func TestManyAsFew(t *testing.T) {
	const crossing = "a: send c; recv * ordered; send b\n" +
		"b: send c; recv * ordered\nc: recv * ordered; recv * ordered; send a\n"
	const saving = "a: send b; checkpoint; recv b ordered\nb: recv a ordered; checkpoint; " +
		"send a; send c\nc: checkpoint; recv b ordered\n"
	for _, tt := range []struct {
		program string
		f       int
		model   fault.Model
	}{{crossing, 1, fault.Model{Failures: 1}}, {crossing, 2, fault.Model{Failures: 2, Overlap: 2}},
		{crossing, 1, fault.Model{Failures: 2, Overlap: 1, Unordered: true}},
		{saving, 1, fault.Model{Failures: 1}},
		{saving, 2, fault.Model{Failures: 2, Overlap: 2}}} {
		suite, err := script.Read(tt.program, 1)
		if err != nil {
			t.Fatal(err)
		}
		layout := trace.Layout{Names: suite.Names, Ranks: 3}
		baseline, err := none.NewSetup(layout, suite.Programs)
		if err != nil {
			t.Fatal(err)
		}
		var found [2]string
		for i := range found {
			setup, err := NewSetup(layout, suite.Programs, Options{F: tt.f,
				Unordered: tt.model.Unordered, many: i > 0})
			if err != nil {
				t.Fatal(err)
			}
			out, err := world.Check(t.Context(), world.Case{Setup: setup, Baseline: baseline,
				Model: tt.model}, checker.Options{MaxStates: effort.Of(3000, 60_000)})
			if err != nil {
				t.Fatal(err)
			}
			found[i] = fmt.Sprintf("%v, %d states, %d transitions, %v", out.Verdict, out.States,
				out.Transitions, out.Found)
		}
		if found[0] != found[1] {
			t.Errorf("%d failures at a time, %+v\n%s%s, kept as of many ranks %s", tt.f, tt.model,
				tt.program, found[0], found[1])
		}
		t.Log(found[0])
	}
}

// TestFewBytes: what ranks keep about up to 64 others is encoded as a list by rank.
func TestFewBytes(t *testing.T) {
	few := holders{}
	s := few.noLives(3)
	few.live(&s, 1, 4)
	if got, want := core.Encode(s), core.Encode([]core.Incarnation{0, 4, 0}); !bytes.Equal(got,
		want) {
		t.Errorf("% x, want % x", got, want)
	}
}
