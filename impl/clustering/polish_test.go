package clustering

import (
	"testing"

	"github.com/domino-check/domino/impl/traffic"
)

// opened is a problem on a ring of ranks, with a heavier chord every few of them, that is ready.
func opened(t *testing.T, ranks, chord int, rules Rules) *Problem {
	t.Helper()
	var b traffic.Builder
	for r := range ranks {
		for _, to := range []int{(r + 1) % ranks, (r + chord) % ranks} {
			if err := b.Add(r, to, 1000+int64(r%7), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	g, err := b.Graph(ranks, true)
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Traffic: g, Weights: Published, Rules: rules}
	if err := p.Open(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Aim: kicks keep what is cheaper than the best so far, not than the plan that they began with.
// Method: whoever is asked whether to stop looks at the plan: it never becomes dearer, and more
// than once cheaper.
func TestKicksDescend(t *testing.T) {
	p := opened(t, 200, 13, Rules{})
	falls := 0
	for seed := range 3 {
		label := alone(p.net.units())
		s := p.seeker(seed, nil)
		last := s.cost(p.net.cut(label), p.net.squares(label))
		s.stop = func() bool {
			now := s.cost(p.net.cut(label), p.net.squares(label))
			switch now.compare(last) {
			case 1:
				t.Fatalf("seed %d: a plan of %v after one of %v", seed, now, last)
			case -1:
				falls++
			}
			last = now
			return false
		}
		s.kicked(p.net, label)
	}
	if falls < 6 {
		t.Errorf("%d times cheaper in 3 seeds: too few to tell", falls)
	}
}

// Aim: Polish goes on with a plan within rules about the number or the least size of clusters.
// Method: a ring so large that an attempt has few rounds, in four arcs, which are far from what
// its cost alone would have, and a few ranks in the wrong one: they are put right.
func TestPolishFixed(t *testing.T) {
	const ranks, arcs, wrong = 1 << 15, 4, 8
	for _, rules := range []Rules{{Clusters: arcs}, {Least: ranks/arcs - wrong}} {
		p := opened(t, ranks, 1, rules)
		if p.net.short() >= kickable {
			t.Fatalf("attempts have %d rounds: the ring is too small", p.net.short())
		}
		label := make([]int32, ranks)
		for r := range label {
			label[r] = int32(r * arcs / ranks)
		}
		right := p.plan(label)
		for i := range wrong {
			label[100+1000*i] = arcs - 1 // in the first arc
		}
		plan := p.plan(label)
		got := p.Polish(plan, func() bool { return false })
		if !p.Keeps(got) || p.Better(right, got) {
			t.Errorf("%+v: polished to %v with %d bytes logged, want no worse than %v with %d",
				rules, got.Sizes, got.Logged, right.Sizes, right.Logged)
		}
	}
}
