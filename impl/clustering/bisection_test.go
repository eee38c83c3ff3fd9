package clustering_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/impl/traffic"
)

// TestBisectionLooks: eight nodes of ten ranks. Six have as much to do with each other as can be,
// two with nobody. In halves, four of the six are cut from two, which are 8 of 15 edges for half
// of what roll back, and does not pay by itself where both cost the same; the two that were left
// with those who have nothing to do are then parted from them for nothing, and that pays for both.
func TestBisectionLooks(t *testing.T) {
	var b traffic.Builder
	for i := range 6 {
		for j := range i {
			if err := b.Add(10*i, 10*j, 1000, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	g, err := b.Graph(80, true)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []int
	for r := range 80 {
		nodes = append(nodes, r/10)
	}
	p := &clustering.Problem{Traffic: g, Weights: clustering.Weights{Alpha: 1, Beta: 1, Scale: 1},
		Rules: clustering.Rules{Node: nodes}}
	if err := p.Open(); err != nil {
		t.Fatal(err)
	}
	plan, err := p.Bisection(never)
	if err != nil {
		t.Fatal(err)
	}
	sizes := slices.Sorted(slices.Values(plan.Sizes))
	if !slices.Equal(sizes, []int{10, 10, 20, 40}) || plan.Logged != 8000 {
		t.Errorf("clusters of %v log %d, want 4, 2, 1 and 1 nodes that log 8000", sizes,
			plan.Logged)
	}
}

// TestBisectionBalance: halves are equal but for five percent of them, also where a cut elsewhere
// is much less: of a row of 100 ranks with one thin place behind the 30th.
func TestBisectionBalance(t *testing.T) {
	var b traffic.Builder
	for r := range 99 {
		bytes := int64(1000)
		if r == 29 {
			bytes = 1
		}
		if err := b.Add(r, r+1, bytes, 1); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Graph(100, true)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := open(t, g, clustering.Rules{Clusters: 2}).Bisection(never)
	if err != nil || plan.Logged != 1000 || slices.Min(plan.Sizes) < 47 {
		t.Errorf("%v, %v", plan, err)
	}
}

// TestBisectionNumber: of the halves that is split again which costs least. Of eight ranks the
// first four are two pairs, the others all have to do with each other: of three clusters two are
// the pairs.
func TestBisectionNumber(t *testing.T) {
	var b traffic.Builder
	for _, e := range [][3]int{{0, 1, 1000}, {2, 3, 1000}, {0, 2, 1}, {3, 4, 1}, {4, 5, 1000},
		{4, 6, 1000}, {4, 7, 1000}, {5, 6, 1000}, {5, 7, 1000}, {6, 7, 1000}} {
		if err := b.Add(e[0], e[1], int64(e[2]), 1); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Graph(8, true)
	if err != nil {
		t.Fatal(err)
	}
	for clusters, want := range map[int][]int{2: {0, 0, 0, 0, 1, 1, 1, 1},
		3: {0, 0, 1, 1, 2, 2, 2, 2}, 1: {0, 0, 0, 0, 0, 0, 0, 0}, 8: {0, 1, 2, 3, 4, 5, 6, 7}} {
		plan, err := open(t, g, clustering.Rules{Clusters: clusters}).Bisection(never)
		if err != nil || !slices.Equal(plan.Labels, want) {
			t.Errorf("%d: %v, %v, want %v", clusters, plan, err, want)
		}
	}
}

// TestTies: what does not pay is not done, and of plans at the same cost the one with fewer
// clusters is better. Two ranks apart log all, 1, and half of them roll back, 1; together all of
// them do, 2.
func TestTies(t *testing.T) {
	p := &clustering.Problem{Traffic: ring(t, 2),
		Weights: clustering.Weights{Alpha: 1, Beta: 2, Scale: 1}}
	if err := p.Open(); err != nil {
		t.Fatal(err)
	}
	if p.Cost(p.Alone()) != p.Cost(p.Whole()) || !p.Better(p.Whole(), p.Alone()) ||
		p.Better(p.Alone(), p.Whole()) {
		t.Errorf("%g apart, %g together", p.Cost(p.Alone()), p.Cost(p.Whole()))
	}
	if plan, err := p.Bisection(never); err != nil || len(plan.Sizes) != 1 {
		t.Errorf("bisection: %v, %v", plan, err)
	}
	// a ring of four in two pairs, which can be done twice: the first of the labels decides
	p = open(t, ring(t, 4), clustering.Rules{})
	a := &clustering.Plan{Labels: []int{0, 0, 1, 1}, Sizes: []int{2, 2}, Logged: 2000, Squares: 8}
	b := &clustering.Plan{Labels: []int{0, 1, 1, 0}, Sizes: []int{2, 2}, Logged: 2000, Squares: 8}
	if !p.Better(a, b) || p.Better(b, a) || p.Better(a, a) || p.Better(nil, a) ||
		!p.Better(a, nil) || p.Better(nil, nil) {
		t.Error("of two plans that cost the same not the first is better")
	}
}
