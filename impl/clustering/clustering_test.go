package clustering_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/clustering"
	"github.com/domino-check/domino/impl/traffic"
)

func never() bool { return false }

// random is traffic of up to so many ranks, sparse or dense, with equal or unequal channels.
func random(t *testing.T, r *rand.Rand, most int) *traffic.Graph {
	t.Helper()
	for {
		n, dense, spread := 2+r.IntN(most-1), r.Float64(), 1+r.IntN(1000)
		var b traffic.Builder
		for p := range n {
			for q := range n {
				if p != q && r.Float64() < dense {
					if err := b.Add(p, q, int64(1+r.IntN(spread)), 1); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if g, err := b.Graph(n, true); err == nil {
			return g
		}
	}
}

// open is a problem that is ready.
func open(t testing.TB, g *traffic.Graph, rules clustering.Rules) *clustering.Problem {
	t.Helper()
	p := &clustering.Problem{Traffic: g, Weights: clustering.Published, Rules: rules}
	if err := p.Open(); err != nil {
		t.Fatal(err)
	}
	return p
}

// search is the best of some seeds, polished.
func search(p *clustering.Problem, seeds int) (best *clustering.Plan) {
	for s := range seeds {
		if plan := p.Attempt(s, never); p.Better(plan, best) {
			best = plan
		}
	}
	if best != nil {
		best = p.Polish(best, never)
	}
	return best
}

// price is the cost of labels as a fraction, from its definition and the channels alone.
func price(g *traffic.Graph, w clustering.Weights, labels []int) *big.Rat {
	cut, sizes := int64(0), map[int]int64{}
	for r := range g.Ranks {
		sizes[labels[r]]++
		to, bytes := g.Row(r)
		for i, q := range to {
			if labels[r] != labels[q] {
				cut += bytes[i]
			}
		}
	}
	back := int64(0)
	for _, s := range sizes {
		back += s * s
	}
	l := new(big.Rat).Mul(big.NewRat(w.Alpha, w.Scale), big.NewRat(cut, g.Bytes))
	n := int64(g.Ranks)
	return l.Add(l, new(big.Rat).Mul(big.NewRat(w.Beta, w.Scale), big.NewRat(back, n*n)))
}

// least is the least cost of all partitions that are allowed, nil when none is: each rank goes to
// the cluster of an earlier one, or to a new one.
func least(g *traffic.Graph, w clustering.Weights,
	allowed func(labels []int) bool) (best *big.Rat) {
	labels := make([]int, g.Ranks)
	var place func(r, clusters int)
	place = func(r, clusters int) {
		if r == g.Ranks {
			if allowed == nil || allowed(labels) {
				if c := price(g, w, labels); best == nil || c.Cmp(best) < 0 {
					best = c
				}
			}
			return
		}
		for c := range clusters + 1 {
			labels[r] = c
			place(r+1, max(clusters, c+1))
		}
	}
	place(0, 0)
	return best
}

// TestOptimal compares the search with all partitions of random graphs: it never finds less than
// the least there is, and in 98 of 100 finds that.
func TestOptimal(t *testing.T) {
	cases, most := effort.Of(300, 10_000), effort.Of(7, 9)
	if effort.Long() && !effort.Huge() {
		cases = 500
	}
	optimal := 0
	for i := range cases {
		g := random(t, rand.New(rand.NewPCG(uint64(i), 5)), most)
		p := open(t, g, clustering.Rules{})
		want, plan := least(g, p.Weights, nil), search(p, clustering.Seeds)
		switch got := price(g, p.Weights, plan.Labels); got.Cmp(want) {
		case -1:
			t.Fatalf("case %d: %v is less than the least, %v", i, got, want)
		case 0:
			optimal++
		}
	}
	if 100*optimal < 98*cases {
		t.Errorf("%d of %d are optimal, want 98 %%", optimal, cases)
	}
	t.Logf("%d of %d are optimal", optimal, cases)
}

// TestEnumerate: the best of all partitions is the least there is, under any rules; and the search
// under the same rules keeps to them, finds no less, and mostly that.
func TestEnumerate(t *testing.T) {
	found, optimal, none := 0, 0, 0
	for i := range effort.Cases(400, 1000) {
		r := rand.New(rand.NewPCG(uint64(i), 7))
		g := random(t, r, 7)
		rules := randomRules(r, g.Ranks)
		want := least(g, clustering.Published, func(labels []int) bool {
			return keeps(rules, labels)
		})
		p := &clustering.Problem{Traffic: g, Weights: clustering.Published, Rules: rules}
		if err := p.Open(); err != nil {
			if want != nil {
				t.Fatalf("case %d: %+v: %v, but there is a clustering", i, rules, err)
			}
			var clash *clustering.ClashError
			if none++; !errors.As(err, &clash) || len(clash.Rules) < 2 {
				t.Fatalf("case %d: %+v: %v", i, rules, err)
			}
			continue
		}
		var best *clustering.Plan
		p.Enumerate(never, func(plan *clustering.Plan) {
			if p.Better(plan, best) {
				best = plan
			}
		})
		if (best == nil) != (want == nil) {
			t.Fatalf("case %d: %+v: %v, want %v", i, rules, best, want)
		}
		if plan := search(p, 8); plan != nil {
			if found++; want == nil || !keeps(rules, plan.Labels) ||
				price(g, p.Weights, plan.Labels).Cmp(want) < 0 {
				t.Fatalf("case %d: %+v: %v does not keep to the rules", i, rules, plan.Labels)
			}
			if price(g, p.Weights, plan.Labels).Cmp(want) == 0 {
				optimal++
			}
		}
		if best == nil {
			none++
			continue
		}
		if got := price(g, p.Weights, best.Labels); got.Cmp(want) != 0 ||
			!keeps(rules, best.Labels) {
			t.Fatalf("case %d: %+v: %v, want %v", i, rules, got, want)
		}
	}
	t.Logf("the search found %d, %d of them optimal, none had %d", found, optimal, none)
	cases := effort.Cases(400, 1000)
	if none < cases/20 || 100*optimal < 95*(cases-none) {
		t.Errorf("the search found %d, %d of them optimal; %d of %d had no clustering", found,
			optimal, none, cases)
	}
}

// randomRules draws some rules.
func randomRules(r *rand.Rand, n int) (rules clustering.Rules) {
	if r.IntN(3) == 0 {
		for range n {
			rules.Node = append(rules.Node, r.IntN(n))
		}
	}
	for range r.IntN(2) {
		rules.Join = append(rules.Join, []int{r.IntN(n), r.IntN(n)})
	}
	for range r.IntN(3) {
		if a, b := r.IntN(n), r.IntN(n); a != b {
			rules.Part = append(rules.Part, [2]int{a, b})
		}
	}
	if r.IntN(3) == 0 {
		rules.Least = r.IntN(n)
	}
	if r.IntN(3) == 0 {
		rules.Most = 1 + r.IntN(n)
	}
	if r.IntN(3) == 0 {
		rules.Clusters = 1 + r.IntN(n)
	}
	if r.IntN(3) == 0 {
		rules.Rollback = 1 + r.Int64N(1e6)
	}
	return rules
}

// keeps is what the rules mean, read from labels alone.
func keeps(rules clustering.Rules, labels []int) bool {
	sizes := map[int]int64{}
	for r, c := range labels {
		sizes[c]++
		for q := range r {
			if rules.Node != nil && rules.Node[q] == rules.Node[r] && labels[q] != c {
				return false
			}
		}
	}
	back := int64(0)
	for _, s := range sizes {
		if s < int64(rules.Least) || rules.Most > 0 && s > int64(rules.Most) {
			return false
		}
		back += s * s
	}
	for _, group := range rules.Join {
		if labels[group[0]] != labels[group[1]] {
			return false
		}
	}
	for _, pair := range rules.Part {
		if labels[pair[0]] == labels[pair[1]] {
			return false
		}
	}
	n := int64(len(labels))
	return (rules.Clusters == 0 || len(sizes) == rules.Clusters) &&
		(rules.Rollback == 0 || back*1e6 <= rules.Rollback*n*n)
}

// TestRepeats: the same problem has the same answer, and seeds have different ones.
func TestRepeats(t *testing.T) {
	g := torus(t, 12)
	a, b := open(t, g, clustering.Rules{}), open(t, g, clustering.Rules{})
	different := 0
	for s := range 8 {
		x, y := a.Attempt(s, never), b.Attempt(s, never)
		if !slices.Equal(x.Labels, y.Labels) {
			t.Fatalf("seed %d: %v, then %v", s, x.Labels, y.Labels)
		}
		if s > 0 && !slices.Equal(x.Labels, a.Attempt(s-1, never).Labels) {
			different++
		}
	}
	if different == 0 {
		t.Error("all seeds give the same")
	}
	start := a.Attempt(0, never)
	x, y := a.Polish(start, never), b.Polish(b.Attempt(0, never), never)
	if !slices.Equal(x.Labels, y.Labels) {
		t.Errorf("polished %v, then %v", x.Labels, y.Labels)
	}
	if a.Better(start, x) {
		t.Errorf("polished from %v to %v", start.Labels, x.Labels)
	}
}

// TestClashes: what can not be kept together is named.
func TestClashes(t *testing.T) {
	g := ring(t, 12)
	tests := []struct {
		name  string
		rules clustering.Rules
		want  string
	}{
		{"sizes", clustering.Rules{Least: 5, Most: 4},
			"at least 5 ranks each; at most 4 ranks each"},
		{"no number of clusters fits", clustering.Rules{Least: 5, Most: 5},
			"at least 5 ranks each; at most 5 ranks each; 12 ranks"},
		{"a node is too large", clustering.Rules{Node: []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2},
			Most: 3}, "at most 3 ranks each; 4 ranks that stay together"},
		{"too many clusters", clustering.Rules{Node: []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2},
			Clusters: 4}, "4 clusters; only 3 groups that need not stay together"},
		{"clusters too small", clustering.Rules{Clusters: 2, Most: 5},
			"2 clusters; at most 5 ranks"},
		{"clusters too large", clustering.Rules{Clusters: 3, Least: 5}, "3 clusters; at least 5"},
		{"rolled back and number", clustering.Rules{Clusters: 2, Rollback: 400_000},
			"at most 40 % rolled back; 2 clusters"},
		// 2 x 3 + 3 x 2 ranks are the most even: 30 of 144
		{"rolled back and uneven number", clustering.Rules{Clusters: 5, Rollback: 208_000},
			"at most 20.8 % rolled back; 5 clusters"},
		{"rolled back and least", clustering.Rules{Least: 6, Rollback: 400_000},
			"at most 40 % rolled back; at least 6 ranks each"},
		{"rolled back and nodes", clustering.Rules{Node: make([]int, 12), Rollback: 500_000},
			"at most 50 % rolled back; 100 % is the least"},
		{"parted and joined", clustering.Rules{Join: [][]int{{1, 2, 3}}, Part: [][2]int{{1, 3}}},
			"ranks 1 and 3 must part; they stay together"},
		{"parted and one", clustering.Rules{Clusters: 1, Part: [][2]int{{1, 3}}},
			"1 clusters; ranks 1 and 3 must part"},
		{"an unknown rank", clustering.Rules{Join: [][]int{{1, 12}}}, "join: rank 12 is unknown"},
		{"a negative rank", clustering.Rules{Part: [][2]int{{1, -1}}}, "part: rank -1 is unknown"},
		{"parted from itself", clustering.Rules{Part: [][2]int{{1, 1}}}, "part: rank 1 can not"},
		{"nodes of others", clustering.Rules{Node: []int{1}}, "nodes of 1 ranks, there are 12"},
		{"negative size", clustering.Rules{Least: -1}, "least size -1"},
		{"negative bound", clustering.Rules{Most: -1}, "largest size -1"},
		{"clusters of nobody", clustering.Rules{Clusters: 13}, "13 clusters: want"},
		{"more than all", clustering.Rules{Rollback: 2e6}, "rollback of 2000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &clustering.Problem{Traffic: g, Weights: clustering.Published, Rules: tt.rules}
			err := p.Open()
			if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(),
				"the constraints clash: "), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestNoClash: rules that can just be kept together are no clash, and the search ends, with a plan
// that keeps them or none. Five clusters of 12 ranks are at best two of three ranks and three of
// two: 30 of 144.
func TestNoClash(t *testing.T) {
	g := ring(t, 12)
	for _, rules := range []clustering.Rules{{Clusters: 5, Rollback: 208_334},
		{Least: 5, Most: 6}, {Clusters: 2, Most: 6}, {Clusters: 4, Least: 3},
		{Clusters: 2, Rollback: 500_000}, {Least: 6, Rollback: 500_000},
		{Clusters: 2, Part: [][2]int{{1, 3}}}, {Clusters: 12}, {Least: 12}, {Most: 1},
		{Node: []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, Clusters: 3, Most: 4}} {
		p := open(t, g, rules)
		if plan := search(p, 4); plan != nil && !keeps(rules, plan.Labels) {
			t.Errorf("%+v: %+v", rules, plan)
		}
	}
}

// TestSeeds: a thousand ranks have all seeds, tens of thousands with six channels each fewer, and
// no problem is so large that it has none.
func TestSeeds(t *testing.T) {
	for side, want := range map[int][2]int{32: {clustering.Seeds, clustering.Seeds},
		256: {8, 16}, 512: {8, 8}} {
		p := open(t, torus(t, side), clustering.Rules{})
		if n := p.Seeds(); n < want[0] || n > want[1] {
			t.Errorf("%d seeds for %d ranks, want %v", n, side*side, want)
		}
	}
}

// TestWeights reads decimals exactly, and refuses what is none.
func TestWeights(t *testing.T) {
	if w, err := clustering.ParseWeights("0.23", ".124"); err == nil {
		t.Errorf("%v of a number without a digit before the point", w)
	}
	if w, err := clustering.ParseWeights("0.23", "0.124"); err != nil || w != clustering.Published {
		t.Errorf("%v, %v, want %v", w, err, clustering.Published)
	}
	if w, err := clustering.ParseWeights("0", "2"); err != nil || w.Alpha != 0 ||
		w.Beta != 2*w.Scale {
		t.Errorf("%v, %v", w, err)
	}
	for _, bad := range []string{"-1", "NaN", "1e3", "", "0x1", "1001", "0.1234567", "+1", "1.-2"} {
		if w, err := clustering.ParseWeights(bad, "1"); err == nil {
			t.Errorf("%q is %v", bad, w)
		}
	}
	if w, err := clustering.ParseWeights("1000", "1000"); err != nil || w.Alpha != w.Beta {
		t.Errorf("the largest weights: %v, %v", w, err)
	}
	if _, err := clustering.ParseWeights("0", "0.0"); err == nil {
		t.Error("no weights")
	}
}

// BenchmarkSearch plans the largest published sizes, and a torus of 65,536 ranks: one seed each.
func BenchmarkSearch(b *testing.B) {
	for _, text := range []string{"bt", "cg", "ft", "lu", "mg", "sp"} {
		b.Run("kernel="+text+"/ranks=1024", func(b *testing.B) {
			g, err := traffic.Kernel(text+" class=D ranks=1024", func() error { return nil })
			if err != nil {
				b.Fatal(err)
			}
			benchmarkSeeds(b, g)
		})
	}
	b.Run("torus/ranks=65536", func(b *testing.B) { benchmarkSeeds(b, torus(b, 256)) })
}

func benchmarkSeeds(b *testing.B, g *traffic.Graph) {
	p := open(b, g, clustering.Rules{})
	seed := 0
	for b.Loop() {
		p.Attempt(seed, never)
		seed++
	}
}
