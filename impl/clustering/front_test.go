package clustering_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/impl/traffic"
)

// TestFront compares the front of all plans of small graphs with those that no other plan beats or
// equals, asked one by one.
func TestFront(t *testing.T) {
	for i := range effort.Cases(40, 400) {
		p := open(t, random(t, rand.New(rand.NewPCG(uint64(i), 11)), 6), clustering.Rules{})
		var all []*clustering.Plan
		p.Enumerate(never, func(plan *clustering.Plan) { all = append(all, plan) })
		want := map[[2]int64]bool{}
		for _, a := range all {
			want[[2]int64{a.Logged, a.Squares}] = !slices.ContainsFunc(all,
				func(b *clustering.Plan) bool {
					return b.Logged <= a.Logged && b.Squares <= a.Squares &&
						(b.Logged < a.Logged || b.Squares < a.Squares)
				})
		}
		front := p.Front(append(all, nil))
		for _, a := range front {
			if at := [2]int64{a.Logged, a.Squares}; !want[at] {
				t.Errorf("case %d: %v is beaten, or there twice", i, at)
			} else {
				want[at] = false
			}
		}
		for at, missing := range want {
			if missing {
				t.Errorf("case %d: %v is missing", i, at)
			}
		}
	}
}

// TestFrontTies: of plans that are as good as each other in both the one with fewer clusters is on
// the front, and then the first by its labels. Four ranks and two alone roll back as much as two
// halves of three: 18 of 36.
func TestFrontTies(t *testing.T) {
	p := open(t, ring(t, 6), clustering.Rules{})
	four := &clustering.Plan{Labels: []int{0, 0, 0, 0, 1, 2}, Sizes: []int{4, 1, 1}, Logged: 5,
		Squares: 18}
	halves := &clustering.Plan{Labels: []int{0, 0, 0, 1, 1, 1}, Sizes: []int{3, 3}, Logged: 5,
		Squares: 18}
	others := &clustering.Plan{Labels: []int{0, 1, 1, 1, 0, 0}, Sizes: []int{3, 3}, Logged: 5,
		Squares: 18}
	for _, plans := range [][]*clustering.Plan{{four, halves, others}, {others, halves, four}} {
		if front := p.Front(plans); len(front) != 1 || front[0] != halves {
			t.Errorf("%+v", front)
		}
	}
}

// TestBlame: of the rules those are named that clash, and none that is kept easily. Three ranks
// that must part pairwise do not fit into two clusters, whatever the sizes.
func TestBlame(t *testing.T) {
	p := open(t, ring(t, 6), clustering.Rules{Clusters: 2, Most: 5,
		Part: [][2]int{{0, 1}, {1, 2}, {2, 0}}})
	names := p.Blame(func(q *clustering.Problem) (found bool) {
		q.Enumerate(func() bool { return found }, func(*clustering.Plan) { found = true })
		return found
	})
	if !slices.Equal(names, []string{"2 clusters", "ranks that must part"}) {
		t.Errorf("%q are to blame", names)
	}
}

// TestExact: weights of which costs would not fit into 126 bits are refused, those of the papers
// are not for a thousand ranks that send 2^50 bytes.
func TestExact(t *testing.T) {
	var b traffic.Builder
	if err := b.Add(0, 1<<20-1, traffic.MaxBytes, 1); err != nil {
		t.Fatal(err)
	}
	g, err := b.Graph(0, true)
	if err != nil {
		t.Fatal(err)
	}
	long, err := clustering.ParseWeights("999.999999", "0.000001")
	if err != nil {
		t.Fatal(err)
	}
	p := &clustering.Problem{Traffic: g, Weights: long}
	if err := p.Open(); err == nil || !strings.Contains(err.Error(), "would not be exact") {
		t.Errorf("%v", err)
	}
	// 30 bits of a weight and 28 of tilts, 57 of bytes, and twice those of the number of ranks
	for ranks, fits := range map[int]bool{15: true, 16: false} {
		var b traffic.Builder
		if err := b.Add(0, ranks-1, traffic.MaxBytes, 1); err != nil {
			t.Fatal(err)
		}
		if g, err = b.Graph(0, true); err != nil {
			t.Fatal(err)
		}
		p := &clustering.Problem{Traffic: g, Weights: long}
		if err := p.Open(); (err == nil) != fits {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	var small traffic.Builder
	if err := small.Add(0, 1023, 1<<50, 1); err != nil {
		t.Fatal(err)
	}
	if g, err = small.Graph(0, true); err != nil {
		t.Fatal(err)
	}
	open(t, g, clustering.Rules{})
}
