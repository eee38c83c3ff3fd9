package search_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/spec"
)

// grid is a system with two counters of n values each that only rise, so it has n*n states and
// 2n(n-1) transitions.
type grid struct {
	n   uint32
	bad func(a, b uint32) bool // states that break the property when entered
	end func(a, b uint32) bool
	all bool // the initial state is bad
}

func (g grid) Words() int { return 2 }

func (g grid) Initial(state []uint32) int {
	state[0], state[1] = 0, 0
	if g.all {
		return 1
	}
	return 0
}

func (g grid) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i := range state {
		if state[i]+1 == g.n {
			continue
		}
		x.Add(checker.Step{Code: uint64(i + 1)})
		x.Set(i, state[i]+1)
		if g.bad != nil && g.bad(x.At(0), x.At(1)) {
			x.Steps[len(x.Steps)-1].Violation = 1
		}
	}
}

func (g grid) Terminal(state []uint32) int {
	if g.end != nil && g.end(state[0], state[1]) {
		return 2
	}
	return 0
}

func (g grid) Violation(number int) spec.Violation {
	return spec.Violation{Property: []string{"", "bad", "end"}[number]}
}

// TestCounts explores a grid in every order and mode and compares with the numbers that geometry
// gives.
func TestCounts(t *testing.T) {
	tests := []struct {
		name    string
		options checker.Options
	}{
		{"depth first", checker.Options{}},
		{"depth first reduced", checker.Options{Reduce: checker.Singletons | checker.Crashes}},
		{"breadth first", checker.Options{Order: checker.BreadthFirst}},
		{"depth first, two workers", checker.Options{Workers: 2}},
		{"breadth first, three workers", checker.Options{Order: checker.BreadthFirst, Workers: 3}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const n = 150 // the tables grow several times
			r := search.Explore(t.Context(), grid{n: n}, tt.options)
			depth := 2 * (n - 1)
			if tt.options.Workers > 1 && tt.options.Order == checker.DepthFirst {
				depth = 0 // not told
			}
			got := []int{r.States, r.Transitions, r.Terminals, r.Depth, int(r.Verdict)}
			if d := cmp.Diff([]int{n * n, 2 * n * (n - 1), 1, depth, int(spec.Holds)},
				got); d != "" {
				t.Errorf("states, transitions, terminals, depth, verdict (-want +got):\n%s", d)
			}
		})
	}
}

// TestShortest compares the length of a breadth-first counterexample with the distance of the
// nearest bad state.
func TestShortest(t *testing.T) {
	bad := func(a, b uint32) bool { return a*b == 12 } // nearest: 3+4
	r := search.Explore(t.Context(), grid{n: 20, bad: bad},
		checker.Options{Order: checker.BreadthFirst})
	if r.Verdict != spec.Violated || len(r.Found) != 1 || len(r.Found[0].Path) != 7 {
		t.Fatalf("verdict %v, found %+v, want one path of 7 steps", r.Verdict, r.Found)
	}
	var a, b int
	for _, c := range r.Found[0].Path {
		if c == 1 {
			a++
		} else {
			b++
		}
	}
	if a*b != 12 {
		t.Errorf("the path leads to (%d, %d), which is not bad", a, b)
	}
	deep := search.Explore(t.Context(), grid{n: 20, bad: bad}, checker.Options{})
	if len(deep.Found) != 1 || len(deep.Found[0].Path) < 7 {
		t.Errorf("depth first finds %+v, want a path of at least 7 steps", deep.Found)
	}
}

// TestLimits ends a search early in each way: the verdict is unknown and the bound is named.
func TestLimits(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		options checker.Options
		bound   string
	}{
		{"states", context.Background(), checker.Options{MaxStates: 10}, "limit of 10 states"},
		{"time", context.Background(), checker.Options{MaxTime: time.Nanosecond}, "time limit 1ns"},
		{"memory", context.Background(), checker.Options{MaxBytes: 1 << 16}, "memory limit 64 KiB"},
		{"cancelled", cancelled, checker.Options{}, "interrupted"},
	}
	for _, tt := range tests {
		for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
			t.Run(tt.name+map[checker.Order]string{checker.DepthFirst: " depth first",
				checker.BreadthFirst: " breadth first"}[order], func(t *testing.T) {
				tt.options.Order = order
				r := search.Explore(tt.ctx, grid{n: 200}, tt.options)
				if r.Verdict != spec.Unknown || r.Bound != tt.bound || r.States >= 200*200 {
					t.Errorf("verdict %v, bound %q, %d states, want unknown by %q", r.Verdict,
						r.Bound, r.States, tt.bound)
				}
			})
		}
	}
}

// TestFirstAndLastState finds violations where there is no step before or behind.
func TestFirstAndLastState(t *testing.T) {
	for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
		r := search.Explore(t.Context(), grid{n: 3, all: true}, checker.Options{Order: order})
		if r.Verdict != spec.Violated || len(r.Found) != 1 || len(r.Found[0].Path) != 0 {
			t.Errorf(
				"order %d, violation in the initial state: %v %+v, want one with an empty path",
				order, r.Verdict, r.Found)
		}
		end := func(a, b uint32) bool { return a == 2 && b == 2 }
		r = search.Explore(t.Context(), grid{n: 3, end: end}, checker.Options{Order: order})
		if r.Verdict != spec.Violated || len(r.Found) != 1 || len(r.Found[0].Path) != 4 {
			t.Errorf("order %d, violation at the end: %v %+v, want one after 4 steps", order,
				r.Verdict, r.Found)
		}
		r = search.Explore(t.Context(), grid{n: 3, all: true, end: end},
			checker.Options{Order: order, All: true})
		if names := properties(r); !slices.Equal(names, []string{"bad", "end"}) || r.States != 9 {
			t.Errorf("order %d, all violations: %v in %d states, want bad and end in 9", order,
				names, r.States)
		}
	}
}

func properties(r checker.Result) (names []string) {
	for _, f := range r.Found {
		names = append(names, f.Property)
	}
	return names
}
