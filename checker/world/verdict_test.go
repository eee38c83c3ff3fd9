package world

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// asking is a system that compares verdicts that are remembered with those that are given anew.
type asking struct {
	*World
	t            *testing.T
	broken, kept int
}

func (a *asking) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	a.World.Expand(state, reduce, x)
	for i := range x.Steps {
		x.Steps[i].Violation = 0 // the search is to go on
	}
	var plans []*plan
	for p := range core.Proc(a.procs) {
		plans = append(plans, a.plan(p, state[procWord(p)]))
	}
	for p, pl := range plans {
		p := core.Proc(p)
		for i := range pl.events {
			e := &pl.events[i]
			if e.care&judged == 0 {
				continue
			}
			anew := view{world: a.World, state: state, self: p}
			want := a.ask(&anew, a.transitions.at(e.step))
			for _, plans := range [][]*plan{nil, plans} {
				if got := a.judgeChecks(state, plans, p, e.step); got != want {
					a.t.Fatalf("remembered %d, given %d", got, want)
				}
			}
			if want == 0 {
				a.kept++
			} else {
				a.broken++
			}
		}
	}
}

// TestVerdicts: a verdict that is remembered is the one that the properties would give. Method: all
// states of a search, with a property that asks about one proc or two, whom and how many depends on
// what it sees.
func TestVerdicts(t *testing.T) {
	both := mustPair(t, "a: send b x; recv c\nb: recv a; send c y\nc: recv b; send a z",
		[]int{0, 1, 2}, 0)
	model := fault.Model{Failures: 1}
	facts := FactsOf(both.setup, &model, nil)
	winding := func(_ *spec.Facts, v spec.View, e trace.Event) string {
		next := v.Observed((e.Proc + 1) % 3)
		if next.Up && next.Incarnation == 0 && next.History != nil && next.History.Sent == 0 {
			return ""
		}
		other := v.Observed((e.Proc + 2) % 3)
		if other.History != nil && other.History.Sent > 0 {
			return "another has sent"
		}
		return ""
	}
	facts.Own = []spec.Property{{Name: "winding", Kind: spec.Always, Global: true, Doc: "winding",
		Event: winding}}
	w, err := New(Config{Setup: both.setup, Model: model, Facts: facts})
	if err != nil {
		t.Fatal(err)
	}
	a := &asking{World: w, t: t}
	search.Explore(t.Context(), a, checker.Options{All: true, MaxStates: 20_000})
	if a.broken < 100 || a.kept < 1000 {
		t.Errorf("%d verdicts broken, %d kept: too few to show anything", a.broken, a.kept)
	}
}

// TestVerdictsForget: when the memory is full it begins anew.
func TestVerdictsForget(t *testing.T) {
	v := &verdicts{}
	key := make([]uint32, 4, 4+mostAsked)
	n := uint32(0)
	for ; ; n++ {
		key = key[:4+n%mostAsked]
		key[0], key[2], key[3] = n, 0, 0
		for i := range n % mostAsked {
			key[2+i/32] |= 1 << (i % 32)
			key[4+i] = n * i
		}
		if !v.put(key, n) {
			break
		}
		if got, ok := v.get(key); !ok || got != int(n) {
			t.Fatalf("verdict %d is %d, %t", n, got, ok)
		}
	}
	if most := uint32(verdictChunk * verdictChunks / 5); n < most/mostAsked || n > most {
		t.Errorf("%d verdicts were kept", n)
	}
	if _, ok := v.get(key); ok {
		t.Error("there is a verdict that was not kept")
	}
}
