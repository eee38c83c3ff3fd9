package clustering_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/impl/traffic"
)

// ring is traffic of a ring of n ranks: k arcs as equal as can be cost alpha k/n + beta/k.
func ring(t testing.TB, n int) *traffic.Graph {
	t.Helper()
	var b traffic.Builder
	for r := range n {
		if err := b.Add(r, (r+1)%n, 1000, 1); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Graph(n, true)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// torus is traffic of ranks in a square, each to its six neighbours, as BT and SP have them.
func torus(t testing.TB, side int) *traffic.Graph {
	t.Helper()
	var b traffic.Builder
	for r := range side * side {
		x, y := r%side, r/side
		for _, d := range [][2]int{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}} {
			to := (x+d[0]+side)%side + (y+d[1]+side)%side*side
			if err := b.Add(r, to, 1<<20, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	g, err := b.Graph(side*side, true)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestRing: the best clustering of a ring of 1,024 is 24 arcs of 42 and 43 ranks, by the formula of
// its cost for every number of arcs.
func TestRing(t *testing.T) {
	g := ring(t, 1024)
	p := open(t, g, clustering.Rules{})
	var want *big.Rat
	arcs := 0
	for k := 2; k <= 1024; k++ {
		labels := make([]int, 1024)
		for r := range labels {
			labels[r] = r * k / 1024
		}
		if c := price(g, p.Weights, labels); want == nil || c.Cmp(want) < 0 {
			want, arcs = c, k
		}
	}
	plan := search(p, clustering.Seeds)
	if got := price(g, p.Weights, plan.Labels); got.Cmp(want) != 0 || len(plan.Sizes) != arcs ||
		arcs != 24 {
		t.Errorf("%d clusters cost %v, %d arcs %v", len(plan.Sizes), got, arcs, want)
	}
	halved, err := p.Bisection(never)
	if err != nil || len(halved.Sizes) != 32 || halved.Squares != 32*32*32 {
		t.Errorf("bisection has %v, %v, want 32 arcs of 32", halved.Sizes, err)
	}
}

// TestTorus: the search costs no more than any tiling of the torus by equal rectangles or stripes.
func TestTorus(t *testing.T) {
	const side = 24
	g := torus(t, side)
	p := open(t, g, clustering.Rules{})
	got := price(g, p.Weights, search(p, clustering.Seeds).Labels)
	for w := 1; w <= side; w++ {
		for h := 1; h <= side; h++ {
			if side%w > 0 || side%h > 0 {
				continue
			}
			labels := make([]int, side*side)
			for r := range labels {
				labels[r] = r%side/w + r/side/h*side
			}
			if tiling := price(g, p.Weights, labels); got.Cmp(tiling) > 0 {
				t.Errorf("the search costs %s, tiles of %dx%d %s", got.FloatString(5), w, h,
					tiling.FloatString(5))
			}
		}
	}
}

// published are Table I of [HydEE] (256 ranks) and Tableau 4 of [HydEE-fr] (1,024), class D: the
// number of clusters, R in percent, GB of 2^30 bytes logged and L in percent.
var published = []struct {
	name     string
	ranks    int
	clusters int
	back     float64
	logged   float64
	share    float64
	total    float64
	exact    bool // bisection gives the row as it is printed
}{
	{"bt", 256, 5, 21.78, 143, 18.09, 791, false}, {"cg", 256, 16, 6.25, 440, 18.98, 2318, true},
	{"lu", 256, 8, 12.5, 44, 13.26, 337, false}, {"mg", 256, 4, 25, 13, 19.63, 66, true},
	{"sp", 256, 6, 18.56, 289, 20.04, 1446, false},
	{"bt", 1024, 8, 12.5, 201, 12.3, 1635, false}, {"cg", 1024, 32, 3.1, 910, 16.2, 5606, true},
	{"lu", 1024, 16, 6.25, 67, 9.7, 700, true}, {"mg", 1024, 8, 12.5, 20, 18.5, 107, true},
	{"sp", 1024, 8, 12.5, 366, 12.2, 2989, false},
}

// TestPublished: both methods cost at most what the printed rows do, but for half a percent, and
// the search is two percent below in six of ten. Bisection gives some rows as they are printed; of
// MG on 1,024 ranks L is 18.35 where 18.5 is printed.
func TestPublished(t *testing.T) {
	cheaper := 0
	for _, row := range published {
		if row.ranks > 256 && !effort.Long() {
			continue
		}
		t.Run(fmt.Sprintf("%s,%d", row.name, row.ranks), func(t *testing.T) {
			g, err := traffic.Kernel(fmt.Sprintf("%s class=D ranks=%d", row.name, row.ranks),
				func() error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			p := open(t, g, clustering.Rules{})
			printed := 0.23*row.share/100 + 0.124*row.back/100
			halved, err := p.Bisection(never)
			if err != nil {
				t.Fatal(err)
			}
			best := search(p, clustering.Seeds)
			for _, plan := range []*clustering.Plan{halved, best} {
				if c := p.Cost(plan); c > 1.005*printed {
					t.Errorf("cost %.5f, printed %.5f", c, printed)
				}
			}
			if p.Cost(best) <= 0.98*printed {
				cheaper++
			}
			gigabytes := float64(halved.Logged) / (1 << 30)
			if row.exact && (len(halved.Sizes) != row.clusters ||
				slices.Max(halved.Sizes) != row.ranks/row.clusters ||
				gigabytes < row.logged-0.5 || gigabytes > row.logged+0.5) {
				t.Errorf("%d clusters of up to %d, %.2f GB, printed %d, %.0f", len(halved.Sizes),
					slices.Max(halved.Sizes), gigabytes, row.clusters, row.logged)
			}
		})
	}
	if want := effort.Of(3, 6); cheaper < want {
		t.Errorf("%d rows cost at most 0.98 of the printed ones, want %d", cheaper, want)
	}
}

// TestFT: an exchange of all with all is best not clustered, .124; the printed row is that of two
// halves, which half of all bytes go between: .177.
func TestFT(t *testing.T) {
	effort.Seconds(t)
	g, err := traffic.Kernel("ft class=D ranks=256", func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, g, clustering.Rules{})
	halved, err := p.Bisection(never)
	if err != nil || len(halved.Sizes) != 1 || len(search(p, 4).Sizes) != 1 {
		t.Errorf("bisection has %d clusters, %v", len(halved.Sizes), err)
	}
	p = open(t, g, clustering.Rules{Clusters: 2})
	for _, find := range []func() (*clustering.Plan, error){
		func() (*clustering.Plan, error) { return p.Bisection(never) },
		func() (*clustering.Plan, error) { return search(p, 4), nil }} {
		plan, err := find()
		if err != nil || len(plan.Sizes) != 2 {
			t.Fatalf("%v, %v", plan, err)
		}
		if l, c := p.Share(plan), p.Cost(plan); l < 0.495 && slices.Max(plan.Sizes) == 128 ||
			c > 0.178 {
			t.Errorf("sizes %v, L %.4f, cost %.4f, want two parts of .177", plan.Sizes, l, c)
		}
	}
}
