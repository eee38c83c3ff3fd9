package search

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec"
)

// wide is a graph of n nodes with three steps each, of which a state is a vector of so many words:
// the number of the node in the first, and in each a number that is made of it and becomes as large
// as so many bits hold. So codes outgrow every width while it is explored.
type wideGraph struct {
	n     uint32
	words int
	bits  int
	bad   uint32
	late  bool // a word begins to grow when the node has come so far
	// each word of a successor is first set to a value that is larger than any that it keeps
	detour bool
}

func (g wideGraph) Words() int                   { return g.words }
func (g wideGraph) Terminal([]uint32) int        { return 0 }
func (g wideGraph) Violation(int) spec.Violation { return spec.Violation{Property: "bad"} }

// vector is the state of a node.
func (g wideGraph) vector(node uint32) []uint32 {
	state := make([]uint32, g.words)
	for w := range state {
		factor := uint64(node) * uint64(2*w+1) << max(0, g.bits-15)
		if !g.late || int(node) >= int(g.n)*w/g.words/2 {
			state[w] = uint32(factor & (1<<g.bits - 1))
		}
	}
	state[0] = node
	return state
}

func (g wideGraph) Initial(state []uint32) int { copy(state, g.vector(0)); return 0 }

// next are the nodes behind the steps.
func (g wideGraph) next(node uint32) [3]uint32 {
	return [3]uint32{(2*node + 1) % g.n, (2*node + 2) % g.n, (node*7 + 3) % g.n}
}

func (g wideGraph) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i, to := range g.next(state[0]) {
		s := checker.Step{Code: uint64(i + 1)}
		if to == g.bad && g.bad != 0 {
			s.Violation = 1
		}
		x.Add(s)
		for w, value := range g.vector(to) {
			if g.detour {
				x.Set(w, value|1<<(g.bits+2))
			}
			x.Set(w, value)
		}
	}
}

func (g wideGraph) Footprint([]uint32, uint64) checker.Footprint { return checker.Everything() }

// TestWidening explores graphs of which the codes outgrow every width, in every order, with one and
// several workers, with sleep sets and on disk: as many states as nodes and three times as many
// steps, and a violation is found by a path that leads to it.
func TestWidening(t *testing.T) {
	left := 0
	for i, g := range []wideGraph{{n: 9000, words: 2, bits: 15}, {n: 9000, words: 5, bits: 12},
		{n: 20000, words: 4, bits: 15, late: true, detour: true},
		{n: 9000, words: 4, bits: 31}, {n: 9000, words: 7, bits: 32},
		{n: 4000, words: 45, bits: 20}, {n: 9000, words: 9, bits: 12, late: true},
		{n: 9000, words: 25, bits: 12, late: true}} {
		for j, o := range []checker.Options{{}, {Workers: 3}, {Order: checker.BreadthFirst},
			{Order: checker.BreadthFirst, Workers: 3}, {Reduce: checker.Sleep},
			{Reduce: checker.Sleep, Order: checker.BreadthFirst, Workers: 2}} {
			for k, bad := range []uint32{0, g.n - 77} {
				if (i+j+2*k)%4 > 0 && !effort.Long() {
					left++ // each graph in a quarter of the ways, in the others the next ones
					continue
				}
				g.bad, o.All = bad, true
				s := newSearch(t.Context(), g, o)
				if bad == 0 {
					s.compact = 100 // many codes stay as they are
				}
				g.compare(t, fmt.Sprintf("%+v %v", g, o), s.result())
				// several workers may meet the large values before the packing is made
				if bad == 0 && g.late && !g.detour && s.layout.breadth && s.sleepers == nil &&
					o.Workers == 0 && s.packing.Ordered() {
					t.Errorf("%+v %v: the packing was never extended", g, o)
				}
			}
		}
		g.bad = g.n - 77
		for k, compact := range []int{100, compactStates} {
			if (i+k)%2 > 0 && !effort.Long() {
				left++
				continue
			}
			bytes, spills := int64(1<<30), false
			for range 2 {
				var of *search
				r := onDisk(t, g, checker.Options{MaxBytes: bytes, Workers: 2, All: true},
					func(s *search) { of, s.compact = s, compact })
				name := fmt.Sprintf("%+v on disk, %d bytes, compact %d", g, bytes, compact)
				if g.compare(t, name, r); spills != (r.Spills > 0) {
					t.Errorf("%s: %d spills", name, r.Spills)
				}
				bytes, spills = of.contents()+1<<18, true // hardly more
			}
		}
	}
	if left > 0 {
		t.Logf("%d searches are left out, all %s", left, effort.More)
	}
}

// compare compares with the graph.
func (g wideGraph) compare(t *testing.T, name string, r checker.Result) {
	t.Helper()
	want := []int{int(g.n), 3 * int(g.n), 0}
	if g.bad != 0 {
		want = []int{int(g.n) - 1, 3*int(g.n) - 3, 1}
	}
	if got := []int{r.States, r.Transitions, len(r.Found)}; !slices.Equal(got, want) ||
		r.Bound != "" {
		t.Errorf("%s: %v %q, want %v", name, got, r.Bound, want)
	}
	for _, f := range r.Found {
		node := uint32(0)
		for _, code := range f.Path {
			node = g.next(node)[code-1]
		}
		if node != g.bad {
			t.Errorf("%s: the path leads to %d, want %d", name, node, g.bad)
		}
	}
}

// TestResumeWhileWidening breaks searches off at many places, so that packings of every kind are
// saved: what goes on ends as what was never broken off, with the same runs when one worker does
// it.
func TestResumeWhileWidening(t *testing.T) {
	for _, g := range []wideGraph{{n: 2000, words: 2, bits: 15}, {n: 2000, words: 4, bits: 31},
		{n: 2000, words: 25, bits: 20}} {
		g.bad = g.n - 77
		for _, o := range []checker.Options{{}, {Workers: 2}, {Order: checker.BreadthFirst}} {
			o.All = true
			want := Explore(t.Context(), g, o)
			o.Saving.File = filepath.Join(t.TempDir(), "run")
			for o.MaxStates = 1; ; o.MaxStates += 1 + o.MaxStates/5 {
				r, err := Run(t.Context(), g, o)
				if err != nil {
					t.Fatal(err)
				}
				o.Saving.Resume = o.Saving.File
				if r.Bound == "" {
					g.compare(t, fmt.Sprintf("%+v %v", g, o), r)
					if d := cmp.Diff(want.Found, r.Found); d != "" && o.Workers == 0 {
						t.Errorf("%+v %v: (-want +got)\n%s", g, o, d)
					}
					break
				}
				if r.States != o.MaxStates {
					t.Errorf("%+v %v: %d states", g, o, r.States)
				}
			}
		}
	}
}
