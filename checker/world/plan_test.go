package world

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// planned is the world of a small job, and one whose plans may take so many bytes.
func planned(t *testing.T, most int64) *World {
	t.Helper()
	both := mustPair(t, "a: send b x; recv c\nb: recv a; send c y\nc: recv b; send a z",
		[]int{0, 0, 1}, 0)
	w, err := New(Config{Setup: both.setup, Model: fault.Model{Failures: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w.mostPlanned = most
	return w
}

// TestPlansAreForgotten: a search whose plans find no room sees what one sees that keeps them all.
func TestPlansAreForgotten(t *testing.T) {
	all := planned(t, mostPlanned)
	want := search.Explore(t.Context(), all, checker.Options{}).Stats
	few := planned(t, 2000)
	got := search.Explore(t.Context(), few, checker.Options{}).Stats
	if got.States != want.States || got.Transitions != want.Transitions ||
		got.Terminals != want.Terminals || got.States < 1000 {
		t.Errorf("%+v, want as %+v", got, want)
	}
	for p := range all.configurations {
		kept, room := few.configurations[p].plans.bytes.Load(), int64(2000)
		if whole := all.configurations[p].plans.bytes.Load(); kept > room || whole < 2*room {
			t.Errorf("the plans of proc %d take %d bytes, all of them %d", p, kept, whole)
		}
	}
}

// visiting is a system that notes which configurations its states consist of.
type visiting struct {
	*World
	visited []map[uint32]bool
}

func (v visiting) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	for p := range core.Proc(v.procs) {
		v.visited[p][state[procWord(p)]] = true
	}
	v.World.Expand(state, reduce, x)
}

// TestConfigurationsAreVisited: what is met on the way from one state to the next has no number, or
// words of states would be wider than they need to be.
func TestConfigurationsAreVisited(t *testing.T) {
	v := visiting{World: planned(t, mostPlanned)}
	for range v.procs {
		v.visited = append(v.visited, map[uint32]bool{})
	}
	search.Explore(t.Context(), v, checker.Options{})
	met, visited := 0, 0
	for p := range v.configurations {
		met, visited = met+v.configurations[p].list.len(), visited+len(v.visited[p])
	}
	if met-visited > visited/50 || visited < 500 {
		t.Errorf("%d configurations were met, %d visited", met, visited)
	}
}
