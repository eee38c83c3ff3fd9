package clustering

import (
	"testing"

	"github.com/domino-check/domino/impl/traffic"
)

// Aim: where a unit goes, worked out by hand. Ranks 0 and 1 are a cluster, ranks 2, 3 and 4 another
// one; 2 sends to 0, and 3 to 4. Rank 2 goes to the first cluster, also where clusters neither come
// nor go, if as many ranks stay as must, and not if fewer would. Rank 1, which sends to nobody, is
// better alone than in a pair, where clusters may come.
func TestBest(t *testing.T) {
	var b traffic.Builder
	for _, e := range [][2]int{{2, 0}, {3, 4}} {
		if err := b.Add(e[0], e[1], 1000, 1); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Graph(5, true)
	if err != nil {
		t.Fatal(err)
	}
	p := &Problem{Traffic: g, Weights: Published}
	if err := p.Open(); err != nil {
		t.Fatal(err)
	}
	free := p.limits()
	fixed := func(least int64) bounds {
		b := free
		b.frozen, b.least = true, least
		return b
	}
	for name, tt := range map[string]struct {
		limits bounds
		unit   int32
		want   int32 // -1: a cluster of its own
	}{
		"goes where it sends to":       {free, 2, 0},
		"leaves as many as must be":    {fixed(2), 2, 0},
		"stays where fewer would":      {fixed(3), 2, 1},
		"is better alone":              {free, 1, -1},
		"stays where no cluster comes": {fixed(1), 1, 0},
	} {
		s := newState(p.net, p.prices(p.Weights), tt.limits, []int32{0, 0, 1, 1, 1})
		got := s.best(tt.unit)
		if got > 1 {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%s: rank %d to cluster %d, want %d", name, tt.unit, got, tt.want)
		}
	}
}
