package twophase_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// published are the numbers of distinct states that others give for this specification, by the
// number of resource managers.
var published = []struct {
	resources, states int
	large             bool
}{{3, 288, false}, {5, 8_832, false}, {7, 296_448, false}, {9, 10_340_352, true}}

func newWorld(t testing.TB, o twophase.Options) *world.World {
	t.Helper()
	setup, err := twophase.NewSetup(o)
	if err != nil {
		t.Fatal(err)
	}
	m := fault.Model{Set: true}
	w, err := world.New(world.Config{Setup: setup, Model: m, Facts: world.FactsOf(setup, &m, nil),
		Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestPublishedCounts compares the numbers of states with the published ones, in every mode of the
// search: orders, workers.
func TestPublishedCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range published {
		if tt.large && !effort.Huge() || tt.resources > 5 && !effort.Long() {
			continue
		}
		var modes []checker.Options
		for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
			for _, workers := range []int{1, 2} {
				modes = append(modes, checker.Options{Order: order, Workers: workers})
			}
		}
		if tt.large {
			modes = []checker.Options{{}}
		}
		for _, o := range modes {
			t.Run(fmt.Sprintf("resources=%d/order=%d/workers=%d", tt.resources, o.Order,
				o.Workers), func(t *testing.T) {
				w := newWorld(t, twophase.Options{Resources: tt.resources})
				r := search.Explore(t.Context(), w, o)
				if r.Verdict != spec.Holds || r.States != tt.states {
					t.Errorf("%v with %d states, published are %d; %v", r.Verdict, r.States,
						tt.states, r.Found)
				}
				seen, _ := w.Seen()
				if diff := cmp.Diff([]string{"decides-abort", "decides-commit"}, seen); diff != "" {
					t.Errorf("guards that were seen (-want +got):\n%s", diff)
				}
				t.Logf("%d states, %d transitions, %d ends", r.States, r.Transitions, r.Terminals)
			})
		}
	}
}

// TestHasty checks that the broken variant is found out by a shortest run: all but one prepare and
// are heard, the last one aborts.
func TestHasty(t *testing.T) {
	for resources, steps := range map[int]int{1: 2, 2: 4, 3: 6, 4: 8} {
		w := newWorld(t, twophase.Options{Resources: resources, Hasty: true})
		r := search.Explore(t.Context(), w, checker.Options{Order: checker.BreadthFirst})
		if len(r.Found) != 1 || r.Found[0].Property != "agreement" ||
			len(r.Found[0].Path) != steps {
			t.Errorf("%d resource managers: %+v, want agreement broken after %d steps", resources,
				r.Found, steps)
		}
	}
}

// TestEnds checks that every run ends with a decision of everybody: at an end nothing is left but
// messages that say what is known.
func TestEnds(t *testing.T) {
	w := newWorld(t, twophase.Options{Resources: 3})
	e := &ends{World: w, seen: map[string]int{}}
	search.Explore(t.Context(), e, checker.Options{})
	// The manager aborts knowing any of those that prepared: for each resource manager nothing was
	// said, it was not heard, or it was. It commits in one way.
	if diff := cmp.Diff(map[string]int{"abort": 27, "commit": 1}, e.seen); diff != "" {
		t.Errorf("ends by decision (-want +got):\n%s", diff)
	}
}

// ends notes what all procs have decided at the end of each run, "" when they differ.
type ends struct {
	*world.World
	seen map[string]int
}

// Terminal implements checker.System.
func (e *ends) Terminal(state []uint32) int {
	decisions := map[string]bool{}
	for p := range core.Proc(4) {
		var s struct{ Decision string }
		if err := json.Unmarshal(e.LocalJSON(state, p), &s); err != nil {
			panic(err)
		}
		decisions[s.Decision] = true
	}
	text := ""
	if len(decisions) == 1 {
		for text = range decisions {
		}
	}
	e.seen[text]++
	return e.World.Terminal(state)
}

// TestBadOptions gives numbers of resource managers that make no sense.
func TestBadOptions(t *testing.T) {
	for _, n := range []int{-1, 0, 65} {
		if _, err := twophase.NewSetup(twophase.Options{Resources: n}); err == nil {
			t.Errorf("%d resource managers are accepted", n)
		}
	}
}

// TestOrbits compares a search in which resource managers are alike with a twin that knows nothing
// of machines and messages: the specification, over one small number for each resource manager. Its
// states are as many as are published; with the numbers sorted they are the orbits.
func TestOrbits(t *testing.T) {
	t.Parallel()
	for n := 1; n <= effort.Of(6, 9); n++ {
		orbits := len(twinStates(n, true))
		if all := len(twinStates(min(n, 7), false)); n <= 7 {
			for _, p := range published {
				if p.resources == n && p.states != all {
					t.Errorf("the twin has %d states, published are %d", all, p.states)
				}
			}
		}
		for _, workers := range []int{1, 2} {
			for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
				w := newWorld(t, twophase.Options{Resources: n})
				r, err := w.Search(t.Context(), checker.Options{Reduce: checker.Ranks,
					Order: order, Workers: workers})
				if n == 1 {
					if err == nil {
						t.Error("one resource manager is like another one")
					}
					continue
				}
				if err != nil || r.Verdict != spec.Holds || r.States != orbits {
					t.Errorf("%d resource managers: %v with %d states, the twin has %d orbits; %v",
						n, r.Verdict, r.States, orbits, err)
				}
				for _, p := range published {
					if p.resources == n && r.States+r.Saved.Renamed != p.states {
						t.Errorf("%d resource managers: they stand for %d more states, published "+
							"are %d", n, r.Saved.Renamed, p.states)
					}
				}
			}
		}
	}
}

// The bits of a resource manager in the twin; without any it is working. Prepared is what is sent
// and not decided.
const (
	twinSent = 1 << iota
	twinHeard
	twinCommitted
	twinAborted
)

// twinStates are the states of the specification: the decision of the transaction manager (a byte,
// 0 = none), then the resource managers, sorted or as they are.
func twinStates(n int, sorted bool) map[string]bool {
	met := map[string]bool{}
	var queue []string
	add := func(s []byte) {
		if sorted {
			slices.Sort(s[1:])
		}
		if !met[string(s)] {
			met[string(s)] = true
			queue = append(queue, string(s))
		}
	}
	with := func(s string, i int, value byte) {
		next := []byte(s)
		next[i] = value
		add(next)
	}
	for add(make([]byte, n+1)); len(queue) > 0; queue = queue[1:] {
		s, heard := queue[0], 0
		for i := 1; i <= n; i++ {
			rm, decided := s[i], s[i]&^(twinSent|twinHeard)
			if rm&twinHeard != 0 {
				heard++
			} else if s[0] == 0 && rm&twinSent != 0 {
				with(s, i, rm|twinHeard)
			}
			if rm == 0 {
				with(s, i, twinSent)
				with(s, i, twinAborted)
			}
			if s[0] != 0 && decided != s[0] {
				with(s, i, rm&^decided|s[0])
			}
		}
		if s[0] == 0 {
			with(s, 0, twinAborted)
			if heard == n {
				with(s, 0, twinCommitted)
			}
		}
	}
	return met
}
